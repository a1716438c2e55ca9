#!/bin/bash
# vflow render: every format of hostile text and of odd graphs is well-formed, and nothing of the
# input but text gets into it.
. tests/lib.sh
export LSAN_OPTIONS=suppressions=$T/lsan # fontconfig keeps its tables until the process ends
echo leak:libfontconfig >"$T/lsan"
render() { "$VFLOW" render "$@"; }
formats="svg html dot json folded"
"$VFLOW" version | grep -qi 'png.*\(no\|without\|missing\)' || formats="$formats png pdf"
has() { command -v "$1" >/dev/null; }
xpath() { xmllint --xpath "$2" "$1" 2>&1; } # FILE XPATH
g() { echo "/*/*[@id='graph']/*[@id='$1']"; }
for tool in xmllint python3 pdftotext dot; do
	has $tool || skip "what $tool would check" "no $tool"
done

# XML as strict as Firefox takes it, PNG down to the last pixel: what Python says is wrong.
cat >"$T/strict.py" <<'END'
import struct, sys, zlib
from xml.parsers import expat
data = open(sys.argv[2], "rb").read()
if sys.argv[1] == "svg":
	expat.ParserCreate().Parse(data, True)
	sys.exit(not data.startswith(b"<?xml") and "no XML declaration")
assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature"
at, pixels, last = 8, b"", None
while at < len(data):
	size, last = struct.unpack(">I4s", data[at:at + 8])
	body = data[at + 8:at + 8 + size]
	assert zlib.crc32(last + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], "check sum"
	if last == b"IHDR":
		width, height, depth, kind = struct.unpack(">IIBB", body[:10])
	pixels += body if last == b"IDAT" else b""
	at += 12 + size
assert last == b"IEND" and len(zlib.decompress(pixels)) == height * (1 + width * {2: 3, 6: 4}[kind] * depth // 8), "pixels"
END

# Prints what is wrong with the file.
faults() { # FORMAT FILE
	case $1 in
	svg)
		! has xmllint || xmllint --noout "$2" 2>&1
		! has python3 || python3 "$T/strict.py" svg "$2" 2>&1 | tail -1 ;;
	png) ! has python3 || python3 "$T/strict.py" png "$2" 2>&1 | tail -1 ;;
	html) [ "$(grep -ci '<html' "$2") $(grep -ci '</html>' "$2")" = "1 1" ] || echo "no page" ;;
	dot) # Debian 12's reads no string above 16 KB
		! has dot || awk 'length > 16384 { found = 1 } END { exit !found }' "$2" || dot -Tcanon "$2" 2>&1 >/dev/null ;;
	json | perfetto)
		[ "$(json_query "$2" 'SELECT json_valid(text) FROM json')" = 1 ] || echo "no JSON"
		! has python3 || python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$2" 2>&1 | tail -1 ;;
	folded) grep -nvE '^[^;].* [0-9]+$' "$2" ;;
	pdf)
		[ "$(head -c 5 "$2")" = %PDF- ] || echo "no PDF"
		! has pdftotext || pdftotext "$2" - 2>&1 >/dev/null ;;
	esac
	iconv -f UTF-8 -t UTF-8 "$2" >/dev/null 2>&1 || [[ $1 = p[nd]* ]] || echo "no UTF-8"
}

# odd graphs
odd() { # NAME DOT
	echo "$2" >"$T/input.dot"
	for format in $formats; do
		expect_exit 0 "$1: $format" render -o "$T/odd.$format" "$T/input.dot"
		is "$1: well-formed $format" "$(faults $format "$T/odd.$format")" ""
	done
}
odd "no vertices" 'digraph { vflow_version=1; }'
odd "host only" 'digraph { vflow_version=1; v0 [kind=host name=host]; }'
odd "foreign DOT" 'digraph { a -> b -> c; b -> b; c -> a [label="x"]; "q\\" -> a; }'
odd "unknown kinds" 'digraph { v1 [kind=teapot name=t]; v2 [kind="" name=""]; v1 -> v2 [access=READ bytes=5]; }'
odd "figures at the limits" 'digraph { v1 [kind=kernel name=k invocations=18446744073709551615]; v2 [kind=kernel name=j];
	v1 -> v2 [access=WRITE bytes=18446744073709551615 redundant_bytes=18446744073709551614 object=77 object_bytes=18446744073709551615]; v2 -> v2 [access=WRITE bytes=0 redundant_bytes=9]; }'
like "not quite all: 99%" "$(cat "$T/odd.svg")" '16384.0P · &gt;99%</text>'
odd "calls in a helper" 'digraph { v1 [kind=alloc name=cudaMalloc callpath="get h.c:5 < wrap h.c:9 < main a.c:1"]; v2 [kind=alloc name=cudaMalloc callpath="get h.c:5 < wrap h.c:9 < main a.c:2"];
	v3 [kind=kernel name=k callpath="run h.c:5 < main a.c:3"]; }'
is "calls in a helper: the callers that differ" "$(grep -o ">[^<>]*\.c:[0-9]*</text" "$T/odd.svg" | tr "\n" " ")" ">a.c:1</text >via h.c:5</text >a.c:2</text >via h.c:5</text >h.c:5</text "
odd "100 KB name" "digraph { v1 [kind=kernel name=\"$(head -c 100000 /dev/zero | tr '\0' 'x')\" callpath=\"$(head -c 100000 /dev/zero | tr '\0' 'y')\"]; v1 -> v1; }"
is "100 KB name: cut" "$([ "$(wc -c <"$T/odd.svg")" -lt 20000 ] && echo yes)" yes
awk 'BEGIN { print "digraph { vflow_version=1;"; for (i = 1; i <= 50000; i++) printf "v%d -> v%d [bytes=%d]; v%d -> v%d;\n", i, i % 50000 + 1, i, i, i * 7919 % 50000 + 1; print "}" }' >"$T/edges.dot"
expect_exit 0 "100,000 edges" render -o "$T/edges.svg" "$T/edges.dot"
like "100,000 edges: what is shown" "$(cat "$T/err")" 'showing 80 of 50,000 vertices, [0-9]+ of 100,000 edges'
is "100,000 edges: well-formed" "$(faults svg "$T/edges.svg")" ""
echo 'digraph { v1 [kind=kernel name=k read_bytes=5]; }' >"$T/odd.dot"
if [ -e /dev/full ]; then
	for format in $formats; do
		expect_exit 1 "a full disk: $format" render -T $format -o /dev/full "$T/odd.dot"
	done
fi
expect_exit 1 "a folder as input" render "$T"

# hostile text: each name as kernel name, call path, kind, pattern, advice, edge key and foreign attribute
hostile=('q\\' 'a\\\"b' '</script>' '-->' ']]>' '\" onload=\"alert(1)' 'javascript:alert(1)' '<b>bold</b>' '\\N\\G' '&lt;&#10;&amp;' '%5'
	$'\u202eevil' $'\x01\x1b[31m' $'\xff\xfe' 'node' 'x:y' '{a|b}' '<<b>x</b>>' "it's" $'\xef\xbf\xbe' $'\xed\xa0\x80' '${HOME}' '字字字')
{
	echo 'digraph vflow { vflow_version=1; stylesheet="http://evil.example/x.css"; fontpath="/evil"; URL="javascript:evil()"; label="evil";'
	for i in "${!hostile[@]}"; do
		h=${hostile[i]}
		echo "v$((i + 1)) [kind=kernel name=\"$h\" callpath=\"$h < $h $h.c:1\" patterns=\"$h\" advice=\"$h\" context=\"$h\""
		echo "  URL=\"javascript:evil()\" href=\"evil\" tooltip=\"evil\" fontname=\"evil\" image=\"/evil.png\" color=\"evil\" shape=record label=\"evil\" id=\"evil\" class=\"evil\"];"
		echo "v$((i + 1)) -> v$(((i + 1) % ${#hostile[@]} + 1)) [key=\"$h\" access=WRITE bytes=100 redundant_bytes=100 object=1 headURL=\"evil\" style=\"evil\"];"
	done
	echo '}'
} >"$T/names.dot"
for format in $formats; do
	expect_exit 0 "hostile names: $format" render -o "$T/hostile.$format" "$T/names.dot"
	is "hostile names: well-formed $format" "$(faults $format "$T/hostile.$format")" ""
done
if has xmllint; then
	is "hostile names: only these elements" \
		"$(xmllint --xpath '//*' "$T/hostile.svg" | grep -o '<[a-zA-Z][a-zA-Z:]*' | sort -u | tr -d '<' | tr '\n' ' ')" \
		"circle desc ellipse g path polygon rect svg text title "
	is "hostile names: only these attributes" "$(xmllint --xpath '//@*' "$T/hostile.svg" | sed 's/^ *\([^=]*\)=.*/\1/' | sort -u | tr '\n' ' ')" \
		"aria-labelledby aria-roledescription class cx cy d fill font-family font-size font-weight height id paint-order points r role rx ry stroke stroke-dasharray stroke-linejoin stroke-width text-anchor transform viewBox width x y "
	is "names arrive unchanged" "$(xpath "$T/hostile.svg" "string($(g v8)/*[local-name()='text'])")" "<b>bold</b>"
	is "a backslash arrives unchanged" "$(xpath "$T/hostile.svg" "string($(g v1)/*[local-name()='text'])")" 'q\'
fi
for format in ${formats% png pdf}; do
	unlike "styling of the input stays out of $format" "$(cat "$T/hostile.$format")" '"evil|evil\(\)|evil\.example|evil\.png'
done
unlike "no link in the SVG" "$(cat "$T/hostile.svg")" '=.?javascript|href'
if [[ $formats = *pdf* ]] && has pdftotext; then
	unlike "no link in the PDF" "$(strings "$T/hostile.pdf")" '/URI|/JavaScript|/Launch'
	like "names are text in the PDF" "$(pdftotext "$T/hostile.pdf" - | tr '\n' ' ')" '<b>bold</b>.*\{a\|b\}'
fi
mv "$T/hostile.dot" "$T/hostile0.dot"
expect_exit 0 "hostile names: as DOT" render -T dot -o "$T/hostile2.dot" "$T/hostile0.dot"
expect_exit 0 "hostile names: DOT is read again" render -T dot "$T/hostile2.dot"
is "hostile names: DOT of DOT is the same" "$(cmp "$T/out" "$T/hostile2.dot" 2>&1)" ""
if has dot; then
	is "hostile names: Graphviz draws it" "$(dot -Tsvg "$T/hostile2.dot" 2>&1 >"$T/stock.svg")" ""
	is "hostile names: that is well-formed" "$(faults svg "$T/stock.svg")" ""
	unlike "hostile names: no links or handlers there" "$(grep -v '<text\|xlink:title\|^<title\|^<!--' "$T/stock.svg")" '<a [^>]*href=|<script|onload'
fi

# a profile with such names, which alone gives Perfetto its trace
mkdir "$T/trace"
"$P/hostile_trace" "$T/trace/1.trace" && "$VFLOW" collect --from-trace "$T/trace" -o "$T/h.db" 2>/dev/null
for format in $formats perfetto; do
	expect_exit 0 "hostile profile: $format" render -T $format -o "$T/h.$format" "$T/h.db"
	is "hostile profile: well-formed $format" "$(faults $format "$T/h.$format")" ""
done
is "hostile profile: names in the trace" "$(json_query "$T/h.perfetto" "SELECT DISTINCT value->>'name' FROM json, json_each(text, '\$.traceEvents') WHERE value->>'cat' = 'kernel' AND value->>'name' LIKE '%>%'")" \
	'a<b>&amp;c
<…><…>alert(1)<…>'
finish
