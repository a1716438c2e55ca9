#!/bin/bash
# Shadows in memory of the host give the same graph, and the program gets the GPU's memory first.
. tests/lib.sh
. tests/gpu/real.bash
graph() { # OPTIONS PROGRAM...
	timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$@" >"$T/out" 2>&1 || cat "$T/out"
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$T/g.db" 2>/dev/null
}
host() { # objects whose shadows lie on the host, as coverage says
	sqlite3 "$T/g.db" "SELECT coalesce(sum(count), 0) FROM coverage WHERE reason LIKE '%lies on the host%'"
}
for program in figure3 demo "exactness big"; do
	# shellcheck disable=SC2086
	expected=$(graph "$P/"$program)
	is "$program: no shadow on the host" "$(host)" 0
	# shellcheck disable=SC2086
	is "$program: all shadows on the host, the same graph" "$(graph --memory-limit 1 "$P/"$program)" "$expected"
	graph --memory-limit 1 "$P/"$program >/dev/null
	like "$program: coverage says so" "$(host)" '^[1-9]'
done
# demo: what fits stays on the device
graph --memory-limit 64K "$P/demo" >"$T/part.dot"
is "demo: some shadows on the host, the same graph" "$(cat "$T/part.dot")" "$(graph "$P/demo")"

"$NVCC" -arch=native -o "$T/memory" tests/gpu/memory.cu 2>"$T/log" || not_ok "nvcc" "$(cat "$T/log")"
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
finish
