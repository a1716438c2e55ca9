#!/bin/bash
# Kernels that spin until the host sets a flag: vflow times out after 5 seconds, once for a kernel.
. tests/lib.sh
. tests/gpu/real.bash
compile timed_out -arch=native tests/gpu/timed_out.cu
SECONDS=0
expect_exit 0 "collect" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/l.db" "$T/timed_out"
is "the program's output" "$(cat "$T/out" "$T/err")" 7
echo "# $SECONDS s"
named() {
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "WITH v AS (SELECT value->>'id' AS id, value->>'name' AS name FROM json, json_each(text, '\$.vertices'))
			SELECT f.name || '>' || t.name, substr(e.value->>'access', 1, 1), o.name || o.id,
				e.value->>'bytes', coalesce(e.value->>'redundant_bytes', 0), e.value->>'count'
			FROM json, json_each(text, '\$.edges') e JOIN v f ON f.id = e.value->>'start' JOIN v t ON t.id = e.value->>'end'
				JOIN v o ON o.id = e.value->>'object'" | LC_ALL=C sort
}
is "edges" "$(named "$T/l.db")" "$(sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g' <<'END' | LC_ALL=C sort
	cudaMalloc>cudaMemset W cudaMalloc1 4096 0 1
	cudaMalloc>cudaMemset W cudaMalloc2 4096 0 1
	cudaMemset>cudaMemset W cudaMalloc2 4096 4096 1 # b again
	unknown>cudaMemset W cudaMalloc1 4096 0 1 # a again
	unknown>cudaMemcpy R cudaMalloc1 4 0 1
	cudaMemcpy>host W cudaMalloc1 4 0 1
	cudaMemset>cudaMemset W cudaMalloc2 4096 4096 1 # b once more
END
)"
is "launches" "$(vertices "$T/l.db" | grep kernel | cut -d ' ' -f 3 | tr '\n' ' ')" "1 20 "
is "coverage: one launch timed out" "$(sqlite3 "$T/l.db" "SELECT count FROM coverage WHERE reason LIKE 'a kernel that touched no more memory for seconds%'")" 1
is "coverage: the later ones are not analysed" "$(sqlite3 "$T/l.db" "SELECT count FROM coverage WHERE reason LIKE 'an earlier launch of their kernel%'")" 20
# a launch that still runs at the next call, which is not analysed: its own pass follows when it ends
expect_exit 0 "a call between" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/b.db" "$T/timed_out" between
is "... the launch is analysed, the call is not" "$(named "$T/b.db" | sed 's/(int volatile\*, int\*)//g')" "$(sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g' <<'END' | LC_ALL=C sort
	cudaMalloc>cudaMemset W cudaMalloc1 4096 0 1
	cudaMalloc>cudaMemset W cudaMalloc2 4096 0 1
	host>await R cudaHostAlloc5 4 0 1
	cudaMemset>await W cudaMalloc1 4096 3072 1 # of 7 over 0 one byte changes
	host>await R cudaHostAlloc5 4 0 1 # the second await
	await>await W cudaMalloc1 4096 4096 1
	await>cudaMemset W cudaMalloc1 4096 3072 1
	unknown>cudaMemset W cudaMalloc2 4096 0 1 # what the call between wrote is unknown
END
)"
# a launch that makes progress (touches new memory) is waited for, however long it takes
expect_exit 0 "a kernel that works for 8 seconds" timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/c.db" "$T/timed_out" crawl
is "... is analysed" "$(named "$T/c.db" | grep crawl)" "$(printf '%s\n' 'crawl(int const*, int*, int, long long)>cudaMemcpy R cudaMalloc2 4 0 1' 'cudaMemset>crawl(int const*, int*, int, long long) R cudaMalloc1 4194304 0 1' \
	'cudaMemset>crawl(int const*, int*, int, long long) R cudaMalloc2 4 0 1' 'cudaMemset>crawl(int const*, int*, int, long long) W cudaMalloc2 4 4 1')"
# so are those that compute, or read the same memory again: their stores are known
for case in think roam; do
	(timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/$case.db" "$T/timed_out" $case >"$T/$case.out" 2>&1; echo "exit code $?" >>"$T/$case.out") &
done
wait
for case in think roam; do
	is "$case: the program's output" "$(cat "$T/$case.out")" $'1\nexit code 0'
	is "... is analysed" "$(named "$T/$case.db" | sed 's/([^)]*)//g' | grep ' W ')" "$(printf '%s\n' 'cudaMalloc>cudaMemset W cudaMalloc1 262144 0 1' "cudaMemset>$case W cudaMalloc1 1024 768 1" 'cudaMemcpy>host W cudaMalloc1 4 0 1' | LC_ALL=C sort)"
done
finish
