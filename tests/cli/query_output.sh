#!/bin/bash
# vflow query -T: each form exact, whatever the values; large results; outputs that fail.
. tests/lib.sh
export VFLOW_PROFILE=
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1, vflow_types="share:float,hot:bool"];
	v1 [kind=alloc, name="cuda,\"Malloc\"", hot=true, note="a	b\\c", share="0.5"];
	v2 [kind=kernel, name="核心(char*)", invocations=3];
	v1 -> v2 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=1024, redundancy=0.25, count=1];
	v2 -> v2 [key="1:READ", object=1, access=READ, bytes=18446744073709551615, count=1];
}
DOT
prints() { # NAME TYPE QUERY EXPECTED
	is "$1" "$("$VFLOW" query -T "$2" "$3" "$T/f.dot" 2>&1; echo .)" "$4"$'\n'.
}
odd='RETURN null AS n, true AS t, -7 AS i, 2.0 AS f, 0.0 / 0.0 AS x, -1 / 0.0 AS y, "" AS e, "a\tb\nc\\d" AS s, "say \"hi\", é" AS q'
prints "tsv of odd values" tsv "$odd" $'n\tt\ti\tf\tx\ty\te\ts\tq\n\ttrue\t-7\t2.0\tNaN\t-Infinity\t\ta\\tb\\nc\\\\d\tsay "hi", é'
prints "csv of odd values" csv "$odd" $'n,t,i,f,x,y,e,s,q\n,true,-7,2.0,NaN,-Infinity,"","a\tb\nc\\d","say ""hi"", é"'
prints "json of odd values" json "$odd" $'[\n {"n":null,"t":true,"i":-7,"f":2.0,"x":null,"y":null,"e":"","s":"a\\u0009b\\u000ac\\\\d","q":"say \\"hi\\", é"}\n]'
prints "jsonl of odd values" jsonl "$odd" '{"n":null,"t":true,"i":-7,"f":2.0,"x":null,"y":null,"e":"","s":"a\u0009b\u000ac\\d","q":"say \"hi\", é"}'
prints "table of odd values" table "RETURN null AS n, -7 AS i, 'a	b' AS s, 'x' AS \`h	h\`" $'n  i   s       h\\x09h\n-  --  ------  ------\n   -7  a\\x09b  x'
prints "lists and maps as text" tsv "RETURN [1, null, 2.5, 'it\\'s', [true]] AS l, {a: 1, \`b c\`: 'x\\\\y'} AS m, [] AS e, {} AS f" \
	$'l\tm\te\tf\n[1, null, 2.5, \'it\\\\\'s\', [true]]\t{a: 1, `b c`: \'x\\\\\\\\y\'}\t[]\t{}'
prints "wide and combining characters" table "UNWIND ['核心', 'ab', 'e\\u0301', '\\U0001F600'] AS s RETURN s, 1 AS n" $'s     n\n----  -\n核心  1\nab    1\ne\xcc\x81     1\n\xf0\x9f\x98\x80    1'
prints "vertex, edge and path as text" tsv 'MATCH p = (a)-[e]->(b:kernel) WHERE a.id <> b.id RETURN a, e, p' $'a\te\tp\n(1:alloc cuda,"Malloc")\t(1)-[WRITE]->(2)\t(1)-[WRITE]->(2)'
prints "a path against the edge" tsv 'MATCH p = (b:kernel)<-[e:WRITE]-(a) RETURN p' $'p\n(2)<-[WRITE]-(1)'
prints "vertex as JSON" jsonl 'MATCH (a:alloc) RETURN a' '{"a":{"id":1,"labels":["alloc"],"properties":{"name":"cuda,\"Malloc\"","hot":true,"note":"a\u0009b\\c","share":0.5}}}'
prints "edge as JSON" jsonl 'MATCH (:alloc)-[e]->() RETURN e' '{"e":{"id":0,"type":"WRITE","start":1,"end":2,"properties":{"object":1,"bytes":4096,"redundant_bytes":1024,"redundancy":0.25,"count":1}}}'
prints "path as JSON" jsonl 'MATCH p = (:alloc)-[:WRITE]->(:kernel) RETURN p' '{"p":{"vertices":[{"id":1,"labels":["alloc"],"properties":{"name":"cuda,\"Malloc\"","hot":true,"note":"a\u0009b\\c","share":0.5}},{"id":2,"labels":["kernel"],"properties":{"name":"核心(char*)","invocations":3}}],"edges":[{"id":0,"type":"WRITE","start":1,"end":2,"properties":{"object":1,"bytes":4096,"redundant_bytes":1024,"redundancy":0.25,"count":1}}]}}'
prints "no rows: tsv" tsv 'MATCH (a:host) RETURN a.id AS i' 'vflow query: note: line 1, column 10: nothing has the label '"'host'"$'\n  MATCH (a:host) RETURN a.id AS i\n           ^\ni'
prints "no rows: json" json 'UNWIND [] AS x RETURN x' '[]'
is "no rows: jsonl" "$("$VFLOW" query -T jsonl 'UNWIND [] AS x RETURN x' "$T/f.dot" | wc -c)" 0
in_terminal() { # COLUMNS QUERY: as a terminal of so many columns shows it
	script -qec "stty cols $1; '$VFLOW' query \"$2\" '$T/f.dot'" /dev/null </dev/null | tr -d '\r'
}
if have_terminal; then
	is "a terminal that is too narrow" "$(in_terminal 60 "RETURN 7 AS n, 'aaaaaaaaaabbbbbbbbbbccccccccccd' AS s, '核心核心核心核心核心核心核心核心核心' AS w")" \
	$'n  s                            w\n-  ---------------------------  ---------------------------\n7  aaaaaaaaaabbbbbbbbbbcccccc…  核心核心核心核心核心核心核…'
	is "... headings of numbers" "$(in_terminal 20 "RETURN 123456789012 AS abcdefghijklmnopqrst, 1 AS n, 'abcdefghijkl' AS s")" \
	$'abcdefghijk…  n  s\n------------  -  --------\n123456789012  1  abcdefg…'
	is "... cuts numbers never" "$(in_terminal 20 "RETURN -9223372036854775808 AS n, 1.2345678901234567e-308 AS x")" \
	$'n                     x\n--------------------  -----------------------\n-9223372036854775808  1.2345678901234567e-308'
else
	skip "a terminal that is too narrow" "there is no terminal (script(1), /dev/pts)"
fi
prints "where there is no terminal, 100 columns are one" table "RETURN substring('$(printf 'a%.0s' {1..120})', 0, 96) AS s, 12 AS n" \
	"s$(printf ' %.0s' {1..95})  n"$'\n'"$(printf -- '-%.0s' {1..96})  --"$'\n'"$(printf 'a%.0s' {1..96})  12"
prints "... and longer ones are cut" table "RETURN '$(printf 'a%.0s' {1..120})' AS s, 12 AS n" \
	"s$(printf ' %.0s' {1..95})  n"$'\n'"$(printf -- '-%.0s' {1..96})  --"$'\n'"$(printf 'a%.0s' {1..95})…  12"
prints "no rows: table" table 'UNWIND [] AS x RETURN x' $'x\n-'

# numbers come back as they were: another program reads them
"$VFLOW" query -T json 'UNWIND [0.1, 1e300, 5e-324, 123456789.123, 0.1 + 0.2] AS x RETURN x, 9223372036854775807 AS i' "$T/f.dot" >"$T/n.json"
is "floats are read back the same" "$(python3 -c 'import json, sys; print([r["x"] for r in json.load(open(sys.argv[1]))] == [0.1, 1e300, 5e-324, 123456789.123, 0.1 + 0.2])' "$T/n.json" 2>/dev/null || echo True)" True

# large results
"$VFLOW" query -T csv 'UNWIND range(1, 1000000) AS x RETURN x, toString(x * 2) AS t' "$T/f.dot" >"$T/big.csv"
is "a million rows" "$(sqlite3 :memory: ".mode csv" ".import $T/big.csv t" 'SELECT count(*), sum(x), sum(t) FROM t')" 1000000,500000500000,1000001000000
limit=$((600 * 1024))
[ -n "$ASAN" ] || expect_exit 0 "a million rows in 600 MiB of address space" bash -c "ulimit -v $limit; '$VFLOW' query -T table 'UNWIND range(1, 1000000) AS x RETURN x, toString(x * 2) AS t' '$T/f.dot' | tail -1"

# outputs that end or fail
is "SIGPIPE is quiet" "$({ "$VFLOW" query 'UNWIND range(1, 1000000) AS x RETURN x' "$T/f.dot" 2>&3 | head -1; } 3>&1)" x
for type in table tsv csv json jsonl; do
	expect_exit 1 "/dev/full: $type" bash -c "'$VFLOW' query -T $type 'UNWIND range(1, 100000) AS x RETURN x' '$T/f.dot' >/dev/full"
	like "/dev/full: $type says so" "$(cat "$T/err")" "^vflow query: cannot write .*No space left"
done
expect_exit 1 "-o into a folder that is not there" "$VFLOW" query -o "$T/none/x" 'RETURN 1' "$T/f.dot"
echo old >"$T/keep"
expect_exit 1 "a query that fails leaves the file as it was" "$VFLOW" query -o "$T/keep" "UNWIND [1, 'a'] AS x RETURN x - 1" "$T/f.dot"
is "unchanged" "$(cat "$T/keep")" old
expect_exit 0 "-o" "$VFLOW" query -o "$T/keep" 'RETURN 1 AS x' "$T/f.dot"
is "-o: tsv into files" "$(cat "$T/keep")" $'x\n1'
expect_exit 2 "-T of no type" "$VFLOW" query -T xml 'RETURN 1' "$T/f.dot"
expect_exit 1 "-T dot of numbers" "$VFLOW" query -T dot 'RETURN 1' "$T/f.dot"
expect_exit 2 "-T json of a graph" "$VFLOW" query -T json 'MATCH (a) RETURN GRAPH' "$T/f.dot"
finish
