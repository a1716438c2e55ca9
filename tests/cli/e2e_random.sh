#!/bin/bash
# Calls with random operands: the edges are those that the program itself works out, byte by byte.
. tests/lib.sh

for seed in 1 2 3 4 5 6 7 8; do
	expect_exit 0 "seed $seed" collect "$T/r.db" "$P/random_flow" $seed
	sort -V "$T/out" >"$T/expected"
	is "... edges" "$(edges "$T/r.db" | sort -V)" "$(cat "$T/expected")"
	sqlite3 "$T/r.db" "SELECT name, callpath_text FROM vertex" >>"$T/calls"
done
is "every kind of call was made" "$(sort -u "$T/calls" | cut -d'|' -f1 | LC_ALL=C sort | uniq -c | sed 's/ *//' | tr '\n' ',')" \
	"1 cuMemAlloc,1 cuMemsetD32,1 cudaMalloc,3 cudaMemcpy,3 cudaMemcpy2D,1 cudaMemset,1 cudaMemset2D,1 host,1 increment,1 scatter,1 store_third_bytes,1 store_words,"
finish
