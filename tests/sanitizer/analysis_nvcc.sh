#!/bin/bash
# gpu/analysis/*.h compile for a GPU, too; tests/gpu/analysis.cu uses all of their functions.
name='the shadow memory algorithm compiles for a GPU'
[ -n "$NVCC" ] || { echo "ok 1 - $name # SKIP no nvcc"; exit 0; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if "$NVCC" -c -arch=sm_90 -I. -Werror all-warnings -o "$folder/analysis.o" tests/gpu/analysis.cu >"$folder/log" 2>&1; then
	echo "ok 1 - $name"
else
	echo "not ok 1 - $name"
	sed 's/^/# /' "$folder/log"
	exit 1
fi
