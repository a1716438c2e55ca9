#!/bin/bash
# Kernel names made to break things, and damaged traces and profiles, through the whole of the
# command line: clean output or a clear error, never a crash.
. tests/lib.sh

mkdir "$T/trace"
expect_exit 0 "hostile trace" "$P/hostile_trace" "$T/trace/1.trace"
expect_exit 0 "collect --from-trace" "$VFLOW" collect --from-trace "$T/trace" -o "$T/h.db"

clean() { # NAME FILE: valid UTF-8 without control characters but newlines
	if ! iconv -f UTF-8 -t UTF-8 "$2" >"$T/utf8" 2>&1; then
		not_ok "$1: UTF-8" "$(tail -c 300 "$T/utf8")"
	elif LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$2" || LC_ALL=C grep -qF $'\xe2\x80\xae' "$2"; then
		not_ok "$1: no control characters" "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]' "$2" | cat -v | head)"
	else
		ok "$1: clean text"
	fi
}
expect_exit 0 "report" "$VFLOW" report "$T/h.db"
clean "report" "$T/out"
like "report: names stay readable" "$(cat "$T/out")" 'a<b>&amp;c'
like "report: escapes are visible" "$(cat "$T/out")" '\\x1b\[31mred'
expect_exit 0 "export" "$VFLOW" export -T json "$T/h.db"
cp "$T/out" "$T/h.json"
clean "export" "$T/h.json"
# object 1 is cudaMalloc, 2 cudaMemset; each kernel writes after the one before
is "export: names" "$(json_query "$T/h.json" "SELECT value->>'name' FROM json, json_each(text, '\$.vertices') WHERE value->>'kind' = 'kernel'")" \
'quote"name
a<b>&amp;c
esc\x1b[31mred
bad\xff\xfeutf8
back\slash\
\N\G
</svg><script>alert(1)</script>
new\x0aline\x09tab
{x|y}
right\u202eleft'
expect_exit 0 "slice" "$VFLOW" slice --vertex 12 "$T/h.db"
cp "$T/out" "$T/h.dot"
clean "slice" "$T/h.dot"
is "slice: gvpr reads it" "$(dot_edges <"$T/h.dot")" "1>2 2>3 3>4 4>5 5>6 6>7 7>8 8>9 9>10 10>11 11>12"
"$VFLOW" slice --vertex 12 "$T/h.dot" >"$T/h2.dot"
expect_exit 0 "DOT in, the same DOT out" cmp "$T/h.dot" "$T/h2.dot"
expect_exit 0 "stock dot draws it" dot -Tsvg -o "$T/stock.svg" "$T/h.dot"
expect_exit 0 "render" "$VFLOW" render -o "$T/h.svg" "$T/h.dot"
expect_exit 0 "the picture is XML" xmllint --noout "$T/h.svg"
clean "render" "$T/h.svg"
unlike "render: no script" "$(cat "$T/h.svg")" '<script|onload='
like "render: the name is shown" "$(xmllint --xpath 'string(/)' "$T/h.svg")" '</svg><script>alert\(1\)</script>'

# -- damaged input: every exit code is 0 or 1 (125 for collect), with a message --------------
died=
RANDOM=1
size=$(stat -c %s "$T/trace/1.trace")
mkdir "$T/cut" "$T/flipped"
for ((at = 0; at < size; at += 1 + size / 40)); do
	head -c $at "$T/trace/1.trace" >"$T/cut/1.trace"
	try "0 125" "$VFLOW" collect --from-trace "$T/cut" -o "$T/cut.db"
	[ -e "$T/cut.db" ] && try 0 "$VFLOW" export -T json "$T/cut.db"
	rm -f "$T"/cut.db*
	flip "$T/trace/1.trace" "$T/flipped/1.trace" $at
	try "0 125" "$VFLOW" collect --from-trace "$T/flipped" -o "$T/flipped.db"
	[ -e "$T/flipped.db" ] && try 0 "$VFLOW" export -T json "$T/flipped.db"
	rm -f "$T"/flipped.db*
done
is "truncated and bit-flipped traces" "$died" ""

# a record in order, then damage: the profile keeps what came before and says where it was cut
head -c $((size - 100)) "$T/trace/1.trace" >"$T/cut/1.trace"
expect_exit 0 "a trace cut at the end" "$VFLOW" collect --from-trace "$T/cut" -o "$T/cut.db"
like "... has the events before" "$(edges "$T/cut.db")" '1>2 W 1 4096 2048 1'
like "... and coverage says so" "$("$VFLOW" export -T json "$T/cut.db")" '[Tt]race'

died=
size=$(stat -c %s "$T/h.db")
for ((i = 0; i < 40; i++)); do
	at=$((size * i / 40))
	head -c $at "$T/h.db" >"$T/cut.db"
	try "0 1" "$VFLOW" report "$T/cut.db"
	try "0 1" "$VFLOW" slice --vertex 5 "$T/cut.db"
	flip "$T/h.db" "$T/flipped.db" $((at + RANDOM % (size / 40)))
	try "0 1" "$VFLOW" report "$T/flipped.db"
	try "0 1" "$VFLOW" export -T json "$T/flipped.db"
done
is "truncated and bit-flipped profiles" "$died" ""

# -- DOT that others made -----------------------------------------------------------------
everything=(--edge 'bytes>=0' --vertex 'invocations>=0')
: >"$T/empty.dot"
expect_exit 1 "empty DOT is an error" "$VFLOW" prune "${everything[@]}" "$T/empty.dot"
is "... of one line" "$(wc -l <"$T/err")" 1
head -c $(($(stat -c %s "$T/h.dot") / 2)) "$T/h.dot" >"$T/half.dot"
expect_exit 1 "half a graph is an error" "$VFLOW" slice --vertex 3 "$T/half.dot"
like "... that names the file" "$(cat "$T/err")" 'half\.dot'
cat "$T/h.dot" "$T/h.dot" >"$T/two.dot"
expect_exit 0 "two graphs" "$VFLOW" slice --vertex 12 "$T/two.dot"
is "... give two" "$(cat "$T/out")" "$(cat "$T/h.dot" "$T/h.dot")"
{
	printf %s 'digraph { v1 [kind=alloc name=cudaMalloc invocations=1]; v2 [kind=kernel invocations=1 name="'
	head -c 100000 /dev/zero | tr '\0' x
	echo '"]; "q\\" [kind=kernel invocations=1 name="\\N<b>"]; v1 -> v2 [bytes=4 access=WRITE object=1]; v2 -> "q\\" [bytes=4 access=READ object=1] }'
} >"$T/odd.dot"
attributes='N { printf("%s %s %s\n", $.name, aget($, "kind"), aget($, "name")); }'
expect_exit 0 "a name of 100 KB and a vertex called q\\" "$VFLOW" prune "${everything[@]}" "$T/odd.dot"
cp "$T/out" "$T/odd2.dot"
is "... stay what they were" "$(gvpr "$attributes" "$T/odd2.dot" | sort)" "$(gvpr "$attributes" "$T/odd.dot" | sort)"
expect_exit 0 "... again" "$VFLOW" prune "${everything[@]}" -o "$T/odd3.dot" "$T/odd2.dot"
expect_exit 0 "... byte for byte" cmp "$T/odd2.dot" "$T/odd3.dot"
expect_exit 0 "... and can be drawn" "$VFLOW" render -o "$T/odd.svg" "$T/odd.dot"
expect_exit 0 "... as XML" xmllint --huge --noout "$T/odd.svg"

# traces that are none, in any order on the disk: the same coverage
mkdir "$T/traces"
for name in g c a h e b f d; do echo "$name" >"$T/traces/$name.trace"; done
expect_exit 125 "nothing but damaged traces" "$VFLOW" collect --from-trace "$T/traces" -o "$T/d.db"
is "... says why, in one line" "$(cat "$T/err")" \
	"vflow collect: no trace in $T/traces can be read: $T/traces/a.trace: truncated at offset 2: expected a header of 40 bytes"
is "... and writes no profile" "$(ls "$T"/d.db* 2>/dev/null)" ""
cp "$T/trace/1.trace" "$T/traces/0.trace"
expect_exit 0 "damaged traces beside a good one" collect "$T/d.db" --from-trace "$T/traces"
is "... are named in order" "$(sqlite3 "$T/d.db" 'SELECT reason FROM coverage' | sed 's/.*\/\(.\)\.trace.*/\1/' | tr -d '\n')" abcdefgh
# byte 8 is the version
rm "$T/traces/"[a-h]*
printf '\x63' | dd of="$T/traces/0.trace" bs=1 seek=8 conv=notrunc status=none
expect_exit 125 "a trace of a newer vflow is refused" "$VFLOW" collect --from-trace "$T/traces" -o "$T/n.db"
like "... clearly" "$(cat "$T/err")" "0\.trace: made by a newer vflow: trace version 99, this one reads 1"
finish
