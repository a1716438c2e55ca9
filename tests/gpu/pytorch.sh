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
	like "$model: findings" "$(head -8 "$T/report")" '[1-9][0-9]* findings?,'
	like "$model: C++ call paths" "$(cat "$T/report")" 'at::native::'
	sqlite3 "$T/$model.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'
done
finish
