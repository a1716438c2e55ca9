#!/bin/bash
# UNION: rows of several parts, each once, and UNION ALL: all of them; in subqueries, too.
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
asks "UNION: each row once, also of one part" "zero(char*);mix(char*, char*);cudaMalloc;" \
	'MATCH (k:kernel) RETURN k.name AS n UNION MATCH (v:kernel|alloc) RETURN v.name AS n'
asks "UNION DISTINCT is UNION" "1;2;" 'UNWIND [1, 2, 1] AS x RETURN x UNION DISTINCT RETURN 2 AS x'
asks "UNION ALL" "5;6;7;7;" 'MATCH (k:kernel) RETURN k.id AS i UNION ALL MATCH (k {id: 7}) RETURN k.id AS i'
asks "three parts; 1 is 1.0, null is null" "1,a;,a;1,b;" \
	"RETURN 1 AS x, 'a' AS y UNION UNWIND [1.0, null] AS x RETURN x, 'a' AS y UNION UNWIND [null, 1] AS x WITH x, CASE WHEN x IS NULL THEN 'a' ELSE 'b' END AS y RETURN x, y"
asks "ORDER BY, SKIP and LIMIT belong to their part" "7;6;1;" \
	'MATCH (k:kernel) RETURN k.id AS i ORDER BY i DESC LIMIT 2 UNION ALL MATCH (v) RETURN v.id AS i ORDER BY i LIMIT 1'
asks "groups of each part" "kernel,3;alloc,1;" "MATCH (k:kernel) RETURN 'kernel' AS kind, count(*) AS n UNION ALL MATCH (k:alloc) RETURN 'alloc' AS kind, count(*) AS n"
asks "a name of one part means nothing in another" "1;3;" 'MATCH (a {id: 1}) RETURN a.id AS i UNION MATCH (a {id: 3}) RETURN a.id AS i'
asks "RETURN * of the same names" "1,2;3,4;" 'WITH 1 AS a, 2 AS b RETURN * UNION WITH 4 AS b, 3 AS a RETURN *'
asks "ends of ranges, once" "3;5;7;" 'MATCH (a {id: 1})-[*]->(b) RETURN b.id AS i UNION MATCH (a {id: 3})-[*]->(b) RETURN b.id AS i'
asks "union is a name as well" "1;2;" 'RETURN 1 AS union UNION ALL RETURN 2 AS union'
asks "in subqueries" "5,2,3,true;6,0,0,false;7,1,2,false;" \
	'MATCH (k:kernel) RETURN k.id, COUNT { MATCH (k)--(x) RETURN x UNION MATCH (k)<--(x) RETURN x } AS n, COUNT { MATCH (k)--(x) RETURN x UNION ALL MATCH (k)<--(x) RETURN x } AS m, EXISTS { MATCH (k)<--(:alloc) RETURN 1 AS x UNION MATCH (k)<--(:memset) RETURN 1 AS x } AS e'
asks "COLLECT" "[1, 2];" 'RETURN COLLECT { UNWIND [1, 2] AS x RETURN x UNION UNWIND [2, 1] AS x RETURN x } AS l'
is "graphs: what any part names" "$("$VFLOW" query 'MATCH (a {id: 5})-->(b) RETURN GRAPH b UNION MATCH p = (a {id: 1})-[*]->(b {id: 3}) RETURN GRAPH p' "$T/f.dot" 2>"$T/err" | grep -oE '^	v[0-9]( -> v[0-9])?' | tr -d '\t' | tr '\n' ';')" "v1;v3;v7;v1 -> v3;"
is "EXPLAIN adds up: 3 kernels and an alloc" "$("$VFLOW" query -T tsv 'EXPLAIN MATCH (k:kernel) RETURN k UNION ALL MATCH (k:alloc) RETURN k' "$T/f.dot" | tail -n 1 | tr '\t' ',')" "5,,UNION ALL,what the 2 parts return,4"
wrong "other names" "column 28: .*same columns: 'y' here, 'x' in the first" 'RETURN 1 AS x UNION RETURN 1 AS y'
wrong "names in another order" "'y' here, 'x' in the first" 'RETURN 1 AS x, 2 AS y UNION RETURN 1 AS y, 2 AS x'
wrong "more columns" "2 here, 1 in the first" 'RETURN 1 AS x UNION RETURN 1 AS x, 2 AS y'
wrong "in a subquery, too" "'y' here, 'x' in the first" 'RETURN EXISTS { RETURN 1 AS x UNION RETURN 1 AS y }'
wrong "both kinds" "column 35: UNION and UNION ALL cannot stand in one query" 'RETURN 1 AS x UNION RETURN 1 AS x UNION ALL RETURN 1 AS x'
wrong "a variable of the part before" "column 38: there is no variable 'a'" 'MATCH (a) RETURN a AS x UNION RETURN a AS x'
wrong "a graph and a table" "RETURN GRAPH and columns" 'MATCH (a) RETURN GRAPH UNION RETURN 1 AS a'
wrong "no part after it" "the query ends here" 'RETURN 1 AS x UNION'
wrong "no RETURN before it" "not 'UNION'" 'MATCH (a) UNION RETURN 1 AS x'
wrong "no RETURN at its end" "expected RETURN, not '}'" 'RETURN EXISTS { MATCH (a) RETURN a UNION MATCH (b) }'
expect_exit 1 "--max-rows counts all parts" "$VFLOW" query --max-rows 3 'UNWIND [1, 2] AS x RETURN x UNION ALL UNWIND [1, 2] AS x RETURN x' "$T/f.dot"
expect_exit 0 "... but what is there twice once" "$VFLOW" query --max-rows 2 'UNWIND [1, 2] AS x RETURN x UNION UNWIND [1, 2] AS x RETURN x' "$T/f.dot"
expect_exit 1 "memory is limited" "$VFLOW" query 'UNWIND range(1, 9999999) AS x UNWIND range(1, 10) AS y RETURN x, y, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" + x AS t UNION RETURN 1 AS x, 2 AS y, 3 AS t' --max-rows 0 "$T/f.dot"
finish
