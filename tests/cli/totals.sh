#!/bin/bash
# What all commands say of one run is the same: sums of bytes and counts of operations.
. tests/lib.sh

# Bytes as report and pictures write them: 1023, 1.0K.
bytes() { # NUMBER
	awk -v n="$1" 'BEGIN { if (n < 1024) { print n; exit } for (u = 0; n >= 1024 && u < 5; u++) n /= 1024; printf "%.1f%s\n", n, substr("KMGTP", u, 1) }'
}
# "READ WRITTEN REDUNDANT REDUNDANT-VALUES DEAD VERTICES EDGES INVOCATIONS" of a list of vertices and
# one of edges in a JSON file
sums() { # FILE
	json_query "$1" "SELECT sum((e.value->>'bytes') * (e.value->>'access' = 'READ')), sum((e.value->>'bytes') * (e.value->>'access' = 'WRITE')),
		sum(coalesce(e.value->>'redundant_bytes', 0)), sum(coalesce(e.value->>'redundant_value_bytes', 0)),
		sum(coalesce(e.value->>'dead_bytes', 0)), json_array_length(text, '\$.vertices'), count(*),
		(SELECT sum(v.value->>'invocations') FROM json_each(text, '\$.vertices') v)
		FROM json, json_each(text, '\$.edges') e"
}
# The same of HTML, whose rows are arrays.
html_sums() { # FILE
	sed -n '/id="data">/,/<\/script>/p' "$1" | sed 's/.*id="data">//; s/<\/script>.*//' >"$T/page.json"
	json_query "$T/page.json" "WITH
		name(list, at, of) AS (SELECT 'vertices', key, value->>'name' FROM json, json_each(text, '\$.columns.vertices')
			UNION ALL SELECT 'edges', key, value->>'name' FROM json, json_each(text, '\$.columns.edges')),
		cell(list, row, of, value) AS (
			SELECT list, r.key, of, r.value->>at FROM name, json, json_each(text, '\$.' || list) r),
		edge AS (SELECT row, max(CASE of WHEN 'access' THEN value END) AS access, max(CASE of WHEN 'bytes' THEN value END) AS bytes,
			max(CASE of WHEN 'redundant_bytes' THEN value END) AS redundant, max(CASE of WHEN 'redundant_value_bytes' THEN value END) AS whole,
			max(CASE of WHEN 'dead_bytes' THEN value END) AS dead FROM cell WHERE list = 'edges' GROUP BY row)
		SELECT sum(bytes * (access = 'READ')), sum(bytes * (access = 'WRITE')), sum(coalesce(redundant, 0)), sum(coalesce(whole, 0)), sum(coalesce(dead, 0)),
			(SELECT json_array_length(text, '\$.vertices') FROM json), count(*),
			(SELECT sum(value) FROM cell WHERE list = 'vertices' AND of = 'invocations') FROM edge"
}
query_sums() { # FILE
	local edges vertices
	edges=$("$VFLOW" query -T csv 'MATCH ()-[e]->() RETURN sum(CASE WHEN type(e) = "READ" THEN e.bytes ELSE 0 END) AS a,
		sum(CASE WHEN type(e) = "WRITE" THEN e.bytes ELSE 0 END) AS b, sum(e.redundant_bytes) AS c,
		sum(e.redundant_value_bytes) AS d, sum(e.dead_bytes) AS f, count(*) AS g' "$1" | tail -1 | tr ',' ' ')
	vertices=$("$VFLOW" query -T csv 'MATCH (v) RETURN count(*) AS a, sum(v.invocations) AS b' "$1" | tail -1)
	echo "${edges% *} ${vertices%,*} ${edges##* } ${vertices#*,}"
}
stat_sums() { # FILE
	"$VFLOW" stat -T tsv "$1" | awk -F '\t' '$1 == "vertex" { v += $3; calls += $4 } $1 == "edge" { e += $3; redundant += $6; whole += $7; dead += $8 }
		$2 == "READ" { read = $5 } $2 == "WRITE" { written = $5 } END { printf "%.0f %.0f %.0f %.0f %.0f %d %d %d\n", read, written, redundant, whole, dead, v, e, calls }'
}
# Sums over vertices are those over edges.
vertex_sums() { # FILE
	"$VFLOW" query -T csv 'MATCH (v) RETURN sum(v.read_bytes) AS a, sum(v.written_bytes) AS b, sum(v.redundant_bytes) AS c, sum(v.redundant_value_bytes) AS d' "$1" |
		tail -1 | tr ',' ' '
}

check_totals() { # NAME DB
	local name=$1 db=$2 all read written whole vertices edges savings
	"$VFLOW" export -T json -o "$T/export.json" "$db"
	all=$(sums "$T/export.json")
	like "$name: something was written" "$all" '^[0-9]+ [1-9]'
	read -r read written _ whole _ vertices edges _ <<<"$all"
	is "$name: stat" "$(stat_sums "$db")" "$all"
	is "$name: query" "$(query_sums "$db")" "$all"
	is "$name: vertices have the sums of edges" "$(vertex_sums "$db")" "$(cut -d ' ' -f 1-4 <<<"$all")"
	is "$name: the profile's own tables" "$(sqlite3 -separator ' ' "$db" "SELECT sum(bytes * (access = 'READ')), sum(bytes * (access = 'WRITE')), sum(redundant_bytes) FROM flows")" \
		"$(cut -d ' ' -f 1-3 <<<"$all")"
	"$VFLOW" export -T dot -o "$T/export.dot" "$db"
	is "$name: DOT" "$(query_sums "$T/export.dot")" "$all"
	for type in json html svg dot; do
		"$VFLOW" render --all -o "$T/picture.$type" "$db" || not_ok "$name: $type is drawn"
	done
	is "$name: JSON of a picture" "$(sums "$T/picture.json")" "$all"
	is "$name: HTML" "$(html_sums "$T/picture.html")" "$all"
	is "$name: DOT of a picture" "$(query_sums "$T/picture.dot")" "$all"
	like "$name: the report's head" "$("$VFLOW" report "$db")" \
		"  $vertices vertices, $edges edges?, $(bytes "$read") read, $(bytes "$written") written"
	like "$name: a picture's head" "$(cat "$T/picture.svg")" \
		"$vertices vertices, $edges edges?; $(bytes "$read") bytes? read, $(bytes "$written") written, $(bytes "$whole") of them unchanged"
	savings=$(json_query "$T/export.json" "SELECT f.value->>'vertex' || ' ' || (f.value->>'bytes') FROM json, json_each(text, '\$.findings') f")
	is "$name: findings are those of the page" "$(json_query "$T/page.json" "SELECT f.value->>1 || ' ' || (f.value->>3) FROM json, json_each(text, '\$.findings') f")" "$savings"
	is "$name: and of the report" "$("$VFLOW" report --top 0 "$db" | sed -nE 's/^[0-9]+\. [^:]*: ([0-9.]+[KMGTP]?).*/\1/p')" \
		"$(while read -r _ size; do [ -z "$size" ] || bytes "$size"; done <<<"$savings")"
}

collect "$T/demo.db" "$P/demo" >"$T/out"
check_totals "the demo" "$T/demo.db"
# shellcheck disable=SC2086
for program in clear_gradients download_mesh graph_clear managed_host pitched_rows pool_upload half_floats; do
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -Igpu/emulator/include -I. $ASAN -o "$T/$program" tests/advice/$program.c \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm || not_ok "$program builds"
	collect "$T/$program.db" "$T/$program" >"$T/out"
	check_totals "$program" "$T/$program.db"
done
# of more than 4 GiB, of stores in several widths, of CUDA graphs, of a launch in two
for program in figure3 random_flow 'exactness big' 'exactness value_records' 'moves pool' 'nodes child'; do
	# shellcheck disable=SC2086
	collect "$T/run.db" "$P"/$program >"$T/out"
	check_totals "$program" "$T/run.db"
done
"$VFLOW" collect --quiet --device "${DEVICE:-emulated}" --sample-kernels 2 -o "$T/sampled.db" "$P/demo" >"$T/out"
check_totals "every second launch" "$T/sampled.db"
# shellcheck disable=SC2016
collect "$T/two.db" sh -c '"$0" && "$1"' "$P/demo" "$P/figure3" >"$T/out"
check_totals "two processes" "$T/two.db"
"$VFLOW" render -o "$T/nodes.svg" "$T/graph_clear.db"
like "a node of a CUDA graph says on it where it was captured and launched" "$(cat "$T/nodes.svg")" \
	'>graph_clear.c:27</text>[^/]*>replayed at :52</text>'
like "... and in full on hover" "$(cat "$T/nodes.svg")" \
	$'at filter_capture graph_clear.c:27\n  from filter_new graph_clear.c:45\n  from main graph_clear.c:64\n  replayed at filter_run graph_clear.c:52\n  from main graph_clear.c:68'
finish
