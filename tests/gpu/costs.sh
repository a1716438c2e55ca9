#!/bin/bash
# Small asynchronous copies that share a pass: the same graph as on the emulated device, and microseconds a call
# beyond those natively where no kernel is analysed.  Needs an NVIDIA GPU; `make check-gpu` runs it.
. tests/lib.sh
. tests/gpu/real.bash
CALLS=${CALLS:-30000} # of each kind
ALLOWED=9             # us: with a kernel behind each of them they took 13 to 19; the goal is 3

compile held -arch=compute_75 -cudart shared -g -I. tests/gpu/held.cu
for device in emulated gpu; do
	timeout 60 "$VFLOW" collect --quiet --device $device -o "$T/$device.db" "$T/held" >"$T/$device.out" 2>&1
	echo "exit code $?" >>"$T/$device.out"
	# what is made of it depends on downloads behind other work, of which a GPU does not know what they bring
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$T/$device.db" 2>/dev/null |
		sed -E 's/, (patterns=("[^"]*"|[a-z_]+)|advice="[^"]*"|finding(_share)?="?[0-9.]+"?)//g' >"$T/$device.dot"
	sqlite3 "$T/$device.db" 'SELECT * FROM upload' >"$T/$device.moved" 2>&1
done
is "exit code and output" "$(cat "$T/gpu.out")" "$(cat "$T/emulated.out")"
like "a sum" "$(cat "$T/gpu.out")" '^held sum [1-9]'
is "the same graph" "$(diff "$T/emulated.dot" "$T/gpu.dot")" ""
like "which has copies" "$(cat "$T/gpu.dot")" 'cudaMemcpyAsync'
is "uploads moved the same" "$(cat "$T/gpu.moved")" "$(cat "$T/emulated.moved")"

compile calls -O2 -arch=native -I. tests/gpu/calls.cu
export CALLS
names="launch upload download set upload_async upload_turns download_async behind_launch mixed"
# shellcheck disable=SC2086
timeout 60 "$T/calls" $names | sort >"$T/native"
# shellcheck disable=SC2086
timeout 90 "$VFLOW" collect -q --kernel '^$' --device gpu -o "$T/c.db" "$T/calls" $names | sort >"$T/unanalysed"
# NAME US us sum SUM
join "$T/native" "$T/unanalysed" | awk '{ printf "# %-15s native %6.2f us, no kernel analysed %6.2f, more %6.2f\n", $1, $2, $6, $6 - $2 }'
for name in upload_turns download_async; do
	more=$(join "$T/native" "$T/unanalysed" | awk -v name=$name '$1 == name { print $6 - $2 }')
	if [ -n "$more" ] && awk "BEGIN { exit !($more <= $ALLOWED) }"; then
		ok "$name: $more us more"
	else
		not_ok "$name: at most $ALLOWED us more" "${more:-no figure}"
	fi
done
finish
