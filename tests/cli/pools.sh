#!/bin/bash
# Blocks of memory pools: by vflow/pool.h (tests/cli/pools.c), and of PyTorch's caching allocator, for
# which libraries of the same names stand (pools_torch.c).
. tests/lib.sh
libraries=$(realpath "$BUILD")/lib/emulator
build() { # OUTPUT SOURCE OPTIONS...
	local output=$1 source=$2
	shift 2
	$CC $ASAN -std=gnu11 -g -Wall -Wextra -Werror -D_GNU_SOURCE -Icollect/include -Igpu/emulator/include -o "$output" "$source" "$@"
}
cuda=("$libraries/libcudart.so.13" -Wl,-rpath,"$libraries" -ldl)
ask() { # NAME SQL
	sqlite3 -separator ' ' "$T/$1.db" "$2"
}
run() { # NAME EXPECTED PROGRAM...
	local code=0 name=$1 expected=$2
	shift 2
	"$VFLOW" collect --quiet --device emulated -o "$T/$name.db" "$@" >"$T/out" 2>"$T/err" || code=$?
	is "$name: output and exit code are the program's own" "$code $(cat "$T/out" "$T/err")" "0 $expected"
}
line() { # FILE MARK
	sed -n "\\:/\\* $2 \\*/:=" "tests/cli/$1"
}

build "$T/pools" tests/cli/pools.c "${cuda[@]}" || not_ok "the program is built"
is "without vflow" "$("$T/pools" steps)" "done"
echo '#include "vflow/pool.h"
int main() { char c; vflow_pool_alloc("p", &c, 1); vflow_pool_free("p", &c); }' >"$T/plus.cc"
c++ -Wall -Wextra -Werror -Icollect/include -o "$T/plus" "$T/plus.cc" -ldl && "$T/plus" && VFLOW_TRACE_DIR=$T "$T/plus"
is "in C++, with and without vflow's variables" $? 0

run steps "done" "$T/pools" steps
is "the pool: 6 blocks, of 1000 + 500 + 700 + 900 + 100 + 1300 bytes; 800 stay" \
	"$(ask steps "SELECT name, blocks, bytes, live_blocks, live_bytes, peak_blocks, peak_bytes, reported_bytes IS NULL FROM pool")" \
	"arena 6 4500 2 800 3 2100 1"
is "by call path, at the first peak" \
	"$(ask steps "SELECT substr(callpath, 1, instr(callpath, ' ') - 1), line, blocks, bytes, peak_blocks, peak_bytes, live_blocks, live_bytes FROM pools ORDER BY id")" \
	"first $(line pools.c FIRST) 1 1000 0 0 0 0
second $(line pools.c SECOND) 1 500 1 500 0 0
second $(line pools.c SECOND) 1 700 1 700 1 700
second $(line pools.c SECOND) 1 900 1 900 0 0
first $(line pools.c FIRST) 1 100 0 0 1 100
first $(line pools.c FIRST) 1 1300 0 0 0 0"
is "the segment" "$(ask steps "SELECT o.size FROM pool_segment s JOIN object o ON o.id = s.object")" 1048576
like "accesses are the segment's" "$(ask steps "SELECT count FROM coverage WHERE kind = 'POOL_ACCESSES'")" "^6$"
"$VFLOW" report --memory "$T/steps.db" >"$T/report" 2>"$T/err"
like "the report" "$(tr -s ' \n' ' ' <"$T/report")" "Pool arena: at most 2.1K in 3 blocks, 800 bytes at the end 900 bytes second pools.c:$(line pools.c SECOND) < [^,]*, 1 block 700 bytes [^,]*, 1 block 500 bytes [^,]*, 1 block No findings"
json() { # SQL
	sqlite3 -separator ' ' :memory: "WITH report AS (SELECT readfile('$T/report.json') AS text), pool AS (SELECT value AS p FROM report, json_each(text->'\$.pools')) $1"
}
"$VFLOW" report --memory -T json "$T/steps.db" >"$T/report.json" 2>"$T/err"
is "the same as JSON" "$(json "SELECT p->>'name', p->>'blocks', p->>'bytes', p->>'peak_blocks', p->>'peak_bytes', p->>'live_blocks', p->>'live_bytes', p->>'reported_bytes' IS NULL FROM pool")" \
	"arena 6 4500 3 2100 2 800 1"
is "... by call path, the most at the peak first" "$(json "SELECT s.value->>'line', s.value->>'blocks', s.value->>'bytes', s.value->>'peak_bytes', s.value->>'live_bytes', s.value->>'name' IS NULL
	FROM pool, json_each(p->'\$.sites') s LIMIT 3")" "$(line pools.c SECOND) 1 900 900 0 1
$(line pools.c SECOND) 1 700 700 700 1
$(line pools.c SECOND) 1 500 500 0 1"
"$VFLOW" render -T html "$T/steps.db" 2>"$T/err" | sed -n '/id="data">/,/<\/script>/p' | sed -e 's/.*id="data">//' -e 's/<\/script>.*//' >"$T/page.json"
is "the page has them" "$(sqlite3 -separator ' ' :memory: "SELECT p.value->>'name', p.value->>'peak_blocks', p.value->>'peak_bytes', p.value->>'live_bytes', p.value->>'site_count', p.value->>'\$.sites[0].peak_bytes', p.value->>'\$.sites[0].line'
	FROM json_each(readfile('$T/page.json'), '\$.memory.pools') p")" "arena 3 2100 800 6 900 $(line pools.c SECOND)"
unlike "what the pool keeps is no leak" "$(<"$T/report")" "memory leak"
run plain "done" "$T/pools"
like "without a pool it is one, and allocated too early" "$("$VFLOW" report --memory "$T/plain.db" | tr '\n' ' ')" "memory leak.*early allocation|early allocation.*memory leak"
is "without a pool nothing is said" "$(ask plain "SELECT count(*) FROM pool")$(ask plain "SELECT count(*) FROM coverage WHERE kind LIKE 'POOL%'")" 00

run hostile "done" "$T/pools" hostile
is "odd: given back, handed out twice, in no object" \
	"$(ask hostile "SELECT blocks, bytes, live_blocks, live_bytes, peak_blocks, peak_bytes FROM pool WHERE name = 'odd'")" "4 112 3 48 1 64"
is "... and that is said" "$(ask hostile "SELECT kind, count FROM coverage WHERE kind LIKE 'POOL%' ORDER BY kind")" \
	"POOLS_TOO_MANY 103
POOL_ACCESSES 1003
POOL_BLOCKS_OUTSIDE 2
POOL_BLOCKS_REPLACED 1
POOL_BLOCKS_UNKNOWN 1"
is "names end after 63 bytes" "$(ask hostile "SELECT length(name), live_blocks FROM pool WHERE name LIKE 'nn%'")" "63 0"
is "no more than 1000" "$(ask hostile "SELECT count(*) FROM pool")" 1000

run many "done" "$T/pools" many 100000
is "many: all are summed" "$(ask many "SELECT blocks, bytes, live_blocks, peak_blocks, peak_bytes FROM pool")" "100000 1000000 500 501 5010"
is "many: a row" "$(ask many "SELECT count(*) FROM pool_site")" 1

for binding in lazy now; do
	build "$T/libc10.so" tests/cli/pools_torch.c -DLIBC10 -shared -fPIC -Wl,-soname,libc10.so &&
		build "$T/libc10_cuda.so" tests/cli/pools_torch.c -DLIBC10_CUDA -shared -fPIC -Wl,-soname,libc10_cuda.so -Wl,-z,relro,-z,$binding "$T/libc10.so" -Wl,-rpath,"$T" &&
		build "$T/torch" tests/cli/pools_torch.c "${cuda[@]}" || not_ok "PyTorch's stand-in is built"
	run torch "4096 13" "$T/torch" "$T/libc10.so" "$T/libc10_cuda.so"
	is "PyTorch, bound $binding: blocks, and its own count" "$(ask torch "SELECT name, blocks, bytes, live_bytes, peak_blocks, peak_bytes, reported_bytes FROM pool")" \
		"PyTorch cuda:0 7 17920 4096 2 4608 4608"
	is "PyTorch, bound $binding: by call path" "$(ask torch "SELECT CASE WHEN callpath LIKE '%layer pools_torch.c:$(line pools_torch.c LAYER) < main%' THEN 'layer'
		WHEN callpath LIKE '%gradient pools_torch.c:$(line pools_torch.c GRADIENT) < main%' THEN 'gradient' END, blocks, peak_bytes FROM pools ORDER BY id")" \
		"layer 3 4096
gradient 3 512
layer 1 0"
	"$VFLOW" report --memory -T json "$T/torch.db" >"$T/report.json"
	is "PyTorch, bound $binding: its own count as JSON" "$(json "SELECT p->>'reported_bytes' FROM pool")" 4608
	unlike "PyTorch, bound $binding: no leak" "$("$VFLOW" report --memory "$T/torch.db")" "memory leak"
done
sed 's/_ZN3c1027report/_ZN3c1027other/' tests/cli/pools_torch.c >"$T/other.c"
build "$T/libc10.so" "$T/other.c" -DLIBC10 -shared -fPIC -Wl,-soname,libc10.so
build "$T/libc10_cuda.so" "$T/other.c" -DLIBC10_CUDA -shared -fPIC -Wl,-soname,libc10_cuda.so "$T/libc10.so" -Wl,-rpath,"$T"
run torch "4096 13" "$T/torch" "$T/libc10.so" "$T/libc10_cuda.so"
is "one that reports nothing is named" "$(ask torch "SELECT count(*) FROM coverage WHERE kind = 'POOL_NOT_HOOKED'")$(ask torch "SELECT count(*) FROM pool")" 10
finish
