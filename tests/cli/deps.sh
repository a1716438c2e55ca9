#!/bin/bash
# vflow deps: dependencies of tests/programs/timeline.c and stream_order.c, drawn by hand:
# CALL: WHY CALL-BEFORE, ...
. tests/lib.sh
exec </dev/null

program=timeline
collected() { # CASE [COLLECT-OPTION...]
	local case=$1
	shift
	DEVICE=emulated collect "$T/$case.db" "$@" "$P/$program" "$case" >"$T/$case.out" 2>&1 || cat "$T/$case.out"
}
dependencies() { # CASE
	"$VFLOW" deps -T json "$T/$1.db" >"$T/$1.json"
	json_query "$T/$1.json" "SELECT value->>'call' || ': ' || group_concat(value->>'why' || ' ' || (value->>'after'), ', ')
		FROM json, json_each(text, '\$.dependencies') GROUP BY value->>'call' ORDER BY value->>'call'"
}
levels() { # CASE: LEVEL: CALL ...
	json_query "$T/$1.json" "SELECT value->>'level' || ': ' || group_concat(value->>'call', ' ')
		FROM json, json_each(text, '\$.calls') GROUP BY value->>'level' ORDER BY value->>'level'"
}
exact() { # CASE <TABLE
	collected "$1"
	is "$1" "$(dependencies "$1")" "$(sed 's/^[ \t]*//; s/ *#.*//')"
}

# a and b are 1 and 2; neither s (4, 5) nor t (6) waits for the default stream; 7 only waits
exact streams <<'END'
	2: stream 1
	3: stream 2
	4: WAW 1
	5: stream 4, RAW 4
	6: event 5, WAW 2
	8: stream 3, wait 5, RAW 6         # the host has waited for s; t writes what it copies
	9: stream 8, WAR 8, WAW 6          # frees b
	10: stream 9, wait 6, WAR 5, WAW 4 # cudaFree() waits for t, and has for s
	11: stream 10, WAW 10
	12: stream 11
	13: stream 12
	14: stream 13, WAW 13
END
is "levels" "$(levels streams)" "0: 1
1: 2 4
2: 3 5
3: 6
4: 8
5: 9
6: 10
7: 11
8: 12
9: 13
10: 14"
# s is ordered with the default stream, which 1 and 5 are in
exact pageable <<'END'
	2: stream 1, WAW 1
	3: stream 2, WAW 2
	4: stream 3, WAW 3
	5: stream 1, stream 4, WAW 4
	6: stream 4, stream 5, RAW 5
	7: stream 6, WAR 6, WAW 5
END
# 5 waits for an event after 3, 7 for all
exact events <<'END'
	2: stream 1
	3: WAW 1
	4: stream 2, WAW 2
	6: stream 3, WAW 3
	8: stream 4, wait 6, WAW 4
END
exact graph <<'END'
	2: stream 1, WAW 1
	3: stream 2, WAW 2
	4: stream 3, WAW 3
	5: stream 4, WAW 4
	7: stream 1, stream 5, WAW 5
END
is "nothing is unknown" "$(sqlite3 "$T/streams.db" "SELECT count(*) FROM coverage WHERE kind = 'STREAM_ORDER_UNKNOWN'")" 0

# 1 to 4 allocate a to d, in the default stream, which blocking streams come after
program=stream_order
levels_are() { # CASE LEVELS, of calls from 5 on
	is "$1: levels" "$(json_query "$T/$1.json" "SELECT group_concat(value->>'call' || '=' || (value->>'level'), ' ')
		FROM json, json_each(text, '\$.calls') WHERE value->>'call' > 4")" "$2"
}
# each thread has a default stream: 5, 9 and 13 are in one, 6 in another; 7 and 10 in a nonblocking
# one; 8 in the legacy one.  11 waits for the thread's own.
exact threads <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: stream 4, WAW 1
	6: stream 4, WAW 2           # not after 5
	7: WAW 3
	8: stream 4, stream 5, stream 6, WAW 5
	9: stream 5, stream 8, WAW 6
	10: stream 7, WAW 7          # not after 8
	12: wait 9, WAW 8
	13: stream 9, RAW 12
END
levels_are threads "5=4 6=4 7=3 8=5 9=6 10=4 12=7 13=8"
# s: 5, 7, 10.  t has no operation, but waits for s: so do u, by an event of t, and the host, by 13
exact events <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: WAW 1
	6: event 5, WAW 3
	7: stream 5, WAW 2
	8: stream 6, WAW 6           # the event was recorded before 7
	9: stream 8, event 7, WAW 8  # and again behind it
	10: stream 7, WAW 5
	11: event 7, WAW 4           # recorded again behind 10, but after the wait
	12: WAW 11                   # the event was never recorded
	14: wait 10, WAW 7
END
levels_are events "5=1 6=3 7=2 8=4 9=5 10=3 11=4 12=5 14=4"
# s: 5, 8; t: 6, 10; n, nonblocking: 7, 9, 13; 11 is in a new stream.  The default stream records an
# event before 6, and waits for n after 7
exact default <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: stream 4, WAW 1
	6: stream 4, event 5, WAW 2
	7: WAW 3
	8: stream 5, event 6, event 7, WAW 5
	9: stream 7, WAW 4
	10: stream 6, event 7, WAW 6
	11: stream 4, event 5, event 6, event 7, WAW 9
	12: stream 4, stream 8, stream 10, stream 11, WAW 7
	13: stream 9, WAW 12
END
levels_are default "5=4 6=5 7=3 8=6 9=4 10=6 11=6 12=7 13=8"
# 6 is in a stream that was made when that of 5 was gone; 7 waits for an event of the latter
exact again <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: WAW 1
	6: WAW 2
	7: event 5, WAW 3
END
levels_are again "5=1 6=2 7=3"
# 5 and 6 are a captured graph's
exact captured <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: WAW 1
	6: stream 5, WAW 2
	7: stream 6, WAW 6
END
levels_are captured "5=1 6=2 7=3"
# 5 and 8 are graphs', which record the events that 7 and 9 come after
exact nodes <<'END'
	2: stream 1
	3: stream 2
	4: stream 3
	5: WAW 1
	6: stream 5, WAW 2
	7: event 5, WAW 3
	8: stream 6, WAW 5
	9: stream 7, event 8, WAW 4
END
levels_are nodes "5=1 6=2 7=3 8=3 9=4"
for case in threads events default again captured nodes; do
	is "$case: nothing is unknown" "$(sqlite3 "$T/$case.db" "SELECT count(*) FROM coverage WHERE kind = 'STREAM_ORDER_UNKNOWN'")" 0
done
program=timeline

# passes time and waits have the same records, of a run of their own
cp "$T/streams.json" "$T/alone.json"
collected streams --passes flow,time,waits
dependencies streams >"$T/with"
edges_of() { json_query "$1" "SELECT value FROM json, json_each(text, '\$.dependencies')"; }
is "the same with the passes time and waits" "$(edges_of "$T/streams.json")" "$(edges_of "$T/alone.json")"
is "their order of streams comes once" "$(sqlite3 "$T/streams.db" "SELECT count(*) FROM stream_order")" 1

# DOT
"$VFLOW" deps "$T/streams.db" >"$T/s.dot"
is "a vertex" "$(grep $'^\tv6 \\[' "$T/s.dot" | sed 's/process=[0-9]*/process=P/')" \
	$'\tv6 [kind=memset, name=cudaMemsetAsync, call=6, vertex=6, level=3, process=P, thread=0, device=0, stream=2, label="6 cudaMemsetAsync"];'
is "edges" "$(grep -e '-> v6 ' "$T/s.dot")" $'\tv5 -> v6 [key=event, why=event, label=event, style=dashed];
\tv2 -> v6 [key="WAW 2", why=WAW, allocation=2, label="WAW 2"];'
dot -Tplain "$T/s.dot" >"$T/plain" 2>"$T/err"
is "dot draws it without a word" "$(cat "$T/err")" ""
is "one rank for the calls of a level, below the level before" \
	"$(awk '$1 == "node" { y[$2] = $4 } END { print (y["v2"] == y["v4"]), (y["v3"] == y["v5"]), (y["v1"] > y["v2"]), (y["v3"] > y["v6"]) }' "$T/plain")" "1 1 1 1"
dot -Tdot "$T/s.dot" | gvpr -q 'BEG_G { graph_t s; for (s = fstsubg($G); s; s = nxtsubg(s)) if (s.label != "") { node_t n; string v = s.label + ":"; for (n = fstnode(s); n; n = nxtnode_sg(s, n)) v = v + " " + n.name; print(v); } }' >"$T/lanes" 2>/dev/null
is "a lane for each stream" "$(cat "$T/lanes")" "stream 0: v1 v2 v3 v8 v9 v10 v11 v12 v13 v14
stream 1: v4 v5
stream 2: v6"
is "slice reads it" "$("$VFLOW" slice --vertex 6 "$T/s.dot" 2>/dev/null | dot_vertices)" "1 2 4 5 6 8 9 10 11 12 13 14"
is "query reads it" "$("$VFLOW" query -T tsv "MATCH (a)-[e]->(b) WHERE e.why = 'event' RETURN a.call, b.call" "$T/s.dot" | tail -1)" $'5\t6'
expect_exit 0 "render draws it" "$VFLOW" render -o "$T/s.svg" "$T/s.dot"
is "-n" "$("$VFLOW" deps -n 5 "$T/streams.db" | dot_edges)" "1>2 1>4 2>3 4>5 4>5"

# what is asked for wrongly
expect_exit 2 "an unknown type" "$VFLOW" deps -T svg "$T/streams.db"
is "says what it takes" "$(head -1 "$T/err")" "vflow deps: -T takes dot or json, not 'svg' (see 'vflow deps --help')"
expect_exit 1 "an older profile" "$VFLOW" deps tests/profiles/version-1000.db
is "says that it has none" "$(cat "$T/err")" "vflow deps: the profile holds no dependencies: an older vflow made it; collect it again"

# hostile profiles
refused() { # MESSAGE SQL
	cp "$T/streams.db" "$T/d.db"
	sqlite3 "$T/d.db" "$2"
	expect_exit 1 "$2" "$VFLOW" deps "$T/d.db"
	is "$2: why" "$(cat "$T/err")" "vflow deps: $T/d.db: damaged: $1: collect it again"
}
no_row() { # NUMBER SQL
	refused "row $1 of table dependency is not what a profile holds" "$2"
}
no_row 1 "UPDATE dependency SET id = -id"
no_row 1 "UPDATE dependency SET after = event WHERE id = 1"
no_row 2 "UPDATE dependency SET after = 14 WHERE id = 2"
no_row 3 "UPDATE dependency SET event = 99 WHERE id = 3"
no_row 3 "UPDATE dependency SET event = 1 WHERE id = 3"
no_row 1 "UPDATE dependency SET why = 0 WHERE id = 1"
no_row 1 "UPDATE dependency SET why = 4 WHERE id = 1"
no_row 3 "UPDATE dependency SET why = 7 WHERE id = 3"
no_row 3 "UPDATE dependency SET object = 99 WHERE id = 3"
no_row 3 "UPDATE dependency SET object = NULL WHERE id = 3"
refused "the check sum of table dependency is wrong" "UPDATE dependency SET why = 2 WHERE id = 1"
finish
