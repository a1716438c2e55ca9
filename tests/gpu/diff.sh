#!/bin/bash
# vflow diff of two runs of one program on the GPU, whose times are never the same: nothing is gone, nothing is new.
. tests/lib.sh
. tests/whatif.bash
. tests/gpu/real.bash
exec </dev/null
export DEVICE=gpu
source=tests/gpu/whatif.cu
compile whatif -arch=compute_75 -cudart shared -g -lineinfo $source -lpthread
lists() { # gone, new; and what they are
	json_query "$T/diff.json" "SELECT json_array_length(text, '\$.findings.gone'), json_array_length(text, '\$.findings.new') FROM json"
	json_query "$T/diff.json" "SELECT key, value->>'title', value->>'\$.operation.name', value->>'time_ns', value->>'saves_ns' FROM json, json_tree(text, '\$.findings') WHERE type = 'object' AND (path LIKE '%gone' OR path LIKE '%new')"
}
for name in $(cases | tr ' ' '\n' | head -n 6); do
	for run in a b; do
		collect "$T/$run.db" --passes flow,time,waits "$T/whatif" "$name" before >"$T/out" 2>&1 || not_ok "$name: collect" "$(cat "$T/out")"
	done
	"$VFLOW" diff -T json "$T/a.db" "$T/b.db" >"$T/diff.json"
	is "$name: gone, new" "$(lists)" "0 0"
	like "$name: something is in both" "$("$VFLOW" diff "$T/a.db" "$T/b.db")" "[1-9][0-9]* findings? in both"
done
finish
