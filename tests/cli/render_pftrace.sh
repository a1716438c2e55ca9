#!/bin/bash
# vflow render -T pftrace: it says what the trace in JSON says; arrows that are left out.
. tests/lib.sh
render() { "$VFLOW" render "$@"; }
if ! command -v python3 >/dev/null; then
	skip "pftrace" "no python3"
	finish
	exit
fi
decode() { python3 tests/cli/decode_protobuf.py "$@" 2>&1; }

trace_of() { # NAME FILE: it says what the JSON says
	expect_exit 0 "$1: pftrace" render -o "$T/$1.pftrace" "$2"
	render -T perfetto -o "$T/$1.json" "$2" 2>/dev/null
	decode perfetto "$T/$1.json" >"$T/$1.expected"
	is "$1: as in JSON" "$(decode pftrace "$T/$1.pftrace" | diff "$T/$1.expected" - | head -5)" ""
	[ "$(grep -c '^\["slice"' "$T/$1.expected")" -gt 0 ] || not_ok "$1: slices" "$(head -5 "$T/$1.expected")"
	! command -v protoc >/dev/null || is "$1: protoc reads it" "$(protoc --decode_raw <"$T/$1.pftrace" 2>&1 >/dev/null)" ""
}
collect "$T/f.db" "$P/figure3" >/dev/null 2>&1
trace_of figure3 "$T/f.db"
collect "$T/streams.db" --passes flow,time "$P/timeline" streams >/dev/null 2>&1
trace_of streams "$T/streams.db"
collect "$T/demo.db" --passes flow,time "$P/demo" >/dev/null 2>&1
trace_of demo "$T/demo.db"
collect "$T/waste.db" "$P/memory_waste" early >/dev/null 2>&1
trace_of waste "$T/waste.db"
like "spans, instants and counters are compared" "$(cut -d, -f1 "$T/waste.expected" | sort -u | tr '\n' ' ')" '\["counter" \["instant" \["slice" \["span" '
echo 'digraph { a -> b }' >"$T/g.dot"
expect_exit 1 "DOT" render -T pftrace "$T/g.dot"
like "DOT: says what it needs" "$(<"$T/err")" 'is DOT, which has no events: name a profile'
if have_terminal; then
	expect_exit 2 "to a terminal" script -qec "'$VFLOW' render -T pftrace '$T/f.db'" /dev/null
else
	skip "to a terminal" "script(1) gets no terminal here"
fi
[ ! -e /dev/full ] || expect_exit 1 "to a full disk" render -T pftrace -o /dev/full "$T/f.db"
expect_exit 2 "groups" render -T pftrace --group-by file "$T/f.db"
render -T pftrace "$T/f.db" >"$T/again"
is "the same bytes again" "$(render -T pftrace "$T/f.db" | cmp - "$T/again" 2>&1)" ""

# hostile names and times, a long command line, and a profile without calls
mkdir "$T/trace"
"$P/hostile_trace" "$T/trace/1.trace" && "$VFLOW" collect --from-trace "$T/trace" -o "$T/h.db" 2>/dev/null
trace_of hostile "$T/h.db"
collect "$T/long.db" "$P/figure3" "$(printf '%0100000d' 0)" >/dev/null 2>&1
trace_of long "$T/long.db"
echo 'int main(void) { return 0; }' >"$T/none.c"
"$CC" $ASAN -o "$T/none" "$T/none.c"
collect "$T/none.db" "$T/none" >"$T/out" 2>"$T/err"
expect_exit 0 "no calls" render -T pftrace -o "$T/none.pftrace" "$T/none.db"
is "no calls: only what it is about" "$(decode pftrace "$T/none.pftrace" | cut -d' ' -f1,2)" $'about calls_left_out\nabout run\nabout times'

# Arrows are thinned: two pairs of 12,000 and one of 1: 4,999 + 4,999 + 1 is the most below 10,000
{
	echo '#include <cuda_runtime_api.h>
int main(void)
{
	char *a, *b, *c, *d;

	cudaMalloc((void **)&a, 64), cudaMalloc((void **)&b, 64), cudaMalloc((void **)&c, 64), cudaMalloc((void **)&d, 64);
	for (int i = 0; i < 12000; i++) {
		cudaMemset(a, i, 64);
		cudaMemcpy(b, a, 64, cudaMemcpyDeviceToDevice);
		cudaMemcpy(c, b, 64, cudaMemcpyDeviceToDevice);
	}
	cudaMemcpy(d, c, 64, cudaMemcpyDeviceToDevice);
}'
} >"$T/dense.c"
"$CC" $ASAN -g -Igpu/emulator/include -o "$T/dense" "$T/dense.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
collect "$T/dense.db" "$T/dense" >"$T/out" 2>"$T/err"
said="9999 of 24001 arrows of values are drawn, of each pair of operations the first 4999: ui.perfetto.dev freezes with too many"
for format in perfetto pftrace; do
	expect_exit 0 "dense: $format" render -T $format -o "$T/dense.$format" "$T/dense.db"
	is "dense: $format says so" "$(<"$T/err")" "vflow render: $said"
	decode $format "$T/dense.$format" >"$T/dense.txt"
	is "dense: $format says so in the trace" "$(grep '^about values' "$T/dense.txt")" "about values $said"
	is "dense: $format: arrows" "$(grep -c '^\["arrow"' "$T/dense.txt")" 9999
	is "dense: $format: the last one is the single one's" "$(grep '^\["arrow"' "$T/dense.txt" | sed 's/.*, \([0-9]*\)\]\]$/\1/' | sort -n | tail -1)" \
		"$(sqlite3 "$T/dense.db" "SELECT max(start_ns) FROM event e JOIN vertex v ON v.id = e.vertex WHERE v.kind = 'memcpy'")"
done
finish
