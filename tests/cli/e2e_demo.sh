#!/bin/bash
# The demo: both inefficiencies of ValueExpert's section 1.1 are found at the right lines and objects,
# and the corrected program is free of them.
. tests/lib.sh

line() { # FILE TEXT -> the number of the one line that holds TEXT
	grep -nF "$2" "tests/programs/demo/$1" | cut -d: -f1
}
answers='-> horizontal
-> vertical
-> falling
-> rising
right: the CPU computes the same'

# findings with the names and call paths of their vertices and objects: "PATTERN|NAME|PATH|OBJECT PATH"
findings() { # DB
	"$VFLOW" export -T json "$1" >"$T/export.json"
	json_query "$T/export.json" "
		CREATE TABLE vertex AS SELECT value->>'id' AS id, value->>'name' AS name, value->>'callpath' AS path
			FROM json, json_each(text, '\$.vertices');
		SELECT f.value->>'pattern' || '|' || v.name || '|' || v.path || '|' || o.path
			FROM json, json_each(text, '\$.findings') f
			JOIN vertex v ON v.id = f.value->>'vertex' LEFT JOIN vertex o ON o.id = f.value->>'object'"
}
# edges that write the object allocated at a line of layers.c, from one kind of vertex to a name:
# "BYTES REDUNDANT"
flow() { # OBJECT-LINE FROM-NAME TO-NAME
	json_query "$T/export.json" "
		CREATE TABLE vertex AS SELECT value->>'id' AS id, value->>'name' AS name, value->>'callpath' AS path
			FROM json, json_each(text, '\$.vertices');
		SELECT e.value->>'bytes', e.value->>'redundant_bytes' FROM json, json_each(text, '\$.edges') e
			JOIN vertex f ON f.id = e.value->>'start' JOIN vertex t ON t.id = e.value->>'end'
			JOIN vertex o ON o.id = e.value->>'object'
			WHERE e.value->>'access' = 'WRITE' AND f.name = '$2' AND t.name = '$3'
			AND instr(o.path, 'layers.c:$1 ') ORDER BY o.id"
}

fill=$(line layers.c 'fill_ongpu(l->outputs')
output=$(line layers.c 'l.output_gpu = cuda_make_array(l.output,')
x=$(line layers.c 'l.x_gpu = cuda_make_array(l.output,')
zero_output=$(line layers.c 'l.output_gpu = cuda_make_array(NULL,')

expect_exit 0 "collect" collect "$T/demo.db" "$P/demo"
is "the network works" "$(sed 's/.*->/->/' "$T/out")" "$answers"
found=$(findings "$T/demo.db")
# two images per layer: 8 * 16 * 16, 8 * 6 * 6 and 4 * 1 * 1 floats each
is "inefficiency I: every byte of the first fill is a zero over a copied zero" \
	"$(flow "$output" cudaMemcpy fill_kernel)" $'16384 16384\n2304 2304\n32 32'
is "inefficiency II: the copied zeros of output_gpu and x_gpu are written over, unread" \
	"$(grep '^dead_write|cudaMemcpy|' <<<"$found" | grep -c "layers\.c:\($output\|$x\) ")" 2
is "inefficiency II: for all 3 layers, of 2 images" \
	"$(json_query "$T/export.json" "SELECT value->>'bytes' FROM json, json_each(text, '\$.findings') WHERE value->>'pattern' = 'dead_write'" | sort | head -n 2)" \
	$'18720\n18720'
expect_exit 0 "report" "$VFLOW" report "$T/demo.db"
report=$(cat "$T/out")
like "report: the fill's line" "$report" "layers\.c:$fill"
like "report: where the output is allocated" "$report" "layers\.c:$output"
like "report: where x is allocated" "$report" "layers\.c:$x"
like "report: advice for the copies" "$report" "Delete this copy: nobody reads what it writes. Only where it is called"
like "report: where they are called" "$report" "layers\.c:$output: others need it"
is "each operation knows the first finding about it by its number in the report" \
	"$("$VFLOW" slice --vertex cudaMemcpy "$T/demo.db" 2>/dev/null | "$VFLOW" query 'MATCH (v) WHERE v.finding IS NOT NULL RETURN v.finding, v.id ORDER BY v.finding' | tail -n +2)" \
	"$(awk '/^[0-9]+\. / { number = $1 + 0 } /^    operation/ && match($0, /vertex [0-9]+/) {
		id = substr($0, RSTART + 7, RLENGTH - 7); if (!seen[id]++) print number "\t" id }' <<<"$report")"

expect_exit 0 "collect the corrected program" collect "$T/corrected.db" "$P/demo_corrected"
is "the corrected network works" "$(sed 's/.*->/->/' "$T/out")" "$answers"
found=$(findings "$T/corrected.db")
is "corrected: no fill" "$(vertices "$T/corrected.db" | grep -c fill_kernel)" 0
is "corrected: no copy is written over" "$(grep '^dead_write|cudaMemcpy' <<<"$found")" ""
is "corrected: the first GEMM changes the set's zeros" \
	"$(flow "$zero_output" cudaMemset gemm_kernel | awk '{ print $1, ($2 * 3 < $1 ? "changed" : "the same") }')" \
	$'16384 changed\n2304 changed\n32 changed'

finish
