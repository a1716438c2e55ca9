#!/bin/bash
# CALL { }: clauses for each row, what they see of it, and the rows that come of it.
. tests/lib.sh
export VFLOW_PROFILE=
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1];
	v1 [kind=alloc, name=cudaMalloc];
	v3 [kind=memset, name=cudaMemset];
	v5 [kind=kernel, name="zero(char*)"];
	v6 [kind=kernel, name="zero(char*)"];
	v7 [kind=kernel, name="mix(char*, char*)"];
	v1 -> v3 [object=1, access=WRITE, bytes=4096];
	v3 -> v5 [object=1, access=WRITE, bytes=4096];
	v5 -> v7 [object=1, access=READ, bytes=1024];
	v1 -> v7 [object=1, access=WRITE, bytes=100];
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
K='MATCH (k:kernel)'
asks "CALL (x): rows for each row, none without any" "5,3;7,1;7,5;" "$K CALL (k) { MATCH (a)-->(k) RETURN a.id AS i } RETURN k.id, i ORDER BY k.id, i"
asks "... its own WITH keeps x" "5,3;7,6;" "$K CALL (k) { MATCH (a)-->(k) WITH sum(a.id) AS s WHERE s > 0 RETURN s, k.id AS same } RETURN same, s ORDER BY s"
asks "WITH x at the beginning" "5,3;7,1;7,5;" "$K CALL { WITH k MATCH (a)-->(k) RETURN a.id AS i } RETURN k.id, i ORDER BY k.id, i"
asks "WITH *, CALL (*)" "1,1,11;2,2,12;" 'UNWIND [1, 2] AS x CALL { WITH * RETURN x AS y } CALL (*) { RETURN x + 10 AS z } RETURN x, y, z'
asks "nothing handed in: all pairs" "1,3;1,4;2,3;2,4;" 'UNWIND [1, 2] AS x CALL { UNWIND [3, 4] AS y RETURN y } RETURN x, y'
asks "... CALL () says so" "1,3;2,3;" 'UNWIND [1, 2] AS x CALL () { RETURN 3 AS y } RETURN x, y'
asks "CALL first" "1;" 'CALL { RETURN 1 AS x } RETURN x'
asks "groups are those of the row; count of nothing is 0" "5,1,3;6,0,;7,2,5;" "$K CALL (k) { MATCH (a)-->(k) RETURN count(*) AS n, max(a.id) AS m } RETURN k.id, n, m"
asks "ORDER BY and LIMIT, too" "1,9;2,9;3,9;" 'UNWIND [1, 2, 3] AS x CALL { UNWIND [7, 9, 8] AS y RETURN y ORDER BY y DESC LIMIT 1 } RETURN x, y'
asks "OPTIONAL CALL" "5,3;6,;7,5;" "$K OPTIONAL CALL (k) { MATCH (a)-->(k) RETURN a.id AS i ORDER BY i DESC LIMIT 1 } RETURN k.id, i"
asks "UNION: each part imports" "5,[3, 7, 1];6,[1];7,[5, 1];" "$K CALL { WITH k MATCH (a)-->(k) RETURN a.id AS i UNION WITH k MATCH (k)-->(a) RETURN a.id AS i UNION RETURN 1 AS i } RETURN k.id, collect(i)"
asks "UNION ALL" "1,1;1,1;1,2;" 'UNWIND [1] AS x CALL (x) { RETURN x AS y UNION ALL UNWIND [1, 2] AS y RETURN y } RETURN x, y'
asks "a part of UNION that imports nothing" "1,1;1,5;" 'UNWIND [1] AS x CALL { WITH x RETURN x AS y UNION WITH 5 AS five RETURN five AS y } RETURN x, y'
asks "in each other" "1,2,3;1,2,4;" 'WITH 1 AS a CALL (a) { WITH a + 1 AS b CALL (a, b) { UNWIND [a + b, b + 2] AS c RETURN c } RETURN b, c } RETURN a, b, c'
asks "in EXISTS, COUNT and COLLECT" "5,1,true,[7];6,0,false,[];7,2,false,[];" \
	"$K RETURN k.id, COUNT { CALL (k) { MATCH (a)-->(k) RETURN a } RETURN a } AS n, EXISTS { CALL { WITH k MATCH (k)-->(a) RETURN a } RETURN 1 } AS e, COLLECT { CALL (k) { MATCH (k)-->(a) RETURN a } RETURN a.id } AS l"
asks "and they in it" "5,true,0;6,false,1;7,true,0;" "$K CALL (k) { RETURN EXISTS { (k)<--() } AS e, COUNT { MATCH (b) WHERE b.id = k.id AND NOT (b)--() RETURN b } AS n } RETURN k.id, e, n"
asks "what follows: WHERE, DISTINCT, groups" "2,9;" 'UNWIND [1, 1, 2] AS x CALL (x) { UNWIND [x, x + 2] AS y RETURN y } WITH DISTINCT x, y WHERE y <> 2 WITH count(*) AS n, sum(y) AS s RETURN n - 1, s + 1'
asks "LIMIT outside ends it" "1;1;" 'UNWIND range(1, 10000000) AS x CALL (x) { UNWIND range(1, 10000000) AS y RETURN y } RETURN x LIMIT 2' --timeout 60
asks "MATCH after it begins at what it returns" "3,5;" 'CALL { MATCH (m:memset) RETURN m } MATCH (m)-->(b) RETURN m.id, b.id'
asks "a range before it keeps all its ends" "3,1;5,1;7,2;" 'MATCH (a {id: 1})-[*]->(b) CALL (b) { RETURN b.id AS i } RETURN i, count(*) ORDER BY i'
asks "columns of one name inside and out" "5,3;7,6;" "$K CALL (k) { MATCH (n)-->(k) WITH sum(n.id) AS n WHERE n > 0 RETURN n AS sum } RETURN k.id, sum ORDER BY sum"
is "RETURN GRAPH of what it returns" "$("$VFLOW" query 'MATCH (k {id: 7}) CALL (k) { MATCH (a:alloc)-[e]->(k) RETURN e } RETURN GRAPH e' "$T/f.dot" 2>"$T/err" | grep -oE '^	v[0-9]( -> v[0-9])?' | tr -d '\t' | tr '\n' ';')" "v1;v7;v1 -> v7;"
# 5 kernels and 2 rows for each: 6; the clauses of the CALL stand within its step, 2
is "EXPLAIN" "$("$VFLOW" query -T tsv 'EXPLAIN MATCH (k:kernel) CALL (k) { UNWIND [1, 2] AS i RETURN i } RETURN k.id, i' "$T/f.dot" | tail -n +2 | tr '\t\n' ',;')" \
	"1,,MATCH,start at each of 5 vertices: (k:kernel),3;2,,CALL,for each row, with k,6;3,2,UNWIND,one row for each item of [1, 2] as i,2;4,2,RETURN,i,2;5,,RETURN,k.id, i,6;"
like "a name that hides one outside is noted" "$("$VFLOW" query "$K CALL { MATCH (k:alloc) RETURN k.id AS i } RETURN i" "$T/f.dot" 2>&1)" "column 32: 'k' is not the one outside"
wrong "without RETURN" "column 35: a CALL without RETURN" "$K CALL { MATCH (a) } RETURN k.id"
wrong "what was not handed in" "column 32: 'k' is outside of this CALL" "$K CALL { RETURN k.id AS i } RETURN k.id, i"
wrong "... to CALL (y)" "'x' is outside of this CALL" 'WITH 1 AS x, 2 AS y CALL (y) { RETURN x AS z } RETURN z'
wrong "... after its WITH" "'x' is outside" 'WITH 1 AS x, 2 AS y CALL { WITH x WITH 1 AS a RETURN x AS z } RETURN z'
wrong "... and in EXISTS in it" "'x' is outside" 'WITH 1 AS x CALL { RETURN EXISTS { MATCH (v) WHERE v.id = x } AS e } RETURN e'
wrong "WITH that changes imports nothing" "'x' is outside" 'WITH 1 AS x CALL { WITH x AS y RETURN y } RETURN y'
wrong "what it keeps to itself" "no variable 'y'" 'CALL { WITH 1 AS y RETURN y AS z } RETURN y'
wrong "a name that is there outside" "column 30: 'x' is already something else around" 'WITH 1 AS x CALL () { RETURN 2 AS x } RETURN x'
wrong "an expression without a name" "column 15: an expression that CALL returns needs AS" 'CALL { RETURN 1 } RETURN 1'
wrong "handed in: what is not there" "column 7: there is no variable 'x'" 'CALL (x) { RETURN 1 AS a } RETURN 1'
wrong "... and twice" "'x' is handed in twice" 'WITH 1 AS x CALL (x, x) { RETURN 1 AS a } RETURN 1'
wrong "procedures" "there are no procedures" 'CALL db.labels() YIELD label RETURN label'
wrong "a graph in it" "RETURN GRAPH cannot stand in a subquery" 'CALL { MATCH (a) RETURN GRAPH a } RETURN 1'
wrong "columns of UNION" "same columns: 'y' here, 'x' in the first" 'CALL { RETURN 1 AS x UNION RETURN 1 AS y } RETURN x'
wrong "at the end" "the query ends here" 'CALL { RETURN 1 AS x }'
wrong "OPTIONAL and nothing" "MATCH or CALL" 'OPTIONAL WITH 1 AS x RETURN x'
level='' close=''
for ((i = 0; i < 150; i++)); do
	level+='CALL { ' close+=' } RETURN a'
done
asks "150 in each other" "1;" "${level}RETURN 1 AS a$close"
wrong "250 are too deep" "too deep" "${level}${level}RETURN 1 AS a$close$close"
wide='RETURN 1 AS a'
for ((i = 0; i < 11; i++)); do
	for ((k = 0; k < 49; k++)); do wide="CALL { RETURN 1 AS x${i}_$k } $wide"; done
	wide="CALL { $wide } RETURN a"
done
wrong "clauses of all subqueries are limited" "at most 1000 clauses, those of its subqueries" "$wide"
expect_exit 1 "--max-rows" "$VFLOW" query --max-rows 3 'UNWIND [1, 2] AS x CALL { UNWIND [1, 2] AS y RETURN y } RETURN x, y' "$T/f.dot"
expect_exit 1 "--timeout" "$VFLOW" query --timeout 1 'UNWIND range(1, 9999999) AS x CALL (x) { UNWIND range(1, 9999999) AS y RETURN sum(x * y) AS s } RETURN max(s)' "$T/f.dot"
expect_exit 1 "memory of what is sorted in it" "$VFLOW" query --timeout 0 'CALL { UNWIND range(1, 9999999) AS x UNWIND range(1, 10) AS y RETURN x, y, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" + x AS t ORDER BY y } RETURN x, y, t' --max-rows 0 "$T/f.dot"
like "... says so" "$(cat "$T/err")" "memory"
asks "memory of a row is given back after it" "2000000;" 'UNWIND range(1, 20) AS x CALL (x) { UNWIND range(1, 100000) AS y RETURN y ORDER BY y DESC } RETURN count(*)'
finish
