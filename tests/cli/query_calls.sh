#!/bin/bash
# Calls and objects of a profile as patterns: what each is and did, worked out by hand from case `mapped` of moves.c, and
# that queries that do not name them see the graph alone.
. tests/lib.sh
export VFLOW_PROFILE=
collect "$T/m.db" "$P/moves" mapped 2>"$T/err" || { cat "$T/err"; not_ok "collect"; }
asks() { # NAME EXPECTED QUERY [OPTIONS]: rows joined by ';', columns by ','
	local name=$1 expected=$2
	shift 2
	is "$name" "$("$VFLOW" query -T tsv "$@" "$T/m.db" 2>&1 | tail -n +2 | tr '\t\n' ',;')" "$expected"
}
# h = HostAlloc(1024); d = Malloc(1024); reverse(h -> d); copy d -> h; increment h; synchronize; memset h, 512; synchronize;
# copy h -> d; copy d -> host; FreeHost(h).  For copies h is the host: they access d alone.
asks "all calls, those that are no operations, too" \
	"0,cudaHostAlloc;1,cudaMalloc;2,reverse_blocks;3,cudaMemcpy;4,increment;5,cudaDeviceSynchronize;6,cudaMemset;7,cudaDeviceSynchronize;8,cudaMemcpy;9,cudaMemcpy;10,cudaFreeHost;" \
	'MATCH (c:Call) RETURN c.order, c.name ORDER BY c.order'
asks "their operations" "0,1;1,2;2,3;3,4;4,5;6,6;8,7;9,8;" 'MATCH (c:Call)-[:OF]->(v) RETURN c.order, v.id ORDER BY c.order'
asks "objects: site, bytes, memory; the second was never freed" "1,1024,mapped host,true;2,1024,device,;" \
	'MATCH (o:Object)-[:OF]->(a:alloc) RETURN a.id, o.bytes, o.memory, o.end_ns > o.start_ns ORDER BY a.id'
asks "calls that accessed an object in memory of the device" ",4;" 'MATCH (o:Object) WITH o ORDER BY o.id RETURN collect(o.accesses)[1] AS none, max(o.accesses)'
asks "reads: 8 (h is the host for copies, calls 3, 8)" "2,1,1024;3,2,1024;4,1,1024;9,2,1024;" \
	'MATCH (c:Call)-[r:READS]->(o:Object) RETURN c.order, o.id, r.bytes ORDER BY c.order'
asks "writes, with bytes that did not change (e2e_moves.sh) and who wrote before" "2,2,1024,0,2;4,1,1024,767,0;6,1,512,383,5;8,2,1024,768,3;" \
	'MATCH (c)-[w:WRITES]->(o) RETURN c.order, o.id, w.bytes, w.redundant_bytes, w.writer ORDER BY c.order'
asks "what came between two calls" "5;" "MATCH (a:Call {order: 4}), (b:Call)-[w:WRITES]->() WHERE b.order > a.order WITH min(b.order) AS next MATCH (c:Call) WHERE c.order = next - 1 RETURN c.order"
asks "invocations, streams, times" "true;" 'MATCH (c:Call) RETURN count(*) = 11 AND max(c.stream) = 0 AND all(x IN collect(c.end_ns - c.start_ns) WHERE x >= 0) AND max(c.thread) = 0 AND max(c.invocation) = 0'
asks "an edge without a type beside a call is any of theirs" "OF,4;READS,2;" 'MATCH (c:Call {order: 3})-[r]->(x) RETURN type(r), x.id ORDER BY type(r)'
asks "... and after WITH" "2;" 'MATCH (c:Call {order: 3}) WITH c MATCH (c)-->(x) RETURN count(*)'
asks "... and in a condition" "5,7,10;" 'MATCH (c:Call) WHERE NOT (c)-->() RETURN collect(c.order)[0] AS a, collect(c.order)[1], collect(c.order)[2]' 2>/dev/null
asks "from an operation it is a flow" "0;" 'MATCH (c:Call {order: 3})-[:OF]->(v)-->(to) RETURN to.id'
asks "a group of them" "2,READS,1;2,WRITES,2;" 'MATCH ((c:Call {order: 2})-[e]->(o:Object)){1} RETURN c[0].order, type(e[0]), o[0].id ORDER BY o[0].id'
asks "ids of objects are not those of vertices" "Object;" 'MATCH (c:Call {order: 3})-[]->(o {id: 2}) RETURN labels(o)[0]'
asks "x:Object in a condition" "2;" 'MATCH (x) WHERE x:Object RETURN count(*)'
asks "other vertices of the query are operations" "18;" 'MATCH (v), (o:Object) RETURN count(*)' # 9 vertices
asks "other edges are flows" "44,11;" 'MATCH (a)--(b), (o:Object) WITH count(*) AS n MATCH ()-->() RETURN n, count(*)' # 2 * 2 * 11
asks "degrees are of flows" "1,0;" 'MATCH (v {id: 2})<-[:OF]-(:Object) RETURN outdegree(v), indegree(v)'
asks "a query without them sees the graph" "9;" 'MATCH (v) RETURN count(*)'
asks "as text" "(3:Call reverse_blocks),(Call 3)-[READS]->(Object 1),(Call 3)-[READS]->(Object 1);" 'MATCH p = (c:Call {order: 2})-[r:READS]->(o) RETURN c, r, p'
asks "EXPLAIN counts them: 9 + 2 + 11" "1,,MATCH,start at each of 22 vertices: (o:Object),2;2,,MATCH,from (o:Object) <-[:WRITES]- to (c),4;3,,RETURN,o,4;" 'EXPLAIN MATCH (o:Object)<-[:WRITES]-(c) RETURN o'
is "as JSON" "$("$VFLOW" query -T jsonl 'MATCH (c:Call)-[w]->(o:Object) WHERE id(c) = 7 RETURN c, w, o' "$T/m.db" | sed 's/_ns":[0-9]*/_ns":0/g')" \
	'{"c":{"id":7,"labels":["Call"],"properties":{"name":"cudaMemset","process":1,"start_ns":0,"end_ns":0,"order":6,"thread":0,"device":0,"stream":0,"invocation":0}},"w":{"id":16,"type":"WRITES","start":7,"end":1,"properties":{"bytes":512,"redundant_bytes":383,"redundant_value_bytes":0,"dead_bytes":0,"unread_bytes":0,"writer":5}},"o":{"id":1,"labels":["Object"],"properties":{"bytes":1024,"memory":"mapped host","process":1,"start_ns":0,"end_ns":0}}}'
"$VFLOW" query 'MATCH (o:Object {id: 2})-[:OF]->(a)-[e]->(k) RETURN GRAPH' "$T/m.db" >"$T/out" 2>"$T/err"
is "RETURN GRAPH draws what is of the graph" "$(grep -c -- '->\|^	v' "$T/out")" 3
like "... and says what is not" "$(cat "$T/err")" "calls and objects are no part of the graph"
expect_exit 1 "-T dot of objects" "$VFLOW" query -T dot 'MATCH (o:Object) RETURN o' "$T/m.db"
like "... says so" "$(cat "$T/err")" "not of calls and objects"
is "a session: with them, without, with" "$(printf 'MATCH (c:Call) RETURN count(*) AS n; MATCH (v) RETURN count(*) AS n;\nMATCH (:Object)<--(c) RETURN count(*) AS n;' | "$VFLOW" query -i "$T/m.db" 2>&1 | tr '\n' ' ')" "n 11 n 9 n 8 "
"$VFLOW" query -T dot 'MATCH p = ()-->() RETURN p' "$T/m.db" >"$T/m.dot" 2>/dev/null
is "DOT has none: a note" "$("$VFLOW" query 'MATCH (o:Object) RETURN o.id AS i' "$T/m.dot" 2>&1 | head -n 1)" "vflow query: note: line 1, column 10: nothing has the label 'Object': calls and objects are in profiles, not in DOT"
echo 'digraph { v1 [kind=Object]; v2 [kind=Call]; }' >"$T/own.dot"
is "... unless they are its own kinds" "$("$VFLOW" query 'MATCH (o:Object) RETURN o.id AS i' "$T/own.dot" | tr '\n' ' ')" "i 1 "
sqlite3 "$T/m.db" "UPDATE access SET bytes = bytes - 1 WHERE id = 1"
expect_exit 1 "damaged events" "$VFLOW" query 'MATCH (o:Object) RETURN o' "$T/m.db"
like "... are said" "$(cat "$T/err")" "damaged"
expect_exit 0 "... and do not matter to other queries" "$VFLOW" query 'MATCH (o) RETURN o' "$T/m.db"
collect "$T/two.db" --passes flow,time "$P/moves" mapped 2>"$T/err"
is "times of the device, where pass time was: those of calls are that of the vertex" \
	"$("$VFLOW" query 'MATCH (c:Call)-[:OF]->(v) WHERE v.time_ns > 0 WITH v, sum(c.time_ns) AS t RETURN count(*) AS n, sum(CASE WHEN t = v.time_ns THEN 1 ELSE 0 END) AS same' "$T/two.db" | tail -n 1 | tr '\t' ',')" "6,6"
finish
