#!/bin/bash
# PyTorch under collection: the same results, findings with C++ call paths, nothing left behind.
. tests/lib.sh
: "${PYTHON:=python3}"
if ! "$PYTHON" -c 'import torch, torchvision' 2>/dev/null; then
	skip "PyTorch" "$PYTHON has no torch and torchvision"
	finish
fi
what_stays() { # the time and signals in queues differ, and our own files have names of their own
	sed "s/[0-9.]* ms/ms/; /^SigQ/d; \\|^open $T/|d"
}
for model in resnet50 bert training; do
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
finish
