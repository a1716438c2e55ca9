#!/bin/bash
# Files by hostile names, and files that must not be written over: for every command.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW") P=$(realpath "$P")
cd "$T" || exit 1
"$VFLOW" collect -q --device emulated -o r.db "$P/moves" array >/dev/null 2>&1
"$VFLOW" export -T dot -o g.dot r.db
cp g.dot before.dot
md5sum <r.db >before

# ESC, BEL, DEL, CSI as one character (C1), newline and a byte that is not UTF-8
name=$'e\e[31m\a\x7f\xc2\x9b\n\xff'
cp r.db "$name.db"
cp g.dot "$name.dot"
echo junk >"$name.bad"
mkdir "$name"
cp "$P/moves" "$name.program"
escapes=0 runs=0
clean() { # COMMAND...: whether what it says has nothing that a terminal takes for a command
	runs=$((runs + 1))
	"$VFLOW" "$@" >out 2>err </dev/null
	# a newline of the name would begin a line with what follows it, \xff
	LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|^\xff' out err || return 0
	escapes=$((escapes + 1))
	not_ok "vflow $*" "$(cat -v err out | head -n 5)"
}
for file in "$name.db" "$name.dot" "$name.bad" "$name" "$name.none"; do
	clean report "$file"
	clean report -T json "$file"
	clean report -T sarif "$file"
	clean report --memory "$file"
	clean diff r.db "$file"
	clean diff -T markdown "$file" r.db
	clean whatif "$file"
	clean slice --vertex 1 "$file"
	clean prune "$file"
	clean path 1 2 "$file"
	clean top "$file"
	clean stat "$file"
	clean query 'MATCH (v) RETURN v' "$file"
	clean query -f "$file"
	for type in svg html dot json folded perfetto; do clean render -T $type "$file"; done
	clean export "$file"
	clean deps "$file"
	clean render -o "$file" r.db
	clean slice --vertex 1 -o "$file/x" g.dot
	clean collect -o "$file/x" "$P/moves" array
	clean collect --device emulated -o "$name.new" "./$file"
	clean collect --from-trace "$file"
	clean "$file"
	clean help "$file"
	clean report "--$file"
	clean report -T "$file" r.db
	clean query --param "$file" 'RETURN 1'
	clean query --timeout "$file" 'RETURN 1'
	clean collect --device "$file" true
	clean collect --passes "$file" true
done
clean collect --device emulated -o "$name.new" "./$name.program" array
clean collect --device emulated -o "$name.new" "./$name.program" array
for command in report "report -T json" stat "export -T json" "export -T dot" "render -T svg" "render -T html" deps; do
	# shellcheck disable=SC2086
	clean $command "$name.new"
done
is "control characters of names reach no terminal ($((runs > 150)))" "$escapes (1)" "$((0)) ($((runs > 150)))"
cp r.db $'\xff.db'
is "JSON is JSON where the name of the file is no UTF-8" "$("$VFLOW" report -T json $'\xff.db' >json; json_query json "SELECT text->>'$.run.file' FROM json")" '\xff.db'

# -o names what is read, also by another name
ln g.dot hard.dot
ln -s g.dot soft.dot
for file in g.dot hard.dot soft.dot ./g.dot; do
	for command in "slice --vertex 1" "prune --edge-bytes 1" "top --by written_bytes" "render -T svg" "render -T json"; do
		# shellcheck disable=SC2086
		expect_exit 1 "$command: -o $file" "$VFLOW" $command -o "$file" g.dot
		like "... says why" "$(cat err)" "cannot write $file: it is what is read"
	done
done
expect_exit 1 "... from standard input" "$VFLOW" slice --vertex 1 -o g.dot <g.dot
expect_exit 1 "... query" "$VFLOW" query -o g.dot 'MATCH (a) RETURN GRAPH a' g.dot
echo 'RETURN 1' >q.cypher
expect_exit 1 "... the query" "$VFLOW" query -f q.cypher -o q.cypher g.dot
is "... the graph and the query stay" "$(cmp g.dot before.dot && cat q.cypher)" "RETURN 1"
expect_exit 0 "a graph that is not read is replaced" "$VFLOW" slice --vertex 1 -o before.dot g.dot
for command in report "diff r.db" "slice --vertex 1" stat "export -T json" deps "render -T svg"; do
	# shellcheck disable=SC2086
	expect_exit 1 "$command: -o of a profile" "$VFLOW" $command -o r.db r.db
done
is "... it stays" "$(md5sum <r.db)" "$(cat before)"

# the profile takes the place of no program
cp "$P/moves" program
expect_exit 125 "collect -o PROGRAM" "$VFLOW" collect --device emulated -o program ./program array
like "... says why" "$(cat err)" "cannot write program: it is no profile, but a file of another kind"
is "... which stays, and was not run" "$(cmp program "$P/moves" && ls program.old 2>/dev/null)|$(cat out)" "|"
: >empty.db
expect_exit 0 "an empty file is no loss" "$VFLOW" collect -q --device emulated -o empty.db ./program array
expect_exit 0 "a profile is kept" "$VFLOW" collect -q --device emulated -o empty.db ./program array
is "... as FILE.old" "$("$VFLOW" stat empty.db.old >/dev/null && ls empty.db*)" $'empty.db\nempty.db.old'
is "nothing half-written is left" "$(find . -name '*.tmp' -o -name '*.trace*' -o -name '*.dot.*' | wc -l)" 0
finish
