#!/bin/bash
# What the patches mark, on the emulated device.  See gpu_patches.cu.
. tests/lib.sh
if [ -z "$NVCC" ] || [ -z "${SANITIZER:-}" ]; then
	skip "patches" "needs nvcc and the Sanitizer's headers"
	finish
fi
if [ -n "$ASAN" ]; then
	skip "patches" "a program of nvcc does not start with the address sanitizer's libraries"
	finish
fi
"$NVCC" -std=c++17 -arch=compute_80 -code=compute_80 -cudart shared -I. -I"$SANITIZER/include" -o "$T/patches" tests/cli/gpu_patches.cu \
	>"$T/log" 2>&1 || not_ok "nvcc" "$(cat "$T/log")"
LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 60 "$T/patches" >"$T/out" 2>&1
for what in "3000 patterns of accesses" "1000 patterns of asynchronous copies" "1500 patterns of bulk copies"; do
	like "patches: $what" "$(cat "$T/out")" "(^|
)ok [0-9] - $what are marked"
done
is "patches: no .sync, which takes six instructions more" "$(grep -cE '^\s+(shfl|vote|bar|match|redux)[a-z.]*\.sync' "$BUILD/sanitizer.o/patches.ptx")" 0
finish
