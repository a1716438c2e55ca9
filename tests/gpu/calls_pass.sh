#!/bin/bash
# The pass `calls` on a GPU says what it says on the emulated device: vertices, edges and the memory report.
# Needs an NVIDIA GPU; `make check-gpu` runs it.
. tests/lib.sh
. tests/gpu/real.bash

said() { # DB
	vertices "$1"
	edges "$1"
	# CUPTI tells of no code that is loaded
	"$VFLOW" report --memory --top 0 "$1" | sed '/^GPU code that was loaded/,/^$/d; /^Device [0-9]* when most/,/^$/d' | grep -v ' ns\| ms\| us'
}
on() { # DEVICE DB PROGRAM...
	local device=$1
	shift
	timeout 120 "$VFLOW" collect --quiet --device "$device" --passes calls -o "$@"
}
same() { # PROGRAM [ARGUMENT]
	local run="${1##*/}${2:+:$2}" emulated=0 gpu=0
	on emulated "$T/e.db" "$@" >"$T/e.out" 2>&1 || emulated=$?
	on gpu "$T/g.db" "$@" >"$T/g.out" 2>&1 || gpu=$?
	is "$run: exit code and output" "$gpu $(<"$T/g.out")" "$emulated $(<"$T/e.out")"
	like "$run: vertices" "$(vertices "$T/g.db")" alloc
	is "$run: vertices, edges and memory" "$(said "$T/g.db")" "$(said "$T/e.db")"
	sqlite3 "$T/g.db" 'SELECT * FROM coverage' 2>&1 | sed 's/^/# coverage: /'
	rm -f "$T"/[eg].*
}
for program in figure3 figure3_nvcc demo; do
	same "$P/$program"
done
for case in early late redundant unused leak idle busy kernels; do
	same "$P/memory_waste" $case
done
for case in managed pinned array box pool; do
	same "$P/moves" $case
done
finish
