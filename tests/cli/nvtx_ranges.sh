#!/bin/bash
# NVTX ranges: which ranges calls and vertices are in, by what tests/cli/nvtx_ranges.c says.
. tests/lib.sh
libraries=$(realpath "$BUILD")/lib/emulator

build() { # PROGRAM OPTIONS...
	local program=$1
	shift
	$CC $ASAN -std=gnu11 -g -Wall -Wextra -D_GNU_SOURCE -I. -Igpu/emulator/include "$@" -o "$program" tests/cli/nvtx_ranges.c \
		"$libraries"/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$libraries" -lpthread -ldl
}
run() { # NAME PROGRAM ARGS...: NAME.db
	local code=0 name=$1
	shift
	"$VFLOW" collect --quiet --device emulated -o "$T/$name.db" "$@" >"$T/out" 2>"$T/err" || code=$?
	is "$name: output and exit code are the program's own" "$code $(cat "$T/out" "$T/err")" "3 done"
}
ask() { # NAME SQL
	sqlite3 -separator ' ' "$T/$1.db" "$2"
}

check_ranges() { # NAME
	is "$1: the ranges, and how many calls were in them" "$(ask "$1" "SELECT range, calls FROM ranges WHERE range NOT LIKE '%deep / %'")" "before CUDA 1
train 5
train / first 1
train / step 2
train / wé😀 1
train / <b>\"\\x0a\\x01 1
outer 1
outer / lib:copy 1
outer / lib:copy / lib:fill 1
lib:copy 1
lib:copy / lib:fill 1
other 1
main only 1
deep 1"
	is "$1: no deeper than 32" "$(ask "$1" "SELECT count(*), max(length(range)) FROM ranges WHERE range LIKE 'deep%'")" "32 $((32 * 4 + 31 * 3))"
	# set() is called from one line of the loop: `first` and `step` have `train` in common
	is "$1: of a vertex, what all its calls were in" "$(ask "$1" "SELECT nvtx_range FROM vertex WHERE kind = 'memset' AND invocations = 3")" "train"
	is "$1: of a call" "$(ask "$1" "SELECT r.range FROM event e LEFT JOIN ranges r ON r.id = e.range ORDER BY e.id LIMIT 4")" "before CUDA
train / first
train / step
train / step"
	is "$1: threads have their own" "$(ask "$1" "SELECT e.thread, r.range FROM event e JOIN ranges r ON r.id = e.range WHERE r.range IN ('other', 'main only') ORDER BY e.id")" "1 other
0 main only"
	like "$1: the report says it of an operation" "$("$VFLOW" report "$T/$1.db")" "in NVTX range lib:copy / lib:fill"
	like "$1: what begins on no thread is counted" "$(ask "$1" "SELECT * FROM coverage")" "nvtxRangeStart"
}

build "$T/plain" || not_ok "the program is built"
run plain "$T/plain"
check_ranges plain
if [ -n "$CUDA_TOOLKIT" ] && [ -e "$CUDA_TOOLKIT/include/nvtx3/nvToolsExt.h" ]; then
	build "$T/headers" -DNVTX_HEADERS -I"$CUDA_TOOLKIT/include" -Wno-error || not_ok "the program is built with NVTX's headers"
	run headers "$T/headers"
	check_ranges headers
else
	skip "NVTX's own headers" "no CUDA toolkit"
fi
run many "$T/plain" many
like "a range too many is counted" "$(ask many "SELECT * FROM coverage")" "65,536 different"

# another tool, and none
NVTX_INJECTION64_PATH=/nonexistent/tool.so "$VFLOW" collect --device emulated -o "$T/other.db" "$T/plain" >"$T/out" 2>"$T/err" || :
like "another tool's NVTX is left to it" "$(cat "$T/err")" "NVTX_INJECTION64_PATH is set: NVTX ranges and memory annotations are not seen"
is "... and nothing is made up" "$(ask other "SELECT count(*) FROM ranges")" 0

"$VFLOW" collect --quiet --device emulated -o "$T/time.db" --passes flow,time "$T/plain" >"$T/out" 2>"$T/err" || :
is "pass time: times of ranges, those inside of them among it" "$(ask time "SELECT time_ns = (SELECT sum(time_ns) FROM ranges WHERE range LIKE 'train / %') AND time_ns > 0 FROM ranges WHERE range = 'train'")" 1
is "pass time: calls have ranges" "$(ask time "SELECT count(*) FROM timeline t JOIN ranges r ON r.id = t.range WHERE r.range LIKE 'train / %'")" 5

# --capture-range: launches 2, in a range of the thread, and 4, in one of no thread
captured() { # ARGS...: kernels that were analysed, by their edges; what coverage says of the others
	"$VFLOW" collect --quiet --device emulated -o "$T/capture.db" "$@" "$T/plain" launches >"$T/out" 2>"$T/err" || :
	ask capture "SELECT sum(count) FROM edge JOIN vertex v ON v.id = edge.target WHERE v.kind = 'kernel' AND access = 2"
	ask capture "SELECT count FROM coverage WHERE reason LIKE '%--capture-range%'"
}
is "all launches without --capture-range" "$(captured)" 4
is "--capture-range" "$(captured --capture-range hot)" "2
2"
is "--capture-range of what is not there" "$(captured --capture-range '^hot$')" "
4"
expect_exit 2 "--capture-range: no regular expression" "$VFLOW" collect --capture-range '(' true
expect_exit 2 "--capture-range: empty" "$VFLOW" collect --capture-range '' true
finish
