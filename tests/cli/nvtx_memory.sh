#!/bin/bash
# NVTX's memory annotations as memory pools, by what tests/cli/nvtx_memory.c says with NVTX's own headers.
. tests/lib.sh
libraries=$(realpath "$BUILD")/lib/emulator
if [ -z "$CUDA_TOOLKIT" ] || ! [ -e "$CUDA_TOOLKIT/include/nvtx3/nvToolsExtMem.h" ]; then
	skip "NVTX's memory annotations" "no CUDA toolkit with nvtx3/nvToolsExtMem.h"
	finish
fi
build() { # OUTPUT OPTIONS...
	local output=$1
	shift
	$CC $ASAN -std=gnu11 -g -Wall -Wextra -D_GNU_SOURCE -Igpu/emulator/include -isystem "$CUDA_TOOLKIT/include" "$@" -o "$output" \
		tests/cli/nvtx_memory.c "$libraries/libcudart.so.13" -Wl,-rpath,"$libraries" -lpthread -ldl
}
run() { # NAME PROGRAM ARGS...: NAME.db
	local code=0 name=$1
	shift
	"$VFLOW" collect --quiet --device emulated -o "$T/$name.db" "$@" >"$T/out" 2>"$T/err" || code=$?
	is "$name: output and exit code are the program's own" "$code $(cat "$T/out" "$T/err")" "0 done"
}
ask() { # NAME SQL
	sqlite3 -separator ' ' "$T/$1.db" "$2"
}
line() { # MARK
	sed -n "\\:/\\* $1 \\*/:=" tests/cli/nvtx_memory.c
}
left_out() { # NAME: what coverage says
	ask "$1" "SELECT count, substr(reason, 11) FROM coverage WHERE kind = 'NVTX_MEMORY' ORDER BY reason"
}

# Blocks of one line, in ranges: 300 + 200 bytes in one layer, 500 in another, 10 in none
cat >"$T/layers.c" <<'C'
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include "vflow/pool.h"
static void *segment;
static void block(size_t at, size_t size)
{
	vflow_pool_alloc("p", (char *)segment + at, size);
}
static void layer(const char *name, size_t at, size_t size)
{
	nvtxRangePushA(name);
	block(at, size);
	nvtxRangePop();
}
int main(void)
{
	cudaMalloc(&segment, 1 << 20);
	block(0, 10);
	nvtxRangePushA("forward");
	for (int i = 0; i < 2; i++)
		layer("conv", 1000 + 1000 * i, 300 - 100 * i);
	layer("fc", 3000, 500);
	nvtxRangePop();
	cudaFree(segment);
	return 0;
}
C
$CC $ASAN -std=gnu11 -g -Icollect/include -Igpu/emulator/include -isystem "$CUDA_TOOLKIT/include" -o "$T/layers" "$T/layers.c" "$libraries/libcudart.so.13" -Wl,-rpath,"$libraries" -ldl ||
	not_ok "the program with layers is built"
"$VFLOW" collect --quiet --device emulated -o "$T/layers.db" "$T/layers" >"$T/out" 2>"$T/err" || not_ok "layers: collect" "$(<"$T/err")"
is "layers: blocks by NVTX range" "$(ask layers "SELECT o.name, r.name, sum(s.blocks), sum(s.peak_bytes) FROM pool_site s LEFT JOIN range r ON r.id = s.range LEFT JOIN range o ON o.id = r.outer
	GROUP BY r.id ORDER BY r.id")" "  1 10
forward conv 2 500
forward fc 1 500"
layers=$("$VFLOW" report --memory "$T/layers.db" | tr -s ' \n' ' ')
like "layers: the report" "$layers" "Pool p: at most 1010 bytes in 4 blocks, 1010 bytes at the end 500 bytes forward / conv: block layers.c:7 < [^,]*, 2 blocks 500 bytes forward / fc: block layers.c:7 < [^,]*, 1 block 10 bytes block layers.c:7"
"$VFLOW" report --memory -T json "$T/layers.db" >"$T/layers.json"
is "layers: JSON" "$(json_query "$T/layers.json" "SELECT text->>'\$.pools[0].sites[0].range', text->>'\$.pools[0].sites[2].range' IS NULL FROM json")" "forward / conv 1"

for optimized in -O0 -O2; do
	# with -O2 the headers' functions end in a jump to vflow's, and leave no frame
	build "$T/program$optimized" $optimized || not_ok "the program is built"
	is "$optimized: without vflow" "$("$T/program$optimized" steps; "$T/program$optimized" hostile)" $'done\ndone'
	name=steps$optimized
	run $name "$T/program$optimized" steps
	is "$name: pools" "$(ask $name "SELECT name, blocks, bytes, live_blocks, live_bytes, peak_blocks, peak_bytes FROM pool ORDER BY id")" \
		"arena 4 2500 2 1000 3 2200
NVTX heap 2 3 4170 1 64 1 4096
lib:wé 1 64 0 0 1 64
host 1 100 1 100 1 100
outer 2 650 0 0 2 650
inner 1 100 0 0 1 100"
	is "$name: by call path and name" "$(ask $name "SELECT name, line, blocks, bytes, peak_blocks, peak_bytes, live_bytes FROM pools WHERE pool = 'arena' ORDER BY id")" \
		"weights $(line CARVE) 1 1000 1 1000 0
bias $(line CARVE) 1 500 1 500 0
 $(line ONE) 1 700 1 700 700
bias $(line RESIZE) 1 300 0 0 300"
	is "$name: whose line it is" "$(ask $name "SELECT DISTINCT substr(callpath, instr(callpath, 'carve_one'), 33) FROM pools WHERE pool = 'host'")" \
		"carve_one nvtx_memory.c:$(line ONE) < othe"
	is "$name: the allocations that they lie in" "$(ask $name "SELECT p.name, o.size FROM pool_segment s JOIN pool p ON p.id = s.pool JOIN object o ON o.id = s.object ORDER BY s.id")" \
		"arena 1048576
NVTX heap 2 64
outer 1000"
	is "$name: memory of the host" "$(ask $name "SELECT count, bytes FROM coverage WHERE kind = 'POOL_BLOCKS_OUTSIDE'")" "1 100"
	is "$name: what is no pool" "$(left_out $name)" "2 regions of the whole process and of heaps that are no sub-allocator's"
	"$VFLOW" report --memory "$T/$name.db" >"$T/report"
	like "$name: the report" "$(tr -s ' \n' ' ' <"$T/report")" \
		"Pool arena: at most 2.1K in 3 blocks, 1000 bytes at the end 1000 bytes weights: carve nvtx_memory.c:$(line CARVE) < [^,]*, 1 block 700 bytes carve_one [^,]*, 1 block 500 bytes bias: carve "
	unlike "$name: what pools keep is no leak" "$(<"$T/report")" "memory leak"
	"$VFLOW" report --memory -T json "$T/$name.db" >"$T/report.json"
	is "$name: names as JSON" "$(sqlite3 -separator ' ' :memory: "SELECT s.value->>'name', s.value->>'peak_bytes' FROM json_each(readfile('$T/report.json'), '\$.pools[0].sites') s")" \
		"weights 1000
 700
bias 500
bias 0"

	name=hostile$optimized
	run $name "$T/program$optimized" hostile
	is "$name: the pool" "$(ask $name "SELECT name, blocks, bytes, live_blocks, live_bytes FROM pool WHERE blocks")" "NVTX heap 1 8005 128090 3 50"
	is "$name: all that was left out is counted" "$(left_out $name)" \
		"7 heaps and regions of CUDA arrays, or of types that are not known
8 heaps and regions that are not there
5 heaps and regions without an address, or beyond the last one
1 more than 1,048,576 regions in one call
101 more than 1000 heaps or 1,048,576 regions at a time
6 what another version of NVTX describes
14 what lies in memory that cannot be read"
	is "$name: of blocks" "$(ask $name "SELECT kind, count FROM coverage WHERE kind LIKE 'POOL%' AND kind <> 'POOL_ACCESSES' ORDER BY kind")" \
		"POOL_BLOCKS_REPLACED 2
POOL_BLOCKS_TOO_LARGE 1"
	is "$name: a name at the end of memory" "$(ask $name "SELECT name, bytes FROM pools WHERE name IS NOT NULL")" "end 10"
done

build "$T/version" -DNVTX_EXT_COMPATID_MEM=0x0103 || not_ok "the program of another version is built"
run version "$T/version" version
is "another version of the extension" "$(left_out version)$(ask version "SELECT count(*) FROM pool")" "1 what another version of NVTX describes0"
finish
