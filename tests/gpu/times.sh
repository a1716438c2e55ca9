#!/bin/bash
# The pass `time` on a GPU: times of work of known length, in the order of streams, joined to the
# operations of the pass `flow` without a difference.
. tests/lib.sh
. tests/gpu/real.bash
exec </dev/null # each run reads it

sql() { # DB SQL
	sqlite3 -separator ' ' "$1" "$2"
}
run() { # NAME PROGRAM...: its profile is $T/NAME.db
	local name=$1
	shift
	DEVICE=gpu collect "$T/$name.db" --passes flow,time "$@" >"$T/out" 2>"$T/err" ||
		not_ok "$name: collect" "$(cat "$T/err")"
	sql "$T/$name.db" "SELECT * FROM coverage" | grep -i 'pass\|time' | sed 's/^/# /'
}
# What holds of all times, whatever the program is.
sound() { # NAME
	local db=$T/$1.db
	is "$1: nothing ends before it begins, or begins before its call" \
		"$(sql "$db" "SELECT * FROM gpu_time WHERE end_ns < start_ns OR start_ns < call_ns OR return_ns < call_ns LIMIT 9")" ""
	is "$1: operations of one stream do not overlap" "$(sql "$db" "SELECT * FROM
		(SELECT *, lag(end_ns) OVER (PARTITION BY process, device, stream ORDER BY start_ns, end_ns) AS before FROM gpu_time)
		WHERE before > start_ns LIMIT 9")" ""
	is "$1: both runs did the same" "$(sql "$db" "SELECT kind, count FROM coverage WHERE kind GLOB 'PASS_*' AND kind != 'PASS_SAYS'")" ""
}
count() { # NAME WHERE
	sql "$T/$1.db" "SELECT count(*) FROM gpu_times WHERE $2"
}

compile times -arch=compute_75 -cudart shared -g -lineinfo tests/gpu/times.cu
compile times_static -arch=compute_75 -g -lineinfo tests/gpu/times.cu

for program in times times_static; do
	run $program "$T/$program" spins
	sound $program
	is "$program: kernels with a time" "$(count $program "name LIKE 'spin(%'")" 10
	sql "$T/$program.db" "SELECT end_ns - start_ns FROM gpu_times" | sed 's/^/# ns of 2000000: /'
	is "$program: all of 2 ms, within 2 %" "$(count $program "end_ns - start_ns NOT BETWEEN 1960000 AND 2040000")" 0
	is "$program: their sum is the operation's" "$("$VFLOW" query 'MATCH (a:kernel) RETURN a.time_ns' -T json "$T/$program.db" | tr -dc 0-9)" \
		"$(sql "$T/$program.db" "SELECT sum(end_ns - start_ns) FROM gpu_time")"
done

run copies "$T/times" copies
sound copies
is "copies: of each of 20 rounds all have a time" "$(count copies "1")" 120
is "copies: a megabyte at 1 to 100 GB/s between host and device" \
	"$(count copies "name = 'cudaMemcpy' AND end_ns - start_ns NOT BETWEEN 10000 AND 1000000")" 0
sql "$T/copies.db" "SELECT name, count(*), min(end_ns - start_ns), max(end_ns - start_ns) FROM gpu_times GROUP BY vertex" | sed 's/^/# /'

run many "$T/times" many
sound many
is "many: launches with a time, of two streams" "$(sql "$T/many.db" "SELECT count(*), count(DISTINCT stream) FROM gpu_time")" "20000 2"
is "many: none without a time" "$(sql "$T/many.db" "SELECT * FROM coverage WHERE reason LIKE '%without one: CUPTI%'")" ""

run graph "$T/times" graph
sound graph
is "graph: the kernel outside of it has a time" "$(count graph "kind = 'kernel'")" 1
is "graph: its launches have the times of both nodes" "$(count graph "name = 'cudaGraphLaunch'")" 6
is "graph: coverage counts its launches" "$(sql "$T/graph.db" "SELECT count(*) FROM coverage WHERE reason LIKE '%nodes is known of each launch%' AND count = 3")" 1

# the program with known times on the emulated device
for case in streams pageable events graph; do
	run "timeline_$case" "$P/timeline" $case
	sound "timeline_$case"
done
finish
