#!/bin/bash
# tests/programs/peaks.c: what `vflow report --memory` says that the peak would be, and what it is of the same
# program with the advice followed.  All sizes are worked out by hand: matrices of 256 KiB, vectors of 1 KiB.
. tests/lib.sh

report() { # NAME: T/NAME.json
	"$VFLOW" report --memory --top 0 -T json "$T/$1.db" >"$T/$1.json" 2>"$T/err" || cat "$T/err"
}
ask() { # NAME SQL
	json_query "$T/$1.json" "$2"
}
both() { # PROGRAM [OPTION...]
	local program=$1
	shift
	expect_exit 0 "$program: collect" collect "$T/$program.db" "$@" "$P/peaks" "$program"
	is "$program: the output" "$(cat "$T/out")" "$("$P/peaks" "$program")"
	output=$(cat "$T/out")
	expect_exit 0 "$program mended: collect" collect "$T/mended.db" "$@" "$P/peaks" "$program" mended
	is "$program mended: the same output" "$(cat "$T/out")" "$output"
	report "$program"
	report mended
}
peaks_are() { # PROGRAM PEAK MENDED
	both "$1"
	is "$1: the peak, and what it would be" "$(ask "$1" "SELECT text->>'\$.peak', text->>'\$.peak_when_all_mended' FROM json")" "$2 $3"
	is "$1 mended: it is that" "$(ask mended "SELECT text->>'\$.peak', text->>'\$.peak_when_all_mended' FROM json")" "$3 $3"
}
K=1024
# a, b, c and what is between are needed in the first kernel, of five
peaks_are products $((5 * 256 * K)) $((4 * 256 * K))
is "products: what is found" "$(ask products "SELECT group_concat(p, ', ') FROM (SELECT value->>'\$.pattern' AS p FROM json, json_each(text, '\$.findings') GROUP BY 1 ORDER BY 1)")" \
	"early_allocation, late_deallocation, redundant_allocation, temporary_idleness"
# the matrix and three vectors are needed in each kernel
peaks_are vectors $((256 * K + 4 * K)) $((256 * K + 3 * K))
# both inputs and both outputs of the first two parts, of four: the streams do not wait for the allocations of
# others, so that these are not early; of the other two at most three are needed at a time
peaks_are parts $((8 * 256 * K)) $((4 * 256 * K))
# a MiB of which 256 KiB are used, 512 KiB that nobody uses, and 64 KiB
both look_ups --passes flow,access
falls() { # PATTERN: what mending that takes off the peak
	ask look_ups "SELECT text->>'\$.peak' - (value->>'\$.peak_when_mended') FROM json, json_each(text, '\$.findings') WHERE value->>'\$.pattern' = '$1'"
}
is "look_ups: the peak" "$(ask look_ups "SELECT text->>'\$.peak' FROM json")" $((1600 * K))
is "look_ups: without what nobody uses, or with as much as is used" "$(falls unused_allocation) $(falls overallocation)" "$((512 * K)) $((768 * K))"
is "look_ups mended: both come off it" "$(ask mended "SELECT text->>'\$.peak', text->>'\$.finding_count' FROM json")" "$((1600 * K - 512 * K - 768 * K)) 0"
finish
