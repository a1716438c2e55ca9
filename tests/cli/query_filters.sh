#!/bin/bash
# slice and prune as filters: figures of the paper, streams, foreign and hostile DOT, exit codes.
vflow=$(realpath "${VFLOW:-./vflow}")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
unset VFLOW_PROFILE
number=0 failed=0

ok() { # STATUS NAME
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
		sed 's/^/# stderr: /' "$dir/err"
		head -c 2000 "$dir/out" | sed 's/^/# stdout: /'
	fi
}

# runs vflow with the arguments; stdin is inherited.  Leaves $code, $dir/out, $dir/err
run() {
	"$vflow" "$@" >"$dir/out" 2>"$dir/err"
	code=$?
}

expect_code() { # CODE NAME
	[ "$code" -eq "$1" ]
	ok $? "$2 (exit $1)"
}

# the edges of the output, by a stock tool
edges() {
	gvpr 'E{printf("%s->%s ", $.tail.name, $.head.name)}' "$dir/out" | tr ' ' '\n' | sort | xargs
}

nodes() {
	gvpr 'N{printf("%s ", $.name)}' "$dir/out" | tr ' ' '\n' | sort -V | xargs
}

expect_graph() { # NODES EDGES NAME
	[ "$code" -eq 0 ] && [ "$(nodes)" = "$1" ] && [ "$(edges)" = "$2" ]
	local result=$?
	[ $result -eq 0 ] || echo "# nodes: $(nodes) edges: $(edges)"
	ok $result "$3"
}

says() { # TEXT NAME: one line on stderr that holds it
	grep -qF -- "$1" "$dir/err"
	ok $? "$2"
}

one_line() {
	[ "$(wc -l <"$dir/err")" -eq 1 ] && ! [ -s "$dir/out" ]
	ok $? "$1 says one line and nothing else"
}

# ValueExpert's Figure 3, N = 4096
cat >"$dir/figure3.dot" <<'DOT'
digraph vflow {
	graph [vflow_version=1];
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1, callpath="main fig3.c:1"];
	v2 [kind=alloc, name=cudaMalloc, invocations=1, callpath="main fig3.c:2"];
	v3 [kind=memset, name=cudaMemset, invocations=1, callpath="main fig3.c:3"];
	v4 [kind=memset, name=cudaMemset, invocations=1, callpath="main fig3.c:4"];
	v5 [kind=kernel, name="zero(char*)", invocations=1, callpath="main fig3.c:5"];
	v6 [kind=kernel, name="zero(char*)", invocations=1, callpath="main fig3.c:6"];
	v7 [kind=kernel, name="mix(char*, char*)", invocations=1, callpath="main fig3.c:7"];
	v1 -> v3 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1, object_bytes=4096];
	v2 -> v4 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=0, redundancy=0, count=1, object_bytes=4096];
	v3 -> v5 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1, object_bytes=4096];
	v4 -> v6 [key="2:WRITE", object=2, access=WRITE, bytes=4096, redundant_bytes=4096, redundancy=1, count=1, object_bytes=4096];
	v5 -> v7 [key="1:READ", object=1, access=READ, bytes=1024, count=1, object_bytes=4096];
	v6 -> v7 [key="2:WRITE", object=2, access=WRITE, bytes=1024, redundant_bytes=0, redundancy=0, count=1, object_bytes=4096];
}
DOT
figure=$dir/figure3.dot

run slice --vertex 6 "$figure"
expect_graph "v0 v2 v4 v6 v7" "v2->v4 v4->v6 v6->v7" "Figure 3d: the slice of 6"
# 4096 + 4096 + 1024 of 4 * 4096 + 2 * 1024 bytes
says "kept 5 of 8 vertices, 3 of 6 edges, 9.0K of 18.0K bytes; dropped 3 vertices, 3 edges, 9.0K bytes" \
	"slice says what it kept and dropped"
cp "$dir/out" "$dir/slice6.dot"
run slice --vertex v6 <"$figure"
cmp -s "$dir/out" "$dir/slice6.dot"
ok $? "v6 is 6, and stdin is as good as FILE"
run slice --vertex 7 "$figure"
expect_graph "v0 v1 v2 v3 v4 v5 v6 v7" "v1->v3 v2->v4 v3->v5 v4->v6 v5->v7 v6->v7" "the slice of 7 is all"
run prune --edge-bytes 2K --vertex 'invocations>=1' "$dir/slice6.dot"
expect_graph "v0 v2 v4 v6 v7" "v2->v4 v4->v6" "Figure 3e: Ie = N/2, Iv = 1"
run prune --edge-bytes 2K --vertex 'invocations>=2' <"$dir/slice6.dot"
expect_graph "v0 v2 v4 v6" "v2->v4 v4->v6" "Ie = N/2, Iv = 2"
says "dropped 1 vertex, 1 edge, 1.0K bytes" "one is no plural"
"$vflow" slice --vertex 6 "$figure" 2>"$dir/err" | "$vflow" prune --edge 'redundancy>=50%' >"$dir/out" 2>"$dir/err"
code=$?
expect_graph "v0 v4 v6" "v4->v6" "slice | prune by redundancy"
run prune --edge 'redundancy>=0' "$figure"
expect_graph "v0 v1 v2 v3 v4 v5 v6 v7" "v1->v3 v2->v4 v3->v5 v4->v6 v6->v7" "READ edges have no redundancy"
run prune --vertex 'invocations>=2' "$figure"
expect_graph "v0" "" "host stays, even alone"

# idempotent, and the same bytes again
run slice --vertex 6 "$dir/slice6.dot"
cmp -s "$dir/out" "$dir/slice6.dot"
ok $? "a slice of the slice is the same bytes"

# expressions
run slice --vertex '^mix' "$figure"
expect_graph "v0 v1 v2 v3 v4 v5 v6 v7" "v1->v3 v2->v4 v3->v5 v4->v6 v5->v7 v6->v7" "REGEX finds the name"
run slice --vertex 'fig3\.c:6$' "$figure"
expect_graph "v0 v2 v4 v6 v7" "v2->v4 v4->v6 v6->v7" "REGEX finds the call path"
run slice --vertex 'zero' "$figure"
expect_graph "v0 v1 v2 v3 v4 v5 v6 v7" "v1->v3 v2->v4 v3->v5 v4->v6 v5->v7 v6->v7" "several matches: the union"
says "2 vertices: 5 zero(char*), 6 zero(char*)" "and stderr names them"
run slice --vertex 3 --vertex 1 "$figure"
expect_graph "v0 v1 v3 v5 v7" "v1->v3 v3->v5 v5->v7" "--vertex twice"
run slice --vertex 0 "$figure"
expect_graph "v0" "" "the slice of a vertex without edges is empty"
says "no edges" "and stderr says so"
run slice --vertex 'zer0(' "$figure"
expect_code 2 "an expression that is not valid"
one_line "an expression that is not valid"
run slice --vertex 'kernel_zero' "$figure"
expect_code 1 "no match"
says "5 zero(char*)" "no match names what is most alike"
run slice --vertex '^host' "$figure"
expect_code 1 "an expression never means the host"
says "give its ID, 0" "... what does is said"
run slice --vertex 8 "$figure"
expect_code 1 "no such vertex"
says "the highest id is 7" "no such vertex says what there is"
run slice --vertex 99999999999999999999 "$figure"
expect_code 1 "an id beyond all numbers"
{ echo 'digraph { v1 [kind=kernel, name="'"$(head -c 40 /dev/zero | tr '\0' a)"'!"]; }'; } >"$dir/aaa.dot"
SECONDS=0
run slice --vertex '(a+)+$' "$dir/aaa.dot"
expect_code 1 "a catastrophic expression"
says "too costly" "and it is named"
[ $SECONDS -lt 20 ]
ok $? "within seconds"

# streams
cat "$figure" "$figure" >"$dir/two.dot"
run slice --vertex 6 "$dir/two.dot"
[ "$code" -eq 0 ] && cat "$dir/slice6.dot" "$dir/slice6.dot" | cmp -s - "$dir/out"
ok $? "two graphs in, two out, in order"
[ "$(grep -c 'kept 5 of 8' "$dir/err")" -eq 2 ]
ok $? "a line for each"
run slice --vertex 6 < <(:)
expect_code 1 "empty stdin"
[ -s "$dir/err" ]
ok $? "empty stdin is named"
: >"$dir/empty"
run prune --edge-bytes 1 "$dir/empty"
expect_code 1 "an empty file"
head -c 700 "$figure" >"$dir/cut.dot"
run prune --edge-bytes 1 "$dir/cut.dot"
expect_code 1 "cut DOT"
says "cut.dot" "cut DOT is named"
run prune --edge-bytes 1 -o "$dir/none.dot" "$dir/cut.dot"
[ ! -e "$dir/none.dot" ]
ok $? "nothing is left behind when the input is cut"
{ cat "$figure"; head -c 700 "$figure"; } >"$dir/second-cut.dot"
run slice --vertex 6 "$dir/second-cut.dot"
expect_code 1 "the second graph of a stream is cut"
head -c 3000 /dev/urandom >"$dir/noise"
run slice --vertex 6 "$dir/noise"
expect_code 1 "noise"

# what vflow does not know passes through
cat >"$dir/foreign.dot" <<'DOT'
digraph other {
	vflow_types="rank2:int";
	v1 [name=a, colour_of_mine="deep \"blue\"", rank2=7];
	v2 [name=b];
	v1 -> v2 [object=1, bytes=10, penalty=3];
	v2 -> v3 [object=1, bytes=5];
}
DOT
run prune --edge-bytes 10 "$dir/foreign.dot"
[ "$code" -eq 0 ] && [ "$(gvpr 'N[name=="v1"]{printf("%s|%s", $.colour_of_mine, $.rank2)}' "$dir/out")" = 'deep "blue"|7' ]
ok $? "unknown vertex attributes stay"
[ "$(gvpr 'E{printf("%s", $.penalty)}' "$dir/out")" = 3 ] && [ "$(edges)" = "v1->v2" ]
ok $? "unknown edge attributes stay"
[ "$(gvpr 'BEG_G{printf("%s", aget($G, "vflow_types"))}' "$dir/out")" = rank2:int ]
ok $? "unknown graph attributes stay"
printf 'digraph { a -> b -> c; d }' >"$dir/plain.dot"
run slice --vertex '^b$' "$dir/plain.dot"
expect_graph "a b c" "a->b b->c" "plain DOT of others: REGEX finds node names, edges have no object"
run slice --vertex '^a$' "$dir/plain.dot"
expect_graph "a b c" "a->b b->c" "the first vertex of others is not taken for the host"
run prune --edge-bytes 1 "$dir/plain.dot"
expect_graph "" "" "so that prune does not keep it"

# hostile text
printf 'digraph { v1 [kind=kernel, name="q\\\\", callpath="<b>\\"x\\" \\N &lt; %%5"]; v2 [name="a\033[31mb\377"]; v1 -> v2 [object=1, bytes=1]; }' >"$dir/hostile.dot"
run slice --vertex 1 "$dir/hostile.dot"
cp "$dir/out" "$dir/hostile1.dot"
run slice --vertex 1 "$dir/hostile1.dot"
[ "$code" -eq 0 ] && cmp -s "$dir/out" "$dir/hostile1.dot"
ok $? "hostile names: filtering twice gives the same bytes"
[ "$code" -eq 0 ] && gvpr 'N{}' "$dir/out" >/dev/null 2>"$dir/gvpr" && ! [ -s "$dir/gvpr" ]
ok $? "hostile names: stock tools read the result"
! grep -q "$(printf '\033')" "$dir/out" "$dir/err"
ok $? "no escape sequences come out"
run slice --vertex 'no\e[31msuch' "$dir/hostile.dot"
! grep -q "$(printf '\033')" "$dir/err"
ok $? "nor in messages"
{ printf 'digraph { v1 [kind=kernel, name="'; head -c 102400 /dev/zero | tr '\0' k; printf '"]; v2; v1 -> v2 [object=1]; }'; } >"$dir/long.dot"
run slice --vertex k "$dir/long.dot"
expect_code 0 "a name of 100 KB"

# misuse
for arguments in '' '--vertex' '--vertex 1 a b' '--bad' '--vertex='; do
	run slice $arguments
	expect_code 2 "slice $arguments"
	one_line "slice $arguments"
done
for arguments in '' 'x.dot' '--edge bytes' '--edge bytes>1' '--edge bytes>=x' \
	'--edge redundancy>=nan' '--edge redundancy>=' '--edge redundancy>=5' '--edge redundancy>=101%' \
	'--vertex >=1' '--vertex invocations>=1-1' '--nodefraction 2' '--edgefraction -0.1' '--edgefraction x' \
	'--nodecount x' '--focus (' '--hide=' \
	'--edge-bytes x' '--edge-bytes 1 --edge count>=1' '--edge-bytes 1 a b'; do
	run prune $arguments
	expect_code 2 "prune $arguments"
	one_line "prune $arguments"
done
run prune --edge 'redundancy>=5' "$figure"
says "redundancy is from 0 to 1 (100%), '5' is not" "a value that is not possible"
run prune --edge 'weight>=1' "$figure"
expect_code 1 "a metric that the graph has not"
says "edges have no number 'weight'; there are object, bytes, redundant_bytes" "and those that it has"
run prune --vertex 'bytes>=1' "$figure"
says "vertices have no number 'bytes'; there are invocations" "of vertices too"
for command in slice prune path top stat report; do
	run $command --help
	[ "$code" -eq 0 ] && [ -s "$dir/out" ] && ! [ -s "$dir/err" ]
	ok $? "$command --help"
done

# output
run slice --vertex 6 -o "$dir/o.dot" "$figure"
cmp -s "$dir/o.dot" "$dir/slice6.dot"
ok $? "-o writes the same"
run slice --vertex 6 -o "$dir" "$figure"
expect_code 1 "-o to a folder"
run slice --vertex 6 -o "$dir/no/such/folder" "$figure"
expect_code 1 "-o to nowhere"
run slice --vertex 6 -o /dev/full "$figure"
expect_code 1 "-o to a full disk"
"$vflow" slice --vertex 6 "$figure" >/dev/full 2>"$dir/err"
[ $? -eq 1 ] && [ -s "$dir/err" ]
ok $? "stdout on a full disk"
: >"$dir/out"
for i in $(seq 200); do cat "$figure"; done >"$dir/many.dot"
(trap '' PIPE; "$vflow" prune --edge-bytes 1 "$dir/many.dot" 2>"$dir/err" | head -c 1 >/dev/null)
! grep -qv 'kept 8 of 8' "$dir/err"
ok $? "a reader that goes away is no error"
run slice --vertex 6 "$dir/missing.dot"
expect_code 1 "a missing file"
run report "$figure"
expect_code 1 "report of DOT"
[ -s "$dir/err" ]
ok $? "report of DOT says so"
(cd "$dir" && exec "$vflow" report <"$figure") >"$dir/out" 2>"$dir/err"
code=$?
expect_code 1 "report does not read stdin"

echo "1..$number"
exit $failed
