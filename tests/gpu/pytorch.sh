#!/bin/bash
# pytorch.sh [PART/PARTS]: PyTorch under collection: the same results, findings with C++ call paths, nothing left behind.
. tests/lib.sh
. tests/gpu/gpu.bash
: "${PYTHON:=python3}"
if ! "$PYTHON" -c 'import torch, torchvision' 2>/dev/null; then
	skip "PyTorch" "$PYTHON has no torch and torchvision"
	finish
fi
what_stays() { # the time and signals in queues differ, and our own files have names of their own
	sed "s/[0-9.]* ms/ms/; /^SigQ/d; \\|^open $T/|d"
}
for model in resnet50 bert training; do
	my_turn || continue
	native=$(timeout 60 "$PYTHON" tests/gpu/bench.py $model state 2>"$T/native" | what_stays)
	like "$model: natively" "$native" ' sum '
	expect_exit 0 "$model: collect" timeout 120 "$VFLOW" collect --quiet --device gpu -o "$T/$model.db" "$PYTHON" tests/gpu/bench.py $model state
	is "$model: results, signals, open files" "$(what_stays <"$T/out")" "$native"
	is "$model: what it says on stderr" "$(cat "$T/err")" "$(cat "$T/native")"
	"$VFLOW" report "$T/$model.db" >"$T/report" 2>&1
	like "$model: a list of findings" "$(head -8 "$T/report")" '[1-9][0-9]* findings?,|No findings'
	like "$model: C++ call paths" "$(sqlite3 "$T/$model.db" "SELECT function FROM callpaths")" 'at::native::'
	sqlite3 "$T/$model.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'
done
last_part || finish

# 3 launches of a captured graph: what `mul` reads, 1024 floats each time, `add` has written
cat >"$T/graph.py" <<'END'
import torch

x = torch.zeros(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = (x + 1) * 3
for i in range(3):
    graph.replay()
print(z.sum().item())
END
is "graph: collect" "$(timeout 120 "$VFLOW" collect --quiet --device gpu -o "$T/graph.db" "$PYTHON" "$T/graph.py" 2>&1)" 3072.0
"$VFLOW" export -T json "$T/graph.db" >"$T/export.json"
is "graph: from the sum to the product" "$(json_query "$T/export.json" "SELECT e.value->>'bytes', e.value->>'count' FROM json, json_each(text, '\$.edges') e,
	json_each(text, '\$.vertices') f, json_each(text, '\$.vertices') t WHERE f.value->>'id' = e.value->>'start' AND t.value->>'id' = e.value->>'end'
	AND e.value->>'access' = 'READ' AND f.value->>'name' LIKE '%add%' AND t.value->>'name' LIKE '%MulFunctor%'")" "12288 3"
is "graph: nothing is unknown" "$(sqlite3 "$T/graph.db" "SELECT (SELECT count(*) FROM coverage WHERE what = 'CUDA graphs'),
	(SELECT count(*) FROM vertex WHERE kind = 'unknown')")" "0|0"

# a fill that is overwritten, an upload of the same in each of 5 steps, and a fill that is needed, each under its operator
native=$("$PYTHON" tests/gpu/waste.py 2>&1)
is "waste: collect" "$(timeout 120 "$VFLOW" collect --quiet --device gpu -o "$T/waste.db" "$PYTHON" tests/gpu/waste.py 2>&1)" "$native"
found() { # OPERATOR OTHER: the patterns of findings with the one in their call path, and not the other
	sqlite3 "$T/waste.db" "SELECT DISTINCT pattern FROM finding f WHERE vertex IN (SELECT vertex FROM callpaths WHERE function LIKE '%$1%')
		AND vertex NOT IN (SELECT vertex FROM callpaths WHERE function LIKE '%$2%') ORDER BY pattern"
}
is "waste: zeros that are overwritten" "$(found ::zeros new_zeros | grep -x dead_write)" dead_write
is "waste: what is uploaded in each step" "$(found copy_ nothing | grep -x duplicate_transfer)" duplicate_transfer
is "waste: its bytes, 4 of 5 times 4M" "$(sqlite3 "$T/waste.db" "SELECT max(bytes) FROM finding WHERE pattern = 'duplicate_transfer'")" 16777216
is "waste: zeros that are needed" "$(found new_zeros nothing)" ""
"$VFLOW" report "$T/waste.db" 2>&1 | sed -n '1,60s/^/# /p'
finish
