#!/bin/bash
# `vflow whatif` on the emulated device: programs of tests/programs/whatif.c, asked about the calls
# that are marked there, against the mended programs' own model time, to the ns.
. tests/lib.sh
. tests/whatif.bash
exec </dev/null # each run reads it
source=tests/programs/whatif.c
passes=flow,time,waits

timed() { # DB CASE [mended]
	collect "$1" --passes $passes "$P/whatif" "${@:2}" 2>"$T/err" || cat "$T/err"
}

for name in $(cases); do
	timed "$T/before.db" "$name"
	timed "$T/mended.db" "$name" mended
	ask_about "$name" "$T/before.db"
	"$VFLOW" whatif "${options[@]}" -T json "$T/before.db" >"$T/$name.json" 2>"$T/err" || cat "$T/err"
	"$VFLOW" whatif -T json "$T/mended.db" >"$T/mended.json"
	like "$name: there is a change" "${options[*]}" '--.* a?[0-9]'
	is "$name: predicted = the mended program's time" "$(member "$T/$name.json" after_ns)" "$(member "$T/mended.json" run_ns)"
	echo "$name $(member "$T/$name.json" before_ns) $(member "$T/$name.json" saves_ns)" >>"$T/times"
	cp "$T/before.db" "$T/$name.db"
	echo "${options[@]}" >"$T/$name.options"
done

# By hand: 10 us for the two allocations, then 5 times ...
by_hand() { # CASE BEFORE AFTER (us)
	is "$1: time and what is saved, by hand" "$(grep "^$1 " "$T/times")" "$1 ${2}000 $((($2 - $3) * 1000))"
}
by_hand wait 370 266         # 5, 56, 58, 59, 72 | the copies from 16 us on, one after the other
by_hand wait_moves 375 370   # 59, 60, 73 | 59, 72: only the call's own time
by_hand first_use 505 355    # 59, 89, 99 | 5, 35, 59, 69
by_hand two_streams 650 380  # 59, 64, 105, 107, 108, 128 | 10, 51, 53, 54, 74
by_hand bottleneck 405 405   # 24, 34, 79, either way
by_hand loop 425 213         # 5, 10, 41, 43, 73, 83 | once 5, copies 21 to 171 us, 173, 203, 213
by_hand one_of_streams 455 366 # 76, 78, 79, 89 | 21, 23, 24, 34: until the copies of a end at 16 + 5 * 70
by_hand barrier 605 380      # 56, 66, 116, 118, 119 | 21, 71, 73, 74
by_hand partial 140 110      # 6, 16, 18, 23, 26 | 6, 10, 12, 17, 20

ask() { # CASE [OPTION...]: what is said of its marked calls
	# shellcheck disable=SC2046
	"$VFLOW" whatif $(cat "$T/$1.options") "${@:2}" "$T/$1.db"
}
like "off the critical path" "$(ask bottleneck)" '405 us, before and after: not on the critical path; model time'
like "a range where copies newly overlap" "$(ask two_streams)" 'at worst [0-9]+ us: operations that would newly run side by side'
# a's copies until 56, b's then until 96, 98, 99, 119
is "... as if they did not" "$(member "$T/two_streams.json" after_most_ns)" 605000
like "waits for one stream only" "$(ask one_of_streams)" '^waits for less   a[0-9]+: stream 2 only'
like "... there is none" "$("$VFLOW" whatif --wait-for a1=9 "$T/barrier.db" 2>&1)" 'whatif: no call waits for stream 9 among others'
ask bottleneck --estimate diogenes -T json >"$T/diogenes.json"
is "the formula of Diogenes takes the work of 10 us for a gain" "$(member "$T/diogenes.json" saves_ns)" 50000
is "lanes add up to the run" "$(json_query "$T/two_streams.json" "SELECT value->>'\$.before.busy_ns' + coalesce(value->>'\$.before.wait_ns', 0) + (value->>'\$.before.idle_ns'),
	value->>'\$.after.busy_ns' + coalesce(value->>'\$.after.wait_ns', 0) + (value->>'\$.after.idle_ns') FROM json, json_each(text, '\$.lanes')
	WHERE (value->>'\$.before.busy_ns') > 0 GROUP BY 1, 2")" "650000 380000"
# thread 0: two waits of 53 and 43 us each time, and 5 + 1 + 5 + 1; the streams 5 * 50 and 5 * 40
is "lanes" "$(json_query "$T/two_streams.json" "SELECT coalesce('thread ' || (value->>'thread'), 'stream ' || (value->>'stream')), value->>'\$.before.busy_ns',
	value->>'\$.before.wait_ns', value->>'\$.after.busy_ns', value->>'\$.after.wait_ns' FROM json, json_each(text, '\$.lanes') WHERE (value->>'\$.before.busy_ns') > 0")" \
	"$(printf '%s\n' 'thread 0 70000 480000 65000 215000' 'stream 1 250000  250000 ' 'stream 2 200000  200000 ')"

listing=$("$VFLOW" whatif "$T/loop.db")
# the first copy is issued at 10 + 5 us, the last wait for one ends at 10 + 4 * 83 + 43
like "the run" "$listing" $'The run takes 425 us of model time,\n370 us from the first operation to the last, after a start-up of 15.0 us'
like "the run: a release" "$(tr -s ' \n' ' ' <<<"$listing")" ' a[0-9]+ 5 150 us 165 us - cudaFree, run_loop whatif.c:[0-9]+ < main'
like "the run: a copy" "$(tr -s ' \n' ' ' <<<"$listing")" ' 4 5 25.0 us - 150 us cudaMemcpyAsync, busy whatif.c:[0-9]+ < run_loop'
like "what the share is of" "$(ask two_streams)" '\(43.6% of 619 us\); model time'$'\n'' *619 us from the first operation to the last; start-up before it: 10.0 us'
ask two_streams -T svg -o "$T/two.svg"
is "the picture is XML" "$(xmllint --noout "$T/two.svg" 2>&1)" ""
# from 10 us to 10 + 4 * 128 + 107
like "the picture says" "$(cat "$T/two.svg")" '650 us, after 380 us: saves 270 us \(43.6% of 619 us\).*before: 650 us.*thread 0.*stream 2.*after: 380 us'
ask two_streams -T perfetto -o "$T/two.trace"
of_trace() { # CONDITION
	json_query "$T/two.trace" "SELECT count(*), coalesce(sum(value->>'dur'), 0) FROM json, json_each(text, '\$.traceEvents') WHERE value->>'ph' = 'X' AND $1" | tr '|' ' '
}
is "for Perfetto: the waits before" "$(of_trace "value->>'cat' = 'wait' AND value->>'pid' = 1" | cut -d ' ' -f 1)" 10
is "... and after" "$(of_trace "value->>'cat' = 'wait' AND value->>'pid' = 2" | cut -d ' ' -f 1)" 5
is "... calls that are not made any more" "$(of_trace "value->'args'->>'change' = 'not made any more'" | cut -d ' ' -f 1)" 5
is "... copies take as long" "$(of_trace "value->>'cat' = 'memcpy' AND value->>'pid' = 1")" "$(of_trace "value->>'cat' = 'memcpy' AND value->>'pid' = 2")"
is "... in both" "$(of_trace "value->>'cat' = 'memcpy'" | cut -d ' ' -f 1)" 20
is "... names of processes" "$(json_query "$T/two.trace" "SELECT group_concat(substr(value->'args'->>'name', 1, 6), ' ') FROM json, json_each(text, '\$.traceEvents') WHERE value->>'name' = 'process_name'")" "before after:"
is "five waits of a stream are gone: outlined" "$(grep -c 'fill="none" stroke="#CF222E"' "$T/two.svg")" 6 # and the legend
is "hatched: 10 waits before, 5 after" "$(grep -c 'url(#wait)' "$T/two.svg")" 16
is "copies: 10 before, 10 after" "$(grep -c '#8250DF' "$T/two.svg")" 21

# some invocations: one wait of five
which=$("$VFLOW" whatif "$T/loop.db" | awk '/cudaFree/ { print $1 }')
"$VFLOW" whatif --without "$which:4" -T json "$T/loop.db" >"$T/one.json"
is "an invocation: the last cudaFree" "$(member "$T/one.json" saves_ns) $(member "$T/one.json" changed_calls)" "42000 1" # its copy ends at 383 us
expect_exit 1 "what is not there" "$VFLOW" whatif --without 77 "$T/loop.db"
like "... is said" "$(cat "$T/err")" 'vertex 77 made no call in the run of the pass time'
for bad in "--without x" "--without 1:" "--without 1:3-2" "--without 1=2us" "--instead 1" "--instead 1=2xs" "--instead 1=140%" "--after-use c1=c" "--without c1:2" "--without 99999999999" "-T png" "--estimate guess" "--estimate diogenes -T svg"; do
	# shellcheck disable=SC2086
	expect_exit 2 "misuse: $bad" "$VFLOW" whatif $bad "$T/loop.db"
done
collect "$T/flow.db" "$P/whatif" wait
expect_exit 1 "no pass time" "$VFLOW" whatif "$T/flow.db"
is "... is said" "$(cat "$T/err")" "vflow whatif: the profile has no pass time: vflow collect --passes flow,time,waits"
collect "$T/time.db" --passes flow,time "$P/whatif" wait
expect_exit 1 "no pass waits" "$VFLOW" whatif "$T/time.db"
is "... is said" "$(cat "$T/err")" "vflow whatif: the profile has no pass waits: vflow collect --passes flow,time,waits"
expect_exit 1 "no pass use" "$VFLOW" whatif --after-use 1 "$T/loop.db"
is "... is said" "$(cat "$T/err")" "vflow whatif: --after-use: vertex 1: the profile has no first use of it (pass use); or say how much later it waits, like 9=150us"
# functions are named as the rows of table api
for which in $(json_query "$T/functions.json" "SELECT value->>'which' FROM json, json_each(text, '\$.functions')" | grep a); do
	is "$which" "$(sqlite3 "$T/before.db" "SELECT kind IN ('sync', 'free'), vertex IS NULL FROM api WHERE id = ${which#a}")" "1|1"
done
for wrong in a0 c0; do
	expect_exit 2 "no $wrong" "$VFLOW" whatif --without $wrong "$T/before.db"
done
finish
