#!/bin/bash
# What a count of coverage counts, on the device of $DEVICE: the same on both, for the figures below follow from
# the program.
. tests/lib.sh
: "${DEVICE:=emulated}"
if [ -z "$NVCC" ]; then
	skip "counts of coverage" "no CUDA toolkit"
	finish
fi
"$NVCC" -std=c++17 -cudart shared -arch=compute_75 -I. -o "$T/p" tests/cli/coverage_counts.cu 2>"$T/err" ||
	not_ok "nvcc" "$(cat "$T/err")"
counts() { # DB
	sqlite3 "$1" "SELECT kind, sum(count), sum(bytes) FROM coverage WHERE kind IN ('CONSTANT_READS', 'TEXTURE_READS',
		'SURFACE_STORES', 'MANAGED_MEMORY', 'PINNED_MEMORY', 'TRANSFERS_IN_ROWS', 'SKIPPED_BY_KERNEL', 'LAUNCH_FAILED')
		GROUP BY kind ORDER BY kind"
}
expect_exit 0 "a run" collect "$T/p.db" --kernel 'read_constants|draw|look|touch' "$T/p"
is "the program's output" "$(cat "$T/out")" "done"
is "variables, launches that were analysed, allocations, copies" "$(counts "$T/p.db")" "CONSTANT_READS|3|0
MANAGED_MEMORY|2|4112
PINNED_MEMORY|2|12288
SKIPPED_BY_KERNEL|1|0
SURFACE_STORES|3|0
TEXTURE_READS|2|0
TRANSFERS_IN_ROWS|2|32"
expect_exit 0 "a kernel that fails" collect "$T/f.db" "$T/p" fail
is "its output" "$(cat "$T/out")" "failed"
is "failed launches" "$(counts "$T/f.db" | grep FAILED)" "LAUNCH_FAILED|1|0"
finish
