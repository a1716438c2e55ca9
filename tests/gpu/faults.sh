#!/bin/bash
# Programs in trouble behave on the GPU as they do without vflow, and their profile can be read.
. tests/lib.sh
. tests/gpu/real.bash
compile faults -arch=native tests/gpu/faults.cu
run() { # CASE
	local native=$T/$1.native collected=$T/$1.collected
	{ timeout 60 "$T/faults" "$1" 2>&1; echo "exit code $?"; } >"$native"
	{ timeout 120 "$VFLOW" collect --quiet --device gpu -o "$T/$1.db" "$T/faults" "$1" 2>&1; echo "exit code $?"; } >"$collected"
}
cases="reset many sticky graph pools threads leave fork_before fork_after fork_exec host kernel lanes colours killed"
for case in $cases; do
	run $case 2>/dev/null &
	[ "$(jobs -r | wc -l)" -lt 6 ] || wait -n
done
wait
for case in $cases; do
	is "$case: as without vflow" "$(cat "$T/$case.collected")" "$(cat "$T/$case.native")"
	expect_exit 0 "$case: the profile can be read" "$VFLOW" export -T json -o "$T/$case.json" "$T/$case.db"
done
# the sums that the programs work out
bytes() { # CASE KERNEL ACCESS
	"$VFLOW" export -T json "$T/$1.db" >"$T/export.json"
	json_query "$T/export.json" "SELECT sum(e.value->>'bytes') FROM json, json_each(text, '\$.edges') e, json_each(text, '\$.vertices') v
		WHERE v.value->>'id' = e.value->>'end' AND v.value->>'name' LIKE '$2%' AND e.value->>'access' = '$3'"
}
is "colours: all differ from their neighbours'" "$(grep -c '^0 neighbours' "$T/colours.collected")" 1
failed() { # CASE
	sqlite3 "$T/$1.db" "SELECT sum(count) FROM coverage WHERE what = 'failed launches'"
}
is "sticky: coverage tells of the kernel that failed, once" "$(failed sticky)" 1
is "reset: of none" "$(failed reset)" ""
is "many: 200 launches write 256 bytes each" "$(bytes many increment WRITE)" 51200
is "threads: 640 launches read 128 bytes each" "$(bytes threads increment READ)" 81920
is "pools: 3 launches write 128 bytes each" "$(bytes pools increment WRITE)" 384
is "fork_before: parent and child are two processes of one vertex" "$(bytes fork_before increment WRITE)" 256
is "fork_exec: the child's program, too" "$(bytes fork_exec increment WRITE)" 384
SECONDS=0
launches=${FAULT_LAUNCHES:-100000} # the goal is a million
expect_exit 0 "$launches launches" timeout 300 "$VFLOW" collect --quiet --device gpu -o "$T/launches.db" "$T/faults" launches $launches
echo "# $SECONDS s"
is "launches: each writes 128 bytes" "$(bytes launches increment WRITE)" $((launches * 128))
finish
