#!/bin/bash
# `vflow doctor` on a machine with a GPU: all is well, and what it says when something is not.
. tests/lib.sh
. tests/gpu/real.bash
line() { # WHAT: its lines
	grep -E "^  [a-z]+ +$1 " "$T/out" | tr -s ' '
}
expect_exit 0 "doctor" "$VFLOW" doctor
[ -s "$T/out" ] && sed 's/^/# /' "$T/out"
for what in "kernel driver" devices "CUDA driver" GPU "GPU provider" "known answer"; do
	like "$what is ok" "$(line "$what")" '^ ok '
	unlike "$what has no fault" "$(line "$what")" 'broken|missing'
done
like "a wait for a kernel of 5 ms is found" "$(line "known wait" | sed -n 2p)" '^ ok known wait for a kernel of 5'
like "CUPTI's version, and who can use it" "$(line CUPTI)" '^ ok CUPTI version [0-9]+; (one tool|several tools) at a time'
is "where programs can be collected" "$(tail -n 1 "$T/out")" "Programs can be collected here, on the GPU and on the emulated device."
is "the known answer is seen on both devices" "$(line "known answer" | grep -c ' ok ')" 2
expect_exit 1 "no GPU is visible" env CUDA_VISIBLE_DEVICES= "$VFLOW" doctor
like "... says why" "$(line "CUDA driver")" 'broken.*CUDA_VISIBLE_DEVICES'
mkdir "$T/none"
cp "$(ls "$CUDA_TOOLKIT"/lib64/stubs/libcuda.so "$CUDA_TOOLKIT"/targets/*/lib/stubs/libcuda.so 2>/dev/null | head -n 1)" "$T/none/libcuda.so.1" 2>/dev/null &&
	expect_exit 1 "the toolkit's stub instead of the driver" env LD_LIBRARY_PATH="$T/none:$LD_LIBRARY_PATH" "$VFLOW" doctor &&
	like "... says so" "$(line "CUDA driver")" 'broken.*error 34.*stub'
sanitizer=$(command -v compute-sanitizer || ls "$CUDA_TOOLKIT"/bin/compute-sanitizer "$CUDA_TOOLKIT"/compute-sanitizer/compute-sanitizer 2>/dev/null | head -n 1)
if [ -n "$sanitizer" ]; then
	"$sanitizer" "$VFLOW" collect --device gpu -o "$T/s.db" "$VFLOW" doctor --known-answer >"$T/out" 2>&1
	sed 's/^/# /' "$T/out" | head -n 20
	like "under another tool the program runs, and something says why it is not seen" "$(cat "$T/out")" 'only one tool|no CUDA call was seen|4 operations'
fi
finish
