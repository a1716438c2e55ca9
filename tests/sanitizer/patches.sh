#!/bin/bash
# What the patches mark, and what passes find of it, on the emulated device.  See sanitizer/patches.cu.
. tests/lib.sh
if [ -z "$NVCC" ] || [ -z "${SANITIZER:-}" ]; then
	skip "patches" "needs nvcc and the Sanitizer's headers"
	finish
fi
if [ -n "$ASAN" ]; then
	skip "patches" "a program of nvcc does not start with the address sanitizer's libraries"
	finish
fi
for image in "" -DFOLLOW_ACCESSES; do
	# shellcheck disable=SC2086
	"$NVCC" $image -std=c++17 -arch=compute_80 -code=compute_80 -cudart shared -I. -I"$SANITIZER/include" -o "$T/patches" tests/sanitizer/patches.cu \
		>"$T/log" 2>&1 || not_ok "nvcc $image" "$(cat "$T/log")"
	LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/patches" >"$T/out" 2>&1
	for what in "3000 patterns of accesses" "1000 patterns of asynchronous copies" "1500 patterns of bulk copies"; do
		[ -n "$image" ] && what=${what/0 / } # where accesses are counted a tenth of them
		like "patches $image: $what" "$(cat "$T/out")" "(^|
)ok [0-9] - $what are marked"
	done
done
for image in patches patches_access; do
	is "$image: no .sync, which takes six instructions more" \
		"$(grep -cE '^\s+(shfl|vote|bar|match|redux)[a-z.]*\.sync' "$BUILD/sanitizer.o/$image.ptx")" 0
done
# Where lanes may part: see the patches' first comment.  What some lanes leave out is one condition of two: that
# they have nothing to say, and that the warp is whole.
lanes_part() {
	awk '/Function :/ { name = $NF }
		/BREAK|WARPSYNC|BRX/ { print name ": " $0 }
		/BSSY/ { if (inside || !/ B0,/) print name ": " $0; inside = 1; branches = 0 }
		inside && / BRA / { branches++; if (!/@!?P[0-9] BRA !?P[0-9],/) print name ": " $0 }
		/BSYNC/ { if (branches != 1) print name ": " branches " branches before " $0; inside = 0; barriers++ }
		END { print "barriers: " (barriers ? "some" : "none") }' "$1"
}
PATH=$PATH:${CUDA_TOOLKIT:-/usr/local/cuda}/bin:.deps/toolkit/usr/bin
for image in patches patches_access; do for architecture in sm_75 sm_80 sm_86 sm_89 sm_90; do
	name="$image of $architecture: lanes part only where the warp is whole"
	if ! command -v cuobjdump >/dev/null; then
		skip "$name" "needs cuobjdump"
	elif cuobjdump -sass -arch $architecture "$BUILD/sanitizer.o/$image.fatbin" >"$T/sass" 2>&1 && grep -q 'RET' "$T/sass"; then
		is "$name" "$(lanes_part "$T/sass")" "barriers: some"
	else
		skip "$name" "not in the fat binary, or cuobjdump cannot read it"
	fi
done; done
finish
