#!/bin/bash
# vflow render: formats, what is drawn, hostile text, odd graphs, failures.
. tests/lib.sh
export LSAN_OPTIONS=suppressions=$T/lsan # fontconfig keeps its tables until the process ends
echo leak:libfontconfig >"$T/lsan"
render() { "$VFLOW" render "$@"; }
png=1
"$VFLOW" version | grep -qi 'png.*\(no\|without\|missing\)' && png=

# ValueExpert's Figure 3 with N = 4096, written by hand
cat >"$T/figure3.dot" <<'END'
digraph vflow { vflow_version=1;
v0 [kind=host name=host];
v1 [kind=alloc name=cudaMalloc invocations=1 callpath="main fig3.c:10"];
v2 [kind=alloc name=cudaMalloc invocations=1 callpath="main fig3.c:11"];
v3 [kind=memset name=cudaMemset invocations=1 written_bytes=4096 callpath="main fig3.c:12"];
v4 [kind=memset name=cudaMemset invocations=1 written_bytes=4096 callpath="main fig3.c:13"];
v5 [kind=kernel name="void ns::zero<int>(int*, int)" invocations=100 callpath="libx.so+0x1 < launch src/fig3.c:14 < main main.c:3"
	written_bytes=4096 redundant_bytes=4096 patterns="redundant_values" advice="Delete the memset. | Reuse the other object."];
v6 [kind=kernel name="zero(int*, int)" invocations=1 written_bytes=4096 redundant_bytes=4096];
v7 [kind=kernel name="use(int const*, int*)" invocations=1 read_bytes=1024 written_bytes=1024];
v1->v3 [key="1:WRITE" object=1 access=WRITE bytes=4096 redundant_bytes=0 count=1 object_bytes=4096];
v2->v4 [key="2:WRITE" object=2 access=WRITE bytes=4096 redundant_bytes=0 count=1 object_bytes=4096];
v3->v5 [key="1:WRITE" object=1 access=WRITE bytes=4096 redundant_bytes=4096 count=1 object_bytes=4096];
v4->v6 [key="2:WRITE" object=2 access=WRITE bytes=4096 redundant_bytes=2048 count=1 object_bytes=4096];
v5->v7 [key="1:READ" object=1 access=READ bytes=1024 count=1 object_bytes=4096];
v6->v7 [key="2:WRITE" object=2 access=WRITE bytes=1024 redundant_bytes=0 count=1 object_bytes=4096];
}
END
expect_exit 0 "svg to stdout" render "$T/figure3.dot"
cp "$T/out" "$T/figure3.svg"
is "nothing on stderr" "$(cat "$T/err")" ""
if command -v xmllint >/dev/null; then
	xpath() { xmllint --xpath "$2" "$1" 2>&1; } # FILE XPATH
	well_formed() { xmllint --noout "$1" 2>&1; }
else
	xpath() { echo "no xmllint"; }
	well_formed() { :; }
	skip "svg is well-formed XML" "no xmllint (libxml2-utils)"
fi
g() { echo "/*/*[@id='graph']/*[@id='$1']"; }
if command -v xmllint >/dev/null; then
	is "svg is well-formed XML" "$(well_formed "$T/figure3.svg")" ""
	is "eight vertices" "$(xpath "$T/figure3.svg" "count(//*[starts-with(@class, 'vertex')])")" 8
	is "six edges" "$(xpath "$T/figure3.svg" "count(//*[starts-with(@class, 'edge')])")" 6
	is "allocations are rectangles" "$(xpath "$T/figure3.svg" "count($(g v1)/*[local-name()='rect'])")" 1
	is "sets are circles" "$(xpath "$T/figure3.svg" "count($(g v3)/*[local-name()='circle'])")" 1
	is "kernels are ovals" "$(xpath "$T/figure3.svg" "count($(g v7)/*[local-name()='ellipse'])")" 1
	is "short name, innermost known line, id, invocations" \
		"$(xpath "$T/figure3.svg" "$(g v5)/*[local-name()='text']/text()" | tr '\n' '|')" "zero&lt;int&gt;|fig3.c:14|#5 · 100×|redundant values|1|"
	like "call path, figures and advice on hover" "$(xpath "$T/figure3.svg" "string($(g v5)/*[local-name()='title'])")" \
		$'#5 void ns::zero<int>\(int\*, int\)\nkind: kernel\ninvocations: 100\nwrites 4,096 bytes \(4.0K\)\nof them unchanged 4,096 bytes \(4.0K\) \(100%\)\n  at libx.so\+0x1\n  from launch src/fig3.c:14\n  from main main.c:3\nfindings: redundant values\nadvice: Delete the memset.\nadvice: Reuse the other object.'
	# edges keep the order of the input in their ids: e2 is 3->5, e3 is 4->6, e4 is 5->7
	is "all bytes unchanged: purple, double" "$(xpath "$T/figure3.svg" "$(g e2)/*[local-name()='path']/@stroke" | tr -d '\n')" ' stroke="#7A0177" stroke="#FFFFFF"'
	is "half: blue, dashed" "$(xpath "$T/figure3.svg" "count($(g e3)/*[local-name()='path'][@stroke='#0072B2' and @stroke-dasharray])")" 1
	is "width of the most bytes" "$(xpath "$T/figure3.svg" "string($(g e0)/*[local-name()='path']/@stroke-width)")" 7.00
	is "width of a quarter: two halvings" "$(xpath "$T/figure3.svg" "string($(g e4)/*[local-name()='path']/@stroke-width)")" 5.80
	is "reads have an empty arrowhead" "$(xpath "$T/figure3.svg" "string($(g e4)/*[local-name()='polygon']/@fill)")" "#FFFFFF"
	is "writes have a filled one" "$(xpath "$T/figure3.svg" "string($(g e5)/*[local-name()='polygon']/@fill)")" "#6E7781"
	is "bytes and share on the edge" "$(xpath "$T/figure3.svg" "string($(g e3)/*[local-name()='text'])")" "4.0K · 50%"
	# written: 4 * 4096 + 1024 = 17 K; unchanged: 4096 + 2048 = 6 K = 35.3 %
	is "totals" "$(xpath "$T/figure3.svg" "string(/*/*[local-name()='desc'])")" "8 vertices, 6 edges; 1.0K bytes read, 17.0K written, 6.0K of them unchanged (35%)"
	is "role and name" "$(xpath "$T/figure3.svg" "concat(/*/@role, '; ', /*/@aria-labelledby, '; ', count(/*/*[@id='title']))")" "graphics-document document; title summary; 1"
fi
# what prune --hide leaves: 2 -> 6 stands for 2 -> 4 -> 6
sed -e '/^v4 \|->v4/d' -e 's/^v4->v6.*/v2->v6 [key="2:WRITE:bridged" object=2 access=WRITE bridged=true];/' "$T/figure3.dot" >"$T/bridge.dot"
render "$T/bridge.dot" >"$T/bridge.svg"
# e0 1->3, e1 3->5, e2 2->6
if command -v xmllint >/dev/null; then
	is "a bridge is dashed, and grey" "$(xpath "$T/bridge.svg" "count($(g e2)/*[local-name()='path'][@stroke='#6E7781' and @stroke-dasharray])")" 1
	like "a bridge says so" "$(xpath "$T/bridge.svg" "string($(g e2)/*[local-name()='title'])")" 'through operations that were hidden'
fi
like "the legend says so, too" "$(cat "$T/bridge.svg")" '>through operations that were hidden</text>'
unlike "where there is no bridge it does not" "$(cat "$T/figure3.svg")" 'hidden'
like "bridges in DOT" "$(render -T dot "$T/bridge.dot" | grep 'v2 -> v6')" 'bridged=true .*style=dashed'
like "they are bridges for the next, too" "$(render -T dot "$T/bridge.dot" | render)" '>through operations that were hidden</text>'
is "and in JSON" "$(render -T json "$T/bridge.dot" | grep -o '"start":.*"bridged":true')" '"start":2,"end":6,"access":"WRITE","key":"2:WRITE:bridged","object":2,"bridged":true'
is "groups keep bridges apart" "$(render -T svg --group-by function "$T/bridge.dot" 2>/dev/null | grep -c 'through operations that were hidden$')" 1
# a group is called like its call path, of two bytes for each character but the first
long=x$(printf 'é%.0s' $(seq 250))
echo "digraph { v0 [kind=host]; v1 [kind=kernel, name=a, callpath=\"$long\"]; v2 [kind=kernel, name=b, callpath=\"$long\"]; v1 -> v2 [object=1, access=READ, bytes=8] }" >"$T/long.dot"
render -T svg --group-by call-path "$T/long.dot" 2>/dev/null >"$T/long.svg"
expect_exit 0 "long names of groups are cut between characters" xmllint --noout "$T/long.svg"
like "... and are there" "$(cat "$T/long.svg")" "ééé… \(2\)"
like "the advice is in the picture" "$(cat "$T/figure3.svg")" '>Delete the memset\.</text>.*>Reuse the other object\.<'

# the numbers on the badges are those of the report, where it is known: v1, v2, and both in the list
badges() { # FINDING OF V2
	echo "digraph { v1 [kind=kernel, patterns=a, finding=7, redundant_bytes=9]; v2 [kind=kernel, patterns=a, $1]; v1 -> v2 [object=1, access=WRITE, bytes=8] }" |
		render | sed -n 's/.*font-weight="bold" fill="#1F2328">\([0-9]*\)<.*/\1/p' | head -4 | paste -sd' '
}
is "badges have the numbers of the report" "$(badges finding=3)" "7 3 3 7"
is "else they count, most unchanged bytes first" "$(badges redundant_bytes=10)" "1 2 1 2"
is "as they do when one number is there twice" "$(badges finding=7)" "1 2 1 2"
# f groups v1 with what has none or one that cannot be: 7 stays; g has 3 and 9
groups() {
	echo 'digraph { v1 [kind=kernel, patterns=a, callpath="f x.c:1", finding='"$1"']; v2 [kind=kernel, patterns=a, callpath="f x.c:2", finding=7];
		v3 [kind=kernel, patterns=a, callpath="g x.c:3", finding=9]; v4 [kind=kernel, patterns=a, callpath="g x.c:4", finding=3]; v1 -> v3 [object=1, access=WRITE, bytes=8] }' |
		render --group-by function 2>/dev/null | sed -n 's/.*font-weight="bold" fill="#1F2328">\([0-9]*\)<.*/\1/p' | head -4 | paste -sd' '
}
for finding in 8 0 x -1 4294967296; do is "a group has its first number: beside $finding" "$(groups "$finding")" "7 3 3 7"; done

# time flows down: each centre is above that of its successors
y() { sed -n "/id=\"v$1\"/,/<\/g>/p" "$T/figure3.svg" | sed -n 's/.*<\(rect\|circle\|ellipse\).* c\?y="\([0-9.]*\)".*/\2/p' | head -1; }
down=yes
for pair in 1:3 2:4 3:5 4:6 5:7 6:7; do
	awk "BEGIN { exit !($(y ${pair%:*}) < $(y ${pair#*:})) }" || down="$pair"
done
is "time flows down" "$down" yes

# formats
signature() { head -c 8 "$1" | od -An -c | tr -d ' \n'; }
for name in a.svg a.SVG plain; do
	expect_exit 0 "-o $name" render -o "$T/$name" "$T/figure3.dot"
	is "$name is the same SVG" "$(cmp "$T/$name" "$T/figure3.svg" 2>&1)" ""
done
for name in a.dot a.gv; do
	expect_exit 0 "-o $name" render -o "$T/$name" "$T/figure3.dot"
	like "$name is DOT" "$(head -1 "$T/$name")" '^digraph '
done
expect_exit 0 "-T wins over the ending" render -T dot -o "$T/b.svg" "$T/figure3.dot"
is "DOT under another name" "$(cmp "$T/b.svg" "$T/a.dot" 2>&1)" ""
expect_exit 0 "graph on stdin" render - <"$T/figure3.dot"
is "the same from stdin" "$(cmp "$T/out" "$T/figure3.svg" 2>&1)" ""
if [ $png ]; then
	expect_exit 0 "-o a.png" render -o "$T/a.png" "$T/figure3.dot"
	is "a PNG" "$(signature "$T/a.png")" '211PNG\r\n032\n'
	expect_exit 0 "-T png to a pipe" render -T png "$T/figure3.dot"
	is "the same PNG" "$(cmp "$T/out" "$T/a.png" 2>&1)" ""
	mkdir "$T/nofonts"
	echo "<fontconfig><dir>$T/nofonts</dir><cachedir>$T/nofonts</cachedir></fontconfig>" >"$T/fonts.conf"
	FONTCONFIG_FILE=$T/fonts.conf expect_exit 0 "PNG without fonts" render -o "$T/b.png" "$T/figure3.dot"
	like "no fonts: says what to install" "$(cat "$T/err")" 'install fonts-dejavu-core'
	if have_terminal; then
		expect_exit 2 "PNG to a terminal is refused" script -qec "'$VFLOW' render -T png '$T/figure3.dot'" /dev/null
	else
		skip "PNG to a terminal is refused" "script(1) gets no terminal here"
	fi
else
	expect_exit 1 "no PNG in this build" render -o "$T/a.png" "$T/figure3.dot"
	like "no PNG: says what to install" "$(cat "$T/err")" 'librsvg2-dev'
fi
is "DOT of DOT is the same" "$(render -T dot "$T/a.dot" | cmp - "$T/a.dot" 2>&1)" ""
is "DOT keeps the graph" "$("$VFLOW" slice --vertex 6 "$T/a.dot" | dot_edges)" "2>4 4>6 6>7"
if command -v dot >/dev/null; then
	is "Graphviz draws the DOT" "$(dot -Tsvg "$T/a.dot" 2>&1 >"$T/stock.svg")" ""
	is "with the same edges" "$(grep -c 'class="edge"' "$T/stock.svg")" 6
else
	skip "Graphviz draws the DOT" "no dot (graphviz)"
fi

# the same bytes wherever it runs
is "same bytes again" "$(cd / && env -i LC_ALL=C.UTF-8 TZ=Asia/Tokyo LSAN_OPTIONS="$LSAN_OPTIONS" "$VFLOW" render "$T/figure3.dot" | cmp - "$T/figure3.svg" 2>&1)" ""

# misuse and failures
expect_exit 2 "unknown format" render -T bmp "$T/figure3.dot"
expect_exit 2 "unknown ending" render -o "$T/a.bmp" "$T/figure3.dot"
is "misuse says one line" "$(wc -l <"$T/err")" 1
expect_exit 2 "two inputs" render "$T/figure3.dot" "$T/figure3.dot"
expect_exit 2 "unknown layout" render --layout circo "$T/figure3.dot"
expect_exit 2 "no time at all" render --time-limit 0 "$T/figure3.dot"
expect_exit 0 "--help" render --help
like "help is on stdout" "$(cat "$T/out")" '^usage: vflow render'
expect_exit 1 "missing file" render "$T/none.dot"
echo "this is not a graph" >"$T/bad.dot"
expect_exit 1 "not a graph" render "$T/bad.dot"
expect_exit 1 "empty input" render - </dev/null
cat "$T/figure3.dot" "$T/figure3.dot" >"$T/two.dot"
expect_exit 1 "two graphs" render -o "$T/two.svg" "$T/two.dot"
like "two graphs: says so" "$(cat "$T/err")" 'several graphs'
is "no file then" "$(ls "$T"/two.svg* 2>/dev/null)" ""
expect_exit 1 "output in a folder that is not there" render -o "$T/no/a.svg" "$T/figure3.dot"
if [ -e /dev/full ]; then
	expect_exit 1 "output to a full disk" render -o /dev/full "$T/figure3.dot"
	[ $png ] && expect_exit 1 "PNG to a full disk" render -T png -o /dev/full "$T/figure3.dot"
fi

# large graphs: a chain of 400 kernels; the finding is at 200
{
	echo 'digraph { vflow_version=1; v0 [kind=host name=host];'
	for i in {1..400}; do
		echo "v$i [kind=kernel name=k$i $([ $i = 200 ] && echo 'patterns=redundant_values advice="Fix me."')];"
		[ $i = 400 ] || echo "v$i -> v$((i + 1)) [object=1 access=READ bytes=$((1000 + i))];"
	done
	echo '}'
} >"$T/large.dot"
expect_exit 0 "large graph" render -o "$T/large.svg" "$T/large.dot"
like "large graph: says what is shown" "$(cat "$T/err")" 'showing 80 of 401 vertices, [0-9]+ of 399 edges; [0-9]+% of .*; chosen around the findings; --all draws everything'
like "large graph: in the picture too" "$(cat "$T/large.svg")" '>showing 80 of 401 vertices, '
is "large graph: 80 vertices" "$(grep -c 'class="vertex' "$T/large.svg")" 80
like "large graph: host, the finding and its neighbours" "$(tr '\n' ' ' <"$T/large.svg")" 'id="v0".*id="v199".*id="v200".*id="v201"'
# each vertex beside a hidden one says so, in the direction of the chain
expected=$(grep -o 'id="v[0-9]*"' "$T/large.svg" | tr -dc '0-9\n' | awk '{ shown[$1] = 1 } END { for (v = 1; v <= 400; v++) if (shown[v]) n += (v > 1 && !shown[v - 1]) + (v < 400 && !shown[v + 1]); print n }')
is "large graph: hidden neighbours are counted" "$(grep -c '>+1<' "$T/large.svg")" "$expected"
like "large graph: the legend says what +1 is" "$(cat "$T/large.svg")" '>\+N: neighbours that are not shown<'
unlike "small graph: nothing of it" "$(cat "$T/figure3.svg")" 'neighbours that are not shown'
expect_exit 0 "large graph: --all" render --all -o "$T/large.svg" "$T/large.dot"
is "large graph: everything" "$(grep -c 'class="vertex' "$T/large.svg")" 401
awk 'BEGIN { print "digraph {"; for (i = 1; i <= 3000; i++) for (j = 1; j <= 3; j++) printf "v%d -> v%d;\n", i, (i * 7919 + j * 104729) % 3000 + 1; print "}" }' >"$T/dense.dot"
expect_exit 1 "a layout that takes too long" render --all --layout dot --time-limit 1 -o "$T/dense.svg" "$T/dense.dot"
like "too long: says what to do" "$(cat "$T/err")" 'no layout for 3000 vertices and 9000 edges: it takes too long; .*--layout dot.*vflow prune'
is "too long: no file" "$(ls "$T"/dense.svg* 2>/dev/null)" ""

expect_exit 0 "too large for Graphviz" render --all -o "$T/dense.svg" "$T/dense.dot"
is "too large: nothing to say" "$(cat "$T/err")" ""
is "too large: well-formed" "$(well_formed "$T/dense.svg")" ""
is "too large: every vertex and edge" "$(grep -c 'class="vertex' "$T/dense.svg") $(grep -c 'class="edge' "$T/dense.svg")" "3000 9000"

# loops and many parallel edges: an assertion in dot fails, a second way does not
awk 'BEGIN { print "digraph {"; for (i = 1; i <= 8; i++) for (j = 1; j <= 8; j++) for (k = 0; k < 5; k++) printf "v%d -> v%d [key=%d access=WRITE bytes=%d];\n", i, j, k, i * 100 + j + k; print "}" }' >"$T/loops.dot"
expect_exit 0 "loops and parallel edges" render --layout dot -o "$T/loops.svg" "$T/loops.dot"
is "loops and parallel edges: all of them" "$(grep -c 'class="edge' "$T/loops.svg")" 320

# more than a page can hold: groups that fit, else the vertices that matter most
for path in 'callpath="f%d a.c:%d < main b.c:%d"' ''; do
	awk -v path="$path" 'BEGIN { print "digraph { vflow_version=1;"; for (i = 1; i <= 5001; i++) { printf "v%d [kind=kernel name=k " path "];\n", i, i % 30, i, i % 3 };
		for (i = 1; i <= 5000; i++) printf "v%d -> v%d [object=1 access=READ bytes=8];\n", i, i + 1; print "}" }' >"$T/page.dot"
	expect_exit 0 "a large page" render -o "$T/page.html" "$T/page.dot"
	# i mod 30 decides i mod 3: thirty functions, each on one path
	like "a large page: what is drawn" "$(cat "$T/err")" "$([ "$path" ] && echo '5001 vertices and 5000 edges drawn as 30 and 30, grouped by call-path' || echo 'showing 1,000 of 5,001 vertices')"
done
expect_exit 0 "a large page: --all" render --all -o "$T/page.html" "$T/page.dot"

expect_exit 1 "too large for a PNG" render --all -T png -o "$T/dense.png" "$T/dense.dot"
like "too large for a PNG: says what to do" "$(cat "$T/err")" '3000 vertices and 9000 edges are too many for png, .*SVG or HTML'

# 300 vertices whose long edges keep dot busy for half a minute
awk 'BEGIN { print "digraph {"; for (i = 1; i < 300; i++) printf "v%d -> v%d;\n", i, i + 1;
	for (i = 1; i <= 260; i++) printf "v%d -> v%d;\n", i, i + 40 - i * 7 % 13; print "}" }' >"$T/busy.dot"
expect_exit 0 "Graphviz out of time" render --all --time-limit 1 -o "$T/busy.svg" "$T/busy.dot"
like "out of time: says so" "$(cat "$T/err")" 'laid out in layers, not by Graphviz: it takes too long'

# our own layers: time flows down, nothing overlaps
expect_exit 0 "layers" render --layout layers -o "$T/layers.svg" "$T/figure3.dot"
is "layers: nothing to say" "$(cat "$T/err")" ""
is "layers: well-formed" "$(well_formed "$T/layers.svg")" ""
mv "$T/figure3.svg" "$T/dot.svg"
mv "$T/layers.svg" "$T/figure3.svg"
down=yes
for pair in 1:3 2:4 3:5 4:6 5:7 6:7; do
	awk "BEGIN { exit !($(y ${pair%:*}) < $(y ${pair#*:})) }" || down="$pair"
done
is "layers: time flows down" "$down" yes
mv "$T/figure3.svg" "$T/layers.svg"
mv "$T/dot.svg" "$T/figure3.svg"
is "layers: the same bytes again" "$(render --layout layers "$T/figure3.dot" | cmp - "$T/layers.svg" 2>&1)" ""

if [ -z "$ASAN" ]; then
	# recursion in Graphviz: its crash is not ours
	seq 19999 | awk 'BEGIN { print "digraph {" } { printf "v%d -> v%d;\n", $1, $1 + 1 } END { print "}" }' >"$T/chain.dot"
	code=0
	(ulimit -s 256 && render --all --layout dot --time-limit 5 -o "$T/chain.svg" "$T/chain.dot") 2>"$T/err" || code=$?
	is "a layout that crashes" "$code" 1
	like "crash: says what to do" "$(cat "$T/err")" 'no layout for 20000 vertices and 19999 edges: Graphviz crashed: .*; .*vflow prune'
	code=0
	(ulimit -s 256 && render --all -o "$T/chain.svg" "$T/chain.dot") 2>"$T/err" || code=$?
	is "a chain of 20,000 without recursion" "$code" 0
else
	skip "a layout that crashes" "stacks of ASan are larger"
fi

# Lanes: the calls of tests/programs/timeline.c as tests/cli/deps.sh has them, by hand
collect "$T/streams.db" "$P/timeline" streams >"$T/out" 2>"$T/err"
"$VFLOW" render --lanes -o "$T/lanes.svg" "$T/streams.db" 2>"$T/err"
is "lanes: XML, and nothing is said" "$(xmllint --noout "$T/lanes.svg" 2>&1)$(<"$T/err")" ""
lane() { # NUMBER: its calls, from left to right
	sed -nE 's/.*<title>call ([0-9]+), level ([0-9]+): .*<rect x="([0-9.]+)" y="([0-9.]+)".*/\4 \3 \1 \2/p' < <(tr '\n' ' ' <"$T/lanes.svg" | sed 's/<g>/\n<g>/g') |
		sort -n -k 1,1 -k 2,2 | awk -v wanted="$1" '$1 != last { lane++; last = $1 } lane == wanted { printf "%s at %s, ", $3, $4 }'
}
is "lanes: the default stream" "$(lane 1)" "1 at 0, 2 at 1, 3 at 2, 8 at 4, 9 at 5, 10 at 6, 11 at 7, 12 at 8, 13 at 9, 14 at 10, "
is "lanes: s" "$(lane 2)" "4 at 1, 5 at 2, "
is "lanes: t" "$(lane 3)" "6 at 3, "
# of two calls one dependency is drawn: that of data before a wait, before an event, before the stream
is "lanes: what comes after what" "$(sed -nE 's/.*<title>call ([0-9]+) after ([0-9]+): ([a-zA-Z]+)<.*/\1 \2 \3/p' "$T/lanes.svg" | sort -n -k 1,1 -k 2,2 | tr '\n' ',')" \
	"2 1 stream,3 2 stream,4 1 WAW,5 4 RAW,6 2 WAW,6 5 event,8 3 stream,8 5 wait,8 6 RAW,9 6 WAW,9 8 WAR,10 4 WAW,10 5 WAR,10 6 wait,10 9 stream,11 10 WAW,12 11 stream,13 12 stream,14 13 WAW,"
"$VFLOW" render --lanes -T png -o "$T/lanes.png" "$T/streams.db" 2>"$T/err"
like "lanes: PNG" "$(file "$T/lanes.png")" 'PNG image'
for bad in "-T html" "-T dot" "--group-by file" "--size-by time" "--all"; do
	# shellcheck disable=SC2086
	expect_exit 2 "lanes: no $bad" "$VFLOW" render --lanes $bad "$T/streams.db"
done
"$VFLOW" export -T dot "$T/streams.db" | "$VFLOW" render --lanes - >"$T/out" 2>"$T/err"
like "lanes: DOT has no calls" "$? $(<"$T/err")" '^1 vflow render: standard input is DOT, which has no events'
finish
