#!/bin/bash
# programs.sh [PART/PARTS]: the end-to-end tests of tests/cli, with their programs on the GPU.
. tests/lib.sh
. tests/gpu/real.bash
export DEVICE=gpu
for test in e2e_{exactness,random,moves,figure3,demo,targets} report_memory peaks drgpum_figures frequency; do
	my_turn || continue
	if output=$(timeout 300 "tests/cli/$test.sh" 2>&1); then
		ok "$test: $(grep -c '^ok' <<<"$output") tests"
	else
		not_ok "$test" "$(grep -A 8 '^not ok' <<<"$output")"
	fi
done
finish
