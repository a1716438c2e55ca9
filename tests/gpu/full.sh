#!/bin/bash
# Programs that take all of the GPU's memory get it, whatever vflow has there.
. tests/lib.sh
. tests/gpu/real.bash
compile memory -arch=native tests/gpu/memory.cu
native=$("$T/memory" 2>&1)
is "memory: natively" "$native" 1
SECONDS=0
expect_exit 0 "memory: collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/memory"
echo "# $SECONDS s"
is "memory: the program's output" "$(cat "$T/out" "$T/err")" "$native"
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'
bytes() { # FROM TO COLUMN
	"$VFLOW" export -T json "$T/g.db" >"$T/export.json"
	json_query "$T/export.json" "SELECT sum(e.value->>'$3') FROM json, json_each(text, '\$.edges') e, json_each(text, '\$.vertices') f, json_each(text, '\$.vertices') t
		WHERE f.value->>'id' = e.value->>'start' AND t.value->>'id' = e.value->>'end' AND e.value->>'access' = 'WRITE'
		AND f.value->>'name' LIKE '$1%' AND t.value->>'name' LIKE '$2%'"
}
# increment changes the lowest byte of each of 256 words, so that 768 of 1024 bytes stay as they were
is "memory: a's shadow survived its move" "$(bytes cudaMemset cudaMemset bytes) $(bytes cudaMemset cudaMemset redundant_bytes)" "536869888 536869888"
is "memory: what the kernel wrote there" "$(bytes increment cudaMemset bytes) $(bytes increment cudaMemset redundant_bytes)" "1024 768"

# the same while a kernel runs that is not waited for
compile timed_out -arch=native tests/gpu/timed_out.cu
expect_exit 0 "timed out: collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/timed_out" room
is "timed out: the program's output" "$(cat "$T/out" "$T/err")" "done"
is "timed out: a launch is" "$(sqlite3 "$T/g.db" "SELECT count FROM coverage WHERE reason LIKE 'a kernel that touched no more memory for seconds%'")" 1
is "timed out: a's shadow survived its move" "$(bytes cudaMemset cudaMemset bytes) $(bytes cudaMemset cudaMemset redundant_bytes)" "536870912 536870912"
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'

expect_exit 0 "array: collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/memory" array
is "array: the program's output" "$(cat "$T/out" "$T/err")" 1
is "array: the bytes of the copy are seen" "$(sqlite3 "$T/g.db" "SELECT sum(bytes) FROM edge JOIN vertex v ON v.id = edge.target WHERE v.name LIKE 'cudaMemcpy2D%' AND access = 2")" 1024
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'

native=$("$T/memory" stacks 2>&1)
expect_exit 0 "stacks: collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/memory" stacks
is "stacks: as without vflow" "$(cat "$T/out" "$T/err")" "$native"
is "stacks: shadows made way" "$(sqlite3 "$T/g.db" "SELECT count(*) FROM coverage WHERE what = 'shadows on the host'")" 1
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'

# no device has memory for its whole shadow, and few hosts
expect_exit 0 "large: collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/memory" large
is "large: the program's output" "$(cat "$T/out" "$T/err")" 1
is "large: what the kernel wrote" "$(bytes cudaMemset increment bytes)" 1024
like "large: where its shadow is" "$(sqlite3 "$T/g.db" "SELECT what FROM coverage")" '(coarse shadows|shadows on the host)'
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'

compile faults -arch=native tests/gpu/faults.cu
native=$("$T/faults" memory 2>&1)
expect_exit 0 "95 % of the memory" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$T/faults" memory
is "95 %: as without vflow" "$(cat "$T/out" "$T/err")" "$native"
sqlite3 "$T/g.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'
finish
