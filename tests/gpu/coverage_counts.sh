#!/bin/bash
# A count of coverage is of the same things on the GPU as on the emulated device: where both have a row, it is
# the same.  tests/cli/coverage_counts.sh says how many there are of what.
. tests/lib.sh
. tests/gpu/gpu.bash
rows() { # DB: kind count bytes
	sqlite3 -separator ' ' "$1" "SELECT kind, sum(count), sum(bytes) FROM coverage WHERE kind IS NOT NULL GROUP BY kind ORDER BY kind"
}
both=0
same() { # PROGRAM [ARGUMENT...]
	local device common
	for device in emulated gpu; do
		DEVICE=$device collect "$T/$device.db" "$@" >"$T/out" 2>&1
		rows "$T/$device.db" >"$T/$device"
	done
	common=$(join "$T/emulated" "$T/gpu" | cut -d' ' -f1)
	both=$((both + $(wc -w <<<"$common")))
	is "$*: ${common//$'\n'/, }" "$(join -o 0,2.2,2.3 "$T/emulated" "$T/gpu")" "$(join -o 0,1.2,1.3 "$T/emulated" "$T/gpu")"
	join -v 1 "$T/emulated" "$T/gpu" | sed 's/^/# emulated only: /'
	join -v 2 "$T/emulated" "$T/gpu" | sed 's/^/# gpu only: /'
}
compile counts -std=c++17 -cudart shared -arch=compute_75 -I. tests/cli/coverage_counts.cu
same "$T/counts"
same "$T/counts" fail
for case in $("$P/exactness" 2>&1 | sed 's/.*one of: //'); do
	same "$P/exactness" "$case"
done
same "$P/demo"
is "rows that both have" "$((both >= 8))" 1 # of the first program alone six, and one of the second
expected=$(sed -n '/^is "variables/,/"$/p' tests/cli/coverage_counts.sh | sed 's/.*"\([A-Z_]*|\)/\1/; s/"$//')
DEVICE=gpu collect "$T/gpu.db" --kernel 'read_constants|draw|look|touch' "$T/counts" >"$T/out" 2>&1
is "the figures of the test of the emulated device" "$(rows "$T/gpu.db" | tr ' ' '|' | grep -Fx "$expected")" "$expected"
finish
