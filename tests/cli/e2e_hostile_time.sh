#!/bin/bash
# Damaged traces and profiles of the passes `time` and `waits`: what was recorded before the damage, or
# an error that says where it is, from every command that shows times.
. tests/lib.sh
exec </dev/null # each command reads it

collect "$T/t.db" --keep-trace --passes flow,time,waits "$P/timeline" streams
run=("$T/t.db.trace/time,waits/"*.trace)
mkdir "$T/traces"

turn=0
commands() { # CODES DB [COUNT]: all commands that show times, or the next COUNT of them, end with one of the codes
	local count=${3:-10}
	while ((count-- > 0)); do
		case $((turn++ % 10)) in
		0) try "$1" "$VFLOW" report "$2" ;;
		1) try "$1" "$VFLOW" report --brief "$2" ;;
		2) try "$1" "$VFLOW" top --by time_ns "$2" ;;
		3) try "$1" "$VFLOW" stat "$2" ;;
		4) try "$1" "$VFLOW" query 'MATCH (a) WHERE a.time_ns > 0 RETURN sum(a.time_ns)' "$2" ;;
		5) try "$1" "$VFLOW" render --size-by time "$2" ;;
		6) try "$1" "$VFLOW" export -T json "$2" ;;
		7) try "$1" "$VFLOW" render -T html "$2" ;;
		8) try "$1" "$VFLOW" render -T json "$2" ;;
		9) try "$1" "$VFLOW" render -T perfetto "$2" ;;
		esac
	done
}

# -- traces of the run --
cp "${run[0]}" "$T/whole"
sqlite3 "$T/t.db" "SELECT * FROM gpu_time" >"$T/whole.rows"
rebuild() { # NAME [COUNT]
	rm -f "$T"/r.db*
	try 0 "$VFLOW" collect --from-trace "$T/t.db.trace" -o "$T/r.db"
	commands 0 "$T/r.db" ${2-}
	sqlite3 "$T/r.db" "SELECT * FROM gpu_time" >"$T/rows"
	# what came before the damage, and nothing else
	head -n "$(wc -l <"$T/rows")" "$T/whole.rows" | cmp -s - "$T/rows" || died+="other times: $1"$'\n'"$(cat "$T/rows")"$'\n'
}
rebuilt() { # NAME EXPECTED: operations, waits and the sum of times; and what coverage says
	died=
	rebuild "$1"
	is "$1: every command" "$died" ""
	is "$1: what there is" "$(sqlite3 -separator ' ' "$T/r.db" "SELECT (SELECT count(*) FROM gpu_time), (SELECT count(*) FROM wait), (SELECT sum(time_ns) FROM vertex);
		SELECT reason FROM coverage" | grep -o '^[0-9]* [0-9]* .*\|left no trace\|truncated at offset [0-9]*' | tr '\n' ' ')" "$2 "
}
rebuilt "a whole trace" "6 4 35001" # 3, 12, 3, 12, 3 and 2.001 us
rm "${run[0]}"
rebuilt "no trace" "0 0  left no trace"
: >"${run[0]}"
rebuilt "an empty trace" "0 0  truncated at offset 0"
cp "$T/t.db.trace/"*.trace "${run[0]}"
rebuilt "the trace of the graph's run" "0 4 " # which knows waits, but no times
rm "${run[0]}"
mkdir "${run[0]}"
rebuilt "a folder in place of a trace" "0 0 "
rmdir "${run[0]}"

died=
RANDOM=1
size=$(stat -c %s "$T/whole")
for ((at = 0; at < size; at += 1 + size / 12)); do
	head -c $at "$T/whole" >"${run[0]}"
	rebuild "cut at $at" 3
	flip "$T/whole" "${run[0]}" $at
	rebuild "a flipped bit at $at" 3
done
is "truncated and bit-flipped traces" "$died" ""

# -- profiles --
died=
size=$(stat -c %s "$T/t.db")
for ((i = 0; i < 15; i++)); do
	at=$((size * i / 15))
	head -c $at "$T/t.db" >"$T/d.db"
	commands "0 1" "$T/d.db" 3
	flip "$T/t.db" "$T/d.db" $((at + RANDOM % (size / 15)))
	commands "0 1" "$T/d.db" 3
done
is "truncated and bit-flipped profiles" "$died" ""

refused() { # MESSAGE SQL: by what draws every operation; the others may not look
	died=
	cp "$T/t.db" "$T/d.db"
	sqlite3 "$T/d.db" "$2"
	commands "0 1" "$T/d.db"
	is "$2: every command" "$died" ""
	expect_exit 1 "$2" "$VFLOW" render -T perfetto "$T/d.db"
	is "$2: why" "$(cat "$T/err")" "vflow render: $T/d.db: damaged: $1: collect it again"
}
no_row() { # NUMBER SQL
	refused "row $1 of table gpu_time is not what a profile holds" "$2"
}
no_row 1 "UPDATE gpu_time SET id = -id"
no_row 3 "UPDATE gpu_time SET call = 5 WHERE id = 3"
no_row 2 "UPDATE gpu_time SET vertex = 99 WHERE id = 2"
no_row 1 "UPDATE gpu_time SET process = 9"
no_row 2 "UPDATE gpu_time SET end_ns = -1 WHERE id = 2"
no_row 2 "UPDATE gpu_time SET end_ns = 1e300 WHERE id = 2"
no_row 2 "UPDATE gpu_time SET end_ns = 'soon' WHERE id = 2"
no_row 2 "UPDATE gpu_time SET start_ns = end_ns + 1 WHERE id = 2"
no_row 2 "UPDATE gpu_time SET start_ns = call_ns - 1 WHERE id = 2"
no_row 1 "DELETE FROM timeline"
refused "the check sum of table gpu_time is wrong" "UPDATE gpu_time SET end_ns = 9223372036854775807"
refused "the check sum of table gpu_time is wrong" "DELETE FROM gpu_time WHERE id = 6"
refused "the check sum of table vertex is wrong" "UPDATE vertex SET time_ns = time_ns + 1 WHERE id = 5"
refused "row 6 of table vertex is not what a profile holds" "UPDATE vertex SET time_ns = -5 WHERE id = 5"
refused "table gpu_time is missing" "DROP TABLE gpu_time"

# -- times at the limits --
times() { # TIME: DOT of two operations of it
	echo "digraph { v1 [kind=kernel name=a time_ns=\"$1\"]; v2 [kind=kernel name=b time_ns=\"$1\"]; v1 -> v2; }"
}
times 18446744073709551615 >"$T/odd.dot"
for command in "top --by time_ns" stat "render --size-by time" "render -T html" "render -T json"; do
	expect_exit 0 "the longest time: $command" "$VFLOW" $command "$T/odd.dot"
done
is "the longest time" "$("$VFLOW" top --by time_ns -T tsv "$T/odd.dot" 2>/dev/null | cut -f 1-2)" \
	$'id\ttime_ns\n1\t9223372036854775807\n2\t9223372036854775807' # the largest number of the query language
for time in 18446744073709551616 -1 1e3 NaN; do
	times $time >"$T/odd.dot"
	expect_exit 1 "no time: $time" "$VFLOW" top --by time_ns "$T/odd.dot"
	is "no time: $time: why" "$(cat "$T/err")" "vflow top: $T/odd.dot: vertex v1: time_ns is '$time': expected a number"
done
finish
