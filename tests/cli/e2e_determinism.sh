#!/bin/bash
# The same program gives the same graph, byte for byte: two runs, address space randomised or not,
# another working folder, a larger environment, more arguments on the stack, other numbers of threads.
. tests/lib.sh
vflow=$(realpath "$VFLOW") programs=$(realpath "$P")

whole() { # DB: the whole graph as DOT
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$1"
}
run() { # DB COMMAND-PREFIX... -- PROGRAM...
	local db=$1 prefix=()
	shift
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	"${prefix[@]}" "$vflow" collect --quiet --device emulated -o "$db" "$@" >"$T/out" 2>"$T/err" || { cat "$T/err"; return 1; }
}
for program in figure3 demo "exactness module_global"; do
	set -- $program
	name=$1
	shift
	run "$T/1.db" -- "$programs/$name" "$@" && whole "$T/1.db" >"$T/1.dot"
	like "$program: a graph" "$(head -c 4000 "$T/1.dot")" 'digraph.*cudaMalloc'
	run "$T/2.db" -- "$programs/$name" "$@" && whole "$T/2.db" >"$T/2.dot"
	expect_exit 0 "$program: second run" cmp "$T/1.dot" "$T/2.dot"
	if setarch -R true 2>/dev/null; then
		run "$T/3.db" setarch -R -- "$programs/$name" "$@" && whole "$T/3.db" >"$T/3.dot"
		expect_exit 0 "$program: without address space randomisation" cmp "$T/1.dot" "$T/3.dot"
	else
		skip "$program: without address space randomisation" "setarch -R is not allowed here"
	fi
	run "$T/4.db" env -C / BIG="$(head -c 50000 /dev/zero | tr '\0' x)" -- "$programs/$name" "$@" && whole "$T/4.db" >"$T/4.dot"
	expect_exit 0 "$program: another folder and environment" cmp "$T/1.dot" "$T/4.dot"
	for threads in 1 4; do
		run "$T/6.db" env VFLOW_EMULATOR_THREADS=$threads -- "$programs/$name" "$@" && whole "$T/6.db" >"$T/6.dot"
		expect_exit 0 "$program: blocks on up to $threads threads" cmp "$T/1.dot" "$T/6.dot"
	done
	is "$program: no addresses, times or folders in DOT" "$(grep -cE "0x[0-9a-f]{6}|/tmp/|$PWD" "$T/1.dot")" 0
	whole "$T/1.dot" >"$T/5.dot"
	expect_exit 0 "$program: DOT in, the same DOT out" cmp "$T/1.dot" "$T/5.dot"
	rm -f "$T"/*
done
finish
