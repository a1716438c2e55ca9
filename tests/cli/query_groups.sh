#!/bin/bash
# Quantified path patterns of GQL: ((a)-[e]->(b) WHERE ...){1,3}.
. tests/lib.sh
export VFLOW_PROFILE=
# 1 -> 3 -> 5 -> 7 of object 1, 2 -> 4 -> 6 -> 7 of object 2
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1];
	v1 [kind=alloc, name=cudaMalloc];
	v2 [kind=alloc, name=cudaMalloc];
	v3 [kind=memset, name=cudaMemset];
	v4 [kind=memset, name=cudaMemset];
	v5 [kind=kernel, name="zero(char*)"];
	v6 [kind=kernel, name="zero(char*)"];
	v7 [kind=kernel, name="mix(char*, char*)"];
	v1 -> v3 [object=1, access=WRITE, bytes=4096];
	v2 -> v4 [object=2, access=WRITE, bytes=4096];
	v3 -> v5 [object=1, access=WRITE, bytes=4096];
	v4 -> v6 [object=2, access=WRITE, bytes=4096];
	v5 -> v7 [object=1, access=READ, bytes=1024];
	v6 -> v7 [object=2, access=WRITE, bytes=1024];
}
DOT
asks() { # NAME EXPECTED QUERY [OPTIONS]: rows joined by ';', columns by ','
	local name=$1 expected=$2
	shift 2
	is "$name" "$("$VFLOW" query -T tsv "$@" "$T/f.dot" 2>&1 | tail -n +2 | tr '\t\n' ',;')" "$expected"
}
wrong() { # NAME REGEX QUERY
	expect_exit 2 "$1" "$VFLOW" query "$3" "$T/f.dot"
	like "$1: says so" "$(cat "$T/err")" "$2"
}
asks "names are lists outside" "[1],[3],1;[1, 3],[3, 5],2;" 'MATCH (x {id: 1}) ((a)-[e]->(b)){1,2} RETURN [v IN a | v.id], [v IN b | v.id], size(e)'
asks "... and one repetition's inside" "1,3;1,5;2,4;2,6;" 'MATCH (x:alloc) ((a)-[e]->(b) WHERE e.bytes >= 4K AND a.id + 2 = b.id)+ (y) RETURN x.id, y.id'
asks "labels, maps and conditions of the ends" "5,[7],[5];6,[7],[6];" 'MATCH (y {id: 7}) ((a:kernel)<-[e]-(b {name: "zero(char*)"} WHERE b.id > 4)){1,3} (x) RETURN x.id, [v IN a | v.id], [v IN b | v.id]'
asks "what was matched before" "3;5;" 'MATCH (o {id: 1}) MATCH (x {id: 1}) ((a)-[e]->(b) WHERE e.object = o.id AND b.id < 7){1,9} (y) RETURN y.id'
asks "searched from its end: lists stay in the order of the pattern" "[1, 3, 5],[3, 5, 7];" 'MATCH (x:alloc) ((a)-[e {object: 1}]->(b)){3} (y {id: 7}) RETURN [v IN a | v.id], [v IN b | v.id]'
asks "no repetition" "0,1;1,3;" 'MATCH (x {id: 1}) ((a)-->(b)){0,1} (y) RETURN size(a), y.id'
asks "{,1} {1,} * +" "2,3,4,3;" 'RETURN COUNT { ({id: 1}) (()-->()){,1} () }, COUNT { ({id: 1}) (()-->()){1,} () }, COUNT { ({id: 1}) (()-->())* () }, COUNT { ({id: 1}) (()-->())+ () }'
asks "groups side by side" "1,[5, 7];2,[6, 7];" 'MATCH (x:alloc) ((a)-->(b:memset)){1}((c)-->(d:kernel)){2} RETURN x.id, [v IN d | v.id]'
asks "no vertex around it" "6,1;4,2;2,3;" 'MATCH ((a)-->(b)){1,3} WITH size(a) AS n, count(*) AS m RETURN m, n ORDER BY n'
asks "either direction, when its ends do not matter" "3;5;" 'MATCH (x {id: 1}) (()--()){1,2} (y) RETURN DISTINCT y.id'
asks "shortest" "(1)-[WRITE]->(3)-[WRITE]->(5),[1, 3];" 'MATCH p = ANY SHORTEST (x {id: 1}) ((a)-[e]->(b)){1,3} (y {id: 5}) RETURN p, [v IN a | v.id]'
asks "shortest of a longer pattern" "2,[3];3,[3, 5];" 'MATCH p = ANY SHORTEST (x {id: 1})-->(z) ((a)-[e]->(b)){1,3} (y:kernel) RETURN length(p), [v IN a | v.id]'
asks "SHORTEST k" "[5];" 'MATCH p = SHORTEST 2 (x {id: 3}) ((a)-->(b:!alloc)){1,3} (y {id: 5}) RETURN [v IN b | v.id]'
asks "null where OPTIONAL MATCH finds nothing" ",,;" 'MATCH (x {id: 7}) OPTIONAL MATCH (x) ((a)-[e]->(b)){1,2} RETURN a, e, b'
asks "in a condition" "5;6;" 'MATCH (k:kernel) WHERE EXISTS { (k) ((a)-->(b)){1,2} } RETURN k.id'
asks "a condition on the lists" "1;" 'MATCH (x:alloc) ((a)-[e]->(b)){3} WHERE all(v IN b WHERE v.id % 2 = 1) RETURN x.id'
graph() {
	"$VFLOW" query "$1" "$T/f.dot" 2>/dev/null | grep -oE '^	v[0-9]( -> v[0-9])?' | tr -d '\t' | tr '\n' ';'
}
is "RETURN GRAPH" "$(graph 'MATCH (x {id: 1}) ((a)-[e]->(b) WHERE b.id <> 7)+ (y) RETURN GRAPH')" "v1;v3;v5;v1 -> v3;v3 -> v5;"
is "RETURN GRAPH of the edges" "$(graph 'MATCH (x {id: 1}) ((a)-[e]->(b) WHERE b.id <> 7)+ (y) RETURN GRAPH e')" "v1;v3;v5;v1 -> v3;v3 -> v5;"
is "RETURN GRAPH of one side" "$(graph 'MATCH (x {id: 1}) ((a)-[e]->(b) WHERE b.id <> 7)+ (y) RETURN GRAPH b')" "v3;v5;"
{ echo 'digraph {'; for i in $(seq 24); do for j in 1 2; do echo "v$i -> v$((i + 1)) [object=$j, access=WRITE, bytes=1];"; done; done; echo '}'; } >"$T/ladder.dot"
expect_exit 1 "2^24 trails end with --timeout" "$VFLOW" query --timeout 1 'MATCH (x {id: 1}) ((a)-[e]->(b) WHERE a.id < b.id){24} RETURN count(*)' "$T/ladder.dot"
like "... which says so" "$(cat "$T/err")" "--timeout"
is "ends alone cost one walk" "$("$VFLOW" query --timeout 30 'MATCH (x {id: 1}) (()-[]->(:!alloc)){1,} (y) RETURN count(DISTINCT y)' "$T/ladder.dot" 2>/dev/null | tail -n 1)" 24
is "... and so does a graph, with names" "$("$VFLOW" query --timeout 30 'MATCH p = (x {id: 1}) ((a)-[e]->(b) WHERE a.id < b.id){1,} (y) RETURN GRAPH p' "$T/ladder.dot" 2>/dev/null | grep -c -- '->')" 48
wrong "no quantifier" "expected how often the group repeats" 'MATCH ((a)-[e]->(b)) RETURN a'
wrong "two edges" "column 17: a group repeats one edge" 'MATCH ((a)-->(b)-->(c)){2} RETURN a'
wrong "a range" "a group repeats a single edge, not a range" 'MATCH ((a)-[*]->(b)){2} RETURN a'
wrong "a vertex alone" "expected an edge" 'MATCH ((a)){2} RETURN a'
wrong "no direction" "needs a direction" 'MATCH ((a)--()){1,2} RETURN a'
wrong "a name from before" "'a' is already something else" 'MATCH (a) ((a)-->(b)){2} RETURN a'
wrong "an edge from before" "'e' is already something else" 'MATCH ()-[e]->() MATCH ((a)-[e]->(b)){2} RETURN a'
wrong "one name twice" "'a' is already something else" 'MATCH ((a)-[e]->(a)){2} RETURN a'
wrong "what comes later" "may only use what was matched before" 'MATCH ((a)-[e]->(b) WHERE c.id = 1){2} (c) RETURN a'
wrong "a list is no vertex" "not a list" 'MATCH ((a)-[e]->(b)){2} WHERE a.id = 1 RETURN a'
finish
