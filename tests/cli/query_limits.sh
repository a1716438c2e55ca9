#!/bin/bash
# vflow query: whatever is asked, an answer or a sentence that names the limit and what to do.
. tests/lib.sh
export VFLOW_PROFILE=
{ echo 'digraph {'; for i in $(seq 0 11); do for j in $(seq 0 11); do echo "v$i -> v$j [object=1, access=WRITE, bytes=1];"; done; done; echo '}'; } >"$T/dense.dot"
limited() { # CODE NAME REGEX [OPTIONS] QUERY [GRAPH]: fails with the code, says so, writes nothing
	local code=$1 name=$2 regex=$3
	shift 3
	[[ ${!#} == *.dot ]] || set -- "$@" "$T/dense.dot"
	expect_exit "$code" "$name" timeout 600 "$VFLOW" query --timeout 0 "$@"
	like "$name: says what to do" "$(cat "$T/err")" "$regex"
	is "$name: no partial output" "$(cat "$T/out")" ""
}
repeat() { # TEXT TIMES
	local text
	printf -v text "%*s" "$2" ""
	echo -n "${text// /$1}"
}

# -- the text of the query
limited 2 "brackets in brackets" "too deep: at most 200" "RETURN $(repeat '(' 5000)1"
limited 2 "lists in lists" "too deep: at most 200" "RETURN $(repeat '[' 5000)1"
limited 2 "maps in maps" "too deep: at most 200" "RETURN $(repeat '{a: ' 5000)1"
limited 2 "CASE in CASE" "too deep: at most 200" "RETURN $(repeat 'CASE WHEN ' 5000)1"
limited 2 "subqueries in subqueries" "too deep: at most 200" "RETURN $(repeat 'EXISTS { RETURN ' 5000)1"
limited 2 "a long sum" "too many operators" "RETURN 1$(repeat +1 5000)"
limited 2 "long sums in subqueries in subqueries" "too many operators" \
	"RETURN $(repeat 'COUNT { RETURN ' 4)1$(repeat "$(repeat +1 150) AS x }" 4) AS y"
limited 2 "long sums in the maps of patterns" "too many operators" \
	"MATCH (a) WHERE $(repeat '(a {x: ' 4)1$(repeat "$(repeat +1 150)})--()" 4) RETURN a"
limited 2 "clauses" "at most 100 clauses" "$(repeat 'MATCH () ' 101)RETURN 1"
limited 2 "edges of a pattern" "at most 100 edges" "MATCH ()$(repeat '--()' 101) RETURN 1"
limited 2 "vertices and edges of all patterns" "at most 1000 vertices and edges" \
	"$(repeat "MATCH ()$(repeat '--()' 90) " 12)RETURN 1"
limited 2 "columns" "at most 1000 columns" "RETURN 1$(for i in $(seq 1001); do echo -n ", $i"; done)"
{ echo -n "RETURN '"; head -c 1048576 /dev/zero | tr '\0' x; echo "' AS x"; } >"$T/long"
limited 2 "a query of 1 MB" "longer than 256 KiB.*-p NAME" -f "$T/long"
{ echo -n "RETURN size('"; head -c 200000 /dev/zero | tr '\0' x; echo "') AS n"; } >"$T/long"
is "a query of 200 KB is no problem" "$("$VFLOW" query -f "$T/long" "$T/dense.dot" | tail -1)" 200000
is "nor is a condition of 5,000 parts" "$("$VFLOW" query "MATCH (a) WHERE a.id = 3$(for i in $(seq 5000); do echo -n " AND a.id <> $i$i"; done) RETURN a.id" "$T/dense.dot" | tail -1)" 3
is "notes have an end, too" "$("$VFLOW" query "MATCH (a) RETURN 1$(for i in $(seq 100); do echo -n ", a.nothing$i"; done)" "$T/dense.dot" 2>&1 >/dev/null | grep -c 'note:')" 20

# -- time
limited 1 "[*] over a dense graph: time" "time for the query is up.*--timeout" --timeout 1 'MATCH p = (a {id: 1})-[*]->(b) RETURN count(p)'
limited 1 "[*] over a dense graph: rows" "more than 1000 rows.*--max-rows" --max-rows 1000 'MATCH p = (a)-[*]->(b) RETURN length(p)'
is "[*] where only ends count" "$("$VFLOW" query 'MATCH (a)-[*]->(b) RETURN count(DISTINCT b) AS n' "$T/dense.dot" | tail -1)" 12
limited 1 "comparing long lists" "time for the query is up" --timeout 1 'WITH range(1, 9999999) AS l UNWIND l AS x RETURN count(l = l)'
limited 1 "UNWIND of a UNWIND" "time for the query is up" --timeout 1 'UNWIND range(1, 9999999) AS x UNWIND range(1, 9999999) AS y RETURN count(*)'
{ echo 'digraph {'; for i in $(seq 0 39); do echo "v$i -> { u$i w$i }; { u$i w$i } -> v$((i + 1));"; done; echo '}'; } >"$T/ladder.dot"
limited 1 "all of 2^40 shortest paths" "time for the query is up.*--timeout" --timeout 1 \
	'MATCH p = ALL SHORTEST (a {id: 0})-[*]->(b {id: 120}) RETURN count(p)' "$T/ladder.dot"
limited 1 "a regular expression that explodes" "too costly.*simpler" "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+\$'"
limited 1 "a regular expression that is costly for every row" "too costly|time for the query is up" --timeout 1 \
	"UNWIND range(1, 1000000) AS x RETURN count(CASE WHEN 'aaaaaaaaaaaaaaaaa' + x =~ '(a+)+[b-z]' THEN 1 END)"
limited 2 "a regular expression that is none" "missing closing parenthesis" "RETURN 'a' =~ '('"
limited 2 "a very long regular expression" "longer than 16384 bytes" "RETURN 'a' =~ '$(repeat 'a?' 9000)'"

# -- memory
limited 1 "a very long range" "range\(\) gives at most 10000000" 'UNWIND range(1, 1000000000000) AS x RETURN x'
limited 1 "a string that doubles" "1024 MiB of memory" "RETURN size(reduce(s = 'x', i IN range(1, 60) | s + s))"
limited 1 "a string by replace()" "1024 MiB of memory" "WITH reduce(s = 'x', i IN range(1, 17) | s + s) AS s RETURN size(replace(s, 'x', s))"
limited 1 "a list that doubles" "1024 MiB of memory" 'RETURN size(reduce(l = [1], i IN range(1, 60) | l + l))'
limited 1 "a list that holds another twice that holds another twice" "needs more than 1024 MiB of memory" \
	'WITH reduce(l = [1], i IN range(1, 60) | [l, l]) AS l RETURN l = l'
limited 1 "a long string in many columns" "1024 MiB of memory" \
	"WITH reduce(s = 'x', i IN range(1, 26) | s + s) AS s RETURN 1$(for i in {1..100}; do echo -n ", s AS s$i"; done)"
limited 1 "a list of lists of lists" "more than 1000 deep" 'RETURN reduce(l = [], i IN range(1, 100000) | [l])'
limited 1 "ORDER BY of too many rows" "1024 MiB of memory" 'UNWIND range(1, 9999999) AS x UNWIND range(1, 9) AS y RETURN x, y ORDER BY y, x'
is "ORDER BY with LIMIT keeps what it needs" "$("$VFLOW" query 'UNWIND range(1, 200000) AS x RETURN x, toString(-x) AS t ORDER BY x % 1000 DESC, x SKIP 1 LIMIT 2' "$T/dense.dot" | tail -n 2 | tr '\t\n' ' ;')" \
	"1999 -1999;2999 -2999;"
limited 1 "the beginnings of very many trails" "1024 MiB of memory" --timeout 600 \
	'MATCH p = SHORTEST 1000000000 (a {id: 1})-[*]->(b {id: 2}) RETURN count(p)'
limited 1 "many groups of many sums" "1024 MiB of memory" "UNWIND range(1, 100000) AS x RETURN x$(for i in {1..300}; do echo -n ", sum(x + $i)"; done)"
limited 1 "collect() of too many" "1024 MiB of memory" 'UNWIND range(1, 9999999) AS x UNWIND range(1, 9) AS y RETURN size(collect(x))'
finish
