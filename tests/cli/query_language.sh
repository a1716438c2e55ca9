#!/bin/bash
# vflow query: answers worked out by hand on ValueExpert's Figure 3, output formats, errors, limits.
. tests/lib.sh
export VFLOW_PROFILE=
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1, vflow_types="weight:int,share:float,hot:bool"];
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1, weight=7, share="0.5", hot=true, note="a	b\"c"];
	v2 [kind=alloc, name=cudaMalloc, invocations=1];
	v3 [kind=memset, name=cudaMemset, invocations=1];
	v4 [kind=memset, name=cudaMemset, invocations=1];
	v5 [kind=kernel, name="zero(char*)", invocations=3];
	v6 [kind=kernel, name="zero(char*)", invocations=1];
	v7 [kind=kernel, name="mix(char*, char*)", invocations=1];
	v1 -> v3 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1];
	v2 -> v4 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1];
	v3 -> v5 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1];
	v4 -> v6 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1];
	v5 -> v7 [key="1:READ", object=1, access=READ, bytes=1024, count=1];
	v6 -> v7 [key="2:WRITE", object=2, access=WRITE, bytes=1024, redundant_bytes=0, redundancy=0, count=1];
}
DOT
rows() { # ARGUMENTS: the answer without its heading, lines joined by ';', tabs by ','
	"$VFLOW" query -T tsv "$@" "$T/f.dot" 2>"$T/err" | tail -n +2 | tr '\t\n' ',;'
}
asks() { # NAME EXPECTED QUERY [OPTIONS]
	local name=$1 expected=$2
	shift 2
	is "$name" "$(rows "$@")" "$expected"
}
asks "labels and properties" "5,3;6,1;7,1;" 'MATCH (k:kernel) RETURN k.id, k.invocations'
asks "! and | in labels" "0;3;4;" 'MATCH (k:!kernel&!alloc) RETURN k.id'
asks "a pattern with a condition" "3,5;4,6;" 'MATCH (m:memset)-[w:WRITE]->(k) WHERE w.redundancy > 0.9 RETURN m.id, k.id'
asks "READ edges have no redundancy: null is not 0" "5;" 'MATCH (a)-[r]->() WHERE r.redundancy IS NULL RETURN a.id'
asks "sizes" "3;4;" "MATCH ()-[r]->(b) WHERE r.bytes >= 4K AND r.redundancy = 0 RETURN b.id"
asks "1KB is 1000, 1K is 1024" "1000,1024,true;" 'RETURN 1KB, 1KiB, 1K = 1024'
asks "groups" "alloc,2;host,1;kernel,3;memset,2;" 'MATCH (v) RETURN labels(v)[0] AS kind, count(*) ORDER BY kind'
asks "1 and 1.0 are one group" "1,2;2,1;" 'UNWIND [1, 1.0, 2] AS x RETURN x, count(*)'
asks "... but two expressions" "3,7;3,6;2,5;2,4;1,3;1,2;0,1;" 'MATCH (a) WHERE a.id > 0 RETURN a.id / 2 AS half, a.id ORDER BY a.id / 2.0 DESC'
asks "having, by WITH" "4096,4;" 'MATCH ()-[e]->() WITH e.bytes AS b, count(*) AS n WHERE n > 2 RETURN b, n'
asks "sums, least, most, mean" "18432,1024,4096,3072.0;" 'MATCH ()-[e]->() RETURN sum(e.bytes), min(e.bytes), max(e.bytes), avg(e.bytes)'
asks "OPTIONAL MATCH" "6,7;7,;" 'MATCH (k:kernel) WHERE k.id > 5 OPTIONAL MATCH (k)-[]->(n) RETURN k.id, n.id'
asks "a pattern as a condition" "7;" 'MATCH (k:kernel) WHERE NOT (k)-->() RETURN k.id'
asks "[*] to where" "3;5;7;" 'MATCH (a {id: 1})-[*]->(b) RETURN b.id ORDER BY b.id'
asks "{1,2} is *1..2" "3;5;" 'MATCH (a {id: 1})-->{1,2}(b) RETURN b.id ORDER BY b.id'
asks "conditions on every edge of a range" "3;5;" 'MATCH (a {id: 1})-[e* WHERE e.access = "WRITE"]->(b) RETURN b.id ORDER BY b.id'
asks "a shortest path" "(1)-[WRITE]->(3)-[WRITE]->(5)-[READ]->(7);" 'MATCH p = ANY SHORTEST (a {id: 1})-[*]->(b {id: 7}) RETURN p'
asks "a loop's own name in ORDER BY" "2;1;" 'UNWIND [1, 2] AS x RETURN x AS y ORDER BY [x IN [-x] | x][0]'
asks "and beside groups" "2,1;1,1;" 'UNWIND [1, 2] AS x RETURN x AS y, count(*) ORDER BY reduce(x = 0, z IN [x] | x - z)'
asks "a shortest path over a list of edges" "1,3,1;2,3,1;" 'MATCH (a {id: 1})-[r*1..1]->(b) UNWIND [1, 2] AS i MATCH ANY SHORTEST (x)-[r*]->(y) RETURN i, y.id, size(r)'
asks "and on from there" "1,5,1;2,5,1;" 'MATCH (a {id: 1})-[r*1..1]->(b) UNWIND [1, 2] AS i MATCH ANY SHORTEST (x)-[r*]->()-->(y) RETURN i, y.id, size(r)'
asks "all shortest paths, undirected" "6;" 'MATCH p = ALL SHORTEST (a {id: 1})-[*]-(b {id: 2}) RETURN length(p)'
asks "shortestPath()" "3;" 'MATCH p = shortestPath((a {id: 1})-[*]->(b {id: 7})) RETURN length(p)'
asks "all over the edges of a path" "2,6;" 'MATCH p = (a:alloc)-[*2]->(k) WHERE all(e IN relationships(p) WHERE e.object = 2) RETURN a.id, k.id'
asks "=~ takes the whole string" "7;" "MATCH (k) WHERE k.name =~ '(?i)MIX.*' RETURN k.id"
asks "and no less" "" "MATCH (k) WHERE k.name =~ 'mi' RETURN k.id"
asks "parameters" "6;7;" 'MATCH (k:kernel) WHERE k.id IN $ids AND k.name <> $name RETURN k.id' -p 'ids=[6, 7]' -p name=none
asks "CASE, lists, ranges" "[1, 4, 9],odd;" "RETURN [x IN range(1, 3) | x * x], CASE 3 % 2 WHEN 0 THEN 'even' ELSE 'odd' END"
asks "UNWIND and ORDER BY DESC" "3;2;1;" 'UNWIND [2, 3, 1] AS x RETURN x ORDER BY x DESC'
asks "null is last" "1;2;;" 'UNWIND [2, null, 1] AS x RETURN x ORDER BY x'
asks "three values of truth" ",false,true,;" 'RETURN null = null, null AND false, null OR true, 1 IN [2, null]'
asks "vflow_types" "8,1.0,true;" 'MATCH (v {id: 1}) RETURN v.weight + 1, v.share * 2, v.hot'
asks "tabs and quotes" 'a\tb"c;' 'MATCH (v {id: 1}) RETURN v.note'
asks "SKIP and LIMIT" "2;3;" 'MATCH (v) RETURN v.id ORDER BY v.id SKIP 2 LIMIT 2'
asks "a pattern comprehension" "1,[3];3,[5];5,[7];7,[];" 'MATCH (a) WHERE a.id IN [1, 3, 5, 7] RETURN a.id, [(a)-->(b) | b.id]'
asks "with a condition and a path" "[2, 3];" 'MATCH (a {id: 1}) RETURN [p = (a)-[*]->(b:kernel) WHERE b.id > 1 | length(p)]'
asks "EXISTS { }" "5;6;" 'MATCH (k:kernel) WHERE EXISTS { (k)-[e]->(n) WHERE e.bytes < 4K AND n.id > k.id } RETURN k.id'
asks "EXISTS { } with clauses" "7;" 'MATCH (k) WHERE EXISTS { MATCH (a)-->(k) WITH k, count(*) AS n WHERE n = 2 RETURN n } RETURN k.id'
asks "a subquery's groups leave our values alone" "1;2;3;4;5;6;" 'MATCH (a) WITH a, collect(a.id) AS l WHERE EXISTS { MATCH (a)-->(b) WITH b, count(*) AS n WHERE n > 0 RETURN b } AND COUNT { MATCH (a)-->(b) WITH b, collect(b.id) AS m RETURN b } >= 1 RETURN l[0]'
asks "nor do they look at what is not there yet" "5;6;" 'MATCH (a:alloc)-[r*2]->(b) WHERE b.id > 2 AND COUNT { MATCH (a)-->(c) WITH c.id AS k, collect(c.id) AS l WITH k ORDER BY size(l) RETURN k } = 1 RETURN b.id'
asks "a group of nothing" "0,[];" "UNWIND [1, 2] AS i WITH i, CASE WHEN i = 2 THEN replace('$(printf 'A%.0s' {1..3000})', 'A', 'AB') ELSE 'q' END AS t WHERE i = 1 WITH i, range(1, 50) AS pad, [1, 2, 3, t] AS x WHERE i = 7 RETURN count(*), collect(pad)"
asks "a subquery in a subquery" "1;2;" 'MATCH (a:alloc) WHERE EXISTS { MATCH (a)-->(b) WHERE EXISTS { (b)-->(c:kernel) WHERE c.id = a.id + 4 } } RETURN a.id'
asks "COUNT { } and COLLECT { }" "7,2,[6, 5];" 'MATCH (k {id: 7}) RETURN k.id, COUNT { ()-->(k) }, COLLECT { MATCH (a)-->(k) RETURN a.id ORDER BY a.id DESC }'
asks "a subquery after an aggregate" "kernel,3,1;memset,2,0;" 'MATCH (v:kernel|memset) WITH v.kind AS kind, count(*) AS n RETURN kind, n, COUNT { ({kind: kind})-[:READ]->() } ORDER BY kind'
asks "reduce()" "[6, 4, 2],30;" 'RETURN reduce(l = [], x IN [1, 2, 3] | x * 2 + l), reduce(s = 0, x IN [1, 2, 3, 4] | s + x * x)'
asks "a range over a list of edges" "7;" 'MATCH p = (a {id: 3})-[*2]->() WITH a, relationships(p) AS es MATCH (a)-[es*]->(b) RETURN b.id'
cat >"$T/ways.dot" <<'DOT'
digraph { graph [vflow_version=1]; v1; v2; v3; v4; v5; v1 -> v2 [object=1]; v2 -> v4 [object=2]; v1 -> v3 [object=3]; v3 -> v4 [object=4];
	v1 -> v4 [object=5]; v2 -> v3 [object=6]; v4 -> v5 [object=7]; v5 -> v1 [object=8]; v4 -> v4 [object=9]; }
DOT
ways() { # NAME EXPECTED SELECTOR: the objects along each path from 1 to 4
	is "$1" "$("$VFLOW" query -T tsv "MATCH p = $3 (a {id: 1})-[*]->(b {id: 4}) RETURN [e IN relationships(p) | e.object] AS o ORDER BY size(o), o" "$T/ways.dot" |
		tail -n +2 | tr '\n' ';')" "$2"
}
ways "ANY" "[5];" "ANY"
ways "SHORTEST 1" "[5];" "SHORTEST 1"
ways "SHORTEST 4: by length, a trail may come back to its end" "[5];[1, 2];[3, 4];[5, 9];" "SHORTEST 4 PATHS"
ways "SHORTEST 2 GROUPS: all of the two shortest lengths" "[5];[1, 2];[3, 4];[5, 9];" "SHORTEST 2 GROUPS"
ways "SHORTEST 3 GROUPS" "[5];[1, 2];[3, 4];[5, 9];[1, 2, 9];[1, 6, 4];[3, 4, 9];" "SHORTEST 3 GROUPS"
all_ways=$("$VFLOW" query -T tsv 'MATCH p = (a {id: 1})-[*]->(b {id: 4}) RETURN length(p) AS n ORDER BY n' "$T/ways.dot" | tail -n +2 | tr '\n' ' ')
is "SHORTEST 1000: every trail there is" "$("$VFLOW" query -T tsv 'MATCH p = SHORTEST 1000 (a {id: 1})-[*]->(b {id: 4}) RETURN length(p) AS n ORDER BY n' "$T/ways.dot" |
	tail -n +2 | tr '\n' ' ')" "$all_ways"
is "SHORTEST k to every end" "$("$VFLOW" query -T tsv 'MATCH p = SHORTEST 2 (a {id: 1})-[*]->(b) RETURN b.id, collect(length(p)) ORDER BY b.id' "$T/ways.dot" |
	tail -n +2 | tr '\t\n' ' ;')" "1 [3, 4];2 [1, 4];3 [1, 2];4 [1, 2];5 [2, 3];"
asks "[*] from one start" "6;7;" 'MATCH (a:memset)-[*]->(b) WHERE a.id = 4 RETURN DISTINCT b.id ORDER BY b.id'
asks "[*] from several starts: what each reaches" "1,3;1,5;1,7;2,4;2,6;2,7;" 'MATCH (a:alloc)-[*]->(b) RETURN DISTINCT a.id, b.id ORDER BY a.id, b.id'
asks "[*] from several starts: what any reaches" "3;4;5;6;7;" 'MATCH (a:alloc)-[*]->(b) RETURN DISTINCT b.id ORDER BY b.id'
asks "with a condition on the start" "4;6;7;" 'MATCH (a:alloc {invocations: 1})-[*]->(b) WHERE a.id > 1 RETURN DISTINCT b.id ORDER BY b.id'
asks "with the start in the answer only" "2,3;" 'MATCH (a:alloc {invocations: 1})-[*]->(b) RETURN count(DISTINCT a), count(DISTINCT b) - 2'
asks "with a length" "3;4;5;6;" 'MATCH (a:alloc)-[*1..2]->(b) RETURN DISTINCT b.id ORDER BY b.id'
asks "[*] with DISTINCT is reachability" "6;" 'MATCH (a)-[*]->(b) RETURN count(DISTINCT b) + 1'

"$VFLOW" query -T json 'MATCH p = (a {id: 5})-[e]->(b) RETURN a, e, nodes(p) AS n, null AS z' "$T/f.dot" >"$T/json"
is "JSON" "$(json_query "$T/json" "SELECT text->>'\$[0].a.id', text->>'\$[0].a.labels[0]', text->>'\$[0].e.type', text->>'\$[0].e.start',
	text->>'\$[0].e.properties.bytes', text->>'\$[0].n[1].properties.name', json_type(text, '\$[0].z') FROM json")" \
	"5 kernel READ 5 1024 mix(char*, char*) null"
is "jsonl is one object a line" "$("$VFLOW" query -T jsonl 'UNWIND ["a\"b", "c"] AS x RETURN x' "$T/f.dot")" '{"x":"a\"b"}
{"x":"c"}'
is "csv" "$("$VFLOW" query -T csv 'RETURN "a,b" AS x, "say \"hi\"" AS `y,z`' "$T/f.dot")" 'x,"y,z"
"a,b","say ""hi"""'
is "table" "$("$VFLOW" query -T table 'UNWIND [5, 10] AS n RETURN n, "é" AS c' "$T/f.dot")" 'n   c
--  -
 5  é
10  é'

graph() { # NAME EDGES QUERY
	is "$1" "$("$VFLOW" query "$3" "$T/f.dot" 2>"$T/err" | dot_edges)" "$2"
}
graph "RETURN GRAPH" "3>5 4>6" 'MATCH (a:memset)-[w:WRITE]->(k:kernel) RETURN GRAPH'
graph "RETURN GRAPH of a walk" "2>4 4>6 6>7" 'MATCH p=()-[*0..]->(v)-[*0..]->() WHERE v.id = 6 RETURN GRAPH p'
graph "RETURN GRAPH with a bound on length" "1>3 3>5" 'MATCH p=(a {id: 1})-[*..2]->() RETURN GRAPH p'
# for 1 the condition is 1/2 = 0 and holds nowhere
for rows in '[1],[1.0]' '[1.0],[1]' '[[1]],[[1.0]]' '{k: 1},{k: 1.0}' '[0.0],[-0.0]'; do
	case $rows in
	'[['*) holds='x[0][0] / 2 = 0.5' ;;
	'{'*) holds='x.k / 2 = 0.5' ;;
	*0.0*) holds='1 / x[0] < 0' ;;
	*) holds='x[0] / 2 = 0.5' ;;
	esac
	graph "RETURN GRAPH for rows that are equal but not the same: $rows" "1>3 3>5" \
		"UNWIND [$rows] AS x MATCH p=(a {id: 1})-[*..2]->() WHERE $holds RETURN GRAPH p"
done
graph "the slice of 7, as a query" "1>3 2>4 3>5 4>6 5>7 6>7" 'MATCH (v)-[t]-() WHERE v.id = 7 WITH DISTINCT v, t.object AS k
	MATCH p=()-[e*0.. WHERE e.object = k]->(v), q=(v)-[f*0.. WHERE f.object = k]->() RETURN GRAPH p, q'
like "and says what it kept" "$(cat "$T/err")" "kept 7 of 8 vertices, 6 of 6 edges"
is "-T dot of a table" "$("$VFLOW" query -T dot 'MATCH ()-[e:READ]->() RETURN e' "$T/f.dot" 2>/dev/null | dot_edges)" "5>7"
is "a graph pipes on, all attributes kept" "$("$VFLOW" query 'MATCH (v {id: 1}) RETURN GRAPH' "$T/f.dot" 2>/dev/null |
	"$VFLOW" query 'MATCH (v) RETURN v.note, v.weight' | tail -n +2)" 'a\tb"c	7'

wrong() { # NAME REGEX QUERY
	expect_exit 2 "$1" "$VFLOW" query "$3" "$T/f.dot"
	like "$1: says where and why" "$(cat "$T/err")" "$2"
}
asks "percentiles from the first value to the last" "1,3,1.0,3.0,2.0;" 'UNWIND [3, 1, 2] AS x RETURN percentileDisc(x, 0), percentileDisc(x, 1), percentileCont(x, 0), percentileCont(x, 1), percentileCont(x, 0.5)'
expect_exit 1 "a percentile above 1" "$VFLOW" query 'UNWIND [1, 2] AS x RETURN percentileDisc(x, 1.01)' "$T/f.dot"
like "... says why" "$(cat "$T/err")" "a percentile is a number from 0 to 1"
expect_exit 1 "a percentile below 0" "$VFLOW" query 'UNWIND [1, 2] AS x RETURN percentileCont(x, -0.01)' "$T/f.dot"
like "... says why" "$(cat "$T/err")" "a percentile is a number from 0 to 1"
wrong "LIMIT of each row" "line 1, column 33: LIMIT is one number for all rows: it cannot use the variable 'a'" 'MATCH (a) RETURN a.name LIMIT 1+a.id'
asks "an empty name, which maps from elsewhere may have" '{``: 1},2;' 'RETURN {``: 1} AS m, {``: 2}.`` AS n'
wrong "a word too many" "line 1, column 17: expected '\)', not 'WHRE'; did you mean WHERE" 'MATCH (a:kernel WHRE true) RETURN a'
wrong "a missing variable" "line 2, column 8: there is no variable 'bb' here; did you mean 'b'" $'MATCH (b)\nRETURN bb'
wrong "the caret" $'\n  RETURN 1 \\+\n          *\\^' 'RETURN 1 +'
wrong "writing" "CREATE is not in this language" 'CREATE (a) RETURN a'
wrong "DISTINCT x / 2 has no x / 2.0" "'a'" 'MATCH (a) RETURN DISTINCT a.id / 2 ORDER BY a.id / 2.0'
wrong "an aggregate in WHERE" "adds up over rows" 'MATCH (a) WHERE count(*) > 1 RETURN a'
wrong "a type conflict" "already something else" 'MATCH (a)-[a]->() RETURN a'
wrong "a type that cannot be" "a condition is true or false, not an integer" 'MATCH (a) WHERE 5 RETURN a'
wrong "an unknown function" "no function 'siez'; did you mean size" 'RETURN siez([])'
wrong "a parameter without value" "give one with -p x=VALUE" 'RETURN $x'
wrong "a string without end" "does not end" "RETURN 'a"
wrong "a malformed number" "malformed" 'RETURN 12x'
wrong "SHORTEST without number" "number of paths after SHORTEST" 'MATCH SHORTEST (a)-[*]->(b) RETURN a'
wrong "a type conflict in a quantifier" "line 1, column 38: this operator needs a number, not a string" "RETURN all(x IN ['a', 'b'] WHERE 1 + x * 2 > 0)"
wrong "a type conflict by way of WITH and UNWIND" "needs a number, not a string" "WITH ['a', 'b'] AS names UNWIND names AS n RETURN n - 1"
wrong "what a subquery declares ends with it" "no variable 'b' here" 'MATCH (a) WHERE EXISTS { (a)-->(b) } RETURN b'
wrong "a subquery only reads" "SET is not in this language" 'MATCH (a) WHERE EXISTS { MATCH (a) SET a.x = 1 } RETURN a'
wrong "a loop beside an aggregate" "'a' differs within a group" 'MATCH (a) RETURN [x IN [1] | x + a.id], count(*)[0 + size([y IN [1] | y + a.id])]'
wrong "depth" "too deep" "RETURN $(printf '(%.0s' $(seq 5000))1"
wrong "a very long sum" "too many operators" "RETURN 1$(printf '+1%.0s' $(seq 5000))"
"$VFLOW" query 'MATCH (a) RETURN a.nmae' "$T/f.dot" >/dev/null 2>"$T/err"
like "a name that nothing has" "$(cat "$T/err")" "no property|has the property 'nmae'.*did you mean 'name'"
expect_exit 1 "a regular expression that explodes" "$VFLOW" query "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+\$'" "$T/f.dot"
like "and says so" "$(cat "$T/err")" "too costly"
wrong "a property of the wrong type" "line 1, column 18: this operator needs a number, not a string" 'MATCH (a) RETURN a.name - 1'
for most in '-(-9223372036854775808)' '-(- 9223372036854775808)' 'abs(-9223372036854775808)' '- (-9223372036854775807 - 1)'; do
	expect_exit 1 "$most" "$VFLOW" query "RETURN $most" "$T/f.dot"
	like "... does not fit" "$(cat "$T/err")" "line 1, column 8: the result does not fit 64 bits"
done
expect_exit 1 "a value of the wrong type" "$VFLOW" query "UNWIND [1, 'a'] AS x RETURN x - 1" "$T/f.dot"
wrong "the wrong argument" "length\(\) takes a path, not a vertex" 'MATCH (a) RETURN length(a)'
wrong "the wrong argument of several" "size\(\) takes a string, a list or a map, not an edge" 'MATCH ()-[e]->() RETURN size(e)'
wrong "==" "one '=' compares" "MATCH (a) WHERE a.name == 'x' RETURN a"
wrong "!=" "not equal is written <>" "MATCH (a) WHERE a.name != 'x' RETURN a"
wrong "&&" "AND is written in letters" "MATCH (a) WHERE a.id = 1 && a.id = 2 RETURN a"
wrong "||" "OR is written in letters" "MATCH (a) WHERE a.id = 1 || a.id = 2 RETURN a"
wrong "LIKE" "CONTAINS, STARTS WITH" "MATCH (a) WHERE a.name LIKE 'x' RETURN a"
wrong "->" "written -->" "MATCH (a)->(b) RETURN a"
wrong "two queries" "vflow query -i takes several" "RETURN 1; RETURN 2"
wrong "text without quotes" "no variable 'zero' here; text is written in quotes" "MATCH (a) WHERE a.name = zero RETURN a"
wrong "ORDER BY after DISTINCT" "after DISTINCT or an aggregate only the columns are left" "MATCH (a) RETURN DISTINCT a.id ORDER BY a.name"
wrong "the edges of a range are a list" "all\(x IN list" "MATCH (a)-[e*]->() WHERE e.bytes > 1 RETURN a"
notes() { # NAME REGEX QUERY
	expect_exit 0 "$1" "$VFLOW" query "$3" "$T/f.dot"
	like "$1: says so" "$(cat "$T/err")" "note: .*$2"
}
notes "a number compared with text" "line 1, column 24: an integer is compared with a string: they are never equal" "MATCH (a) WHERE a.id = '5' RETURN a"
notes "a number in a map compared with text" "line 1, column 15: an integer is compared with a string" "MATCH (a {id: '5'}) RETURN a"
expect_exit 2 "-p with half a list" "$VFLOW" query -p 'x=[1, 2' 'RETURN $x' "$T/f.dot"
like "-p with half a list: says so" "$(cat "$T/err")" "value of .x is no list and no map: .*expected ']'"
is "-p with text, a size, a list, a map, quotes" "$(rows -p t=a+b -p s=4K -p 'l=[1, null]' -p 'm={a: 1}' -p "q='1'" 'RETURN $t, $s, $l, $m.a, $q + 1')" "a+b,4096,[1, null],1,11;"
expect_exit 2 "-p that is not UTF-8" "$VFLOW" query -p $'x=\xff' 'RETURN $x' "$T/f.dot"
wrong "a query that is not UTF-8" "line 1, column 9: the query is not UTF-8" $'RETURN "\xff"'
notes "ORDER BY a number, as SQL does it" "line 1, column 34: .*orders nothing: name a column" "MATCH (a) RETURN a.name ORDER BY 1"
notes "an empty range" "nothing is at least 5 and at most 2 edges long" "MATCH (a)-[*5..2]->() RETURN a.id"
notes "a label that nothing has" "label 'kernal'; did you mean 'kernel'" "MATCH (a:kernal) RETURN a"
expect_exit 1 "--max-rows" "$VFLOW" query --max-rows 5 'MATCH (a), (b) RETURN a' "$T/f.dot"
is "without partial output" "$(cat "$T/out")" ""
{ echo 'digraph {'; for i in $(seq 24); do for j in 1 2; do echo "v$i -> v$((i + 1)) [object=$j, access=WRITE, bytes=1];"; done; done; echo '}'; } >"$T/ladder.dot"
expect_exit 1 "--timeout: 2^24 paths" "$VFLOW" query --timeout 1 'MATCH p=(a)-[*]->(b) WHERE length(p) > 23 RETURN count(*)' "$T/ladder.dot"
like "the limit is named" "$(cat "$T/err")" "--timeout"
is "what needs no paths needs no time" "$("$VFLOW" query --timeout 30 'MATCH (a {id: 1})-[*]->(b) RETURN count(DISTINCT b)' "$T/ladder.dot" | tail -1)" 24
is "nor does a graph" "$("$VFLOW" query --timeout 30 'MATCH p=(a {id: 1})-[*]->(b {id: 20}) RETURN GRAPH p' "$T/ladder.dot" 2>/dev/null | dot_edges | wc -w)" 38
is "nor does a graph after rows" "$("$VFLOW" query --timeout 30 'MATCH (a {id: 1})-[*]->(b) MATCH p=(b)-[*]->(c) RETURN GRAPH p' "$T/ladder.dot" 2>/dev/null | dot_edges | wc -w)" 46
# v1 to v40000 write to v0: pairs of them are 1.6 * 10^9, but each has one that comes next
awk 'BEGIN { print "digraph { graph [vflow_version=1, vflow_types=\"n:int\"];"
	for (i = 1; i <= 40000; i++) printf "v%d [kind=memset, n=%d]; v%d -> v0 [object=1, access=WRITE, bytes=1];\n", i, i % 40000, i
	print "}" }' >"$T/star.dot"
is "a value that is known before finds a vertex: pairs need no time" \
	"$("$VFLOW" query --timeout 60 'MATCH (a:memset)-->(o)<--(b:memset) WHERE b.n = a.n + 1 RETURN count(*), sum(b.n - a.n), min(a.n), max(b.n)' "$T/star.dot" 2>&1 | tail -1 | tr '\t' ,)" 39999,39999,0,39999
is "... without an edge, too" "$("$VFLOW" query --timeout 60 'MATCH (a:memset), (b:memset {n: a.n + 1}) RETURN count(*)' "$T/star.dot" 2>&1 | tail -1)" 39999
is "... and is not asked for where no vertex can have it: no division by zero" \
	"$("$VFLOW" query --timeout 60 'MATCH (a:memset)-->(o)<--(b:!memset) WHERE b.n = 1 / a.n RETURN count(*)' "$T/star.dot" 2>&1 | tail -1)" 0
expect_exit 1 "memory" "$VFLOW" query "RETURN [$(printf 'range(1, 9999999), %.0s' $(seq 30)) 1]" "$T/f.dot"
like "memory: the limit is named" "$(cat "$T/err")" "more than 1024 MiB"
expect_exit 2 "no query" "$VFLOW" query
finish
