#!/bin/bash
# vflow render -T pprof: its samples beside the tables of the profile.
. tests/lib.sh
render() { "$VFLOW" render "$@"; }
if ! command -v python3 >/dev/null; then
	skip "pprof" "no python3"
	finish
	exit
fi
decode() { python3 tests/cli/decode_protobuf.py "$@" 2>&1; }

pprof_of() { # NAME FILE: the sums and call paths are those of the tables
	expect_exit 0 "$1: pprof" render -T pprof -o "$T/$1.pprof" "$2"
	is "$1: nothing on stderr" "$(<"$T/err")" ""
	decode pprof "$T/$1.pprof" >"$T/$1.txt"
	local columns column expected='' # of vertex, but those of which it knows nothing
	for column in invocations:count read_bytes:bytes written_bytes:bytes redundant_bytes:bytes redundant_value_bytes:bytes unread_freed_bytes:bytes unread_end_bytes:bytes \
		time_ns:nanoseconds host_ns:nanoseconds; do
		expected+=$(sqlite3 -separator ' ' "$2" "SELECT 'sum', '${column%:*}', '${column#*:}', sum(${column%:*}) FROM vertex HAVING count(${column%:*}) > 0")$'\n'
	done
	is "$1: sums" "$(sed -n 's/^sum /&/p' "$T/$1.txt" | sort)" \
		"$(sort <(grep . <<<"$expected") <(sqlite3 "$2" "SELECT 'sum bytes bytes ' || sum(read_bytes + written_bytes) FROM vertex"))"
	is "$1: call paths" "$(sed -n 's/^path //p' "$T/$1.txt")" "$(sqlite3 "$2" "SELECT v.id, coalesce(f.function, ''), coalesce(f.file, ''), coalesce(f.line, 0), coalesce(m.path, ''), f.offset FROM vertex v
		JOIN callpath c ON c.id = v.callpath JOIN frame f ON f.id = c.frame LEFT JOIN module m ON m.id = f.module ORDER BY v.id, c.position")"
	is "$1: operations" "$(sed -n 's/^leaf \(.*\)||0||0$/\1/p' "$T/$1.txt")" "$(sqlite3 "$2" "SELECT id, name FROM vertex WHERE id > 0 OR read_bytes > 0 OR written_bytes > 0 ORDER BY id")"
}
collect "$T/f.db" "$P/figure3" >/dev/null 2>&1
pprof_of figure3 "$T/f.db"
# figure 3 by hand: 1, 2 allocate; 3, 4 set; 5, 6 zero; 7 reads 1 and writes 2
is "labels" "$(sed -n 's/^sample //p' "$T/figure3.txt" | sed 's/ patterns=[a-z_,]*//; s/stream=the default stream//' | tr -s ' ')" \
	"kind=alloc vertex=1
kind=alloc vertex=2
kind=memset object=1 vertex=3
kind=memset object=2 vertex=4
kind=kernel object=1 vertex=5
kind=kernel object=2 vertex=6
kind=kernel object=1 object=2 vertex=7"
is "patterns are labels" "$(grep -o 'patterns=.*vertex=[0-9]*' "$T/figure3.txt" | sed 's/patterns=\([a-z_,]*\) .*vertex=/\1 /')" \
	"$(sqlite3 -separator ' ' "$T/f.db" "SELECT group_concat(DISTINCT pattern), vertex FROM finding GROUP BY vertex ORDER BY vertex")"
like "the first type without times is bytes" "$(<"$T/figure3.txt")" '^default bytes'
like "--size-by chooses it" "$(render -T pprof --size-by unchanged "$T/f.db" >"$T/x.pprof" && decode pprof "$T/x.pprof")" '^default redundant_bytes'
collect "$T/streams.db" --passes flow,time "$P/timeline" streams >/dev/null 2>&1
pprof_of streams "$T/streams.db"
like "with times these are the first type" "$(<"$T/streams.txt")" '^default time_ns'
is "streams are labels" "$(grep -o 'stream=.*vertex=[0-9]*' "$T/streams.txt" | sed 's/stream=\(.*\) vertex=\(.*\)/\2 \1/' | grep 'stream [0-9]$')" \
	"$(sqlite3 -separator ' ' "$T/streams.db" "SELECT DISTINCT vertex, 'stream ' || stream FROM event WHERE stream > 0 AND vertex > 0 ORDER BY 1")"
collect "$T/demo.db" --passes flow,time "$P/demo" >/dev/null 2>&1
pprof_of demo "$T/demo.db"
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q usage; then
	is "go tool pprof reads it" "$(HOME=$T go tool pprof -top -sample_index=written_bytes -unit=B "$T/demo.pprof" 2>/dev/null | grep -o 'of [0-9]*B total')" \
		"of $(sqlite3 "$T/demo.db" 'SELECT sum(written_bytes) FROM vertex')B total"
else
	skip "go tool pprof reads it" "no go"
fi
# of DOT the text of the call path is known, innermost first
echo 'digraph { v0 [kind=host]; v1 [kind=kernel, name="k<int>(int*)", written_bytes=18446744073709551615, callpath="run a.c:3 < main b.c:4"]; v2 [kind=teapot]; v1 -> v1 [object=1, access=WRITE, bytes=8] }' >"$T/g.dot"
expect_exit 0 "pprof of DOT" render -T pprof -o "$T/g.pprof" "$T/g.dot"
is "pprof of DOT: what it holds" "$(decode pprof "$T/g.pprof")" "default bytes
sample kind=kernel object=1 vertex=1
path 1|run a.c:3||0||0
path 1|main b.c:4||0||0
leaf 1|k<int>(int*)||0||0
sum bytes bytes 9223372036854775807
sum written_bytes bytes 9223372036854775807"
for dot in 'digraph { }' 'digraph { v0 [kind=host name=host]; }' 'digraph { a -> b -> c; b -> b; }'; do
	expect_exit 0 "nothing in it: $dot" render -T pprof -o "$T/g.pprof" - <<<"$dot"
	is "nothing in it: $dot: types are there" "$(decode pprof "$T/g.pprof")" $'default bytes\nsum bytes bytes 0'
done
if have_terminal; then
	expect_exit 2 "to a terminal" script -qec "'$VFLOW' render -T pprof '$T/f.db'" /dev/null
else
	skip "to a terminal" "script(1) gets no terminal here"
fi
[ ! -e /dev/full ] || expect_exit 1 "to a full disk" render -T pprof -o /dev/full "$T/f.db"
expect_exit 2 "groups" render -T pprof --group-by file "$T/f.db"
render -T pprof "$T/f.db" >"$T/again"
is "the same bytes again" "$(render -T pprof "$T/f.db" | cmp - "$T/again" 2>&1)" ""

# hostile names, and a profile without calls
mkdir "$T/trace"
"$P/hostile_trace" "$T/trace/1.trace" && "$VFLOW" collect --from-trace "$T/trace" -o "$T/h.db" 2>/dev/null
pprof_of hostile "$T/h.db"
like "hostile names arrive unchanged" "$(grep ^leaf "$T/hostile.txt")" 'a<b>&amp;c\|'
echo "digraph { v1 [kind=kernel, written_bytes=8, name=\"$(printf '%0100000d' 0)\", callpath=\"$(printf '%0100000d' 1) < "$'\xff'"\"] }" >"$T/long.dot"
expect_exit 0 "names of 100 KB, and one that is no UTF-8" render -T pprof -o "$T/long.pprof" "$T/long.dot"
is "they are there" "$(decode pprof "$T/long.pprof" | sed -n 's/^\(leaf\|path\) //p' | awk '{ print length($0), substr($0, length($0) - 9) }')" "100008 0001||0||0
12 \\xff||0||0
100008 0000||0||0"
echo 'int main(void) { return 0; }' >"$T/none.c"
"$CC" $ASAN -o "$T/none" "$T/none.c"
collect "$T/none.db" "$T/none" >"$T/out" 2>"$T/err"
pprof_of none "$T/none.db"
finish
