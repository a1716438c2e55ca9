#!/bin/bash
# vflow render: HTML, JSON, folded stacks, Perfetto, PDF; what sizes stand for.
. tests/lib.sh
export LSAN_OPTIONS=suppressions=$T/lsan # fontconfig keeps its tables until the process ends
echo leak:libfontconfig >"$T/lsan"
render() { "$VFLOW" render "$@"; }

cat >"$T/g.dot" <<'END'
digraph { vflow_version=1; vflow_types="note:str,speed:float,URL:str,onclick:str";
v0 [kind=host name=host];
v1 [kind=alloc name=cudaMalloc invocations=1 callpath="get mem.c:3 < main app.c:10"];
v2 [kind=memset name=cudaMemset invocations=1 written_bytes=4096 callpath="main app.c;11"];
v3 [kind=kernel name="k<int>(int*)" invocations=1000 read_bytes=1024 written_bytes=4096 redundant_bytes=4096 callpath="run app.c:12 < main app.c:20"
	patterns="redundant_values" advice="Delete \"it\" </script>." note="seen" speed=1.5 URL="javascript:evil()" onclick="evil()" secret="hidden text" color="evilred"];
v1->v2 [key="1:WRITE" object=1 access=WRITE bytes=4096 redundant_bytes=0 count=1 object_bytes=4096];
v2->v3 [key="1:WRITE" object=1 access=WRITE bytes=4096 redundant_bytes=4096 count=1 object_bytes=4096];
v2->v3 [key="1:READ" object=1 access=READ bytes=1024 count=1 object_bytes=4096];
}
END

# HTML: one file; the policy names exactly what is in it; the data is JSON
expect_exit 0 "html" render -o "$T/g.html" "$T/g.dot"
is "nothing on stderr" "$(cat "$T/err")" ""
html=$(cat "$T/g.html")
element() { # PATTERN of the start tag: the content up to the end tag
	perl -0777 -ne 'print $1 if m{<'"$1"'>(.*?)</'"${1%% *}"'>}s' "$T/g.html"
}
cell() { # LIST ROW COLUMN of $T/data.json
	json_query "$T/data.json" "SELECT text->('\$.$1[$2][' || (SELECT key FROM json_each(text, '\$.columns.$1') WHERE value->>'name' = '$3') || ']') FROM json"
}
hash_of() { openssl dgst -sha256 -binary | openssl base64; }
if command -v perl >/dev/null && command -v openssl >/dev/null; then
	like "the policy names the script" "$html" "script-src 'sha256-$(element script | hash_of | sed 's/+/\\+/g')'"
	like "the policy names the style" "$html" "style-src 'sha256-$(element style | hash_of | sed 's/+/\\+/g')'"
	is "our own script and style are below 76 KB" "$([ "$(cat <(element script) <(element style) | wc -c)" -lt 76000 ] && echo yes)" yes
	element 'script type="application/json" id="data"' >"$T/data.json"
	is "the data is JSON" "$(json_query "$T/data.json" "SELECT json_valid(text) FROM json")" 1
	is "every vertex and edge" "$(json_query "$T/data.json" "SELECT json_array_length(text, '\$.vertices'), json_array_length(text, '\$.edges') FROM json")" "4 3"
	is "text arrives unchanged" "$(cell vertices 3 advice)" '"Delete \u0022it\u0022 \u003c/script\u003e."'
	is "declared attributes only, no styling" "$(cell vertices 3 more)" '{"note":"seen","speed":"1.5"}'
	is "figures of vertices and edges" "$(cell vertices 3 invocations) $(cell vertices 3 redundant_bytes) $(cell vertices 2 time_ns) $(cell edges 2 bytes) $(cell edges 1 redundancy) $(cell edges 2 redundancy)" \
		"1000 4096 null 1024 1 null"
	is "figures have titles and units" "$(json_query "$T/data.json" "SELECT value->>'title', value->>'unit' FROM json, json_each(text, '\$.columns.vertices')
		WHERE value->>'unit' IS NOT NULL")" $'ran calls\nread bytes\nwritten bytes\nunchanged bytes\nunchanged values bytes\nfreed unread bytes\nunread at the end bytes\nGPU time ns'
	is "a column for every value" "$(json_query "$T/data.json" "SELECT (SELECT count(*) FROM json_each(text, '\$.columns.vertices') c, json_each(text, '\$.vertices[3]') v WHERE c.key = v.key) =
		json_array_length(text, '\$.vertices[3]'), json_array_length(text, '\$.columns.edges') - json_array_length(text, '\$.edges[0]') FROM json")" "1 1"
else
	skip "the policy and the data" "no perl or openssl"
fi
like "nothing else may load" "$html" "default-src 'none'.*base-uri 'none'; form-action 'none'"
unlike "links, styles and unknown attributes are not even text" "$html" 'evil|hidden text'
unlike "no links, no handlers, no styles in tags" "$(sed '/<script>/,$d' "$T/g.html")" '<[a-z][^>]* (href|src|on[a-z]+|style)='
is "no innerHTML" "$(cat web-static/*.js | grep -c 'innerHTML\|outerHTML\|insertAdjacentHTML\|eval(\|document.write')" 0
is "the same bytes again" "$(render -T html "$T/g.dot" | cmp - "$T/g.html" 2>&1)" ""

# JSON
expect_exit 0 "json" render -o "$T/g.json" "$T/g.dot"
is "names of vflow-export(1), numbers as numbers" "$(json_query "$T/g.json" "SELECT text->>'\$.edges[1].start', text->>'\$.edges[1].end', json_type(text, '\$.edges[1].bytes'),
	text->>'\$.edges[1].redundancy', json_type(text, '\$.edges[2].redundancy') IS NULL FROM json")" "2 3 integer 1 1"
is "positions: time flows down" "$(json_query "$T/g.json" "SELECT (text->>'\$.vertices[1].y') < (text->>'\$.vertices[2].y') AND (text->>'\$.vertices[2].y') < (text->>'\$.vertices[3].y') FROM json")" 1

# folded stacks: outermost first; 4096, and 1024 + 4096 bytes
expect_exit 0 "folded" render -o "$T/g.folded" "$T/g.dot"
is "folded: bytes" "$(cat "$T/g.folded")" $'main app.c,11;cudaMemset 4096\nmain app.c:20;run app.c:12;k<int>(int*) 5120'
is "folded: unchanged bytes" "$(render -T folded --size-by unchanged "$T/g.dot")" 'main app.c:20;run app.c:12;k<int>(int*) 4096'
is "folded: invocations" "$(render -T folded --size-by invocations "$T/g.dot" | grep -c .)" 3

# what makes a vertex large
font() { # OPTION... : size of the kernel's name
	render "$@" "$T/g.dot" | sed -n '/id="v3"/,/<\/g>/s/.*font-size="\([0-9.]*\)".*font-weight="bold">k.*/\1/p'
}
is "by invocations: 12 * (1 + 0.15 * 3)" "$(font)" 17.4
is "by bytes: the largest is 12 * 1.75" "$(font --size-by bytes)" 21.0
expect_exit 1 "by time without times" render --size-by time "$T/g.dot"
like "by time: says where times come from" "$(cat "$T/err")" 'no times: DOT only has those of a timing pass'
expect_exit 2 "by nonsense" render --size-by colour "$T/g.dot"

# groups: a.c has 1 and 2, b.c has 3; 4 has no place, host stays alone
cat >"$T/groups.dot" <<'END'
digraph { vflow_version=1; v0 [kind=host name=host];
v1 [kind=alloc name=cudaMalloc invocations=2 callpath="get a.c:3 < main m.c:1"];
v2 [kind=kernel name=k invocations=5 written_bytes=100 redundant_bytes=50 patterns=redundant_values callpath="run a.c:9 < main m.c:2"];
v3 [kind=kernel name=l invocations=7 callpath="run b.c:9 < main m.c:3"];
v4 [kind=memcpy name=cudaMemcpy invocations=1];
v1->v2 [object=1 access=WRITE bytes=100 redundant_bytes=50 count=1];
v1->v3 [object=1 access=READ bytes=10 count=1];
v2->v3 [object=1 access=READ bytes=20 count=2];
v2->v3 [object=9 access=READ bytes=30 count=3];
v3->v4 [object=1 access=READ bytes=40 count=1];
v4->v0 [object=1 access=WRITE bytes=40 count=1];
}
END
grouped() { # WHAT: vertices as ID:NAME:INVOCATIONS, edges as FROM>TO:ACCESS:BYTES:COUNT
	render -T json --group-by "$1" -o "$T/groups.json" "$T/groups.dot" 2>"$T/err" &&
		json_query "$T/groups.json" "SELECT group_concat(v, ' ') FROM (SELECT (value->>'id') || ':' || (value->>'name') || ':' || coalesce(value->>'invocations', '') AS v
			FROM json, json_each(text, '\$.vertices')); SELECT group_concat(e, ' ') FROM (SELECT (value->>'start') || '>' || (value->>'end') || ':' ||
			substr(value->>'access', 1, 1) || ':' || (value->>'bytes') || ':' || (value->>'count') AS e FROM json, json_each(text, '\$.edges') ORDER BY e)"
}
is "by file" "$(grouped file)" $'0:host: 1:a.c (2):7 3:l:7 4:cudaMemcpy:1\n1>1:W:100:1 1>3:R:60:6 3>4:R:40:1 4>0:W:40:1'
like "by file: says how many" "$(cat "$T/err")" '5 vertices and 6 edges drawn as 4 and 4, grouped by file'
like "by file: the picture too" "$(render --group-by file "$T/groups.dot" 2>/dev/null)" '>5 vertices and 6 edges, grouped by file<'
is "by function" "$(grouped function)" $'0:host: 1:cudaMalloc:2 2:run (2):12 4:cudaMemcpy:1\n1>2:R:10:1 1>2:W:100:1 2>2:R:50:5 2>4:R:40:1 4>0:W:40:1'
is "by object: the allocation and its only writer" "$(grouped object | head -1)" "0:host: 1:object #1, a.c:3 (2):7 3:l:7 4:cudaMemcpy:1"
is "by call path: run is called from two lines" "$(grouped call-path | head -1)" "0:host: 1:cudaMalloc:2 2:k:5 3:l:7 4:cudaMemcpy:1"
# a page of groups has the report's findings, each at the group of its operation: the first of cuda_make_array's
# operations is vertex 1, and fill_ongpu has fill_kernel only
collect "$T/demo.db" "$P/demo" >/dev/null 2>&1
"$VFLOW" render -T html --group-by function "$T/demo.db" 2>/dev/null | sed -n '/id="data">/,/<\/script>/p' | sed 's/.*id="data">//; s/<\/script>.*//' >"$T/page.json"
is "by function: the page has the report's findings" "$(json_query "$T/page.json" "SELECT value->>0, value->>5, value->>1 FROM json, json_each(text, '\$.findings')")" \
	"$(sqlite3 -separator ' ' "$T/demo.db" "SELECT rowid, pattern, CASE WHEN vertex = (SELECT id FROM vertex WHERE name = 'fill_kernel') THEN vertex ELSE 1 END FROM finding ORDER BY rowid")"
# main is no group: its lines are
sed 's/callpath="\(get\|run\) a/callpath="main a/' "$T/groups.dot" >"$T/main.dot"
sed -i 's/callpath="run b.c:9 < main m.c:3"/callpath="main a.c:9"/' "$T/main.dot"
is "by function: lines of main" "$("$VFLOW" render -T json --group-by function "$T/main.dot" 2>/dev/null >"$T/groups.json"; json_query "$T/groups.json" "SELECT group_concat(value->>'name', ' ') FROM json, json_each(text, '\$.vertices')")" "host cudaMalloc main:9 (2) cudaMemcpy"

# findings: strong where they are worth half of the best or more, weak below a tenth, none below a hundredth; a circle's size does not depend on its text
cat >"$T/worth.dot" <<'END'
digraph { vflow_version=1; v0 [kind=host name=host];
v1 [kind=memcpy name=cudaMemcpy patterns=dead_write finding=1 finding_share=1 advice="first"];
v2 [kind=memcpy name=cudaMemcpyPeerAsync patterns="dead_write,redundant_values" finding=2 finding_share=0.5 callpath="copy_everything somewhere.c:1234"];
v3 [kind=memcpy name=m patterns=dead_write finding=3 finding_share=0.499];
v4 [kind=memcpy name=m patterns=dead_write finding=4 finding_share=0.099];
v5 [kind=memcpy name=m patterns=dead_write finding=5 finding_share=0.009];
v6 [kind=memcpy name=m patterns=dead_write finding=6];
v7 [kind=memcpy name=cudaMemcpy];
v1->v2 [object=1 access=WRITE bytes=1 count=1]; v3->v4 [object=1 access=WRITE bytes=1 count=1]; v5->v6 [object=1 access=WRITE bytes=1 count=1]; v6->v7 [object=1 access=WRITE bytes=1 count=1];
}
END
render -o "$T/worth.svg" "$T/worth.dot"
circles() { # ATTRIBUTE: of each vertex
	sed -n '/<g id="v[1-7]"/,/<circle/s/.*<circle .* '"$1"'="\([^"]*\)".*/\1/p' "$T/worth.svg" | paste -sd' '
}
colours=$(circles fill)
read -r first half below weak none unknown plain <<<"$colours"
is "findings: strength by what they are worth" "$([ "$first" = "$half" ] && [ "$below" = "$unknown" ] && [ "$none" = "$plain" ] && printf '%s\n' "$first" "$below" "$weak" "$plain" | sort -u | wc -l)" 4
is "findings: nearly nothing has no badge" "$(sed -n '/<g id="v5"/,/<\/g>/p' "$T/worth.svg" | grep -c '<circle')" 1
is "circles: one size" "$(circles r | tr ' ' '\n' | sort -u | wc -l)" 1
is "circles: long names in smaller letters" "$(sed -n '/<g id="v2"/,/<\/g>/s/.*font-size="\([0-9]*\).*bold.*/\1/p' "$T/worth.svg" | head -1 | awk '{ print $1 < 12 }')" 1

# findings are called what the report calls them, not their names in the profile; foreign names stay
cat >"$T/titles.dot" <<'END'
digraph { vflow_version=1; v1 [kind=kernel name=k patterns="gpu_idle,free_in_loop,odd_name"]; v2 [kind=kernel name=l patterns=fill_then_accumulate]; v1->v2 [object=1 access=READ bytes=1 count=1]; }
END
render -T svg "$T/titles.dot" >"$T/titles.svg"
like "titles: in the picture" "$(cat "$T/titles.svg")" '>GPU idle \+2<'
like "titles: its tooltips" "$(cat "$T/titles.svg")" 'findings: GPU idle, allocation in a loop, odd name'
render -T html "$T/titles.dot" | perl -0777 -ne 'print $1 if m{id="data">(.*?)</script>}s' >"$T/titles.json"
like "titles: in the page" "$(cat "$T/titles.json")" '"GPU idle \+2"'
is "titles: for the page's own words" "$(json_query "$T/titles.json" "SELECT text->>'$.titles.gpu_idle', text->>'$.titles.free_in_loop', text->>'$.titles.fill_then_accumulate', (SELECT count(*) = count(DISTINCT key) FROM json_each(text, '$.titles')) FROM json")" \
	"GPU idle allocation in a loop fill, then accumulate 1"

echo 'digraph { a -> b; }' >"$T/plain.dot"
expect_exit 1 "nothing to group by" render --group-by file "$T/plain.dot"
like "nothing to group by: says so" "$(cat "$T/err")" 'no operation says its call path'

# Perfetto: from a profile only
expect_exit 1 "perfetto of DOT" render -T perfetto "$T/g.dot"
like "perfetto of DOT: says what it needs" "$(cat "$T/err")" 'is DOT, which has no events: name a profile'
expect_exit 1 "by stream of DOT" render --group-by stream "$T/groups.dot"

# What ui.perfetto.dev would drop or misplace; prints what breaks a rule.
perfetto_rules() { # FILE
	sqlite3 -batch :memory: "CREATE TABLE e AS SELECT key AS row, value->>'ph' AS ph, value->>'pid' AS pid, value->>'tid' AS tid, CAST(round((value->>'ts') * 1000) AS INTEGER) AS ts,
			CAST(round((value->>'dur') * 1000) AS INTEGER) AS dur, value->>'id' AS id, value->>'name' AS name, value->>'cat' AS cat, value->>'bp' AS bp
			FROM json_each(CAST(readfile('$1') AS TEXT), '\$.traceEvents');
		SELECT 'no such event: ' || ph || ' ' || row FROM e WHERE ph NOT IN ('M', 'X', 's', 'f', 'b', 'e', 'C', 'i') OR pid IS NULL OR (ph != 'M' AND (ts IS NULL OR ts < 0 OR name IS NULL));
		SELECT 'slices overlap: ' || row FROM (SELECT row, ts + dur > lead(ts) OVER (PARTITION BY pid, tid ORDER BY ts) AS overlaps FROM e WHERE ph = 'X') WHERE overlaps;
		SELECT 'slice without length or name of its track: ' || row FROM e WHERE ph = 'X' AND (coalesce(dur, 0) < 1 OR (pid || '/' || tid) NOT IN
			(SELECT pid || '/' || tid FROM e WHERE ph = 'M' AND name = 'thread_name'));
		SELECT 'pair is none: ' || group_concat(ph) || ' ' || id FROM e WHERE id IS NOT NULL GROUP BY id, cat HAVING count(*) != 2 OR
			NOT (min(ts * 10 + (ph IN ('f', 'e'))) = min(CASE WHEN ph IN ('s', 'b') THEN ts * 10 END)) OR group_concat(ph, '') NOT IN ('sf', 'be', 'fs', 'eb');
		SELECT 'no life: ' || id FROM e WHERE cat = 'object' GROUP BY id HAVING max(ts) <= min(ts);
		SELECT 'flow from or to no slice: ' || row FROM e AS flow WHERE ph IN ('s', 'f') AND NOT EXISTS (SELECT 1 FROM e WHERE ph = 'X' AND pid = flow.pid AND tid = flow.tid
			AND flow.ts BETWEEN ts AND ts + dur - 1);
		SELECT 'flow that binds to the next slice: ' || row FROM e WHERE ph = 'f' AND bp IS NOT 'e';"
}
# LeakSanitizer crashes in a target with suppressions
if (unset LSAN_OPTIONS; collect "$T/f.db" "$P/figure3" && collect "$T/demo.db" "$P/demo") >/dev/null 2>&1; then
	expect_exit 0 "perfetto" render -T perfetto -o "$T/f.json" "$T/f.db"
	is "perfetto: JSON" "$(json_query "$T/f.json" "SELECT json_valid(text) FROM json")" 1
	each="FROM json, json_each(text, '\$.traceEvents')"
	is "perfetto: a life for each object" "$(json_query "$T/f.json" "SELECT count(*) $each WHERE value->>'ph' = 'b' AND value->>'cat' = 'object'")" "$(sqlite3 "$T/f.db" 'SELECT count(*) FROM object')"
	is "perfetto: the most memory" "$(json_query "$T/f.json" "SELECT max(value->>'\$.args.live') $each WHERE value->>'ph' = 'C'")" 8192
	is "perfetto: a slice for each call" "$(json_query "$T/f.json" "SELECT count(*) $each WHERE value->>'ph' = 'X'")" "$(sqlite3 "$T/f.db" 'SELECT event_count FROM run')"
	is "perfetto: times of the calls" "$(json_query "$T/f.json" "SELECT value->>'name', CAST(round((value->>'ts') * 1000) AS INTEGER), CAST(round((value->>'dur') * 1000) AS INTEGER)
		$each WHERE value->>'cat' = 'kernel'")" "$(sqlite3 -separator ' ' "$T/f.db" "SELECT call, start_ns, host_ns FROM events WHERE call IN ('zero', 'use')")"
	# use reads what the first zero wrote; the second one's object it only writes over
	is "perfetto: values flow from zero to use" "$(json_query "$T/f.json" "WITH e AS (SELECT value AS v $each), x AS (SELECT v->>'name' AS name, v->>'ts' AS ts, v->>'\$.args.vertex' AS vertex
		FROM e WHERE v->>'ph' = 'X') SELECT v->>'ph', x.name, x.vertex FROM e JOIN x ON x.ts = v->>'ts' WHERE v->>'ph' IN ('s', 'f') ORDER BY 1 DESC")" $'s zero 5\nf use 7'
	is "perfetto: it says whose time it is" "$(json_query "$T/f.json" "SELECT text->>'\$.otherData.times' LIKE 'host time%', text->>'\$.otherData.calls_left_out' FROM json")" "1 0"
	is "perfetto: rules" "$(perfetto_rules "$T/f.json")" ""
	render -o "$T/demo.html" "$T/demo.db"
	sed -n '/id="data">/,/^<\/script>/p' "$T/demo.html" | sed 's/.*id="data">//; /^<\/script>/d' >"$T/data.json"
	is "html: the findings of a profile" "$(json_query "$T/data.json" "SELECT value->>'\$[0]', value->>'\$[1]', value->>'\$[2]', value->>'\$[3]', value->>'\$[5]', value->>'\$[8]' FROM json, json_each(text, '\$.findings')")" \
		"$(sqlite3 -separator ' ' "$T/demo.db" "SELECT id, vertex, object, bytes, pattern, advice FROM finding ORDER BY id")"
	render -T perfetto -o "$T/demo.json" "$T/demo.db"
	is "perfetto: rules, demo" "$(perfetto_rules "$T/demo.json")" ""
	is "perfetto: demo, a flow for each pair of calls" "$(json_query "$T/demo.json" "SELECT count(*) $each WHERE value->>'ph' = 's'")" \
		"$(sqlite3 "$T/demo.db" "SELECT count(*) FROM (SELECT DISTINCT a.event, (SELECT max(w.event) FROM access w JOIN event e ON e.id = w.event
			WHERE w.object = a.object AND w.access = 2 AND e.vertex = a.writer AND w.event < a.event) AS f FROM access a WHERE a.access = 1) WHERE f")"
	mkdir "$T/overlap"
	"$P/hostile_trace" "$T/overlap/1.trace" && "$VFLOW" collect --from-trace "$T/overlap" -o "$T/o.db" 2>/dev/null
	render -T perfetto -o "$T/o.json" "$T/o.db"
	is "perfetto: rules, calls of two threads overlap" "$(perfetto_rules "$T/o.json")" ""
	is "perfetto: they take two tracks" "$(json_query "$T/o.json" "SELECT group_concat(DISTINCT value->>'\$.args.name') $each WHERE value->>'name' = 'thread_name'")" \
		"calls on the default stream,calls on the default stream (2)"

	# host times stand in for GPU times, and it is said
	# drawn in a tenth of a point, calls within 3 % of the longest are as large: 2^(0.05/1.2) = 1.0293
	largest=$(render --size-by time "$T/demo.db" 2>"$T/err" | awk -F'"' '/<g id="v/ { id = substr($2, 2) } /font-size="21.0" text-anchor/ { print id }' | paste -sd,)
	is "by time: the longest call is the largest, and none that is shorter" "$(sqlite3 "$T/demo.db" "SELECT max(host_ns) = (SELECT max(host_ns) FROM vertex), min(host_ns) * 1.03 > max(host_ns)
		FROM vertex WHERE id IN ($largest)")" '1|1'
	like "by time: says whose time" "$(cat "$T/err")" 'no GPU timing in the input: sizes stand for the host time of the calls'
	like "by time: the legend too" "$(render --size-by time "$T/demo.db" 2>/dev/null)" '>host time of its calls \(no GPU timing\)<'
	is "by time: folded stacks add up" "$(render -T folded --size-by time "$T/demo.db" 2>/dev/null | awk '{ sum += $NF } END { printf "%d", sum }')" "$(sqlite3 "$T/demo.db" 'SELECT sum(host_ns) FROM vertex')"
	unlike "DOT has no times" "$(render -T dot --size-by time "$T/demo.db" 2>/dev/null)" '(time|host)_ns='

	# the demo uses one stream: all that is no allocation is one vertex
	is "by stream" "$(render -T json --group-by stream "$T/demo.db" 2>/dev/null >"$T/s.json"; json_query "$T/s.json" "SELECT value->>'name' FROM json, json_each(text, '\$.vertices')
		WHERE value->>'name' NOT IN ('cudaMalloc', 'host')")" "default stream ($(sqlite3 "$T/demo.db" "SELECT count(*) FROM vertex WHERE kind IN ('memcpy', 'memset', 'kernel')"))"
	expect_exit 0 "a profile's picture" render -o "$T/f.svg" "$T/f.db"
	like "says which run it was" "$(cat "$T/f.svg")" '>[^<]*figure3[^<]* · vflow emulated device · 20[0-9-]+ [0-9:]+ UTC<'
else
	skip "perfetto of a profile" "figure3 or the demo could not be profiled"
fi

# PDF
if "$VFLOW" version | grep -qi 'png.*\(no\|without\|missing\)'; then
	expect_exit 1 "no PDF in this build" render -o "$T/a.pdf" "$T/g.dot"
else
	expect_exit 0 "pdf" render -o "$T/a.pdf" "$T/g.dot"
	is "a PDF" "$(head -c 5 "$T/a.pdf")" "%PDF-"
	is "the same PDF again" "$(render -T pdf "$T/g.dot" | cmp - "$T/a.pdf" 2>&1)" ""
fi
finish
