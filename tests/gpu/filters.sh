#!/bin/bash
# Launches that are left out: the same graph on the GPU and on the emulated device, at native speed.
. tests/lib.sh
. tests/gpu/real.bash
if output=$(DEVICE=gpu timeout 300 tests/cli/e2e_filters.sh 2>&1); then
	ok "tests/cli/e2e_filters.sh on the GPU: $(grep -c '^ok' <<<"$output") tests"
else
	not_ok "tests/cli/e2e_filters.sh on the GPU" "$(grep -A 8 '^not ok' <<<"$output")"
fi
graph() { # DEVICE OPTIONS PROGRAM...
	local device=$1
	shift
	timeout 60 "$VFLOW" collect --quiet --device "$device" -o "$T/$device.db" "$@" >"$T/out" 2>&1 || cat "$T/out"
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$T/$device.db"
}
for options in "--kernel zero" "--kernel use" "--sample-kernels 2"; do
	# shellcheck disable=SC2086
	is "figure3 $options: the same graph" "$(graph gpu $options "$P/figure3")" "$(graph emulated $options "$P/figure3")"
done
for options in "--kernel gemm" "--sample-kernels 2" "--sample-kernels 7"; do
	# shellcheck disable=SC2086
	is "demo $options: the same graph" "$(graph gpu $options "$P/demo")" "$(graph emulated $options "$P/demo")"
done

# kernels that are launched by themselves and in a graph
compile moves -DEMULATED -arch=compute_75 -cudart shared tests/gpu/{moves,graphs}.cu -L"$CUDA_TOOLKIT/lib64/stubs" -lcuda
for options in "--kernel add" "--kernel copy" "--kernel nothing" "--sample-kernels 2" "--sample-kernels 3"; do
	# shellcheck disable=SC2086
	is "graph_mixed $options: the same graph" "$(graph gpu $options "$T/moves" graph_mixed)" "$(graph emulated $options "$T/moves" graph_mixed)"
done

compile mixed -O2 -arch=native tests/gpu/mixed.cu
bytes() { # KERNEL
	"$VFLOW" export -T json "$T/m.db" >"$T/export.json"
	json_query "$T/export.json" "SELECT sum(e.value->>'bytes') FROM json, json_each(text, '\$.edges') e, json_each(text, '\$.vertices') v
		WHERE v.value->>'id' = e.value->>'end' AND v.value->>'name' LIKE '$1%' AND e.value->>'access' = 'WRITE'"
}
native=$("$T/mixed")
sed -n 's/^#/# native:/p' <<<"$native"
for options in "--kernel quick" "--kernel slow" "--kernel nothing" "--sample-kernels 5"; do
	# shellcheck disable=SC2086
	got=$(timeout 60 "$VFLOW" collect --quiet --device gpu $options -o "$T/m.db" "$T/mixed" 2>&1)
	sed -n "s/^#/# $options:/p" <<<"$got"
	is "mixed $options: the program's output" "$(grep -v '^#' <<<"$got")" "$(grep -v '^#' <<<"$native")"
	case $options in
	*quick) is "... quick is analysed 20 times" "$(bytes quick) $(bytes slow)" "81920 " ;;
	*slow) is "... slow is analysed 20 times" "$(bytes quick) $(bytes slow)" " 83886080" ;;
	*nothing) is "... nothing is analysed" "$(bytes quick) $(bytes slow)" " " ;;
	*) is "... 4 of 20 are analysed" "$(bytes quick) $(bytes slow)" "16384 16777216" ;;
	esac
done
finish
