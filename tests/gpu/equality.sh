#!/bin/bash
# equality.sh [PART/PARTS]: the same program gives the same graph on the GPU and on the emulated device: ids,
# edges, bytes, redundancy, patterns.  Needs an NVIDIA GPU; `make check-gpu` runs it.
. tests/lib.sh

. tests/gpu/real.bash

# The whole graph as DOT.
whole() { # DB
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$1" 2>/dev/null
}
# Only the GPU has memory that it does not know, and unread bytes of which it does not know the writer.  Both take findings
# away: then they are left out, and so are the sums of unread bytes.
# Only the emulated device knows whether a kernel's stores depend on what it loads, so that on a GPU "with this input" is said of
# what it has written over, and such findings come later in the list.
without_unknown() { # GPU'S-DB FILE...
	sed -i -E 's/ That holds with this input\.//g; s/, finding="?[0-9]+"?//g' "${@:2}"
	[ "$(sqlite3 "$1" "SELECT count(*) FROM coverage WHERE kind IN ('UNKNOWN_MEMORY', 'UNREAD_SHARED_UNITS')")" = 0 ] ||
		sed -i -E 's/, (patterns=("[^"]*"|[a-z_]+)|advice="[^"]*"|finding(_share)?="?[0-9.]+"?|unread_(freed|end)_bytes=[0-9]+)//g' "${@:2}"
}
# What copies from and to the host moved again; not of copies behind other work on their stream, which are not waited for.
moved() { # DB
	sqlite3 "$1" "SELECT 'upload', * FROM upload; SELECT 'download', * FROM download; SELECT 'round trip', * FROM round_trip"
}
on() { # DEVICE DB PROGRAM...
	local device=$1
	shift
	timeout 120 "$VFLOW" collect --quiet --device "$device" -o "$@"
}
same() { # PROGRAM [ARGUMENT]
	local run="${1##*/}${2:+:$2}" emulated gpu
	on emulated "$T/e.db" "$@" >"$T/e.out" 2>&1
	emulated=$?
	on gpu "$T/g.db" "$@" >"$T/g.out" 2>&1
	gpu=$?
	is "$run: exit code and output" "$gpu $(cat "$T/g.out")" "$emulated $(cat "$T/e.out")"
	whole "$T/e.db" >"$T/e.dot"
	whole "$T/g.db" >"$T/g.dot"
	without_unknown "$T/g.db" "$T"/[eg].dot
	like "$run: a graph" "$(head -c 4000 "$T/g.dot")" 'digraph.*alloc'
	if cmp -s "$T/e.dot" "$T/g.dot"; then
		ok "$run: the same graph"
	else
		not_ok "$run: the same graph" "$(diff "$T/e.dot" "$T/g.dot")"
		sqlite3 "$T/g.db" 'SELECT * FROM coverage' 2>&1 | sed 's/^/# coverage: /'
	fi
	is "$run: copies moved the same" "$(moved "$T/g.db")" "$(moved "$T/e.db")"
	rm -f "$T"/[eg].*
}
for program in figure3 figure3_O2 figure3_nvcc demo demo_corrected demo_nvcc; do
	my_turn && same "$P/$program"
done
for case in $("$P/exactness" 2>&1 | sed 's/.*one of: //'); do
	my_turn && same "$P/exactness" "$case"
done
for case in $("$P/moves" 2>&1 | sed 's/.*one of: //'); do
	my_turn && same "$P/moves" "$case"
done
for case in $("$P/nodes" 2>&1 | sed 's/.*one of: //'); do
	my_turn && same "$P/nodes" "$case"
done
# of the GPU's own program what the emulated device knows, too; both compile its PTX
compile moves_nvcc -DEMULATED -arch=compute_75 -cudart shared -g -lineinfo tests/gpu/{moves,graphs}.cu -L"$CUDA_TOOLKIT/lib64/stubs" -lcuda
for case in graph graph_mixed graph_large graph_parts graph_events graph_scratch graph_kept cooperative registered surface; do
	my_turn && same "$T/moves_nvcc" "$case"
done

last_part || finish

# what a provider promises of calls that make no vertex, too: vertex, name and invocation of each, in order; but those that
# only ask what is done, and host functions, which on a GPU the passes time and waits alone tell
calls() { # DB
	sqlite3 "$1" "SELECT coalesce(vertex, ''), call, invocation FROM events WHERE call NOT LIKE '%Query%' AND call NOT LIKE '%ElapsedTime'
		AND call NOT IN ('cudaLaunchHostFunc', 'cudaStreamAddCallback', 'cuLaunchHostFunc', 'cuStreamAddCallback') ORDER BY id"
}
compile waits -arch=compute_75 -cudart shared -g -lineinfo tests/gpu/waits.cu -L"$CUDA_TOOLKIT/lib64/stubs" -lcuda
on emulated "$T/e.db" "$T/waits" >"$T/out" 2>&1
is "waits: emulated" "$(cat "$T/out")" "done"
on gpu "$T/g.db" "$T/waits" >"$T/out" 2>&1
is "waits: on the GPU" "$(cat "$T/out")" "done"
is "waits: the explicit ones" "$(calls "$T/e.db" | grep Synchronize | cut -d'|' -f2 | uniq -c | sed 's/^ *//')" "101 cudaStreamSynchronize
1 cudaEventSynchronize
1 cudaDeviceSynchronize
2 cuStreamSynchronize
1 cuEventSynchronize
1 cuCtxSynchronize"
is "waits: the same calls in the same order" "$(calls "$T/g.db")" "$(calls "$T/e.db")"

# with the CUDA runtime inside, as nvcc links by default, the graph is the one of the shared runtime
compile static -g -lineinfo -I. tests/programs/figure3_nvcc.cu
on gpu "$T/g.db" "$P/figure3_nvcc" >"$T/out" 2>&1
on gpu "$T/s.db" "$T/static" >"$T/out" 2>&1
is "static runtime: vertices" "$(vertices "$T/s.db")" "$(vertices "$T/g.db")"
is "static runtime: edges" "$(edges "$T/s.db")" "$(edges "$T/g.db")"
paths() {
	"$VFLOW" export -T json "$1" | sed -n 's/.*"callpath": //p'
}
is "static runtime: call paths" "$(paths "$T/s.db")" "$(paths "$T/g.db")"
finish
