#!/bin/bash
# vflow query -i: as a script, and on a terminal that python3 plays.
. tests/lib.sh
export VFLOW_PROFILE=
cat >"$T/g.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1, vflow_types="weight:float"];
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1, weight="0.5"];
	v2 [kind=kernel, name="zero(char*)", invocations=3, note="it's"];
	v3 [kind=kernel, name="mix(char*)", invocations=1];
	v1 -> v2 [key="1:WRITE", object=1, access=WRITE, bytes=4096, count=1];
	v2 -> v3 [key="1:READ", object=1, access=READ, bytes=1024, count=1];
}
DOT
session() { # TEXT [OPTIONS]: standard output in $T/out, errors in $T/err; the exit code
	local text=$1
	shift
	printf '%s' "$text" | "$VFLOW" query -i "$@" "$T/g.dot" >"$T/out" 2>"$T/err"
}
session $'MATCH (k:kernel)\n  RETURN k.id; RETURN ";" AS x;\nRETURN 7 AS y'
is "a script: several lines, several in a line, the last ';' missing" "$(tr '\n' ' ' <"$T/out")" 'k.id 2 3 x ; y 7 '
is "and nothing else" "$(cat "$T/err")" ""
session $'RETURN 1 AS a; // a comment; with a semicolon\n/* another;\n*/ RETURN \'it\\\'s; \' AS b, `c;` AS d;\n'
is "comments, quotes" "$(cat "$T/err")" $'vflow query: line 3, column 27: there is no variable \'c;\' here; text is written in quotes\n  */ RETURN \'it\\\'s; \' AS b, `c;` AS d;\n                            ^'
session $'RETURN 1 AS a;\nRETURN 1 +;\nMATCH (n) RETURN n.id - n.name;\n\\nonsense\nRETURN 2 AS b;\n'
is "errors do not end it, but the exit code tells" "$?,$(tr '\n' ' ' <"$T/out")" "1,a 1 b 2 "
like "each error is told" "$(cat "$T/err")" "line 1, column 11: the query ends here: expected an expression.*needs a number, not a string.*no command .nonsense"
session $'RETURN 1 AS a;\n\\q\nRETURN 2 AS b;\n'
is "\\q" "$?,$(tr '\n' ' ' <"$T/out")" "0,a 1 "
session $'\\d\n'
is "\\d: labels, types, properties" "$(sed 's/  */ /g' "$T/out")" "Labels of 4 vertices:
 alloc 1
 host 1
 kernel 2
Types of 2 edges:
 READ 1
 WRITE 1
Properties of vertices: how many have it, type, an example
 id 4 integer 0
 kind 4 string host
 name 4 string host
 invocations 3 integer 1
 weight 1 float 0.5
 note 1 string it's
Properties of edges:
 access 2 string WRITE
 key 2 string 1:WRITE
 object 2 integer 1
 bytes 2 integer 4096
 count 2 integer 1"
session $'\\h\n'
like "\\h" "$(cat "$T/out")" "Ctrl-C ends the query"
session $'\\T json\nMATCH (v:alloc) RETURN v.id AS i;\n\\T nonsense\n\\T csv\nRETURN "a,b" AS c;\n'
is "\\T" "$(tr '\n' ' ' <"$T/out")" '[  {"i":1} ] c "a,b" '
session $'MATCH (v:kernel) RETURN GRAPH;\nMATCH (v) RETURN count(*) AS n;\n'
is "RETURN GRAPH leaves the graph as it was" "$(grep -c 'v[23] \[' "$T/out"),$(tail -1 "$T/out")" "2,4"
session 'RETURN $x + 1 AS y;' -p x=2
is "-p" "$(tr '\n' ' ' <"$T/out")" "y 3 "
session 'UNWIND range(1, 100) AS x RETURN x; RETURN 1 AS y;' --max-rows 10
is "a limit ends the query only" "$?,$(tr '\n' ' ' <"$T/out")" "1,y 1 "
{ echo "RETURN '"; head -c 1200000 /dev/zero | tr '\0' 'x'; echo "' AS x;"; echo "RETURN 3 AS z;"; } | "$VFLOW" query -i "$T/g.dot" >"$T/out" 2>"$T/err"
like "a query of more than 1 MB is refused" "$(cat "$T/err")" "longer than 256 KiB"
cat "$T/g.dot" "$T/g.dot" >"$T/two.dot"
is "the first of several graphs" "$(echo 'MATCH (v) RETURN count(*) AS n' | "$VFLOW" query -i "$T/two.dot" 2>&1 | tr '\n' ' ')" \
	"vflow query: note: -i asks the first of several graphs n 4 "
expect_exit 2 "-i with standard input as the graph" "$VFLOW" query -i -
expect_exit 2 "-i and -o" "$VFLOW" query -i -o x "$T/g.dot"
expect_exit 1 "-i without a graph" env VFLOW_PROFILE="$T/none.db" "$VFLOW" query -i
echo 'MATCH (k:kernel) RETURN count(*) AS n' >"$T/q.cypher"
is "-f FILE" "$("$VFLOW" query -f "$T/q.cypher" "$T/g.dot" | tr '\n' ' ')" "n 2 "
is "-f -" "$(cd "$T" && "$VFLOW" query -f - g.dot <q.cypher | tr '\n' ' ')" "n 2 "
is "-f - and a graph that is not named" "$(VFLOW_PROFILE=$T/g.dot "$VFLOW" query -f - <"$T/q.cypher" | tr '\n' ' ')" "n 2 "
expect_exit 2 "-f - and a graph from there, too" "$VFLOW" query -f - - <"$T/q.cypher"
expect_exit 1 "-f of a file that is not there" "$VFLOW" query -f "$T/none" "$T/g.dot"

# what the parser takes, but for what it knows of other languages, is known to Tab
words=$(grep -ohE '(is|take|expect)_word(_at)?\([^"()]*"[A-Za-z]+"' query/language/*.c | grep -oE '"[A-Za-z]+"' | sort -u | grep -vE '"(FROM|SELECT|I?LIKE)"')
known=$( (sed -n '/query_keywords\[\] = {/,/}/p' query/language/parse.c; grep -hoE '^	\{"[A-Za-z0-9]+"' query/language/functions.c; grep -h 'forms\[\] = ' query/complete.c) | grep -oE '"[A-Za-z0-9]+"' | tr a-z A-Z | sort -u)
is "keywords are those of the parser ($(wc -l <<<"$words") words)" "$(comm -23 <(tr a-z A-Z <<<"$words" | sort -u) <(echo "$known"))" ""

command -v python3 >/dev/null || { skip "on a terminal" "no python3"; finish; }
python3 -c 'import pty; pty.openpty()' 2>/dev/null || { skip "on a terminal" "there is no terminal (/dev/pts)"; finish; }
cat >"$T/terminal.py" <<'PY'
"""Types what is told, each part once the text that it waits for is on the screen."""
import os, pty, select, sys, time

def play(command, steps):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown, at = "", 0
    for wanted, keys in steps:
        end = time.time() + 60
        while wanted not in shown[at:]:
            ready = select.select([fd], [], [], 0.2)[0]
            if ready:
                try:
                    shown += os.read(fd, 4096).decode(errors="replace")
                except OSError:
                    break
            elif keys == b"\x03" or time.time() > end:
                if time.time() > end:
                    print("NOT SEEN:", repr(wanted))
                    break
                os.write(fd, keys)  # Ctrl-C until it has been heard
        at = shown.find(wanted, at) + len(wanted) if wanted in shown[at:] else at
        if callable(keys):
            keys = keys()
        if keys and keys != b"\x03":
            os.write(fd, keys)
    try:
        while True:
            data = os.read(fd, 4096)
            if not data:
                break
            shown += data.decode(errors="replace")
    except OSError:
        pass
    print(shown.replace("\r", ""))
    print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
if sys.argv[3] == "first":
    play([sys.argv[1], "query", "-i", "--timeout", "0", sys.argv[2]], [
        ("vflow> ", b"RETURN 20 + 1\r"),
        ("...> ", b"AS \xc3\xa9t\xc3\xa9;\r"),
        ("21", b"RETURN nothing;\r"),
        ("no variable 'nothing'", b"UNWIND range(1, 9999999) AS x UNWIND range(1, 9999999) AS y RETURN count(*);\r"),
        ("interrupted", b"\x03"),
        ("vflow> ", b"RETURN 30 + 2 AS answer;\r"),
        ("32\r\n", b"MATCH (v:kernel) RETURN GRAPH;\r"),
        ("}", b"\\q\r"),
    ])
elif sys.argv[3] == "again":
    play([sys.argv[1], "query", "-i", sys.argv[2]], [
        ("vflow> ", b"\x1b[A"),  # the command that ended the last session
        ("\\q", b"\x1b[A"),
        ("RETURN GRAPH;", b"\x1b[A"),
        ("RETURN 30 + 2 AS answer;", b"\x1b[A\x1b[A\x1b[A"),
        ("AS \u00e9t\u00e9;", b"\r"),  # the first, with both its lines
        ("21", b"\\q\r"),
    ])
elif sys.argv[3] == "two":
    def other():  # begins and ends while the first one is there
        play([sys.argv[1], "query", "-i", sys.argv[2]], [
            ("vflow> ", b"RETURN 41 AS other;\r"),
            ("41\r\n", b"\\q\r"),
        ])
        return b"RETURN 42 AS own;\r"
    play([sys.argv[1], "query", "-i", sys.argv[2]], [
        ("vflow> ", other),
        ("42\r\n", b"\\q\r"),
    ])
else:
    play([sys.argv[1], "query", "-i", sys.argv[2]], [
        ("vflow> ", b"mat\t (v:\t"),
        ("alloc   host    kernel", b"ker\t {na\t: 'mix(char*)'}) \r"),
        ("...> ", b"ret\t v.\t"),
        ("invocations", b"invoc\t AS \xc3\xa9;\r"),
        ("vflow> ", b"\\q\r"),
    ])
PY
export XDG_STATE_HOME=$T/state HOME=$T
unset VFLOW_HISTORY
python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" first >"$T/out" 2>&1
like "a statement of two lines on a terminal" "$(cat "$T/out")" $'---\n +21\n|---\n21\n'
like "Ctrl-C ends the query, not the session" "$(cat "$T/out")" "interrupted.*answer.*32"
unlike "all was seen" "$(cat "$T/out")" "NOT SEEN|Traceback"
like "the graph as DOT" "$(cat "$T/out")" 'v3 \[.*mix'
like "and it ends well" "$(cat "$T/out")" "exit 0"
ldd "$VFLOW" | grep -q libedit || { skip "the history, and Tab" "built without libedit"; finish; }
H=$T/state/vflow/query_history
is "the history holds queries, not lines" "$(sed 's/\\040/ /g' "$H" | head -n 3)" $'_HiStOrY_V2_\nRETURN 20 + 1\\012AS été;\nRETURN nothing;'
is "for its owner only" "$(stat -c %a "$H" "$T/state/vflow" | tr '\n' ' ')" "600 700 "
python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" again >"$T/out" 2>&1
unlike "the next session has them" "$(cat "$T/out")" "NOT SEEN|Traceback"
like "... and asks one of two lines again" "$(cat "$T/out")" $'---\n +21\n|---\n21\n'
python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" tab >"$T/out" 2>&1
unlike "Tab" "$(cat "$T/out")" "NOT SEEN|Traceback"
like "... the answer" "$(cat "$T/out")" $'\n-\n1\n'
is "... has typed the rest" "$(sed 's/\\040/ /g' "$H" | tail -n 2 | head -n 1)" 'match (v:kernel {name: '"'mix(char*)'"'}) \012return v.invocations AS é;'
cp "$H" "$T/before"
python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" two >"$T/out" 2>&1
unlike "two sessions at once" "$(cat "$T/out")" "NOT SEEN|Traceback"
is "... both add to what was there" "$(sed 's/\\040/ /g' "$H")" "$(sed 's/\\040/ /g' "$T/before")
RETURN 41 AS other;
\134q
RETURN 42 AS own;
\134q"
unset XDG_STATE_HOME
python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" tab >/dev/null 2>&1
is "without XDG_STATE_HOME" "$(cd "$T" && find .local -type f)" .local/state/vflow/query_history
echo "my letter" >"$T/letter"
VFLOW_HISTORY=$T/letter python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" tab >"$T/out" 2>&1
is "a file that is no history stays" "$(cat "$T/letter")" "my letter"
like "... which is said" "$(cat "$T/out")" "letter is no history: nothing is kept in it"
rm "$T/.local/state/vflow/query_history"
VFLOW_HISTORY='' python3 "$T/terminal.py" "$VFLOW" "$T/g.dot" tab >/dev/null 2>&1
is "VFLOW_HISTORY= keeps none" "$(find "$T/.local" -type f)" ""
finish
