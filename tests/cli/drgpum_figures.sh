#!/bin/bash
# DrGPUM's Figures 2, 3 and 4, step by step: tests/programs/drgpum_figures.c, whose calls are numbered as the
# paper's text has them.
. tests/lib.sh

figure() { # NUMBER
	expect_exit 0 "figure $1: collect" collect "$T/$1.db" "$P/drgpum_figures" "$1"
	"$VFLOW" report --memory --top 0 -T json "$T/$1.db" >"$T/$1.json" 2>"$T/err" || cat "$T/err"
}
# PATTERN: size of the object, and how many calls are between
findings() { # NUMBER SIZE
	json_query "$T/$1.json" "SELECT value->>'\$.pattern' || ': ' || (value->>'\$.longest_calls') FROM json, json_each(text, '\$.findings') WHERE value->>'\$.bytes' = $2 ORDER BY 1"
}
moments() { # NUMBER: times of each object
	sqlite3 -separator ' ' "$T/$1.db" "SELECT object, made_time, first_time, last_time, freed_time FROM lifetime ORDER BY object"
}
# Figure 2: the order of the calls is the time, from 0 on here and from 1 on in the paper
figure 2
is "figure 2: the trace" "$(moments 2)" "1 0 3 7 10
2 1 6 8 11
3 2 4 9 "
is "figure 2: B is allocated four calls early and freed two calls late" "$(findings 2 $((1 << 19)))" "early_allocation: 4
late_deallocation: 2"
like "figure 2: C is a leak, and idle" "$(findings 2 $((1 << 18)) | tr '\n' ' ')" "memory_leak: 2 temporary_idleness: 4 $"

# Figure 3: when A6, the first call of O4, is visited, O1 is the closest object that is not in use; A5 is the
# last call of O1 and the first of O3, which cannot have its memory; O2 is in use from A2 to A8
figure 3
is "figure 3: A1 is the fifth call" "$(moments 3 | cut -d ' ' -f 1,3,4)" "1 4 8
2 5 11
3 8 10
4 9 12"
is "figure 3: only O4 can have another's memory, that of O1" "$(sqlite3 "$T/3.db" "SELECT group_concat(site) FROM object" | tr ',' ' ') $(json_query "$T/3.json" "SELECT value->>'\$.worst_object', value->>'\$.objects', value->>'\$.vertex', value->>'\$.reuses_vertex' FROM json, json_each(text, '\$.findings') WHERE value->>'\$.pattern' = 'redundant_allocation'")" "1 2 3 4 4 1 4 1"

# Figure 4: O1 is allocated in the first stream at T = 0, and first accessed in the second one at T = 3
figure 4
"$VFLOW" deps -T json "$T/4.db" >"$T/deps.json"
is "figure 4: dependencies" "$(json_query "$T/deps.json" "SELECT group_concat(d, '; ') FROM (SELECT value->>'call' || ': ' || group_concat(value->>'why' || ' ' || (value->>'after'), ', ') AS d
	FROM json, json_each(text, '\$.dependencies') GROUP BY value->>'call' ORDER BY value->>'call')")" \
	"3: stream 2, WAW 2; 4: stream 3, WAW 3; 5: stream 4, WAW 1, RAW 4; 6: stream 1, event 5, WAW 5; 7: stream 6, WAW 6; 8: stream 5, WAR 5, WAW 4"
is "figure 4: topological order" "$(json_query "$T/deps.json" "SELECT group_concat(value->>'call' || '=' || (value->>'level'), ' ') FROM json, json_each(text, '\$.calls')")" "1=0 2=0 3=1 4=2 5=3 6=4 7=5 8=4"
is "figure 4: the inefficiency distance of O1 is 3 - 0" "$(moments 4 | head -n 1)" "1 0 3 4 5"
is "figure 4: which are two calls in between" "$(findings 4 $((1 << 20)))" "early_allocation: 2"
finish
