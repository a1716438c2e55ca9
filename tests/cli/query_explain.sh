#!/bin/bash
# EXPLAIN: the steps that a query would take, where a pattern begins, and how many rows labels and types alone decide.
. tests/lib.sh
export VFLOW_PROFILE=
# host, 2 alloc, 2 memset, 3 kernel; 4 WRITE and 2 READ edges, of which 4 end at a kernel
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1];
	v0 [kind=host, name=host];
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
	v6 -> v7 [object=2, access=READ, bytes=1024];
}
DOT
plan() { # NAME EXPECTED QUERY [OPTIONS]: "step within clause does rows", joined by commas
	local name=$1 expected=$2
	shift 2
	is "$name" "$("$VFLOW" query -T tsv "EXPLAIN $1" "${@:2}" "$T/f.dot" 2>&1 | tail -n +2 | tr '\t' ',')" "$expected"
}
plan "a label is where it begins: 3 kernels; 4 edges to them" \
	"1,,MATCH,start at each of 8 vertices: (k:kernel),3
2,,MATCH,from (k:kernel) back along -[e]-> to (a),4
3,,RETURN,e,4" 'MATCH (a)-[e]->(k:kernel) RETURN e'
plan "any vertex before one edge: all edges; 4 are WRITE" \
	"1,,MATCH,look at each of 6 edges: from (a) -[e:WRITE]-> to (b),4
2,,RETURN,of all rows: count(*),1" 'MATCH (a)-[e:WRITE]->(b) RETURN count(*)'
plan "an id is better than a label, and a condition makes rows unknown" \
	"1,,MATCH,start at the vertex with the id: (b {id: 7}),1
2,,MATCH,from (b {id: 7}) back along -[e]-> to (k:kernel) WHERE e.bytes > 1K AND (k.id = 5 OR e.object = 2),
3,,RETURN,k,
4,,RETURN,drop rows that were there before,
5,,RETURN,sort by k.id DESC,
6,,RETURN,SKIP 1 LIMIT \$n," 'MATCH (k:kernel)-[e]->(b {id: 7})
	WHERE e.bytes   >
	1K AND (k.id = 5 OR e.object = 2) RETURN DISTINCT k ORDER BY k.id DESC SKIP 1 LIMIT $n' -p n=2
plan "a list, a product, SKIP and LIMIT: 2 * 3 rows, less 1, 4 of them; then 2 alloc for each" \
	"1,,UNWIND,one row for each item of [1, 2] as x,2
2,,MATCH,start at each of 8 vertices: (k:kernel),6
3,,WITH,k,6
4,,WITH,SKIP 1 LIMIT \$n,4
5,,MATCH,known before: (k),4
6,,MATCH,start at each of 8 vertices: (a:alloc),8
7,,RETURN,group by k: count(*) AS n," 'UNWIND [1, 2] AS x MATCH (k:kernel) WITH k SKIP 1 LIMIT $n MATCH (k), (a:alloc) RETURN k, count(*) AS n' -p n=4
plan "ends alone count; a pattern and a subquery belong to the step that asks them" \
	"1,,MATCH,start at the vertex with the id: (a {id: 1}),1
2,,MATCH,from (a {id: 1}) each end once, over -[*]-> to (b) WHERE NOT (b)-->() AND COUNT { (b)--(c) } = 1,
3,2,pattern,known before: (b),
4,2,pattern,from (b) --> to (),
5,2,MATCH,known before: (b),1
6,2,MATCH,from (b) -- to (c),
7,,RETURN,b,
8,,RETURN,drop rows that were there before," 'MATCH (a {id: 1})-[*]->(b) WHERE NOT (b)-->() AND COUNT { (b)--(c) } = 1 RETURN DISTINCT b'
plan "shortest ways; the end has an id, so both ends are looked up" \
	"1,,MATCH,start at the vertex with the id: (a {id: 1}),1
2,,MATCH,start at the vertex with the id: (b {id: 7}),1
3,,MATCH,from (a {id: 1}) one shortest way over -[*]-> to the known (b {id: 7}),
4,,MATCH,keep the path as p,
5,,RETURN,p," 'MATCH p = ANY SHORTEST (a {id: 1})-[*]->(b {id: 7}) RETURN p'
plan "RETURN GRAPH after a range walks over sets" \
	"1,,MATCH,the steps that follow go along with whole sets of vertices, there and back: no single path is looked at,
2,,MATCH,start at each of 8 vertices: (a:alloc),
3,,MATCH,from (a:alloc) -[*]-> to (b),
4,,RETURN GRAPH,keep of the graph what was matched," 'MATCH (a:alloc)-[*]->(b) RETURN GRAPH'
plan "a value that is known before finds a vertex, unless it is another for each: rand() or what the step itself comes over" \
	"1,,MATCH,start at each of 8 vertices: (k:kernel),3
2,,MATCH,from (k:kernel) <-[e]- to (a),4
3,,MATCH,from (a) -- to (b {name: k.name}) WHERE e.object = b.id (where that is less work, found by id or name),
4,,MATCH,from (b {name: k.name}) -[f]-> to (c) WHERE c.id = f.object AND c.kind = toString(rand()) AND c.name = b.name + c.kind,
5,,MATCH,start at each of 8 vertices: (d) WHERE d.kind = k.kind (where that is less work, found by kind),
6,,RETURN,k," 'MATCH (k:kernel)<-[e]-(a)--(b {name: k.name})-[f]->(c), (d) WHERE e.object = b.id AND c.id = f.object AND c.kind = toString(rand()) AND c.name = b.name + c.kind AND d.kind = k.kind RETURN k'
is "as JSON" "$("$VFLOW" query -T json 'explain MATCH (k:kernel) RETURN k' "$T/f.dot")" '[
 {"step":1,"within":null,"clause":"MATCH","does":"start at each of 8 vertices: (k:kernel)","rows":3},
 {"step":2,"within":null,"clause":"RETURN","does":"k","rows":3}
]'
{ echo 'digraph {'; for i in $(seq 24); do for j in 1 2; do echo "v$i -> v$((i + 1)) [object=$j, access=WRITE, bytes=1];"; done; done; echo '}'; } >"$T/ladder.dot"
expect_exit 0 "2^24 trails are not run" "$VFLOW" query --timeout 1 'EXPLAIN MATCH p=(a)-[*]->(b) WHERE length(p) > 23 RETURN count(*)' "$T/ladder.dot"
expect_exit 2 "a query that has no meaning has no plan" "$VFLOW" query 'EXPLAIN MATCH (a) RETURN b' "$T/f.dot"
like "... says so" "$(cat "$T/err")" "line 1, column 26: .*'b'"
expect_exit 2 "no DOT" "$VFLOW" query -T dot 'EXPLAIN MATCH (a) RETURN GRAPH' "$T/f.dot"
like "... says so" "$(cat "$T/err")" "EXPLAIN is a table"
is "in a session, of RETURN GRAPH, too" "$(echo 'EXPLAIN MATCH (k:kernel) RETURN GRAPH; MATCH (k:kernel) RETURN count(*);' | "$VFLOW" query -i "$T/f.dot" 2>&1 | tail -n 3 | tr '\t\n' ',;')" '2,,RETURN GRAPH,keep of the graph what was matched,;count(*);3;'
finish
