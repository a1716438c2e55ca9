#!/bin/bash
# path, top, stat, the parts of slice; the queries in the manual run, and those that a verb is said to
# equal give the same graph.
. tests/lib.sh
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1];
	v2 [kind=memset, name=cudaMemset, invocations=2, redundant_bytes=0];
	v3 [kind=kernel, name=a, invocations=3, redundant_bytes=512];
	v4 [kind=kernel, name=b, invocations=1, redundant_bytes=2048];
	v5 [kind=kernel, name=c, invocations=2, redundant_bytes=512];
	v6 [kind=kernel, name=lonely, invocations=9];
	v1 -> v2 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=0, count=1];
	v2 -> v3 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=512, count=1];
	v3 -> v4 [key="1:READ", object=1, access=READ, bytes=100, count=1];
	v4 -> v3 [key="9:WRITE", object=9, access=WRITE, bytes=100, redundant_bytes=0, count=2];
	v3 -> v3 [key="1:READ", object=1, access=READ, bytes=10, count=1];
	v4 -> v5 [key="1:WRITE", object=1, access=WRITE, bytes=1000, redundant_bytes=2048, count=1];
	v2 -> v5 [key="9:READ", object=9, access=READ, bytes=1, count=1];
	v5 -> v0 [key="1:WRITE", object=1, access=WRITE, bytes=4096, count=1];
}
DOT
run() { # NAME EDGES COMMAND...
	local name=$1 expected=$2
	shift 2
	is "$name" "$("$VFLOW" "$@" "$T/f.dot" 2>"$T/err" | dot_edges)" "$expected"
}
run "path: all paths" "2>3 2>5 3>3 3>4 4>3 4>5" path --from 2 --to 5
like "and says what it kept" "$(cat "$T/err")" "vflow path: kept 5 of 7 vertices, 6 of 8 edges"
run "along one object" "2>3 3>3 3>4 4>5" path --from 2 --to 5 --object 1
run "the shortest" "2>5" path --from v2 --to '^c$' --shortest
run "the shortest along one object" "2>3 3>4 4>5" path --from 2 --to 5 --object 1 --shortest
run "a path back to the start" "3>3 3>4 4>3" path --from 3 --to 3
run "the shortest one" "3>3" path --from 3 --to 3 --shortest
run "from several" "2>3 3>3 3>4 4>3" path --from '^a$|Memset' --to b
run "from several, each by itself" "2>3 3>3 3>4 4>3" path --from 3 --from 2 --to b
run "to several" "1>2 2>3 3>3 3>4 4>3" path --from 1 --to 3 --to 4
run "along several objects" "2>3 2>5 3>3 3>4 4>3 4>5" path --from 2 --to 5 --object 1 --object 9
expect_exit 1 "one of several is not there" "$VFLOW" path --from 5 --from 77 --to 1 "$T/f.dot"
run "the shortest path of several" "2>5" path --from 2 --to 5 --limit 1
run "the two shortest" "2>3 2>5 3>4 4>5" path --from 2 --to 5 --all --limit 2
run "all paths without an edge twice" "2>3 2>5 3>3 3>4 4>5" path --from 2 --to 5 --limit 9
like "are fewer than the limit" "$(cat "$T/err")" "vflow path: there are only 3 paths"
expect_exit 2 "--limit 0" "$VFLOW" path --from 2 --to 5 --limit 0 "$T/f.dot"
expect_exit 2 "--shortest --limit" "$VFLOW" path --from 2 --to 5 --shortest --limit 2 "$T/f.dot"
expect_exit 1 "no path" "$VFLOW" path --from 5 --to 1 "$T/f.dot"
like "and says so" "$(cat "$T/err")" "no path leads from 5 to 1"
expect_exit 1 "no such operation" "$VFLOW" path --from 5 --to 77 "$T/f.dot"
is "and which it was" "$(cat "$T/err")" "vflow path: --to: there is no vertex 77: the highest id is 6"
# 2^40 paths of equal length: three of them are found at once
awk 'BEGIN { print "digraph {"; for (i = 1; i < 40; i++) for (k = 1; k < 3; k++)
	printf "v%d -> v%d [key=\"%d:READ\", object=%d, access=READ];\n", i, i + 1, k, k; print "}" }' >"$T/ladder.dot"
expect_exit 0 "some of very many paths" "$VFLOW" path --from 1 --to 40 --limit 3 "$T/ladder.dot"
expect_exit 2 "path needs both ends" "$VFLOW" path --from 5 "$T/f.dot"
run "slice --up" "1>2 2>3 3>3 3>4" slice --up --vertex 4
run "slice --down" "4>3 4>5 5>0" slice --down --vertex 4
run "slice --depth 1: the edges at it" "3>4 4>3 4>5" slice --depth 1 --vertex 4
run "slice --up --depth 2" "2>3 3>3 3>4" slice --up --depth 2 --vertex 4
run "slice --object" "4>3" slice --object 9 --vertex 4
is "slice: two objects are the union of both" "$("$VFLOW" slice --object 9 --object 1 --vertex 4 "$T/f.dot" 2>/dev/null | dot_edges | tr ' ' '\n' | sort -u)" \
	"$(for object in 9 1; do "$VFLOW" slice --object $object --vertex 4 "$T/f.dot" 2>/dev/null | dot_edges | tr ' ' '\n'; echo; done | grep . | sort -u)"
expect_exit 2 "slice: an object is a number" "$VFLOW" slice --object v9 --vertex 4 "$T/f.dot"
"$VFLOW" top --by time_ns "$T/f.dot" >"$T/out" 2>"$T/err"
like "top: no times" "$(cat "$T/err")" "vflow top: no operation has time_ns: vflow collect --passes flow,time,waits records times"
# a chain of 40: all of it is in the slice
{ echo 'digraph { vflow_version=1;'; for n in $(seq 40); do echo "v$n [kind=kernel name=k$n];"; done; for n in $(seq 39); do echo "v$n->v$((n + 1)) [object=1 access=WRITE bytes=1 count=1];"; done; echo '}'; } >"$T/chain.dot"
"$VFLOW" slice --vertex 20 "$T/chain.dot" 2>"$T/err" >/dev/null
like "slice: nearly everything: how to narrow it" "$(cat "$T/err")" "nearly everything is in the slice; to narrow it: --object ID, --depth N, --up, --down, or 'vflow prune --edge-bytes SIZE'"
"$VFLOW" slice --vertex 20 --depth 30 --object 1 "$T/chain.dot" 2>"$T/err" >/dev/null
like "slice: only what was not used" "$(cat "$T/err")" "to narrow it: --up, --down, or "
"$VFLOW" slice --vertex 20 --up "$T/chain.dot" 2>"$T/err" >/dev/null
unlike "slice: no word where it is small" "$(cat "$T/err")" "nearly"
expect_exit 2 "slice --up --down" "$VFLOW" slice --up --down --vertex 4 "$T/f.dot"
pruned() { # NAME VERTICES EDGES OPTION...
	local name=$1 vertices=$2 edges=$3
	shift 3
	"$VFLOW" prune "$@" "$T/f.dot" >"$T/out" 2>"$T/err"
	is "prune: $name" "$(dot_vertices <"$T/out"): $(dot_edges <"$T/out")" "$vertices: $edges"
}
is "prune --hide twice is --hide with both" "$("$VFLOW" prune --hide '^a$' --hide '^b$' "$T/f.dot" 2>/dev/null)" "$("$VFLOW" prune --hide '^[ab]$' "$T/f.dot" 2>/dev/null)"
is "prune --show, --ignore and --focus, too" "$(for option in show ignore focus; do "$VFLOW" prune --$option '^a$' --$option '^c$' "$T/f.dot" 2>/dev/null; done)" \
	"$(for option in show ignore focus; do "$VFLOW" prune --$option '^[ac]$' "$T/f.dot" 2>/dev/null; done)"
"$VFLOW" prune --hide nowhere --hide '^b$' "$T/f.dot" 2>"$T/err" >"$T/out"
like "prune --hide: of one that is not there a note" "$(cat "$T/err")" "vflow prune: --hide: .*nowhere"
is "... and the other is hidden" "$(dot_vertices <"$T/out")" "0 1 2 3 5 6"
expect_exit 1 "prune --focus: one that is not there" "$VFLOW" prune --focus '^b$' --focus nowhere "$T/f.dot"
pruned "--focus: whole flows" "0 1 2 3 4 5" "1>2 2>3 3>3 3>4 4>3 4>5 5>0" --focus '^b$'
pruned "--ignore: flows of object 1 all go through b, of object 9 one does" "0 2 5 6" "2>5" --ignore '^b$'
pruned "--ignore by ID" "0 2 5 6" "2>5" --ignore 4
pruned "--hide bridges" "0 1 2 3 5 6" "1>2 2>3 2>5 3>3 3>5 5>0" --hide '^b$'
like "and says so" "$(cat "$T/err")" "kept 6 of 7 vertices, 5 of 8 edges.*; 1 bridged$"
is "bridged edges are marked, and have no bytes" "$(grep bridged "$T/out" | grep -v graph)" \
	$'\tv3 -> v5 [key="1:WRITE:bridged", object=1, access=WRITE, bridged=true];'
is "and are true for queries" "$("$VFLOW" query 'MATCH (a)-[e]->(b) WHERE e.bridged RETURN a.id, b.id' "$T/out" | tail -1)" $'3\t5'
sed 's/^digraph vflow {/&\n\tvflow_types="xbridged:bool";/' "$T/f.dot" >"$T/x.dot"
is "and where another attribute's name ends alike" "$("$VFLOW" prune --hide '^b$' "$T/x.dot" 2>/dev/null | "$VFLOW" query 'MATCH (a)-[e]->(b) WHERE e.bridged = true RETURN a.id, b.id' | tail -1)" $'3\t5'
pruned "--hide of two that touch" "0 1 2 5 6" "1>2 2>5 2>5 5>0" --hide '^[ab]$'
pruned "--hide of host" "0 1 2 3 4 5 6" "1>2 2>3 2>5 3>3 3>4 4>3 4>5 5>0" --hide 0
pruned "--show" "0 1 5" "1>5 5>0" --show '^c$|Malloc'
pruned "--nodecount" "0 2 5" "2>5 5>0" --nodecount 2
pruned "--nodecount 0" "0" "" --nodecount 0
pruned "--nodefraction" "0 2" "" --nodefraction 0.5
pruned "--edgefraction" "0 1 2 3 5" "1>2 2>3 5>0" --edgefraction 20%
pruned "--trim" "0 1 2 3 4 5" "1>2 2>3 3>4 4>3 4>5 5>0" --trim
pruned "--trim with a nodecount" "0 2 3 5" "2>3 5>0" --trim --nodecount 3
pruned "thresholds pass over bridged edges" "0 1 2 3 5" "1>2 2>3 3>5 5>0" --hide '^b$' --edge-bytes 1K
pruned "fractions are of the whole graph" "0 1 2" "1>2 2>0" --focus Malloc --hide '^[abc]$' --edgefraction 0.3
expect_exit 1 "--focus on nothing" "$VFLOW" prune --focus zzz "$T/f.dot"
like "says so" "$(cat "$T/err")" "^vflow prune: --focus: no vertex has 'zzz' in its name or call path"
expect_exit 1 "--show nothing" "$VFLOW" prune --show zzz "$T/f.dot"
expect_exit 0 "--hide nothing is a note" "$VFLOW" prune --hide zzz "$T/f.dot"
like "that names it" "$(head -n 1 "$T/err")" "^vflow prune: --hide: no vertex has 'zzz'"
"$VFLOW" prune --hide '^a$' --nodecount 3 --ignore b --focus 5 "$T/f.dot" >"$T/once" 2>/dev/null
"$VFLOW" prune --focus 5 "$T/f.dot" 2>/dev/null | "$VFLOW" prune --ignore b 2>/dev/null |
	"$VFLOW" prune --hide '^a$' 2>/dev/null | "$VFLOW" prune --nodecount 3 >"$T/piped" 2>/dev/null
is "options work one after the other, as in a pipe" "$(cat "$T/once")" "$(cat "$T/piped")"
"$VFLOW" prune --hide '^[ab]$' "$T/f.dot" >"$T/once" 2>/dev/null
"$VFLOW" prune --hide '^a$' "$T/f.dot" 2>/dev/null | "$VFLOW" prune --hide '^b$' >"$T/piped" 2>/dev/null
is "hiding one after the other is hiding both" "$(cat "$T/once")" "$(cat "$T/piped")"
is "top" "$("$VFLOW" top -n 2 "$T/f.dot" 2>/dev/null | cut -f 1-4)" $'id\tredundant_bytes\tkind\tname\n4\t2048\tkernel\tb\n3\t512\tkernel\ta'
is "top -n 0 is all" "$("$VFLOW" top -n 0 --by invocations "$T/f.dot" 2>/dev/null)" "$("$VFLOW" top -n 100 --by invocations "$T/f.dot" 2>/dev/null)"
is "top says how many it leaves out" "$("$VFLOW" top -n 2 "$T/f.dot" 2>&1 >/dev/null)" "vflow top: kept 2 of 7 vertices; dropped 5"
is "top --by" "$("$VFLOW" top --by invocations -n 1 "$T/f.dot" 2>/dev/null | tail -1 | cut -f 1,2)" $'6\t9'
expect_exit 2 "top by something else" "$VFLOW" top --by colour "$T/f.dot"
is "stat" "$("$VFLOW" stat "$T/f.dot" | tr '\t' ' ')" "part kind number invocations bytes redundant_bytes redundant_value_bytes dead_bytes
vertex alloc 1 1    
vertex host 1 0    
vertex kernel 4 15    
vertex memset 1 2    
edge READ 3 3 111 0 0 0
edge WRITE 5 6 13388 2560 0 0"
is "stat of a graph without edges" "$(echo 'digraph { v1 [kind=alloc]; }' | "$VFLOW" stat | tail -n +2 | tr '\t' ' ')" "vertex alloc 1 0    "

# every line of a verb's manual page that starts with "vflow query" runs
examples() { # PAGE
	sed -n "s/\\\\(aq/'/g; s/\\\\e/\\\\/g; s/\\\\-/-/g; /^vflow query/p" "query/vflow-$1.1"
}
count=0
for page in slice prune path top stat; do
	while read -r line; do
		count=$((count + 1))
		expect_exit 0 "vflow-$page(1): $line" bash -c "cd '$T' && VFLOW_PROFILE=f.dot '$(realpath "$VFLOW")' ${line#vflow } </dev/null"
	done < <(examples $page)
done
is "the manual has examples" "$count" 14
same() { # PAGE NUMBER VERB...: the NUMBERth query of the page gives what the verb gives, host apart
	local page=$1 line
	line=$(examples "$page" | sed -n "$2p")
	shift 2
	is "vflow $* equals its query" "$(bash -c "cd '$T' && VFLOW_PROFILE=f.dot '$(realpath "$VFLOW")' ${line#vflow } </dev/null" 2>/dev/null | sed '/^\tv0 \[/d')" \
		"$("$VFLOW" "$@" "$T/f.dot" 2>/dev/null | sed '/^\tv0 \[/d')"
}
same slice 1 slice --vertex 5
same prune 1 prune --edge-bytes 1K
same prune 2 prune --vertex 'invocations>=2'
same prune 3 prune --edge-bytes 1K --vertex 'invocations>=2'
same prune 4 prune --focus '^b$'
same prune 5 prune --nodefraction 0.5
same prune 6 prune --nodecount 2
same prune 7 prune --edgefraction 0.2
same path 1 path --from 3 --to 5
same path 2 path --from 3 --to 5 --shortest
same path 3 path --from 3 --to 5 --limit 2
is "stat equals its query" "$(VFLOW_PROFILE=$T/f.dot bash -c "'$VFLOW' $(examples stat | sed 's/^vflow //') </dev/null")" "$("$VFLOW" stat "$T/f.dot")"
is "top equals its query" "$(VFLOW_PROFILE=$T/f.dot bash -c "'$VFLOW' $(examples top | sed 's/^vflow //') </dev/null")" "$("$VFLOW" top "$T/f.dot" 2>/dev/null)"

# -- one of each --
cat >"$T/one.dot" <<'DOT'
digraph {
	v1 [kind=alloc, name=cudaMalloc, invocations=1];
	v2 [kind=kernel, name=k, invocations=1];
	v1 -> v2 [object=1, access=WRITE, bytes=1, redundant_bytes=1, count=1];
}
DOT
kept() { "$VFLOW" "$@" 2>&1 >"$T/out"; }
is "one edge of one byte" "$(kept slice --vertex 2 "$T/one.dot")" \
	"vflow slice: kept 2 of 2 vertices, 1 of 1 edge, 1 of 1 byte; dropped 0 vertices, 0 edges, 0 bytes"
is "they are dropped" "$(kept query "MATCH (a {id: 1}) RETURN GRAPH" "$T/one.dot")" \
	"vflow query: kept 1 of 2 vertices, 0 of 1 edge, 0 of 1 byte; dropped 1 vertex, 1 edge, 1 byte"
cp "$T/out" "$T/lone.dot"
is "one vertex" "$(kept prune --vertex 'invocations>=1' "$T/lone.dot")" \
	"vflow prune: kept 1 of 1 vertex, 0 of 0 edges, 0 of 0 bytes; dropped 0 vertices, 0 edges, 0 bytes"
like "a picture of one edge" "$("$VFLOW" render -T svg "$T/one.dot" | xmllint --xpath 'string(/)' -)" \
	'2 vertices, 1 edge; 0 bytes read, 1 written.*1 byte in 1 invocation'
finish
