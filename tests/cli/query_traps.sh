#!/bin/bash
# The traps of DOT filters, a test for each, named after it.
. tests/lib.sh
vflow=$(realpath "$VFLOW")
unset VFLOW_PROFILE
verbs=("slice --vertex v1" "prune --nodecount 999999" "path --from v1 --to v2" "query MATCH(a)-[e]->(b)RETURN\ GRAPH")
filter() { # VERB [FILE]: runs it, stdout and stderr in $T
	local verb words
	read -ra words <<<"${1//\\ /+}"
	shift
	words=("${words[@]//+/ }")
	"$vflow" "${words[@]}" "$@"
}
name_of() { # the verb alone
	echo "${1%% *}"
}
names() { # the names of vertices on stdin, as the query language sees them
	"$vflow" query -T json 'MATCH (v) RETURN v.name AS n ORDER BY v.id'
}
cat >"$T/good.dot" <<'DOT'
digraph vflow {
	graph [linelength=0, vflow_version=1];
	v1 [kind=alloc, name=cudaMalloc];
	v2 [kind=kernel, name=k];
	v1 -> v2 [key="1:READ", object=1, access=READ, bytes=8, count=1];
}
DOT

# -- 2.1: exit codes and streams --
: >"$T/empty"
head -c 150 "$T/good.dot" >"$T/cut.dot"
{ cat "$T/good.dot"; echo '} garbage'; } >"$T/tail.dot"
printf 'hello\n' >"$T/text"
printf 'digraph { v1 \0 }' >"$T/nul.dot"
{ echo 'digraph { v1; v2; v1 -> v2 [object=1,bytes=1'; head -c 268500000 /dev/zero | tr '\0' ' '; echo ']}'; } >"$T/large.dot"
cat "$T/good.dot" "$T/good.dot" >"$T/two.dot"
for verb in "${verbs[@]}"; do
	name=$(name_of "$verb")
	expect_exit 0 "$name: two graphs" filter "$verb" "$T/two.dot"
	is "$name: two graphs in, two out" "$(grep -c '^digraph' "$T/out")" 2
	for bad in empty cut.dot tail.dot text nul.dot missing.dot .; do
		expect_exit 1 "$name of $bad fails" filter "$verb" "$T/$bad"
		is "$name of $bad says so in one line" "$(grep -cv kept "$T/err")" 1
		like "$name of $bad names it" "$(cat "$T/err")" "$T/$bad"
	done
	is "$name of what is not there says why" "$(filter "$verb" "$T/missing.dot" 2>&1)" \
		"vflow $name: cannot read $T/missing.dot: No such file or directory"
	expect_exit 1 "$name: nothing comes on stdin" filter "$verb" < <(:)
	like "$name: and the message says so" "$(cat "$T/err")" "standard input held no graph"
	expect_exit 0 "$name twice" bash -c "$(declare -f filter); vflow='$vflow'; filter '$verb' '$T/good.dot' | tee '$T/once' | filter '$verb'"
	is "$name twice is the same bytes as once" "$(cat "$T/out")" "$(cat "$T/once")"
	expect_exit 1 "$name to a full disk" filter "$verb" -o /dev/full "$T/good.dot"
	like "$name to a full disk names it and why" "$(cat "$T/err")" "cannot write /dev/full: No space left on device"
	code=0
	filter "$verb" "$T/good.dot" >/dev/full 2>"$T/err" || code=$?
	is "$name with stdout on a full disk" "$code $(grep -v kept "$T/err")" \
		"1 vflow $name: cannot write standard output: No space left on device"
	echo old >"$T/o.dot"
	expect_exit 1 "$name -o: the second graph is cut" filter "$verb" -o "$T/o.dot" <(cat "$T/good.dot" "$T/cut.dot")
	is "$name -o: then the old file stays" "$(cat "$T/o.dot")" old
	is "$name -o: and nothing beside it" "$(ls "$T" | grep -c '^o.dot')" 1
done
for i in $(seq 300); do cat "$T/good.dot"; done >"$T/many.dot"
for verb in "${verbs[@]}"; do
	name=$(name_of "$verb")
	is "$name: SIGPIPE is quiet" "$( (trap '' PIPE; filter "$verb" "$T/many.dot" 2>&1 >&3 | grep -v kept) 3> >(head -c 1 >/dev/null) )" ""
done
expect_exit 1 "a graph that is too large" "$vflow" slice --vertex 1 "$T/large.dot"
is "and why" "$(cat "$T/err")" "vflow slice: $T/large.dot: the graph is larger than 256 MiB"
rm "$T/large.dot"
is "comments are dropped, lines of cpp too" "$(printf '# 1 "x"\n/* a */ digraph { v1; // b\n }' | "$vflow" prune --nodecount 999999 2>/dev/null | sed -n 3p)" $'\tv1;'
is "a stream is read graph by graph, plain or not" "$(printf 'digraph a {v1} digraph b { x -> y } digraph c {v3}' | "$vflow" prune --nodecount 999999 2>/dev/null | grep -c digraph)" 3

# -- 2.2.1: HTML-ness belongs to the interned string --
cat >"$T/html.dot" <<'DOT'
digraph { v1 [label=<<b>hi</b>>, name="<b>hi</b>", note="<b>hi</b>"]; v2 [note="<b>hi</b>"]; v1 -> v2; }
DOT
for verb in "${verbs[@]}"; do
	filter "$verb" "$T/html.dot" >"$T/out" 2>/dev/null
	is "HTML labels do not leak: $(name_of "$verb")" "$(grep -c '=<' "$T/out") $(nop "$T/out" | grep -c '=<')" "0 0"
done
like "and the graph says what became of them" "$("$vflow" prune --nodecount 999999 "$T/html.dot" 2>/dev/null)" 'vflow_note="HTML-like labels became plain text"'

# -- 2.2.2: backslashes and quotes: agwrite is not injective --
cat >"$T/slash.dot" <<'DOT'
digraph { v1 [name="q\\"]; v2 [name="a\\\"b"]; v3 [name="two
lines\\"]; v4 [name="\\\\"]; v5 [name="x\" onload=\"y"]; v6 [name="\\N \\l"]; v1 -> v2 -> v3 -> v4 -> v5 -> v6; }
DOT
expected='[{"n":"q\\"},{"n":"a\\\"b"},{"n":"two\\x0alines\\"},{"n":"\\\\"},{"n":"x\" onload=\"y"},{"n":"\\N \\l"}]'
is "backslashes and quotes are read as they are meant" "$(names <"$T/slash.dot" | tr -d ' \n' | sed 's/onload/ onload/; s/\\\\Nl/\\\\N l/; s/\\\\N\\\\l/\\\\N \\\\l/')" "$expected"
"$vflow" prune --nodecount 999999 "$T/slash.dot" 2>/dev/null >"$T/1.dot"
is "and pass through" "$(names <"$T/1.dot")" "$(names <"$T/slash.dot")"
is "and through stock tools, twice" "$(nop "$T/1.dot" | nop | names)" "$(names <"$T/slash.dot")"
is "no quote opens an attribute" "$(gvpr 'BEG_G { printf("%d", isAttr($G, "N", "onload")); }' "$T/1.dot")" 0

# -- 2.2.3: names that start with % are cgraph's own --
printf 'digraph { "%%5" -> "%%9" [object=1]; v3 }' | "$vflow" prune --nodecount 999999 2>/dev/null >"$T/0.dot"
printf 'digraph { "%%5" -> "%%9" [object=1, bytes=1]; v3 }' | "$vflow" prune --nodecount 999999 2>/dev/null >"$T/1.dot"
"$vflow" prune --nodecount 999999 "$T/1.dot" 2>/dev/null >"$T/2.dot"
is "names that start with % get names that stay" "$(grep -c % "$T/1.dot") $(cmp "$T/1.dot" "$T/2.dot" && echo same)" "0 same"

# -- 2.2.4: long strings wrap --
long=$(printf 'abcdefghi %.0s' {1..60})
echo "digraph { v1 [name=\"$long\"]; v2; v1 -> v2 [bytes=1]; }" | "$vflow" prune --nodecount 999999 2>/dev/null >"$T/1.dot"
is "long strings do not wrap, nor after a stock tool" "$(grep -c '\\$' "$T/1.dot") $(nop "$T/1.dot" | grep -c '\\$')" "0 0"

# -- 2.2.5: declarations and defaults --
cat >"$T/set.dot" <<'DOT'
digraph { node [colour=red]; v1 [colour=red, one=""]; v2 [colour=blue, one=1]; v3; v1 -> v2 [bytes=1]; v2 -> v3 [bytes=1, extra=x]; }
DOT
is "what is unset stays unset, what has a default keeps it" "$("$vflow" prune --nodecount 999999 "$T/set.dot" 2>/dev/null |
	"$vflow" query -T json 'MATCH (v) RETURN v.colour AS c, v.one AS o ORDER BY v.id' | tr -d ' \n')" \
	'[{"c":"red","o":null},{"c":"blue","o":"1"},{"c":"red","o":null}]'
is "attributes of one object are not declared for all" "$("$vflow" prune --nodecount 999999 "$T/set.dot" 2>/dev/null | grep -c 'extra')" 1

# -- 2.2.6: every attribute costs a slot on every node --
attributes() { # COUNT
	echo "digraph { v1 ["
	for ((i = 0; i < $1; i++)); do echo "a$i=1,"; done
	echo "]; v2; v1 -> v2 [object=1, bytes=1, access=READ]; }"
}
attributes 250 >"$T/250.dot"
attributes 300 >"$T/300.dot"
expect_exit 0 "250 different attributes" "$vflow" slice --vertex 1 "$T/250.dot"
expect_exit 1 "300 are too many" "$vflow" slice --vertex 1 "$T/300.dot"
like "and why" "$(cat "$T/err")" "more than 256 different attributes"

# -- 2.2.7: parallel edges --
cat >"$T/parallel.dot" <<'DOT'
digraph { v1; v2;
	v1 -> v2 [key="1:READ", object=1, access=READ, bytes=1];
	v1 -> v2 [key="1:WRITE", object=1, access=WRITE, bytes=2];
	v1 -> v2 [key="9:READ", object=9, access=READ, bytes=3];
	v1 -> v2 [bytes=4]; v1 -> v2 [bytes=5]; v2 -> v2 [bytes=6]; }
DOT
for verb in "${verbs[@]}"; do
	is "parallel edges stay apart: $(name_of "$verb")" "$(filter "$verb" "$T/parallel.dot" 2>/dev/null | nop | filter "$verb" 2>/dev/null |
		gvpr 'E { printf("%s\n", $.bytes); }' | sort | tr '\n' ' ')" "1 2 3 4 5 6 "
done
is "one flow twice stays one edge" "$(printf 'digraph { v1 -> v2 [key=a, bytes=1]; v1 -> v2 [key=a, bytes=2] }' | "$vflow" prune --nodecount 999999 2>/dev/null | grep -c -e '->')" 1
is "strict graphs have one edge" "$(printf 'strict digraph { v1 -> v2 [bytes=1]; v1 -> v2 [bytes=2] }' | "$vflow" prune --nodecount 999999 2>/dev/null | grep -c -e '->')" 1

# -- 2.2.8: two graphs in one text --
is "the second graph is not lost, nor given twice" "$(printf 'digraph { v1 } digraph { v2 }' | "$vflow" prune --nodecount 999999 2>/dev/null | grep -c '	v')" 2
is "nor when cgraph reads them" "$(printf 'digraph { /**/ v1 } digraph { v2 }' | "$vflow" prune --nodecount 999999 2>/dev/null | grep -c '	v')" 2

# -- 2.2.9: deep input and long chains --
{ echo digraph; printf '{%.0s' {1..20000}; echo v1; printf '}%.0s' {1..20000}; } >"$T/deep.dot"
expect_exit 1 "20,000 nested groups" "$vflow" slice --vertex 1 "$T/deep.dot"
is "end in one line" "$(wc -l <"$T/err")" 1
awk 'BEGIN { printf "digraph { v0"; for (i = 1; i < 30000; i++) printf " -> v%d", i; print " }" }' >"$T/chain.dot"
expect_exit 1 "a chain of 30,000 in one statement" "$vflow" slice --vertex 1 "$T/chain.dot"
is "ends in one line" "$(wc -l <"$T/err")" 1
awk 'BEGIN { print "digraph {"; for (i = 1; i < 100000; i++) print "v" i " -> v" i + 1 " [object=1, access=READ, bytes=1];"; print "}" }' >"$T/long.dot"
for verb in "slice --vertex 50000" "prune --ignore v200000 --hide v3" "path --from 1 --to 100000"; do
	expect_exit 0 "a chain of 100,000 vertices: $(name_of "$verb")" filter "$verb" "$T/long.dot"
done

# -- 2.2.10: ports, and names that look like one --
printf 'digraph { a:p -> b:q:n [bytes=1]; "x:y" -> a [bytes=1] }' | "$vflow" prune --nodecount 999999 2>/dev/null >"$T/1.dot"
is "ports survive" "$(gvpr 'E [head.name == "b"] { printf("%s %s", tailport, headport); }' "$T/1.dot")" "p q:n"
is "and x:y is a name" "$(gvpr 'E [head.name == "a"] { printf("%s|%s", tail.name, tailport); }' "$T/1.dot")" "x:y|"

# -- 2.2.13: limits on what comes from others --
expect_exit 1 "an undirected graph" "$vflow" slice --vertex 1 <(echo 'graph { v1 -- v2 }')
like "is refused by name" "$(cat "$T/err")" "write 'digraph' and '->'"
expect_exit 1 "too many vertices" "$vflow" stat <(awk 'BEGIN { print "digraph {"; for (i = 0; i < 1000002; i++) print "v" i ";"; print "}" }')
like "are refused by number" "$(cat "$T/err")" ": more than 1000000 vertices$"
expect_exit 1 "a newer version" "$vflow" slice --vertex 1 <(echo 'digraph { graph [vflow_version=2]; v1 }')
like "is refused by name" "$(cat "$T/err")" "made by a newer vflow: vflow_version 2"

# -- unknown attributes and graphs pass through every verb; stock tools read the result --
cat >"$T/foreign.dot" <<'DOT'
digraph "my graph" {
	graph [rankdir=LR, vflow_types="rank2:int", bgcolor="light blue"];
	v1 [kind=alloc, shape=box, rank2=7, URL="http://x/?a=1&b=2"];
	v2 [kind=kernel, tooltip="a\nb"];
	v1 -> v2 [object=1, access=READ, bytes=10, penalty=3, style="dashed,bold"];
}
DOT
for verb in "${verbs[@]}"; do
	filter "$verb" "$T/foreign.dot" 2>/dev/null >"$T/out"
	is "unknown attributes stay: $(name_of "$verb")" "$(gvpr 'BEG_G { printf("%s %s %s ", $G.name, $.rankdir, $.bgcolor); }
		N { printf("%s %s %s %s ", shape, rank2, URL, tooltip); } E { printf("%s %s", penalty, style); }' "$T/out")" \
		"$(gvpr 'BEG_G { printf("%s %s %s ", $G.name, $.rankdir, $.bgcolor); }
		N { printf("%s %s %s %s ", shape, rank2, URL, tooltip); } E { printf("%s %s", penalty, style); }' "$T/foreign.dot")"
	expect_exit 0 "dot reads what $(name_of "$verb") writes" dot -Tplain "$T/out"
done

# -- profiles: damaged, cut, newer, not ours --
if [ -x "$P/figure3" ] && collect "$T/good.db" "$P/figure3" >/dev/null 2>&1; then
	head -c 5000 "$T/good.db" >"$T/cut.db"
	cp "$T/good.db" "$T/changed.db"
	sqlite3 "$T/changed.db" "UPDATE edge SET bytes = bytes + 1 WHERE id = 1"
	cp "$T/good.db" "$T/newer.db"
	sqlite3 "$T/newer.db" "PRAGMA user_version = 2000"
	sqlite3 "$T/other.db" "CREATE TABLE t (x)"
	for db in cut changed newer other; do
		for verb in "${verbs[@]}"; do
			expect_exit 1 "$(name_of "$verb") of a profile that is $db" filter "$verb" "$T/$db.db"
			like "$(name_of "$verb") says so" "$(cat "$T/err")" "^vflow $(name_of "$verb"): $T/$db.db: (damaged|made by a newer vflow|an SQLite database, but not a vflow profile)"
		done
	done
else
	skip "profiles that are damaged" "no profile could be made here"
fi
finish
