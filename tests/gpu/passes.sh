#!/bin/bash
# The shadow memory's kernels on a GPU, without the Sanitizer: words, digests and rows are those of the
# CPU; how fast they are is in the log.
. tests/lib.sh
. tests/gpu/real.bash
compile analysis -arch=native -I. tests/gpu/analysis.cu
shadows=("$BUILD"/inside.o/gpu/analysis/{shadow*,accessed}.o)
compile speed -O2 -std=c++17 -arch=native -I. tests/gpu/pass_speed.cu "${shadows[@]}"
compile accesses -O2 -std=c++17 -DFOLLOW_ACCESSES -arch=native -I. tests/gpu/pass_speed.cu "${shadows[@]}"
like "words and digests" "$(timeout 60 "$T/analysis" 2>&1)" '^ok 1'
timeout 60 "$T/speed" >"$T/out" 2>&1
sed 's/^/# /' "$T/out"
like "passes" "$(grep APIs "$T/out")" '^ok 1 - 150 APIs'
timeout 60 "$T/accesses" >"$T/out" 2>&1
sed 's/^/# access: /' "$T/out"
like "passes that follow accesses" "$(grep APIs "$T/out")" '^ok 1 - 150 APIs'
finish
