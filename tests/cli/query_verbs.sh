#!/bin/bash
# path, top, stat, the parts of slice; the queries in the manual run, and those that a verb is said to
# equal give the same graph.
. tests/lib.sh
cat >"$T/f.dot" <<'DOT'
digraph vflow {
	v0 [kind=host, name=host];
	v1 [kind=alloc, name=cudaMalloc, invocations=1];
	v2 [kind=memset, name=cudaMemset, invocations=2, redundant_bytes=0];
	v3 [kind=kernel, name=a, invocations=3, redundant_bytes=512];
	v4 [kind=kernel, name=b, invocations=1, redundant_bytes=2048];
	v5 [kind=kernel, name=c, invocations=2, redundant_bytes=512];
	v6 [kind=kernel, name=lonely, invocations=9];
	v1 -> v2 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=0, count=1];
	v2 -> v3 [key="1:WRITE", object=1, access=WRITE, bytes=4096, redundant_bytes=512, count=1];
	v3 -> v4 [key="1:READ", object=1, access=READ, bytes=100, count=1];
	v4 -> v3 [key="9:WRITE", object=9, access=WRITE, bytes=100, redundant_bytes=0, count=2];
	v3 -> v3 [key="1:READ", object=1, access=READ, bytes=10, count=1];
	v4 -> v5 [key="1:WRITE", object=1, access=WRITE, bytes=1000, redundant_bytes=2048, count=1];
	v2 -> v5 [key="9:READ", object=9, access=READ, bytes=1, count=1];
	v5 -> v0 [key="1:WRITE", object=1, access=WRITE, bytes=4096, count=1];
}
DOT
run() { # NAME EDGES COMMAND...
	local name=$1 expected=$2
	shift 2
	is "$name" "$("$VFLOW" "$@" "$T/f.dot" 2>"$T/err" | dot_edges)" "$expected"
}
run "path: all ways" "2>3 2>5 3>3 3>4 4>3 4>5" path --from 2 --to 5
like "and says what it kept" "$(cat "$T/err")" "vflow path: kept 5 of 7 vertices, 6 of 8 edges"
run "along one object" "2>3 3>3 3>4 4>5" path --from 2 --to 5 --object 1
run "the shortest" "2>5" path --from v2 --to '^c$' --shortest
run "the shortest along one object" "2>3 3>4 4>5" path --from 2 --to 5 --object 1 --shortest
run "a way back to the start" "3>3 3>4 4>3" path --from 3 --to 3
run "the shortest one" "3>3" path --from 3 --to 3 --shortest
run "from several" "2>3 3>3 3>4 4>3" path --from '^a$|Memset' --to b
expect_exit 1 "no way" "$VFLOW" path --from 5 --to 1 "$T/f.dot"
like "and says so" "$(cat "$T/err")" "no way leads from 5 to 1"
expect_exit 1 "no such operation" "$VFLOW" path --from 5 --to 77 "$T/f.dot"
expect_exit 2 "path needs both ends" "$VFLOW" path --from 5 "$T/f.dot"
run "slice --up" "1>2 2>3 3>3 3>4" slice --up --vertex 4
run "slice --down" "4>3 4>5 5>0" slice --down --vertex 4
run "slice --depth 1: the edges at it" "3>4 4>3 4>5" slice --depth 1 --vertex 4
run "slice --up --depth 2" "2>3 3>3 3>4" slice --up --depth 2 --vertex 4
run "slice --object" "4>3" slice --object 9 --vertex 4
expect_exit 2 "slice --up --down" "$VFLOW" slice --up --down --vertex 4 "$T/f.dot"
is "top" "$("$VFLOW" top -n 2 "$T/f.dot" | cut -f 1-4)" $'id\tredundant_bytes\tkind\tname\n4\t2048\tkernel\tb\n3\t512\tkernel\ta'
is "top --by" "$("$VFLOW" top --by invocations -n 1 "$T/f.dot" | tail -1 | cut -f 1,2)" $'6\t9'
expect_exit 2 "top by something else" "$VFLOW" top --by colour "$T/f.dot"
is "stat" "$("$VFLOW" stat "$T/f.dot" | tr '\t' ' ')" "part kind number invocations bytes redundant_bytes
vertex alloc 1 1  
vertex host 1 0  
vertex kernel 4 15  
vertex memset 1 2  
edge READ 3 3 111 0
edge WRITE 5 6 13388 2560"
is "stat of a graph without edges" "$(echo 'digraph { v1 [kind=alloc]; }' | "$VFLOW" stat | tail -n +2 | tr '\t' ' ')" "vertex alloc 1 0  "

# every line of a manual page that starts with "vflow query" runs
examples() { # PAGE
	sed -n "s/\\\\(aq/'/g; s/\\\\e/\\\\/g; s/\\\\-/-/g; /^vflow query/p" "query/vflow-$1.1"
}
count=0
for page in query slice prune path top; do
	while read -r line; do
		count=$((count + 1))
		expect_exit 0 "vflow-$page(1): $line" bash -c "cd '$T' && VFLOW_PROFILE=f.dot '$(realpath "$VFLOW")' ${line#vflow } </dev/null"
	done < <(examples $page)
done
is "the manual has examples" "$((count > 12))" 1
same() { # PAGE NUMBER VERB...: the NUMBERth query of the page gives what the verb gives, host apart
	local page=$1 line
	line=$(examples "$page" | sed -n "$2p")
	shift 2
	is "vflow $* equals its query" "$(bash -c "cd '$T' && VFLOW_PROFILE=f.dot '$(realpath "$VFLOW")' ${line#vflow } </dev/null" 2>/dev/null | sed '/^\tv0 \[/d')" \
		"$("$VFLOW" "$@" "$T/f.dot" 2>/dev/null | sed '/^\tv0 \[/d')"
}
same slice 1 slice --vertex 5
same prune 1 prune --edge-bytes 1K
same prune 2 prune --vertex 'invocations>=2'
same prune 3 prune --edge-bytes 1K --vertex 'invocations>=2'
same path 1 path --from 3 --to 5
same path 2 path --from 3 --to 5 --shortest
is "top equals its query" "$(VFLOW_PROFILE=$T/f.dot bash -c "'$VFLOW' $(examples top | sed 's/^vflow //') </dev/null")" "$("$VFLOW" top "$T/f.dot")"
finish
