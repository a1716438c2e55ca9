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
hash_of() { openssl dgst -sha256 -binary | openssl base64; }
if command -v perl >/dev/null && command -v openssl >/dev/null; then
	like "the policy names the script" "$html" "script-src 'sha256-$(element script | hash_of | sed 's/+/\\+/g')'"
	like "the policy names the style" "$html" "style-src 'sha256-$(element style | hash_of | sed 's/+/\\+/g')'"
	element 'script type="application/json" id="data"' >"$T/data.json"
	is "the data is JSON" "$(json_query "$T/data.json" "SELECT json_valid(text) FROM json")" 1
	is "every vertex and edge" "$(json_query "$T/data.json" "SELECT json_array_length(text, '\$.vertices'), json_array_length(text, '\$.edges') FROM json")" "4 3"
	is "text arrives unchanged" "$(json_query "$T/data.json" "SELECT text->>'\$.vertices[3][8]' FROM json")" 'Delete "it" </script>.'
	is "declared attributes only, no styling" "$(json_query "$T/data.json" "SELECT text->'\$.vertices[3][19]' FROM json")" '{"note":"seen","speed":"1.5"}'
else
	skip "the policy and the data" "no perl or openssl"
fi
like "nothing else may load" "$html" "default-src 'none'.*base-uri 'none'; form-action 'none'"
unlike "links, styles and unknown attributes are not even text" "$html" 'evil|hidden text'
unlike "no links, no handlers, no styles in tags" "$(sed '/<script>/,$d' "$T/g.html")" '<[a-z][^>]* (href|src|on[a-z]+|style)='
is "our own share is below 60 KB" "$([ "$(cat web-static/* | wc -c)" -lt 60000 ] && echo yes)" yes
is "no innerHTML" "$(grep -c 'innerHTML\|outerHTML\|insertAdjacentHTML\|eval(\|document.write' web-static/view.js)" 0
is "the same bytes again" "$(render -T html "$T/g.dot" | cmp - "$T/g.html" 2>&1)" ""

# JSON
expect_exit 0 "json" render -o "$T/g.json" "$T/g.dot"
is "names of DESIGN 6, numbers as numbers" "$(json_query "$T/g.json" "SELECT text->>'\$.edges[1].start', text->>'\$.edges[1].end', json_type(text, '\$.edges[1].bytes'),
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
like "by time: says where times come from" "$(cat "$T/err")" 'no GPU times'
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
like "by file: says how many" "$(cat "$T/err")" '5 vertices, 6 edges drawn as 4, 4'
is "by function" "$(grouped function)" $'0:host: 1:cudaMalloc:2 2:run (2):12 4:cudaMemcpy:1\n1>2:R:10:1 1>2:W:100:1 2>2:R:50:5 2>4:R:40:1 4>0:W:40:1'
is "by object: the allocation and its only writer" "$(grouped object | head -1)" "0:host: 1:object #1, a.c:3 (2):7 3:l:7 4:cudaMemcpy:1"
is "by call path: run is called from two lines" "$(grouped call-path | head -1)" "0:host: 1:cudaMalloc:2 2:k:5 3:l:7 4:cudaMemcpy:1"
expect_exit 2 "by stream: not known" render --group-by stream "$T/groups.dot"
like "by stream: says why" "$(cat "$T/err")" 'do not hold the streams'
echo 'digraph { a -> b; }' >"$T/plain.dot"
expect_exit 1 "nothing to group by" render --group-by file "$T/plain.dot"
like "nothing to group by: says so" "$(cat "$T/err")" 'no operation says its call path'

# Perfetto: lives of objects from a profile
expect_exit 1 "perfetto of DOT" render -T perfetto "$T/g.dot"
like "perfetto of DOT: says what it needs" "$(cat "$T/err")" 'perfetto needs a profile'
if collect "$T/f.db" "$P/figure3" >/dev/null 2>&1; then
	expect_exit 0 "perfetto" render -T perfetto -o "$T/f.json" "$T/f.db"
	is "perfetto: JSON" "$(json_query "$T/f.json" "SELECT json_valid(text) FROM json")" 1
	each="FROM json, json_each(text, '\$.traceEvents')"
	is "perfetto: a life for each object" "$(json_query "$T/f.json" "SELECT count(*) $each WHERE value->>'ph' = 'b'")" "$(sqlite3 "$T/f.db" 'SELECT count(*) FROM object')"
	is "perfetto: which ends later than it begins" "$(json_query "$T/f.json" "SELECT count(*) FROM (SELECT max(CASE value->>'ph' WHEN 'e' THEN value->>'ts' END) >
		max(CASE value->>'ph' WHEN 'b' THEN value->>'ts' END) AS later $each WHERE value->>'id' IS NOT NULL GROUP BY value->>'id') WHERE NOT later")" 0
	is "perfetto: the most memory" "$(json_query "$T/f.json" "SELECT max(value->>'\$.args.live') $each WHERE value->>'ph' = 'C'")" 8192
	is "perfetto: only kinds of events that nest" "$(json_query "$T/f.json" "SELECT group_concat(ph, '') FROM (SELECT DISTINCT value->>'ph' AS ph $each ORDER BY 1)")" CMbe
	expect_exit 0 "a profile's picture" render -o "$T/f.svg" "$T/f.db"
	like "says which run it was" "$(cat "$T/f.svg")" '>[^<]*figure3[^<]* · vflow emulated device · 20[0-9-]+ [0-9:]+ UTC<'
else
	skip "perfetto of a profile" "figure3 could not be profiled"
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
