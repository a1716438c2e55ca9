#!/bin/bash
# The kernels of gpu/sanitizer's shadow memory, on the emulated device: random APIs give the rows and
# digests that the shadow memory of the CPU gives, and, in the image for pass `access`, what is accessed.
. tests/lib.sh
if [ -z "$NVCC" ] || [ -n "$ASAN" ]; then
	skip "passes" "needs nvcc, and objects without ASan"
	finish
fi
for image in "" -DFOLLOW_ACCESSES; do
	"$NVCC" $image -std=c++17 -arch=compute_80 -code=compute_80 -cudart shared -I. -o "$T/passes" tests/gpu/pass_speed.cu \
		"$BUILD"/inside.o/gpu/analysis/{shadow*,accessed}.o >"$T/log" 2>&1 || not_ok "nvcc $image" "$(cat "$T/log")"
	for run in "1 1" "1 2" "1 3" "2 3" "7 4" "40 5"; do
		like "passes of BLOCKS SEED $run $image" "$(LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/passes" $run 2>&1)" '^ok 1 - 60 APIs'
	done
done
finish
