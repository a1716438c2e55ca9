#!/bin/bash
# Traces that older versions of vflow have kept build the profiles that they always built.
. tests/lib.sh

# Of figure3 and "exactness reallocated", as one run: the last version whose traces had a record of
# their own for contents (type 8) and rows of no stated size.  The programs are not there any more.
traces=tests/traces/before-facts

expect_exit 0 "traces from before facts" "$VFLOW" collect --quiet --from-trace $traces -o "$T/old.db"
is "edges" "$(edges "$T/old.db" | sort -V)" "$(table <<'END'
	1>3 W 1 4096    0 1 # figure3: as in e2e_figure3.sh
	2>4 W 2 4096    0 1
	3>5 W 1 4096 4096 1
	4>6 W 2 4096 4096 1
	5>7 R 1 1024    0 1
	6>7 W 2 1024    0 1
	8>9 W 8 4096    0 1 # reallocated: as in e2e_exactness.sh
	10>11 W 10 4096 0 1
	12>13 R 12 2048 0 1
	13>0 W 12 2048 0 1
END
)"
is "vertices" "$(vertices "$T/old.db" | tail -n +9)" '8 alloc 1 cudaMalloc
9 memset 1 cudaMemset
10 alloc 1 cudaMalloc
11 memset 1 cudaMemset
12 alloc 1 cudaMalloc
13 memcpy 1 cudaMemcpy'
# both arrays of figure3 hold zeros after its memsets (4) and kernels (5, 6), until `use` writes one;
# those of reallocated hold zeros one after the other
is "equal contents" "$(sqlite3 "$T/old.db" 'SELECT bytes, occurrences, events, zero FROM duplicate')" "4096|1|3|1"
is "who made them equal" "$(sqlite3 "$T/old.db" 'SELECT site, cause, objects FROM duplicate_member')" $'1|3|1\n2|4|1'
is "objects" "$(sqlite3 "$T/old.db" 'SELECT site, process, size, end_ns > 0 FROM object')" $'1|1|4096|1\n2|1|4096|1
8|2|4096|1\n10|2|4096|1\n12|2|2048|0'
is "events" "$(sqlite3 "$T/old.db" 'SELECT process, count(*), max(thread), max(start_ns > end_ns) FROM event GROUP BY 1')" $'1|10|0|0\n2|9|0|0'
is "coverage: the programs are gone" "$(sqlite3 "$T/old.db" "SELECT what, reason FROM coverage WHERE what = 'symbols'")" \
	$'symbols|figure3: the file is not there\nsymbols|exactness: the file is not there'
like "coverage: of bytes, not of whole values" "$(sqlite3 "$T/old.db" "SELECT reason FROM coverage WHERE what <> 'symbols'")" \
	'^redundancy is that of bytes'
is "redundancy is that of bytes" "$("$VFLOW" query 'MATCH ()-[e:WRITE]->() WHERE e.redundancy = 1 RETURN e.redundant_bytes, e.redundant_value_bytes, e.dead_bytes' -T json "$T/old.db" | tr -d ' \n')" \
	'[{"e.redundant_bytes":4096,"e.redundant_value_bytes":null,"e.dead_bytes":null},{"e.redundant_bytes":4096,"e.redundant_value_bytes":null,"e.dead_bytes":null}]'
finish
