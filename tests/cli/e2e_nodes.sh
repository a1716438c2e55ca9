#!/bin/bash
# Nodes of CUDA graphs: which vertices nodes.c must give.  A line is "KIND INVOCATIONS CALL PATH", places
# in it are "FUNCTION COMMENT", and NAME.A is NAME within case A.
. tests/lib.sh

# nodes.c:12 becomes the comment at the end of line 12
sed -n '\|/\* \([a-z_]*\) \*/$|{=;p}' tests/programs/nodes.c | paste - - | sed 's|^\([0-9]*\)\t.*/\* \([a-z_]*\) \*/$|s/nodes.c:\1\\b/\2/g|' >"$T/places"

nodes_are() { # CASE <EXPECTED
	collect "$T/$1.db" "$P/nodes" "$1" >"$T/out" 2>&1 || not_ok "$1: the program" "$(cat "$T/out")"
	is "$1" "$(sqlite3 -separator ' ' "$T/$1.db" "SELECT kind, invocations, callpath_text FROM vertex
		WHERE kind NOT IN ('host', 'alloc') ORDER BY position" | sed -f "$T/places" | sed "s/ < main main//g")" "$(cat)"
}

nodes_are helper <<'END'
memset 1 put_set put_set < helper first < [replayed] < run run < helper launch
memset 1 put_set put_set < helper second < [replayed] < run run < helper launch
END
# one line adds three nodes; two lines launch them
nodes_are loop <<'END'
memset 2 add_sets add < loop sets < [replayed] < loop twice
memset 2 add_sets add < loop sets < [replayed#2] < loop twice
memset 2 add_sets add < loop sets < [replayed#3] < loop twice
memset 1 add_sets add < loop sets < [replayed] < loop once
memset 1 add_sets add < loop sets < [replayed#2] < loop once
memset 1 add_sets add < loop sets < [replayed#3] < loop once
END
nodes_are enabled <<'END'
memset 1 add_sets add < enabled sets < [replayed] < run run < enabled all
memset 1 add_sets add < enabled sets < [replayed#2] < run run < enabled all
memset 1 add_sets add < enabled sets < [replayed#3] < run run < enabled all
memset 2 add_sets add < enabled sets < [replayed] < run run < enabled some
memset 2 add_sets add < enabled sets < [replayed#3] < run run < enabled some
END
nodes_are child <<'END'
memset 1 put_set put_set < child set < [replayed] < run run < child launch
kernel 1 put_increment put_increment < child increment < [replayed] < run run < child launch
memset 1 put_set put_set < child set < [replayed#2] < run run < child launch
kernel 1 put_increment put_increment < child increment < [replayed#2] < run run < child launch
END
# two graphs may share a vertex: a node and its copy do
nodes_are clone <<'END'
memset 2 add_sets add < clone sets < [replayed] < run run < clone both
memset 2 add_sets add < clone sets < [replayed#2] < run run < clone both
memset 2 add_sets add < clone sets < [replayed#3] < run run < clone both
END
nodes_are other_kernel <<'END'
memset 1 other_kernel zero
kernel 1 other_kernel add < [replayed] < run run < other_kernel launch
kernel 1 other_kernel add < [replayed] < run run < other_kernel launch
kernel 1 other_kernel add < [replayed] < run run < other_kernel again
kernel 1 other_kernel add < [replayed#2] < run run < other_kernel again
END
is "other_kernel: the kernels" "$(vertices "$T/other_kernel.db" | sed -n 's/.*kernel 1 //p' | tr '\n' ' ')" \
	"increment reverse_blocks increment increment "
nodes_are update <<'END'
memset 1 put_set put_set < update first < [replayed] < run run < update launch
memset 1 put_set put_set < update second < [replayed] < run run < update launch
END
nodes_are recapture <<'END'
memset 1 recapture zero
kernel 3 put_increment put_increment < recapture increment < [replayed] < run run < recapture launch
kernel 3 put_increment put_increment < recapture increment < [replayed#2] < run run < recapture launch
END

# FROM>TO ACCESS OBJECT BYTES REDUNDANT COUNT
exact_edges "$P/nodes" child <<'END'
	1>2 W 1 1024   0 1
	2>3 R 1 1024   0 1
	2>3 W 1 1024 768 1 # 05050505 -> 05050506: 3 of 4 bytes
	3>4 W 1 1024 768 1
	4>5 R 1 1024   0 1
	4>5 W 1 1024 768 1
END
exact_edges "$P/nodes" recapture <<'END'
	1>2 W 1 1024    0 1
	2>3 R 1 1024    0 1
	2>3 W 1 1024  768 1 # 0 -> 1: 3 of 4 bytes
	3>4 R 1 3072    0 3
	3>4 W 1 3072 2304 3
	4>3 R 1 2048    0 2 # the next graph's
	4>3 W 1 2048 1536 2
END

# the same program again has the same contexts, and no two of them are equal
contexts() {
	sqlite3 "$1" "SELECT context FROM vertex ORDER BY position"
}
collect "$T/again.db" "$P/nodes" loop
is "loop: the same contexts each time" "$(contexts "$T/again.db")" "$(contexts "$T/loop.db")"
is "loop: contexts of their own" "$(contexts "$T/loop.db" | sort | uniq -d)" ""

# every second launch of a node, not of its kernel: both nodes of the second graph are left out
"$VFLOW" collect --quiet --device emulated --sample-kernels 2 -o "$T/sampled.db" "$P/nodes" recapture
is "recapture: sampled by node" "$(edges "$T/sampled.db" | sort -V)" "$(table <<'END'
	1>2 W 1 1024    0 1
	2>3 R 1 1024    0 1
	2>3 W 1 1024  768 1
	3>4 R 1 2048    0 2
	3>4 W 1 2048 1536 2
	5>3 R 1 1024    0 1 # 5: unknown
	5>3 W 1 1024    0 1
END
)"
like "helper: a report names the lines where a node was added and where it was launched" \
	"$("$VFLOW" report --min-bytes 1 "$T/helper.db" | tr -s ' \n' ' ' | sed -f "$T/places")" \
	'put_set put_set < helper first < main [^ ]*, replayed at run run < helper launch .*mostly by cudaGraphLaunch \(vertex 3, put_set < second, replayed at run\)'
is "every case of nodes.c is here" \
	"$("$P/nodes" 2>&1 | sed 's/.*one of: //' | tr ' ' '\n' | sort)" \
	"$(grep -o '^nodes_are [a-z_]*' "$0" | cut -d' ' -f2 | sort)"
finish
