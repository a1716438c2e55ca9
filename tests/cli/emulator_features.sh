#!/bin/bash
# Programs built by nvcc that use more of CUDA than arithmetic: printf, cooperative groups,
# textures, graphs, asynchronous copies.  What they print is the same with and without collection.
libraries=$(realpath "$BUILD")/lib/emulator
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
[ -n "$ASAN" ] && export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

if [ -z "$NVCC" ]; then
	echo "ok 1 - programs built by nvcc # SKIP no CUDA toolkit"
	echo "1..1"
	exit
fi
release=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
if [ "${release%%.*}" -lt 13 ]; then
	echo "ok 1 - programs built by nvcc # SKIP written for the functions of CUDA 13, this is $release"
	echo "1..1"
	exit
fi
$NVCC -std=c++17 -cudart shared -arch=compute_80 -o "$here/features" tests/cli/emulator_features.cu \
	>"$here/log" 2>&1 || { sed 's/^/# /' "$here/log"; echo "not ok 1 - nvcc"; echo "1..1"; exit 1; }
LD_PRELOAD=$(printf '%s:' "$libraries"/*.so.*) "$here/features" >"$here/out" 2>"$here/err"
sed '/^1\.\./d' "$here/out"
number=$(grep -c -e '^ok' -e '^not ok' "$here/out")
failures=$(grep -c '^not ok' "$here/out")
check() { # NAME COMMAND...
	number=$((number + 1))
	if "${@:2}"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		failures=$((failures + 1))
	fi
}
printf '# launched\n# -5|text|  3.142|7   |c|123456789abc|  42|%%\n' >"$here/expected"
check "it ran to its end" grep -q '^1\.\.' "$here/out"
check "printf of a kernel comes when the host synchronizes" \
	cmp "$here/expected" <(head -2 "$here/out")
"$VFLOW" collect --device emulated -o "$here/features.db" "$here/features" >"$here/collected" 2>"$here/err"
check "the same output under collection" cmp "$here/out" "$here/collected"
check "coverage names texture reads and surface stores" \
	[ "$(sqlite3 "$here/features.db" "select count(distinct what) from coverage where what in ('texture reads', 'surface stores', 'device heap')")" = 3 ]
echo "1..$number"
[ "$failures" -eq 0 ]
