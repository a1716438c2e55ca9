#!/bin/bash
# Kernels that never end, that wait for nobody and that race: bounded, interruptible, reported.
. tests/lib.sh
libraries=$(realpath "$BUILD")/lib/emulator
[ -n "$ASAN" ] && export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
$CC -std=gnu11 -Igpu/emulator/include -o "$T/limits" tests/cli/emulator_limits.c "$libraries/libcuda.so.1" \
	-Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined || { not_ok "compiler"; echo "1..1"; exit 1; }
run() { # KERNEL: what it prints, then what the emulator says
	LD_PRELOAD=$libraries/libcuda.so.1 "$T/limits" "$1" 2>"$T/err"
	cat "$T/err"
}

export VFLOW_EMULATOR_TIMEOUT=0.3
is "an endless kernel is ended by VFLOW_EMULATOR_TIMEOUT, with its place" "$(run loop)" \
	"launching
702
vflow emulator: kernel loop, PTX line 7: the launch ran longer than VFLOW_EMULATOR_TIMEOUT allows"
unset VFLOW_EMULATOR_TIMEOUT
is "a barrier that too few threads reach is a deadlock" "$(run barrier)" \
	"launching
702
vflow emulator: kernel barrier, PTX line 14: deadlock: 32 threads of block (0, 0, 0) wait at barrier 1, which nobody can pass: too few threads are left to come"
is "races are not looked for unless asked" "$(run race)" "launching
0"
export VFLOW_EMULATOR_RACES=1
like "a race is reported with both places, and the program goes on" "$(run race)" \
	"0
vflow emulator: kernel race: race on shared memory at offset 0x0: written at PTX line 21 and written at PTX line 21 by different warps"
unset VFLOW_EMULATOR_RACES

is "--memory-limit is the emulated device's memory" \
	"$("$VFLOW" collect -q --device emulated --memory-limit 3M -o "$T/memory.db" "$T/limits" memory 2>&1)" \
	"3145728 0 2"

# Ctrl-C goes to the whole group of the terminal
set -m
"$VFLOW" collect --device emulated -o "$T/loop.db" "$T/limits" loop >"$T/out" 2>"$T/err" &
group=$!
for _ in $(seq 200); do
	grep -q launching "$T/out" && break
	sleep 0.05
done
kill -INT -- -$group
wait $group
is "Ctrl-C ends an endless kernel under collection" $? 130
set +m
expect_exit 0 "and its profile can be read" "$VFLOW" report "$T/loop.db"
echo "1..$test_count"
[ "$failures" -eq 0 ]
