#!/bin/bash
# vflow diff: runs of programs of tests/advice, as they are and with plants mended by -DFIX_N, and of edited copies.
. tests/lib.sh
exec </dev/null

build() { # PROGRAM SOURCE FLAG...
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -Igpu/emulator/include -Itests/advice -I. $ASAN -o "$T/$1" "${@:3}" "$2" \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm 2>"$T/log" || not_ok "build $1" "$(cat "$T/log")"
}
run() { # DB PROGRAM
	"$VFLOW" collect -q --device emulated --passes flow,time,waits -o "$T/$1.db" "$T/$2" >"$T/$1.out" 2>&1 || not_ok "run $2" "$(cat "$T/$1.out")"
}
diff_of() { # BEFORE AFTER OPTION...
	"$VFLOW" diff "${@:3}" "$T/$1.db" "$T/$2.db"
}
counts() { # BEFORE AFTER: gone new remaining, operations that are gone, new, changed
	diff_of "$1" "$2" -T json >"$T/diff.json"
	json_query "$T/diff.json" "SELECT (SELECT count(*) FROM json, json_each(text, '\$.findings.gone')) || ' ' ||
		(SELECT count(*) FROM json, json_each(text, '\$.findings.new')) || ' ' || (SELECT count(*) FROM json, json_each(text, '\$.findings.remaining')) || ', ' ||
		(SELECT group_concat(n, ' ') FROM (SELECT (SELECT count(*) FROM json, json_each(text, '\$.operations') WHERE value->>'change' = change) AS n
			FROM (SELECT 'gone' AS change UNION ALL SELECT 'new' UNION ALL SELECT 'changed')))"
}
value() { # PATH
	json_query "$T/diff.json" "SELECT text->>'$1' FROM json"
}

source=tests/advice/cleared_twice.c
build plain $source
build mended $source -DFIX_1
# lines move, and a function that nothing is called from gets another name
{ printf '/* moved */\n\n'; sed 's/draw_samples/draw_all_samples/' $source; } >"$T/edited.c"
build edited "$T/edited.c"
run plain plain
run again plain
run mended mended
run edited edited

is "two runs of one program" "$(counts plain again)" "0 0 $(value '$.numbers.findings.after'), 0 0 0"
like "... in words" "$(diff_of plain again)" "Nothing is gone, nothing is new, and every operation did what it did before"
is "an edit that moves lines" "$(counts plain edited)" "0 0 $(value '$.numbers.findings.after'), 0 0 0"

# begin_frame()'s cudaMemset() of 16 KiB, called 4 times, is gone, and so is the finding about it
is "what was mended" "$(counts plain mended | sed 's/.*, //')" "1 0 0"
is "... the finding" "$(value '$.findings.gone[0].pattern') $(value '$.findings.gone[0].operation.frames[0].function')" "dead_write begin_frame"
is "... the operation" "$(value '$.operations[0].before.operation.name') $(value '$.operations[0].before.calls') $(value '$.operations[0].before.written_bytes')" "cudaMemset 4 65536"
is "... what it gave is what was promised" "$(($(value '$.numbers.run_ns.before') - $(value '$.numbers.run_ns.after')))" "$(value '$.findings.gone[0].saves_ns')"
is "... bytes" "$(($(value '$.numbers.written_bytes.before') - $(value '$.numbers.written_bytes.after')))" 65536
is "the other way around" "$(counts mended plain | sed 's/.*, //') $(value '$.operations[0].change') $(value '$.findings.new[0].pattern')" "0 1 0 new dead_write"
like "as text" "$(diff_of plain mended)" "- #[0-9]+ dead write: .*; cudaMemset \(vertex [0-9]+, cleared_twice.c:21"
like "as Markdown" "$(diff_of plain mended -T markdown)" '\| calls \| 22 \| 18, 18.2% less \|'

# both graphs as one: as many vertices as the first run has, and stock tools draw it
diff_of plain mended -T dot >"$T/diff.dot"
is "as a graph" "$("$VFLOW" stat "$T/diff.dot" | awk '$1 == "vertex" { n += $3 } END { print n }')" "$("$VFLOW" stat "$T/plain.db" | awk '$1 == "vertex" { n += $3 } END { print n }')"
is "... one vertex is gone" "$("$VFLOW" query 'MATCH (v) WHERE v.change = "gone" RETURN v.name' "$T/diff.dot" | tail -n +2)" cudaMemset
is "... dot reads it" "$(dot -Tdot -o "$T/drawn.dot" "$T/diff.dot" 2>&1)" ""

shown() { # words that stand in the picture, above the legend
	"$VFLOW" render -T svg "$1" | sed '/<g id="legend">/,$d' | grep -oE '>(gone|new|changed|same|dead write[^<]*)<' | sort | uniq -c | tr -s ' \n' ' '
}
is "... a picture says which, and of no finding" "$(shown "$T/diff.dot")" " 1 >gone< "
is "... also after other commands" "$("$VFLOW" prune --edge-bytes 0 "$T/diff.dot" | "$VFLOW" render -T dot | "$VFLOW" render -T svg >"$T/diff.svg"; grep -c '<circle[^>]* stroke-dasharray="9 5" fill="#FFEBEE" stroke="#B00020"' "$T/diff.svg") $(grep -o '>gone</text>' "$T/diff.svg" | wc -l)" "1 2"
# of begin_frame's two operations one is gone
is "... also by function" "$(diff_of plain mended -T dot | "$VFLOW" render --group-by function -T dot 2>/dev/null | "$VFLOW" query 'MATCH (v) WHERE v.change <> "same" RETURN v.change + " " + v.name AS group' - | tail -n +2)" "changed begin_frame (2)"
like "... which, under the drawing" "$(cat "$T/diff.svg")" ">#[0-9]+ cudaMemset, cleared_twice.c:21: gone</text>"
like "... how many" "$(cat "$T/diff.svg")" " vertices: 1 gone, 0 new, 0 changed; "
is "... the other way around, in green" "$(diff_of mended plain -T dot | "$VFLOW" render -T svg | grep -c '<circle[^>]* fill="#DDF4E4" stroke="#00702E"')" 1

# two copies of one function: the first is gone, in equal lines (-D) and in moved ones
cat >"$T/copies.c" <<'END'
#include "cuda_runtime_api.h"
static char host[8192];
int main(void)
{
	char *a, *b;
	cudaMalloc((void **)&a, 4096);
	cudaMalloc((void **)&b, 8192);
#ifndef ONE
	cudaMemcpy(a, host, 4096, cudaMemcpyHostToDevice);
#endif
	cudaMemcpy(b, host, 8192, cudaMemcpyHostToDevice);
	return 0;
}
END
build copies "$T/copies.c"
build copy "$T/copies.c" -DONE
run copies copies
run copy copy
is "the first of two copies" "$(counts copies copy | sed 's/.*, //') $(value '$.operations[0].before.written_bytes')" "1 0 0 4096"

# Five needless waits take 3 us each, in a run of 29.4 us for each turn and some 190: 1.1% of it at 40 turns, 0.9% at 50 and
# 0.5% at 100.
cat >"$T/turns.c" <<'END'
#include <stdlib.h>
#include "cuda_runtime_api.h"
static char host[65536];
int main(int argc, char **argv)
{
	char *a, *b;
	cudaMalloc((void **)&a, sizeof(host));
	cudaMalloc((void **)&b, sizeof(host));
	cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
	cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 5; i++) {
		cudaMemset(a, i, sizeof(host));
		cudaDeviceSynchronize();
		cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
	}
	for (int i = 0; i < atoi(argv[argc - 1]); i++) {
		cudaMemset(b, i, sizeof(host));
		cudaDeviceSynchronize();
		cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost);
	}
	return 0;
}
END
build turns "$T/turns.c"
for turns in 40 50 100; do
	"$VFLOW" collect -q --device emulated --passes flow,time,waits -o "$T/turns$turns.db" "$T/turns" $turns >"$T/out" 2>&1 || not_ok "run turns $turns" "$(cat "$T/out")"
done
near() { # BEFORE AFTER: gone, new, near
	counts "$1" "$2" | cut -d' ' -f 1,2 | tr '\n' ' '
	value '$.findings.near'
}
is "below the list's least time: neither gone" "$(near turns40 turns50)" "0 0 1"
is "... nor new" "$(near turns50 turns40)" "0 0 1"
like "... in words" "$(diff_of turns40 turns50)" "and 1 that one run has in its list and the other has just below: neither gone nor new"
is "... far below it: gone" "$(near turns40 turns100)" "1 0 0"
expect_exit 0 "... not new for a baseline" "$VFLOW" report --fail-above 0 --baseline "$T/turns50.db" "$T/turns40.db"
expect_exit 3 "... but new" "$VFLOW" report --fail-above 0ns --baseline "$T/turns100.db" "$T/turns40.db"

# the demo and its twin, of which the fill is gone and the copies of zeros to layers.c:40 and 41 are sets
for name in demo demo_corrected; do
	collect "$T/$name.db" "$P/$name" >"$T/out" 2>&1 || cat "$T/out"
done
is "the demo and its twin" "$(counts demo demo_corrected | sed 's/ .*//') $(json_query "$T/diff.json" "SELECT count(*) FROM json, json_each(text, '\$.findings.gone') WHERE value->>'pattern' = 'fill_then_accumulate' AND value->>'$.operation.frames[0].function' = 'fill_ongpu'")" \
	"$(value '$.numbers.findings.before') 1"
is "... operations" "$(json_query "$T/diff.json" "SELECT value->>'change', coalesce(value->>'$.before.operation.name', value->>'$.after.operation.name'), count(*) FROM json, json_each(text, '\$.operations') WHERE value->>'change' <> 'changed' GROUP BY 1, 2 ORDER BY 1, 2")" "gone cudaMemcpy 6
gone fill_kernel 1
new cudaMemset 6"
like "different programs" "$(diff_of plain demo)" "No operation is in both runs"
expect_exit 0 "... are no failure" "$VFLOW" diff "$T/plain.db" "$T/demo.db"
expect_exit 2 "one profile" "$VFLOW" diff "$T/plain.db"
expect_exit 2 "an unknown type" "$VFLOW" diff -T xml "$T/plain.db" "$T/mended.db"
expect_exit 1 "no such profile" "$VFLOW" diff "$T/plain.db" "$T/none.db"
head -c 5000 "$T/plain.db" >"$T/cut.db"
expect_exit 1 "a damaged profile" "$VFLOW" diff "$T/cut.db" "$T/plain.db"
expect_exit 1 "a full disk" "$VFLOW" diff -o /dev/full "$T/plain.db" "$T/mended.db"
finish
