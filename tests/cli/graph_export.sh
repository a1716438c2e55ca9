#!/bin/bash
# vflow export, and where commands get their input from.
cd "$(dirname "$0")/../.." && . tests/lib.sh
db=$T/f.db
collect "$db" "$P/figure3" >/dev/null 2>"$T/err" || { not_ok "collect" "$(cat "$T/err")"; finish; }

expect_exit 0 "export writes JSON" "$VFLOW" export "$db"
cp "$T/out" "$T/f.json"
is "JSON by SQLite's parser" "$(json_query "$T/f.json" 'SELECT json_valid(text) FROM json')" 1
is "five members" "$(json_query "$T/f.json" "SELECT group_concat(key, ' ') FROM (SELECT key FROM json, json_each(text) ORDER BY key)")" \
	"coverage edges findings objects vertices"
is "numbers are numbers" "$(json_query "$T/f.json" "SELECT DISTINCT json_type(value, '\$.bytes') || json_type(value, '\$.start') || json_type(value, '\$.end') ||
	json_type(value, '\$.count') || json_type(value, '\$.object') FROM json, json_each(text, '\$.edges')")" "integerintegerintegerintegerinteger"
is "redundancy is on WRITE edges only" "$(json_query "$T/f.json" "SELECT value->>'access', count(value->>'redundancy'), count(*)
	FROM json, json_each(text, '\$.edges') GROUP BY 1")" "READ 0 1
WRITE 5 5"
is "two objects of N bytes" "$(json_query "$T/f.json" "SELECT value->>'site', value->>'size', value->>'memory' FROM json, json_each(text, '\$.objects')")" \
	"1 4096 device
2 4096 device"
# both sets are written over unread; of b nobody reads the second zeros, nor what `use` writes
is "what nobody reads are findings" "$(json_query "$T/f.json" "SELECT value->>'pattern', value->>'vertex', value->>'object', value->>'bytes',
	value->>'action', value->>'input' FROM json, json_each(text, '\$.findings') ORDER BY 2")" "dead_write 3 1 4096 delete 1
dead_write 4 2 4096 delete 1
never_read 6 2 4096 delete 1
never_read 7 2 1024 delete 1"
is "findings mark their vertices" "$(json_query "$T/f.json" "SELECT value->>'id' FROM json, json_each(text, '\$.vertices')
	WHERE value->>'patterns' LIKE '%dead_write%'")" "3
4"

expect_exit 0 "export writes DOT" "$VFLOW" export -T dot "$db"
cp "$T/out" "$T/f.dot"
is "DOT has no dates, process ids or addresses" "$(grep -cE '0x|202[0-9]-|pid' "$T/f.dot")" 0
expect_exit 0 "stock tools read it" nop "$T/f.dot"
cp "$T/out" "$T/nopped.dot"
is "stock tools see the attributes" "$(gvpr 'E [access == "READ"] { print(tail.name, head.name, bytes); }' "$T/f.dot")" "v5v71024"
expect_exit 0 "what nop writes is read" "$VFLOW" prune --edge-bytes 0 "$T/nopped.dot" -o "$T/nop.dot"
"$VFLOW" prune --edge-bytes 0 "$T/f.dot" -o "$T/same.dot" 2>/dev/null
is "DOT through a filter is the same, byte by byte" "$(cmp "$T/f.dot" "$T/same.dot" 2>&1)" ""
is "also through nop, but for the order" "$(sort "$T/nop.dot")" "$(sort "$T/f.dot")"

expect_exit 0 "-o writes a file" "$VFLOW" export -o "$T/out.json" "$db"
is "the same JSON" "$(cmp "$T/f.json" "$T/out.json" 2>&1)" ""
expect_exit 0 "\$VFLOW_PROFILE" env VFLOW_PROFILE="$db" "$VFLOW" export -o "$T/out.json"
(cd "$T" && cp f.db vflow.db)
expect_exit 0 "./vflow.db" env -C "$T" "$VFLOW" export
rm "$T/vflow.db"
expect_exit 1 "nothing to read" env -C "$T" "$VFLOW" export
like "says what to do" "$(cat "$T/err")" "vflow collect"
echo "digraph { a }" | expect_exit 1 "standard input is not read" env -C "$T" "$VFLOW" export
expect_exit 1 "a full disk" "$VFLOW" export -o /dev/full "$db"
expect_exit 2 "an unknown type" "$VFLOW" export -T xml "$db"
expect_exit 2 "two files" "$VFLOW" export "$db" "$db"
expect_exit 0 "help" "$VFLOW" export --help
expect_exit 1 "DOT is not a profile" "$VFLOW" export "$T/f.dot"
like "says so" "$(cat "$T/err")" "not a profile"

prune() { "$VFLOW" prune --edge-bytes 0 "$@"; }
expect_exit 0 "a filter takes a profile" prune "$db"
is "and writes what export writes" "$(cmp "$T/out" "$T/f.dot" 2>&1)" ""
expect_exit 0 "a profile as standard input" prune <"$db"
expect_exit 0 "DOT as standard input" prune <"$T/f.dot"
expect_exit 0 "DOT through a pipe" prune < <(cat "$T/f.dot")
expect_exit 0 "- is standard input" prune - < <(cat "$T/f.dot")
expect_exit 0 "two graphs in, two out" prune < <(cat "$T/f.dot" "$T/f.dot")
is "two graphs" "$(grep -c '^digraph' "$T/out")" 2
expect_exit 1 "an empty pipe" prune < <(:)
like "says so" "$(cat "$T/err")" "held no graph"
expect_exit 1 "a profile through a pipe" prune < <(cat "$db")
like "says what to do" "$(cat "$T/err")" "name the file"
: >"$T/empty"
expect_exit 1 "an empty file as standard input" prune <"$T/empty"
expect_exit 1 "an empty file as FILE" prune "$T/empty"
head -c 300 "$T/f.dot" >"$T/cut.dot"
expect_exit 1 "cut DOT" prune "$T/cut.dot"
like "names file and line" "$(cat "$T/err")" "cut\.dot:[0-9]+: "
expect_exit 1 "a folder" prune "$T"
head -c 20000 "$db" >"$T/cut.db"
expect_exit 1 "a cut profile" prune "$T/cut.db"
like "says what, where and what to do" "$(cat "$T/err")" \
	"^vflow prune: $T/cut\.db: damaged: truncated: 20000 of its $(stat -c %s "$db") bytes are there: collect it again$"
mkdir "$T/ro" && cp "$db" "$T/ro/f.db" && chmod 555 "$T/ro"
expect_exit 0 "a profile in a read-only folder" prune "$T/ro/f.db"
chmod 755 "$T/ro"
is "no files left beside it" "$(ls "$T/ro")" "f.db"
# events: one row for each call, and their accesses add up to the edges that lie on the device
sum_of="SELECT writer, event.vertex, site, access, sum(bytes), sum(redundant_bytes), sum(redundant_value_bytes), sum(dead_bytes), count(DISTINCT event.id) FROM access JOIN event ON event.id = event
	JOIN object ON object.id = object GROUP BY 1, 2, 3, 4"
for program in figure3 demo; do
	collect "$T/e.db" "$P/$program" >/dev/null 2>&1
	is "$program: a row for each call" "$(sqlite3 "$T/e.db" 'SELECT count(*) FROM event')" "$(sqlite3 "$T/e.db" 'SELECT event_count FROM run')"
	is "$program: accesses add up to edges" "$(sqlite3 "$T/e.db" "$sum_of" | sort)" \
		"$(sqlite3 "$T/e.db" 'SELECT source, target, object, access, bytes, redundant_bytes, redundant_value_bytes, dead_bytes, count FROM edge WHERE 0 NOT IN (source, target)' | sort)"
	is "$program: calls add up to invocations and host times" "$(sqlite3 "$T/e.db" 'SELECT vertex, count(*), sum(end_ns - start_ns) FROM event WHERE vertex GROUP BY 1')" \
		"$(sqlite3 "$T/e.db" 'SELECT id, invocations, host_ns FROM vertex WHERE invocations')"
done
is "a view of the events" "$(sqlite3 "$db" "SELECT call, start_ns <= end_ns, host_ns = end_ns - start_ns FROM events WHERE vertex = 5")" "zero|1|1"
is "where in their objects accesses lie" "$(sqlite3 "$T/e.db" 'SELECT count(*) FROM access WHERE first_block IS NULL OR last_block < first_block')" 0
is "a view of the accesses" "$(sqlite3 "$db" "SELECT call, site, access, bytes, redundant_bytes, written_by FROM accesses WHERE event = 5")" "zero|1|WRITE|4096|4096|cudaMemset"

finish
