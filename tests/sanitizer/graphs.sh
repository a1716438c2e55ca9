#!/bin/bash
# What the provider for GPUs knows of CUDA graphs.  See sanitizer/graphs.h.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ -z "${SANITIZER:-}" ] || [ ! -e "$objects/images.S.o" ]; then
	skip "graphs" "needs the provider for GPUs"
	finish
fi
"$CC" -std=gnu11 -D_GNU_SOURCE -g -fsanitize=address,undefined -I. -isystem "$CUDA_TOOLKIT/include" \
	-isystem "$SANITIZER/include" -o "$T/graphs" tests/sanitizer/graph{s,s_driver,_parts,_paths}.c \
	gpu/sanitizer/cuda_graph/graph{s,_nodes,_parts,_paths}.c gpu/sanitizer/callback/calls_node.c \
	gpu/nvidia/apis.c gpu/analysis/node_ordinals.c >"$T/log" 2>&1 ||
	not_ok "build" "$(cat "$T/log")"
steps() {
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -isystem "$SANITIZER/include" -c -o "$T/steps.o" tests/sanitizer/steps.c &&
		mapfile -t unused < <(comm -23 <(nm -u "$objects"/*/calls_graph.c.o | grep -Eo '(graphs?|calls|launch|events)_.*' | sort) \
			<(nm "$T/steps.o" | cut -d' ' -f3 | sort) | sed 's/.*/-Wl,--defsym=&=never/') &&
		# shellcheck disable=SC2086
		"$CC" $ASAN -o "$T/steps" "$T/steps.o" "$objects"/*/calls_graph.c.o "$BUILD/inside.o/gpu/nvidia/apis.o" "${unused[@]}"
}
steps >"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
is "launches of graphs, step by step, and changes" "$("$T/steps" 2>&1 | grep -v '^ok')" "1..15"
for redirects in redirects "does not redirect"; do
	output=$(timeout 600 "$T/graphs" "$redirects" 2>&1)
	is "graphs, a driver that $redirects" "$(grep -v '^ok' <<<"$output")" "1..62"
done
finish
