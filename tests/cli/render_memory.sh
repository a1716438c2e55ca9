#!/bin/bash
# The memory over API calls in the data of `vflow render -T html`: columns of
# tests/programs/memory_waste.c by hand, and of a run with many objects and sites.
. tests/lib.sh
exec </dev/null

page() { # DB: the data of its page
	"$VFLOW" render -T html "$1" 2>"$T/err" | sed -n '/id="data">/,/<\/script>/p' | sed -e 's/.*id="data">//' -e 's/<\/script>.*//' >"$T/json"
}
ask() { # SQL
	json_query "$T/json" "$1"
}
M=1048576
columns="SELECT group_concat(value->>'\$[0]' || ' ' || (value->>'\$[1]'), ', ') FROM json, json_each(text, '\$.memory.columns')"

# allocate a (call 1), b (2), fill b, fetch b, release b (5), fill a, fetch a, release a (8)
collect "$T/early.db" "$P/memory_waste" early >"$T/out" 2>"$T/err"
page "$T/early.db"
is "columns: place and bytes" "$(ask "$columns")" "0 $M, 2 $((2 * M)), 8 $M, 14 0"
is "sites, in the order in which they are stacked" "$(ask "SELECT group_concat(value->>'\$[0]', ' ') FROM json, json_each(text, '\$.memory.sites')")" \
	"$(sqlite3 -separator ' ' "$T/early.db" "SELECT group_concat(site, ' ') FROM (SELECT site FROM object ORDER BY id)")"
is "what changes in each: number of the site, bytes" "$(ask "SELECT group_concat(value, ' ') FROM json, json_each(text, '\$.memory.columns')")" \
	"[0,$M,0,$M] [2,$((2 * M)),1,$M] [8,$M,1,0] [14,0,0,0]"
is "peak, mended, places, objects" "$(ask "SELECT text->>'\$.memory.peak', text->>'\$.memory.mended', text->>'\$.memory.places', text->>'\$.memory.objects' FROM json")" "$((2 * M)) $M 16 2"
is "peaks" "$(ask "SELECT text->>'\$.memory.peaks' FROM json")" "[[2,$((2 * M))]]"
# a is there from the first call on, and not needed before the sixth
is "the finding, and where" "$(ask "SELECT group_concat(value, ' ') FROM json, json_each(text, '\$.memory.findings[0]') WHERE key != 1")" "early allocation 1 $M $M 0 10"
"$VFLOW" export -T dot "$T/early.db" | "$VFLOW" render -T html - 2>"$T/err" | grep -c '"memory":null' >"$T/out"
is "DOT has no memory" "$(cat "$T/out")" 1
"$VFLOW" render -T html --group-by file "$T/early.db" 2>"$T/err" | grep -c '"memory":null' >"$T/out"
is "groups have none" "$(cat "$T/out")" 1

# In Perfetto: the peak when the second call is over, and a not needed until the sixth begins
"$VFLOW" render -T perfetto -o "$T/json" "$T/early.db" 2>"$T/err"
trace() { # WHERE: name and time of such events
	ask "SELECT value->>'\$.name', CAST(round(1000 * (value->>'\$.ts')) AS INTEGER) FROM json, json_each(text, '\$.traceEvents') WHERE $1"
}
event() { # CALL COLUMN
	sqlite3 "$T/early.db" "SELECT $2 FROM event WHERE vertex IS NOT NULL OR name LIKE '%Free%' ORDER BY id LIMIT 1 OFFSET $1 - 1"
}
is "perfetto: the peak" "$(trace "value->>'\$.cat' = 'memory'")" "peak: 2.0M $(event 2 end_ns)"
is "perfetto: the finding" "$(trace "value->>'\$.cat' = 'finding' AND value->>'\$.ph' = 'i' AND value->>'\$.name' = 'early allocation'")" "early allocation $(event 1 start_ns)"
is "perfetto: from when to when it is not needed" "$(trace "value->>'\$.cat' = 'finding' AND value->>'\$.id' = '0x1' AND value->>'\$.name' = 'early allocation'")" \
	"early allocation $(event 1 start_ns)
early allocation $(event 6 start_ns)"

# 30 sites, from which 6000 objects come in waves of 3, 6, ... kilobytes: 200 at a time
{
	echo '#include <cuda_runtime_api.h>
static void *all[200];'
	for i in $(seq 30); do echo "__attribute__((noinline)) static void site_$i(void **m) { cudaMalloc(m, $i * 1024); __asm__ volatile(\"\"); }"; done
	echo 'static void (*const sites[])(void **) = {'
	for i in $(seq 30); do echo "site_$i,"; done
	echo '};
int main(void)
{
	for (int wave = 0; wave < 30; wave++) {
		for (int i = 0; i < 200; i++)
			sites[i < wave ? i : wave](&all[i]);
		for (int i = 0; i < 200; i++)
			cudaFree(all[i]);
	}
}'
} >"$T/many.c"
"$CC" $ASAN -g -Igpu/emulator/include -o "$T/many" "$T/many.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
collect "$T/many.db" "$T/many" >"$T/out" 2>"$T/err"
page "$T/many.db"
# the last wave: one of each of 29 sites, 1K to 29K, and 171 of 30K
is "many: the peak is a column" "$(ask "SELECT text->>'\$.memory.objects', text->>'\$.memory.peak', (SELECT max(value->>'\$[1]') FROM json_each(text, '\$.memory.columns')) FROM json")" \
	"6000 $(((29 * 30 / 2 + 171 * 30) * 1024)) $(((29 * 30 / 2 + 171 * 30) * 1024))"
is "many: sites are folded" "$(ask "SELECT json_array_length(text->'\$.memory.sites'), text->>'\$.memory.folded' FROM json")" "24 6"
is "many: columns are folded" "$(ask "SELECT json_array_length(text->'\$.memory.columns') BETWEEN 900 AND 2000 FROM json")" 1
is "many: the last column is empty" "$(ask "SELECT text->>'\$.memory.columns[#-1][1]' FROM json")" 0
like "many: quick" "$(TIMEFORMAT=%R; { time "$VFLOW" render -T html -o "$T/many.html" "$T/many.db" 2>"$T/err"; } 2>&1)" '^[0-4]\.'
finish
