#!/bin/bash
# A metric that is no more than a row of gpu/rows.def and a rule in unit.h is counted alike by the
# passes of gpu/sanitizer and by gpu/analysis: with such metrics in copies of both files, each of
# them of other masks of a word.
. tests/lib.sh
if [ -z "$NVCC" ] || [ -n "$ASAN" ]; then
	skip "new metrics" "needs nvcc, and objects without ASan"
	finish
fi
rules=(
	"test_fresh_bytes TEST_FRESH_BYTES WRITE word->written&~word->initialised"
	"test_unset_read_bytes TEST_UNSET_READ_BYTES READ word->read&~word->initialised"
	"test_unset_bytes TEST_UNSET_BYTES WRITE word->uninitialised"
	"test_update_bytes TEST_UPDATE_BYTES WRITE word->read&word->written&word->redundant"
	"test_again_bytes TEST_AGAIN_BYTES READ word->read&~word->unread"
	"test_unit_bytes TEST_UNIT_BYTES WRITE unit_whole(word->written)&word->initialised&~word->redundant_values"
	"test_kept_bytes TEST_KEPT_BYTES WRITE word->written&word->can_be_unread"
)
mkdir -p "$T/gpu/analysis"
sed '/^#undef/d' gpu/rows.def >"$T/gpu/rows.def"
sed '$d' gpu/analysis/unit.h >"$T/gpu/analysis/unit.h"
for rule in "${rules[@]}"; do
	read -r member flag access bytes <<<"$rule"
	echo "ROW_METRIC($member, $flag, $access, SUM)" >>"$T/gpu/rows.def"
	echo "VFLOW_DEVICE uint64_t unit_$member(const struct unit_word *word) { return $bytes; }" >>"$T/gpu/analysis/unit.h"
done
printf '#undef %s\n' EDGE_METRIC ROW_METRIC >>"$T/gpu/rows.def"
echo '#endif' >>"$T/gpu/analysis/unit.h"
{
	for file in gpu/analysis/{shadow*,accessed}.c; do
		"$CC" -std=gnu11 -D_GNU_SOURCE -O2 -I"$T" -I. -c -o "$T/$(basename "$file").o" "$file" || break
	done && "$NVCC" -std=c++17 -arch=compute_80 -code=compute_80 -cudart shared -I"$T" -I. -o "$T/passes" \
		tests/gpu/pass_speed.cu "$T"/{shadow*,accessed}.c.o
} >"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for run in "1 1" "7 4" "40 5"; do
	like "passes of BLOCKS SEED $run" "$(LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/passes" $run 2>&1)" '^ok 1 - 60 APIs'
done
finish
