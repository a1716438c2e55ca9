#!/bin/bash
# What the patch that looks at values counts, on the emulated device.  See sanitizer/values.cu.
. tests/lib.sh
if [ -z "$NVCC" ] || [ -z "${SANITIZER:-}" ]; then
	skip "the patch for values" "needs nvcc and the Sanitizer's headers"
	finish
fi
if [ -n "$ASAN" ]; then
	skip "the patch for values" "a program of nvcc does not start with the address sanitizer's libraries"
	finish
fi
"$NVCC" -std=c++17 -arch=compute_80 -code=compute_80 -cudart shared -I. -I"$SANITIZER/include" -o "$T/values" tests/sanitizer/values.cu \
	>"$T/log" 2>&1 || not_ok "nvcc" "$(cat "$T/log")"
LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/values" >"$T/out" 2>&1
like "random accesses are counted" "$(cat "$T/out")" "^ok 1 - 400 rounds"
is "no .sync, which waits for lanes that are elsewhere" "$(grep -cE '^\s+(shfl|vote|bar|match|redux)[a-z.]*\.sync' "$BUILD/sanitizer.o/values.ptx")" 0
finish
