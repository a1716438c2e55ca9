#!/bin/bash
# The shadow memory's kernels on a GPU, without the Sanitizer: words, digests and rows are those of the
# CPU; how fast they are is in the log.
. tests/lib.sh
. tests/gpu/real.bash
"$NVCC" -arch=native -I. -o "$T/analysis" tests/gpu/analysis.cu >"$T/log" 2>&1 &&
	"$NVCC" -O2 -std=c++17 -arch=native -I. -o "$T/speed" tests/gpu/pass_speed.cu "$BUILD"/inside.o/gpu/analysis/{shadow*,accessed}.o >>"$T/log" 2>&1 ||
	not_ok "nvcc" "$(cat "$T/log")"
"$NVCC" -O2 -std=c++17 -DFOLLOW_ACCESSES -arch=native -I. -o "$T/accesses" tests/gpu/pass_speed.cu "$BUILD"/inside.o/gpu/analysis/{shadow*,accessed}.o >>"$T/log" 2>&1 ||
	not_ok "nvcc -DFOLLOW_ACCESSES" "$(cat "$T/log")"
like "words and digests" "$(timeout 60 "$T/analysis" 2>&1)" '^ok 1'
timeout 60 "$T/speed" >"$T/out" 2>&1
sed 's/^/# /' "$T/out"
like "passes" "$(grep APIs "$T/out")" '^ok 1 - 150 APIs'
timeout 60 "$T/accesses" >"$T/out" 2>&1
sed 's/^/# access: /' "$T/out"
like "passes that follow accesses" "$(grep APIs "$T/out")" '^ok 1 - 150 APIs'
finish
