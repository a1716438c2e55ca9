#!/bin/bash
# The pass `use` on a GPU: the same first uses as emulated (tests/cli/first_use.sh), of memory that the
# driver copies to by itself, and what the pass costs.
. tests/lib.sh
. tests/gpu/gpu.bash
exec </dev/null # each run reads it
source=tests/programs/first_use.c

"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -I"$CUDA_TOOLKIT/include" -o "$T/first_use" $source \
	-L"$CUDA_TOOLKIT/lib64" -Wl,-rpath,"$CUDA_TOOLKIT/lib64" -lcudart -lpthread 2>"$T/log" ||
	not_ok "build" "$(cat "$T/log")"

compile managed_use -O1 -g -lineinfo -arch=native -I. tests/gpu/managed_use.cu

line_of() { # FUNCTION [SOURCE]
	awk -v "name=$1" '/^static/ { inside = index($0, name "(") } inside && /\/\* the use/ { print FNR; exit }' "${2:-$source}"
}
uses() { # CASE
	sqlite3 -separator ' ' "$T/$1.db" "SELECT wait, first_use, line, waits FROM first_uses"
}
one() { # CASE [USES [PROGRAM]]
	local code=0
	timeout 120 "$VFLOW" collect --quiet --device gpu --passes flow,use -o "$T/$1.db" "$T/${3:-first_use}" "$1" >"$T/out" 2>"$T/err" || code=$?
	is "$1: output and exit code are the program's own" "$code $(tr '\n' ' ' <"$T/out")$(cat "$T/err")" "5 $1 is over $1 is over "
	[ -z "${2:-}" ] || is "$1: the first use" "$(uses "$1")" "$2"
	sqlite3 "$T/$1.db" "SELECT reason, count FROM coverage WHERE reason LIKE '%first use%'" | sed 's/^/# /'
	sqlite3 "$T/$1.db" "SELECT first_use, line, min_ns, pages, touched_pages FROM first_uses" | sed 's/^/# /'
}

one read "cudaMemcpy instruction $(line_of run_read) 1"
one write "cudaMemcpy instruction $(line_of run_write) 1"
one write2 "cudaMemcpy system call $(line_of run_system_call) 1"
one fwrite "cudaMemcpy system call $(line_of run_fwrite) 1"
one memcpy "cudaMemcpy instruction $(line_of run_memcpy) 1"
one thread "cudaMemcpy instruction $(line_of other_thread) 1"
one field "cudaMemcpy instruction $(line_of run_field) 1"
one neighbour "cudaMemcpy instruction $(line_of run_neighbour) 1"
one overwritten "cudaMemcpy never 0 2
cudaMemcpy instruction $(line_of run_overwritten) 1"
one upload "cudaMemcpy CUDA $(line_of run_upload) 1"
one shared "cudaDeviceSynchronize instruction $(line_of run_shared) 1"
one pinned "cudaStreamSynchronize nothing to use 0 1
cudaStreamSynchronize instruction $(line_of run_pinned) 1"
# managed memory: by page faults, which are known of pages that the device had
managed() { # CASE USES
	one "$1" "$2" managed_use
}
managed read "cudaDeviceSynchronize instruction $(line_of read_it tests/gpu/managed_use.cu) 1"
managed never "cudaDeviceSynchronize never 0 1"
managed last "cudaDeviceSynchronize never 0 2
cudaDeviceSynchronize instruction $(line_of last tests/gpu/managed_use.cu) 1"
managed prefetched "cudaStreamSynchronize nothing to use 0 1
cudaDeviceSynchronize unknown 0 1"
one never
one realloc
one fork
one discard
for i in 1 2 3; do
	one stress
done
# who writes to the source of an asynchronous copy before a wait for it: as tests/cli/overwritten.sh
races=tests/programs/overwritten.c
"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -I"$CUDA_TOOLKIT/include" -o "$T/overwritten" $races \
	-L"$CUDA_TOOLKIT/lib64" -Wl,-rpath,"$CUDA_TOOLKIT/lib64" -lcudart -lpthread 2>"$T/log" ||
	not_ok "build" "$(cat "$T/log")"
early() { # FUNCTION: the line in it that writes too early
	awk -v "name=$1" '/^static/ { inside = index($0, name "(") } inside && /\/\* too early/ { print FNR; exit }' $races
}
race() { # CASE [WRITES]
	local code=0
	timeout 120 "$VFLOW" collect --quiet --device gpu --passes flow,use -o "$T/race_$1.db" "$T/overwritten" "$1" >"$T/out" 2>"$T/err" || code=$?
	is "sources, $1: output and exit code are the program's own" "$code $(tr '\n' ' ' <"$T/out")$(cat "$T/err")" "6 $1 is over $1 is over "
	sqlite3 "$T/race_$1.db" "SELECT reason, count FROM coverage WHERE reason LIKE '%source%'" | sed 's/^/# /'
	[ "$1" = stress ] || is "sources, $1: who writes too early" \
		"$(sqlite3 -separator ' ' "$T/race_$1.db" "SELECT copy, written_by, line, copies, bytes FROM overwrites")" "${2-}"
}
race race "cudaMemcpyAsync instruction $(early run_race) 3 196608"
race read "cudaMemcpyAsync system call $(early run_read) 1 65536"
race thread "cudaMemcpyAsync instruction $(early other_thread) 1 65536"
race wrong_stream "cudaMemcpyAsync instruction $(early run_wrong_stream) 1 65536"
race registered "cudaMemcpyAsync instruction $(early run_registered) 1 65536"
race then "cudaMemcpyAsync instruction $(early run_then) 1 100"
for name in waited neighbour event query ordered pageable synchronous read_only rows download; do
	race $name
done
for i in 1 2 3; do
	race stress
done
for what in stress pinned; do
	s=$(date +%s%N)
	"$T/first_use" $what >/dev/null
	m=$(date +%s%N)
	"$VFLOW" collect --quiet --device gpu --passes flow,use -o "$T/cost.db" "$T/first_use" $what >/dev/null
	echo "# $what: native $(((m - s) / 1000000)) ms, passes: $(sqlite3 "$T/cost.db" "SELECT group_concat(name || ' ' || round(seconds * 1000) || ' ms') FROM pass")"
done
finish
