#!/bin/bash
# ValueExpert's Figure 3, figure by figure: N = 4096 bytes.
. tests/lib.sh

expected_edges=$(table <<'END'
	1>3 W 1 4096    0 1 # cudaMemset writes all of A, which nobody had written
	2>4 W 2 4096    0 1
	3>5 W 1 4096 4096 1 # zeros over zeros
	4>6 W 2 4096 4096 1
	5>7 R 1 1024    0 1 # N / 4
	6>7 W 2 1024    0 1 # no byte of 0x04030201 is 0
END
)
expected_vertices='0 host 0 host
1 alloc 1 cudaMalloc
2 alloc 1 cudaMalloc
3 memset 1 cudaMemset
4 memset 1 cudaMemset
5 kernel 1 zero
6 kernel 1 zero
7 kernel 1 use'

expect_exit 0 "collect" collect "$T/f.db" "$P/figure3"
is "the program's output is its own" "$(cat "$T/out" "$T/err")" "figure 3: done"
is "edges" "$(edges "$T/f.db" | sort -V)" "$expected_edges"
is "vertices" "$(vertices "$T/f.db")" "$expected_vertices"

# call paths lead to the lines of figure3.c
lines() { # DB -> "ID LINE" of the innermost frame in figure3.c
	"$VFLOW" export -T json "$1" >"$T/x.json"
	json_query "$T/x.json" "SELECT value->>'id', value->>'callpath' FROM json, json_each(text, '\$.vertices')" |
		sed -n 's/^\([0-9]*\) .*figure3\.c:\([0-9]*\).*/\1 \2/p'
}
is "source lines" "$(lines "$T/f.db")" "$(grep -n '/\* [1-7]' tests/programs/figure3.c | sed 's/^\([0-9]*\):.*\/\* \([1-7]\).*/\2 \1/')"

is "slice 6" "$("$VFLOW" slice --vertex 6 "$T/f.db" | dot_edges)" "2>4 4>6 6>7"
is "slice 6: host stays" "$("$VFLOW" slice --vertex 6 "$T/f.db" | dot_vertices)" "0 2 4 6 7"
is "slice 7" "$("$VFLOW" slice --vertex 7 "$T/f.db" | dot_edges)" "1>3 2>4 3>5 4>6 5>7 6>7"
is "slice 5: edges of A only" "$("$VFLOW" slice --vertex 5 "$T/f.db" | dot_edges)" "1>3 3>5 5>7"

important() { # PRUNE-OPTION...
	"$VFLOW" slice --vertex 6 "$T/f.db" | "$VFLOW" prune "$@" >"$T/pruned.dot"
	dot_edges <"$T/pruned.dot"
	echo
	dot_vertices <"$T/pruned.dot"
}
is "slice 6, Ie = N/2, Iv = 1" "$(important --edge-bytes 2048 --vertex 'invocations>=1')" $'2>4 4>6\n0 2 4 6 7'
is "slice 6, Ie = N/2, Iv = 2" "$(important --edge-bytes 2K --vertex 'invocations>=2')" $'2>4 4>6\n0 2 4 6'
is "slice 6, only Ie = N/2" "$(important --edge-bytes 2048)" $'2>4 4>6\n0 2 4 6'
is "slice 6, only Iv = 1" "$(important --vertex 'invocations>=1')" $'2>4 4>6 6>7\n0 2 4 6 7'
is "slice 6, only Iv = 2" "$(important --vertex 'invocations>=2')" $'\n0'
is "pipes carry the same as files" "$("$VFLOW" slice --vertex 6 "$T/f.db" >"$T/6.dot" && "$VFLOW" prune --edge-bytes 2048 "$T/6.dot")" \
	"$("$VFLOW" slice --vertex 6 "$T/f.db" | "$VFLOW" prune --edge-bytes 2048)"

expect_exit 0 "report" "$VFLOW" report "$T/f.db"
like "report: the sets are written over unread" "$(cat "$T/out")" '1\. dead write: 4\.0K'
like "report: line of the set" "$(cat "$T/out")" "main figure3\.c:$(grep -n '/\* 3' tests/programs/figure3.c | cut -d: -f1)"

expect_exit 0 "render" bash -c '"$0" slice --vertex 6 "$1" | "$0" render -o "$2"' "$VFLOW" "$T/f.db" "$T/g.svg"
if command -v xmllint >/dev/null; then
	expect_exit 0 "the picture is XML" xmllint --noout "$T/g.svg"
else
	skip "the picture is XML" "no xmllint" # as on a machine that was lent for its GPU
fi

# the optimizer inlines and moves; the graph stays
expect_exit 0 "collect -O2" collect "$T/o.db" "$P/figure3_O2"
is "-O2: edges" "$(edges "$T/o.db" | sort -V)" "$expected_edges"
is "-O2: vertices" "$(vertices "$T/o.db")" "$expected_vertices"
finish
