#!/bin/bash
# The pass `use` on the emulated device: who writes to the source of an asynchronous copy before a wait
# covers it.  What is expected is read off tests/programs/overwritten.c: the lines that say so.
. tests/lib.sh
program=$P/overwritten source=tests/programs/overwritten.c

line_of() { # FUNCTION: the line in it that ends with "too early"
	awk -v "name=$1" '/^static/ { inside = index($0, name "(") } inside && /\/\* too early/ { print FNR; exit }' $source
}
run() { # CASE
	local code=0
	timeout 600 "$VFLOW" collect --quiet --device emulated --passes flow,use -o "$T/$1.db" "$program" "$1" >"$T/out" 2>"$T/err" </dev/null || code=$?
	# once for each run
	is "$1: output and exit code are the program's own" "$code $(tr '\n' ' ' <"$T/out")$(cat "$T/err")" "6 $1 is over $1 is over "
}
writes() { # CASE
	sqlite3 -separator ' ' "$T/$1.db" "SELECT copy, written_by, line, copies, bytes FROM overwrites"
}
race() { # CASE WRITES
	run "$1"
	is "$1: who writes, and how much was to be copied" "$(writes "$1")" "${2-}"
}
no_race() { # CASE
	run "$1"
	is "$1: nobody writes too early" "$(writes "$1")" ""
	is "$1: its source was watched" "$(sqlite3 "$T/$1.db" "SELECT reason FROM coverage WHERE reason LIKE '%source%'")" "${2-}"
}

run race
if [ -n "$(sqlite3 "$T/race.db" "SELECT 1 FROM coverage WHERE reason LIKE '%not measured%'")" ]; then
	skip "overwritten sources" "userfaultfd cannot be used here"
	finish
fi
is "race: in each of three copies" "$(writes race)" "cudaMemcpyAsync instruction $(line_of run_race) 3 196608"
like "race: the copy's path and that of the write" "$(sqlite3 "$T/race.db" "SELECT copy_callpath, callpath FROM overwrites")" \
	"^upload overwritten.c:[0-9]+ < run_race .*\|run_race overwritten.c:$(line_of run_race) < main"
like "race: the report says where, before anything else" "$("$VFLOW" report --brief "$T/race.db" 2>&1 | head -1)" "overwritten source"
like "race: how often" "$("$VFLOW" report "$T/race.db" | tr -s ' \n' ' ')" \
	"wrote to the memory that 3 of its 3 invocations copied, 192.0K in all, before any wait for the copy: an instruction at run_race overwritten.c:$(line_of run_race) "
is "race: its action" "$(sqlite3 "$T/race.db" "SELECT pattern, action, saves_ns FROM finding WHERE pattern = 'overwritten_source'")" "overwritten_source|wait_first|"
if [ -n "$ASAN" ]; then
	skip "read: who writes" "the path ends in AddressSanitizer's read()"
else
	race read "cudaMemcpyAsync system call $(line_of run_read) 1 65536"
fi
race thread "cudaMemcpyAsync instruction $(line_of other_thread) 1 65536"
race wrong_stream "cudaMemcpyAsync instruction $(line_of run_wrong_stream) 1 65536"
race registered "cudaMemcpyAsync instruction $(line_of run_registered) 1 65536"
race then "cudaMemcpyAsync instruction $(line_of run_then) 1 100"
for name in waited neighbour event query ordered pageable synchronous read_only download fork; do
	no_race $name
done
no_race rows "the run for use: overwritten sources: copies whose source could not be watched: its rows lie apart, or it is one of several"

for i in 1 2 3; do
	run stress
done
is "stress: only the loop that writes" "$(sqlite3 "$T/stress.db" "SELECT count(*) FROM overwrites WHERE callpath NOT LIKE 'stress %'")" 0
finish
