#!/bin/bash
# vflow-query(1): every example runs and has an answer; every part of the grammar is read.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW")
page=$(realpath query/vflow-query.1)
collect "$T/vflow.db" "$P/moves" array 2>/dev/null # two of its copies change nothing
cd "$T" || exit 1
cat >f.dot <<'DOT'
digraph vflow {
	graph [vflow_version=1];
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1];
	v2 [kind=alloc, name=cudaMalloc, invocations=1];
	v3 [kind=memset, name=cudaMemset, invocations=1];
	v4 [kind=memset, name=cudaMemset, invocations=1];
	v5 [kind=kernel, name="zero(char*)", invocations=3, redundant_bytes=4096];
	v6 [kind=kernel, name="zero(char*)", invocations=1, redundant_bytes=4096];
	v7 [kind=kernel, name="mix(char*, char*)", invocations=1, redundant_bytes=0];
	v1 -> v3 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1];
	v2 -> v4 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1];
	v3 -> v5 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1];
	v4 -> v6 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1];
	v5 -> v7 [key="1:READ", object=1, access=READ, bytes=1024, count=1];
	v6 -> v7 [key="2:WRITE", object=2, access=WRITE, bytes=1024, redundant_bytes=0, redundancy=0, count=1];
}
DOT
export VFLOW_PROFILE=$T/f.dot
vflow() {
	"$VFLOW" "$@"
}
examples() { # PAGE: its lines that are commands, as a shell reads them
	sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$1" | grep 'vflow ' | sed "s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\e/\\\\/g"
}
count=0
while IFS= read -r line; do
	count=$((count + 1))
	code=0
	(eval "$line") >out 2>err </dev/null || code=$?
	[[ $line == *"| vflow render -o "* ]] && cp "${line##* -o }" out
	lines=$(wc -l <out)
	if [ $code = 0 ] && [ "$lines" -gt 1 ] && ! grep -q 'has the property' err; then
		ok "example: $line"
	else
		not_ok "example: $line" "exit code $code, $lines lines"$'\n'"$(head -5 out err)"
	fi
done < <(examples "$page")
is "there are examples" "$((count > 10))" 1

# one for each alternative of the grammar, with an answer worked out by hand
while IFS='|' read -r expected query; do
	is "$query" "$("$VFLOW" query -T tsv "$query" 2>&1 </dev/null | tail -n +2 | tr '\t\n' ',;')" "$expected"
done <<'ALL'
3;|MATCH (k:kernel) RETURN count(*);
2;|OPTIONAL MATCH (a:alloc), (b {id: 5}) WHERE true RETURN count(b) AS n
7,6;|MATCH (k:kernel) WITH k.id AS i ORDER BY i DESC SKIP 0 LIMIT 2 WHERE i > 5 WITH collect(i) AS l RETURN l[0], l[1]
1;2;|UNWIND [1, 2] AS x RETURN x ORDER BY x ASCENDING
2;1;|UNWIND [1, 2, 2] AS x RETURN DISTINCT x ORDER BY x DESCENDING
1,2;|WITH 1 AS a, 2 AS b RETURN *
3;|MATCH p = ANY (a {id: 1})-[*]->(b {id: 7}) RETURN length(p)
3;|MATCH p = ANY SHORTEST PATHS (a {id: 1})-[*]->(b {id: 7}) RETURN length(p)
1;|MATCH p = ANY 2 PATHS (a {id: 1})-[*]->(b {id: 7}) RETURN count(p)
1;|MATCH p = ALL (a {id: 1})-[*]->(b {id: 7}) RETURN count(p)
1;|MATCH p = ALL SHORTEST PATH (a {id: 1})-[*]->(b {id: 7}) RETURN count(p)
1;|MATCH p = SHORTEST 2 (a {id: 1})-[*]->(b {id: 7}) RETURN count(p)
1;|MATCH p = SHORTEST GROUPS (a {id: 1})-[*]->(b {id: 7}) RETURN count(p)
3;|MATCH p = ANY SHORTEST (a {id: 1})-[:WRITE]->+(m)-[:READ]->*(b {id: 7}) RETURN length(p)
2;|MATCH p = ANY SHORTEST (a {id: 1})-[*2..]->(b:kernel {id: 5}) RETURN length(p)
1;|MATCH p = allShortestPaths((a {id: 1})-[*]->(b {id: 7})) RETURN count(p)
5;|MATCH (v:!kernel) RETURN count(*)
5;|MATCH (v:alloc|:kernel) RETURN count(*)
3;|MATCH (v:kernel&!host:!alloc) RETURN count(*)
3;|MATCH (v WHERE v.kind = 'kernel') RETURN count(*)
3;|MATCH (v {kind: 'kernel'} WHERE v.id > 0) RETURN count(*)
6;|MATCH ()-->() RETURN count(*)
6;|MATCH ()<--() RETURN count(*)
12;|MATCH ()--() RETURN count(*)
1;|MATCH ()<-[e:READ {object: 1} WHERE e.bytes > 0]-() RETURN count(e)
2;|MATCH ({id: 1})-[*2..]->(b) RETURN count(b)
2;|MATCH ({id: 1})-[*..2]->(b) RETURN count(b)
1;|MATCH ({id: 1})-[*3]->(b) RETURN count(b)
4;|MATCH ({id: 1})-[*0..]->(b) RETURN count(b)
3;|MATCH ({id: 1})-->+(b) RETURN count(b)
4;|MATCH ({id: 1})-->*(b) RETURN count(b)
1;|MATCH ({id: 1})-->{2}(b) RETURN count(b)
2;|MATCH ({id: 1})-->{2,}(b) RETURN count(b)
3;|MATCH ({id: 1})-[:WRITE|READ]->{,3}(b) WHERE b.id <> 1 RETURN count(b)
1,3;1,5;|MATCH (x {id: 1}) ((a)-[e]->(b)){1,2} (y) RETURN x.id, y.id
[1, 3],[3, 5];|MATCH (:alloc {id: 1}) ((a)-->(b) WHERE b.id < 7){2} RETURN [v IN a | v.id], [v IN b | v.id]
true,false,true,;|RETURN true OR false, true XOR true, NOT false AND true, null AND true
true,true,true,true;|RETURN 1 < 2 <= 2, 3 > 2 >= 2, 1 <> 2, 'abc' =~ 'a.c'
true,true,true,true,true;|RETURN null IS NULL, 1 IS NOT NULL, 1 IN [1], 'abc' CONTAINS 'b', 'abc' STARTS WITH 'a' AND 'abc' ENDS WITH 'c'
7,5,2,1,8.0,-3;|RETURN 1 + 2 * 3, 7 - 2, 7 / 3, 7 % 3, 2 ^ 3, -+3
kernel,true;|MATCH (v {id: 5}) RETURN v.kind, v:kernel
2,[2, 3],[1, 2],[3],5;|RETURN [1, 2, 3][1], [1, 2, 3][1..], [1, 2, 3][..2], [1, 2, 3][-1..3], {a: {b: 5}}.a.b
31,15,4096,1000,1048576,2.5,1500.0;|RETURN 0x1F, 0o17, 4K, 1KB, 1MiB, 2.5, 1.5e3
it's,"q",é,true;|RETURN 'it\'s', "\"q\"", '\u00e9', null IS NULL
5;|WITH 5 AS `odd ``name` RETURN `odd ``name`
3,2;|MATCH (v:kernel) RETURN count(*), count(DISTINCT v.name)
b,yes;|RETURN CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN false THEN 'no' ELSE 'yes' END
true,true,true,true;|RETURN all(x IN [1] WHERE x > 0), any(x IN [1] WHERE x > 0), none(x IN [1] WHERE x < 0), single(x IN [1] WHERE x > 0)
[2, 4],[2],6;|RETURN [x IN [1, 2] | x * 2], [x IN [1, 2] WHERE x > 1], reduce(s = 0, x IN [1, 2, 3] | s + x)
[7];|MATCH (v {id: 5}) RETURN [p = (v)-->(b) WHERE b.id > 1 | b.id]
[3],[3],[true];|MATCH (v {id: 1}) RETURN [p = ANY SHORTEST (v)-[*]->({id: 7}) | length(p)], [p = shortestPath((v)-[*]->({id: 7})) | length(p)], [v.id = 1]
1;|MATCH (v:kernel) WHERE NOT (v)-->() RETURN count(*)
true,1,[7];|MATCH (v {id: 5}) RETURN EXISTS { (v)-->(b) WHERE b.id = 7 }, COUNT { MATCH (v)-->(b) RETURN b }, COLLECT { MATCH (v)-->(b) RETURN b.id }
1;2;|RETURN 1 AS x UNION RETURN 2 AS x UNION DISTINCT RETURN 1 AS x
1;1;|RETURN 1 AS x UNION ALL RETURN 1 AS x
1,,RETURN,1,1;|EXPLAIN RETURN 1
1,2,3,;|WITH 1 AS a CALL (a) { RETURN a + 1 AS b } CALL (*) { RETURN a + b AS c } CALL () { RETURN 1 AS x } OPTIONAL CALL { WITH a UNWIND [] AS d RETURN d } RETURN a, b, c, d
1;|RETURN 1 // to the end of the line
1;|/* before */ RETURN 1
ALL
finish
