#!/bin/bash
# Pass `values` counts of the same program the same on the GPU and on the emulated device.
. tests/lib.sh
. tests/gpu/real.bash
compile gpu -cudart shared -g -lineinfo -arch=native tests/gpu/values.cu
compile emulated -cudart shared -g -lineinfo -arch=compute_80 -code=compute_80 tests/gpu/values.cu
expect_exit 0 "the program runs by itself" "$T/gpu"
cp "$T/out" "$T/native"
LD_LIBRARY_PATH=$(realpath "$BUILD")/lib/emulator${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
	expect_exit 0 "emulated" timeout 120 "$VFLOW" collect -q --device emulated --passes flow,values -o "$T/e.db" "$T/emulated"
expect_exit 0 "on the GPU" timeout 120 "$VFLOW" collect -q --device gpu --passes flow,values -o "$T/g.db" "$T/gpu"
is "... with the program's own output, once for each run" "$(cat "$T/out")" "$(cat "$T/native" "$T/native")"
sqlite3 "$T/g.db" "SELECT * FROM coverage" | sed 's/^/# coverage: /'
# Of all places together; mean and repeats are not looked at, lines of floats are not found on GPUs.
rows() { # DB
	sqlite3 -separator ' ' "$1" "SELECT v.vertex, v.site, v.kind, v.type, v.launches, v.single_launches, v.count, v.zeros, v.all_bits, v.any_bits,
		v.ranged, v.least, v.most, v.fits, CASE WHEN v.type < 12 THEN v.linear || ' ' || v.slope || ' ' || v.intercept END,
		CASE WHEN v.different <= 10 THEN v.different END,
		CASE WHEN v.different <= 10 THEN (SELECT group_concat(t.text || '*' || t.count) FROM top_value t WHERE t.value = v.id) END
		FROM value v WHERE v.place IS NULL AND v.site IS NOT NULL AND v.kind < 3 ORDER BY 1, 2, 3, 4"
}
is "the same values" "$(rows "$T/g.db")" "$(rows "$T/e.db")"
like "... of fifteen launches" "$(rows "$T/e.db" | wc -l)" '^(2[89]|3[0-9])$'
places() { # DB
	sqlite3 -separator ' ' "$1" "SELECT DISTINCT v.vertex, v.site, v.kind, p.line, v.count FROM value v JOIN code_place p ON p.id = v.place
		WHERE v.site IS NOT NULL AND v.kind < 3 AND v.vertex NOT IN (SELECT id FROM vertex WHERE name LIKE 'gather%') ORDER BY 1, 2, 3, 4, 5"
}
is "the same lines" "$(places "$T/g.db" | head -n 60)" "$(places "$T/e.db" | head -n 60)"
found() { # DB
	"$VFLOW" report --by path --top 0 --brief "$1" | grep -vE 'temporal|approximate' | sort
}
is "the same findings" "$(found "$T/g.db")" "$(found "$T/e.db")"
expect_exit 0 "every fourth block" timeout 120 "$VFLOW" collect -q --device gpu --passes flow,values --value-blocks 4 -o "$T/g4.db" "$T/gpu"
is "... has a quarter of the values" "$(sqlite3 "$T/g4.db" "SELECT sum(count) * 4 FROM value WHERE place IS NULL")" \
	"$(sqlite3 "$T/g.db" "SELECT sum(count) FROM value WHERE place IS NULL")"
# the demo, other programs, and what they cost
for program in figure3 demo; do
	expect_exit 0 "$program" timeout 120 "$VFLOW" collect -q --device gpu --passes flow,values -o "$T/p.db" "$P/$program"
	like "... has values" "$(sqlite3 "$T/p.db" "SELECT count(*) FROM value")" '^[1-9]'
done
finish
