#!/bin/bash
# vflow report --stalls: of the samples that tests/gpu/stalls.sh took on a GPU (tests/profiles/stalls: code and samples as
# `stalls-profile dump` writes them, packed; the program's own times; the lines of stalls.cu at that time), what that script
# asks of them: the planted bottleneck is the first advice, at the right line, and gone from the twin.
. tests/lib.sh
kept=tests/profiles/stalls
nvdisasm=$(command -v nvdisasm || ls "$CUDA_TOOLKIT/bin/nvdisasm" .deps/toolkit/usr/bin/nvdisasm 2>/dev/null | head -1)
[ -z "$nvdisasm" ] || PATH=$(dirname "$nvdisasm"):$PATH
mkdir "$T/planted"
cp "$kept"/*.txt "$T/planted"
"$BUILD/stalls-profile" make "$kept/planted.samples.zst" "$kept/planted.cubin.zst" "$T/planted/stalls.db" >"$T/log" 2>&1 || {
	not_ok "a profile" "$(cat "$T/log")"
	finish
}
STALLS_FROM=$T/planted tests/gpu/stalls.sh
