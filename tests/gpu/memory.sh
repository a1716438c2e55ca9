#!/bin/bash
# Shadows in memory of the host give the same graph as those on the GPU.
. tests/lib.sh
. tests/gpu/real.bash
graph() { # OPTIONS PROGRAM...
	timeout 60 "$VFLOW" collect --quiet --device gpu -o "$T/g.db" "$@" >"$T/out" 2>&1 || cat "$T/out"
	"$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$T/g.db" 2>/dev/null
}
host() { # objects whose shadows lie on the host, as coverage says
	sqlite3 "$T/g.db" "SELECT coalesce(sum(count), 0) FROM coverage WHERE what = 'shadows on the host'"
}
for program in figure3 demo "exactness big"; do
	# shellcheck disable=SC2086
	expected=$(graph "$P/"$program)
	is "$program: no shadow on the host" "$(host)" 0
	# shellcheck disable=SC2086
	is "$program: all shadows on the host, the same graph" "$(graph --memory-limit 1 "$P/"$program)" "$expected"
	graph --memory-limit 1 "$P/"$program >/dev/null
	like "$program: coverage says so" "$(host)" '^[1-9]'
done
# demo: what fits stays on the device
graph --memory-limit 64K "$P/demo" >"$T/part.dot"
is "demo: some shadows on the host, the same graph" "$(cat "$T/part.dot")" "$(graph "$P/demo")"

finish
