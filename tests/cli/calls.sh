#!/bin/bash
# The pass `calls` on the emulated device: what it says of lifetimes is what `flow` says, where kernels
# touch all that they are given; and which words of a launch's parameters count as pointers
# (tests/cli/calls_arguments.c).
. tests/lib.sh
export DEVICE=emulated
libraries=("$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} "-Wl,-rpath,$(realpath "$BUILD")/lib/emulator")

vertices() { # DB
	sqlite3 "$1" "SELECT id, kind, name, invocations, callpath_text FROM vertex ORDER BY id"
}
both() { # PROGRAM...: $T/flow.db and $T/calls.db
	collect "$T/flow.db" "$@" >"$T/flow.out" 2>"$T/err" || cat "$T/err"
	collect "$T/calls.db" --passes calls "$@" >"$T/calls.out" 2>"$T/err" || cat "$T/err"
}
memory() { # DB: without what the pass says of itself
	"$VFLOW" report --memory --top 0 "$1" | tr -s ' \n' ' ' | sed 's/ kernels count as .* is not known//'
}
same() { # NAME PROGRAM...
	local name=$1
	shift
	both "$@"
	is "$name: vertices" "$(vertices "$T/calls.db")" "$(vertices "$T/flow.db")"
	is "$name: memory" "$(memory "$T/calls.db")" "$(memory "$T/flow.db")"
	is "$name: output" "$(<"$T/calls.out")" "$(<"$T/flow.out")"
}

# early, late, redundant, unused, leak, idle: DrGPUM's patterns, each alone
for case in early late redundant tenth more unused leak idle busy kernels; do
	same "memory_waste $case" "$P/memory_waste" $case
done
like "the report says what is not known" "$("$VFLOW" report --memory "$T/calls.db")" "kernels count as accessing each object"
for case in managed pinned array box pool graph virtual; do
	same "moves $case" "$P/moves" $case
done
for case in helper loop child update; do # launches of CUDA graphs: the arguments of their nodes
	same "nodes $case" "$P/nodes" $case
done
for name in workspace_loop pitched_rows graph_histogram pipeline double_buffer growing_buffer unused_scratch pool_upload stream_table; do
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -I. -Igpu/emulator/include $ASAN -o "$T/$name" tests/advice/$name.c "${libraries[@]}" -lm 2>"$T/err" || cat "$T/err"
	same $name "$T/$name"
done

# which words of the parameters are pointers
"$CC" -std=gnu11 -g -Igpu/emulator/include $ASAN -o "$T/arguments" tests/cli/calls_arguments.c "${libraries[@]}" 2>"$T/err" || cat "$T/err"
objects() { # MODE: accesses of the objects of 4, 8 and 16 KiB, and u where others are possible
	collect "$T/a.db" --passes calls "$T/arguments" "$@" >"$T/out" 2>"$T/err" || cat "$T/err"
	sqlite3 "$T/a.db" "SELECT group_concat(accesses || iif(unseen, 'u', ''), ' ') FROM
		(SELECT l.accesses, l.unseen FROM lifetime l JOIN object o ON o.id = l.object ORDER BY o.size)"
}
is "a pointer into an object" "$(objects interior)" "1 0 0"
is "... and just past it" "$(objects end)" "0 0 0"
is "pointers in a structure" "$(objects structure)" "1 1 0"
is "parameters in one block" "$(objects packed)" "1 1 0"
is "cuLaunchKernelEx" "$(objects configured)" "1 0 0"
is "two numbers are no pointer" "$(objects numbers)" "1 0 0"
is "memory with a pointer in it: all may be accessed" "$(objects table)" "2u 0u 0u"
like "... which is said" "$("$VFLOW" report "$T/a.db" | tr -s ' \n' ' ')" "pointers in memory: 1: "
like "... and no object is called unused" "$("$VFLOW" report --memory "$T/a.db" | tr -s ' \n' ' ')" "3 objects may have been accessed by what was not analysed.*No findings in what is known"
is "... also when it was copied on" "$(objects copied)" "2u 2u 0u"
is "memory with numbers in it" "$(objects values)" "2 0 0"
unlike "... of which nothing is said" "$("$VFLOW" report "$T/a.db")" "pointers in memory"

# an object of the graph, and what the other commands make of it
collect "$T/f.db" --passes calls "$P/figure3" >"$T/out"
is "edges: two of each object that a kernel is given" "$("$VFLOW" query "MATCH (a)-[e]->(k:kernel) RETURN count(e)" "$T/f.db" | tail -n 1)" 8
is "vflow deps: three kernels in order" "$("$VFLOW" deps "$T/f.db" | grep -c 'kind=kernel')" 3
like "vflow render" "$("$VFLOW" render "$T/f.db" -o "$T/f.svg" && head -c 200 "$T/f.svg")" "svg"
like "coverage" "$("$VFLOW" report "$T/f.db" | tr -s ' \n' ' ')" "kernels: 3: what they access is taken from their arguments"

# other passes join it, but not the one that makes a graph, too
collect "$T/t.db" --passes calls,time,waits "$P/timeline" streams >"$T/out"
is "with times: each set and copy has one" "$(sqlite3 "$T/t.db" "SELECT count(*), count(time_ns) FROM vertex WHERE kind IN ('memset', 'memcpy')")" "6|6"
expect_exit 2 "calls and flow" "$VFLOW" collect --passes calls,flow true
like "... is refused" "$(<"$T/err")" "calls and flow both make the graph"
expect_exit 0 "a kept trace" "$VFLOW" collect -q --device emulated --keep-trace --passes calls -o "$T/k.db" "$P/figure3"
expect_exit 0 "... gives the profile again" "$VFLOW" collect -q --from-trace "$T/k.db.trace" -o "$T/l.db"
is "... of the same pass" "$(sqlite3 "$T/l.db" "SELECT name, makes_graph FROM pass")" "calls|1"

# what a call costs: 200,000 of them, half of which are given one object by one row, half by two
expect_exit 0 "many calls" "$VFLOW" collect -q --device emulated --keep-trace --passes calls -o "$T/many.db" "$T/arguments" many 100000
size=$(stat -c %s "$T"/many.db.trace/*.trace)
is "at most 100 bytes a call in the trace" "$((size <= 200000 * 100 + 65536))" 1
is "... all of which are counted" "$(sqlite3 "$T/many.db" "SELECT max(invocations) FROM vertex WHERE kind = 'kernel'")" 100000
finish
