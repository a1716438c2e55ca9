#!/bin/bash
# Programs in trouble behave on the GPU as they do without vflow, and their profile can be read.
. tests/lib.sh
. tests/gpu/real.bash
"$NVCC" -arch=native -o "$T/faults" tests/gpu/faults.cu 2>"$T/log" || not_ok "nvcc" "$(cat "$T/log")"
for case in reset memory many sticky graph pools threads leave; do
	native=$(timeout 60 "$T/faults" $case 2>&1; echo "exit code $?")
	collected=$(timeout 120 "$VFLOW" collect --quiet --device gpu -o "$T/$case.db" "$T/faults" $case 2>&1; echo "exit code $?")
	is "$case: as without vflow" "$collected" "$native"
	expect_exit 0 "$case: the profile can be read" "$VFLOW" export -T json -o "$T/$case.json" "$T/$case.db"
done
# the sums that the programs work out
bytes() { # CASE KERNEL ACCESS
	"$VFLOW" export -T json "$T/$1.db" >"$T/export.json"
	json_query "$T/export.json" "SELECT sum(e.value->>'bytes') FROM json, json_each(text, '\$.edges') e, json_each(text, '\$.vertices') v
		WHERE v.value->>'id' = e.value->>'end' AND v.value->>'name' LIKE '$2%' AND e.value->>'access' = '$3'"
}
is "many: 200 launches write 256 bytes each" "$(bytes many increment WRITE)" 51200
is "threads: 640 launches read 128 bytes each" "$(bytes threads increment READ)" 81920
is "pools: 3 launches write 128 bytes each" "$(bytes pools increment WRITE)" 384
finish
