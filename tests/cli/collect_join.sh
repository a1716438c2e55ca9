#!/bin/bash
# A second pass, `noted`, joined to the graph of `flow`: its record of each call reaches the operation
# that makes the call, and coverage says in what the second run differed from the first.
. tests/lib.sh
guest=$(realpath "$BUILD")/lib/libvflow-guest.so
MAIN=$(realpath "$VFLOW")
VFLOW=$(realpath "$BUILD")/vflow-passes
emulator=$(realpath "$BUILD")/lib/emulator
[ -n "$ASAN" ] && export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
# shellcheck disable=SC2086
{
	$CC ${ASAN:-} -std=gnu11 -D_GNU_SOURCE -g -I. -shared -fPIC -o "$T/noting.so" tests/cli/collect_join_guest.c -ldl &&
		$CC ${ASAN:-} -std=gnu11 -g -Igpu/emulator/include -o "$T/app" tests/cli/collect_join_program.c \
			"$emulator/libcudart.so.13" "$emulator/libcuda.so.1" -Wl,-rpath,"$emulator"
} || { not_ok "compiler"; finish; }
cd "$T" || exit 1
cp app other
cp app third

cat >run.sh <<END
#!/bin/sh
if [ \$VFLOW_PASS = noted ]; then
	export NOTED_GUEST=$guest VFLOW_GUEST=$T/noting.so \$DIFFERENT
	\$NOTED
else
	\$FLOW
fi
END
chmod +x run.sh
export FLOW=./app NOTED=./app NOTED_FACTS=$T/facts DIFFERENT=
noted() { # DB: collects flow and noted
	"$VFLOW" collect -q --device emulated --passes flow,noted --keep-trace -o "$1" ./run.sh >out 2>err </dev/null
	is "$1: exit code, and no word" "$? $(cat out err)" "0 "
}
coverage() { # DB
	sqlite3 -separator ' ' "$1" "SELECT count, bytes, reason FROM coverage WHERE what = 'passes' ORDER BY reason"
}
graph() { # DB
	"$MAIN" export -T dot "$1"
}

# -- the same twice
noted same.db
is "... a record of each call of each operation" "$(grep -v pass facts)" "v1 alloc 1 0
v2 memset 3 12288
v3 memcpy 4 256
v4 memset 1 128
v5 alloc 1 0
v6 memset 1 1024
none 2 0"
is "... the passes" "$(grep pass facts)" "pass flow: emulated, vflow emulated device, run 1, graph, timed
pass noted: noting, vflow emulated device, run 2, timed"
is "... the runs do not differ" "$(coverage same.db)" ""
rm facts
"$VFLOW" collect -q --from-trace same.db.trace -o again.db
is "--from-trace: the records" "$(sed -n 2p facts)" "v2 memset 3 12288"
is "... the passes" "$(grep pass facts)" "pass flow: emulated, vflow emulated device, run 1, graph
pass noted: noting, vflow emulated device, run 2"

# -- another call path, fewer and more calls, other objects
export DIFFERENT=SECOND=1
noted different.db
is "... the records of what both runs have" "$(grep -v pass facts)" "v1 alloc 1 0
v2 memset 3 12288
v3 memcpy 1 64
v5 alloc 1 0
v6 memset 1 1024
none 2 0"
# v4; an allocation, a set and a free; v3; v2; that allocation and v5; two of v2 and these three
differences="3 0 noted: 3 calls of operations that only its run called: left out
1 0 noted: 1 call instead of 4 of operations that its run called less often than the graph's
1 0 noted: 1 call of operations that only the graph's run called
1 0 noted: 5 calls instead of 3 of operations that its run called more often than the graph's: the last are left out
2 0 noted: objects that the graph does not have, or of another size or kind of memory
5 0 noted: facts about calls or objects that the graph does not have"
is "... and in what they differ" "$(coverage different.db | sort)" "$(sort <<<"$differences")"
"$VFLOW" collect -q --from-trace different.db.trace -o again.db
is "--from-trace: the same" "$(coverage again.db | sort)" "$(sort <<<"$differences")"
like "the graph" "$(graph different.db)" 'v2 .*invocations=3'
is "... is that of the first run" "$(graph different.db)" "$(graph same.db)"

# -- other processes
DIFFERENT=
printf '#!/bin/sh\n./app && ./other && ./app\n' >three.sh
printf '#!/bin/sh\n./app && ./third\n' >two.sh
printf '#!/bin/sh\n./third && ./third && ./app && ./third && ./app && ./third\n' >six.sh
chmod +x two.sh three.sh six.sh
FLOW=./three.sh NOTED=./two.sh noted fewer.db
is "... one more, and one of another executable" "$(coverage fewer.db)" "1 0 noted: processes of another executable than in the graph's run: left out
1 0 noted: processes of the graph that its run did not have
1 0 noted: processes that are alike in executable, rank and calls: what is said of one may be of another"
# `app` and `other` have the same code, so the same operations
is "... the records of one process of three" "$(grep -v pass facts | head -n 3)" "v1 alloc 1 0
v2 memset 3 12288
v3 memcpy 4 256"
is "... where the graph has all three" "$(sqlite3 fewer.db "SELECT invocations FROM vertex WHERE id IN (1, 2, 3)" | tr '\n' ' ')" "3 9 12 "
FLOW=./three.sh NOTED=./six.sh noted more.db
# both ./app are joined; one of the four ./third is in the place of ./other
is "... too many" "$(coverage more.db)" "1 0 noted: processes of another executable than in the graph's run: left out
2 0 noted: processes that are alike in executable, rank and calls: what is said of one may be of another
3 0 noted: processes that only its run had: left out"
is "... the records of two processes" "$(sed -n 2p facts)" "v2 memset 6 24576"

# -- two that start in another order in each run
cat >orders.sh <<'END'
#!/bin/sh
if [ -e started ]; then ./app two && ./app one; else ./app one && ./app two; fi
touch started
END
chmod +x orders.sh
"$MAIN" collect -q --device emulated --passes flow,time,waits -o orders.db ./orders.sh >out 2>err </dev/null
is "processes that start in another order" "$? $(cat out err)" "0 "
is "... their calls are all there, process by process" "$(sqlite3 orders.db \
	"SELECT arguments, count(*), min(t.id), max(t.id) FROM timeline t JOIN process p ON p.id = t.process GROUP BY p.id ORDER BY p.id")" \
	"./app one|13|1|13
./app two|13|14|26"
is "... and nothing differs" "$(coverage orders.db)" ""

# -- three ranks of equal arguments, which start in the other order in the second run
cat >ranks.sh <<'END'
#!/bin/sh
order="0 1 2"
[ -e started ] && order="2 0 1"
for i in $order; do eval "$EACH" ./app || exit 1; done
: >started
END
chmod +x ranks.sh
ranks() { # DB EACH: environment of process $i
	rm -f started
	EACH=$2 "$MAIN" collect -q --device emulated --passes flow,time,waits -o "$1" ./ranks.sh >out 2>err </dev/null
	is "$1: exit code" "$? $(cat out err)" "0 "
}
calls() { # DB: of each process, in both runs
	sqlite3 "$1" "SELECT rank, (SELECT count(*) FROM event e WHERE e.process = p.id), count(t.id)
		FROM process p LEFT JOIN timeline t ON p.id = t.process GROUP BY p.id ORDER BY p.id"
}
# shellcheck disable=SC2016
ranks ranks.db 'RANK=$i LOCAL_RANK=1 PMI_RANK=none MORE=$((10 * i))'
is "... each has its own calls" "$(calls ranks.db)" "RANK=0 LOCAL_RANK=1|13|13
RANK=1 LOCAL_RANK=1|23|23
RANK=2 LOCAL_RANK=1|33|33"
is "... and nothing differs" "$(coverage ranks.db)" ""
# shellcheck disable=SC2016
ranks alike.db 'MORE=$((10 * i))'
is "... without ranks, too, as the calls are others" "$(calls alike.db)" "|13|13
|23|23
|33|33"
is "... and nothing differs" "$(coverage alike.db)" ""
ranks same_calls.db 'MORE=4'
is "... with equal calls all of them are there" "$(calls same_calls.db)" "|17|17
|17|17
|17|17"
is "... but nobody knows which is which" "$(coverage same_calls.db)" "3 0 time,waits: processes that are alike in executable, rank and calls: what is said of one may be of another"

# -- a second run that is cut
FLOW=./app NOTED="$T/killed.sh"
printf '#!/bin/sh\n./app\nkill -KILL $$\n' >killed.sh
chmod +x killed.sh
"$VFLOW" collect -q --device emulated --passes flow,noted --keep-trace -o killed.db ./run.sh >out 2>err </dev/null
is "a second run that is killed" "$? $(coverage killed.db)" "0 1 0 the run for noted ended otherwise than the first one"
trace=$(echo killed.db.trace/noted/*.trace)
size=$(stat -c %s "$trace")
truncate -s $((size - 8)) "$trace"
"$VFLOW" collect -q --from-trace killed.db.trace -o cut.db
like "a trace that is cut" "$(coverage cut.db)" '^1 0 the run for noted: trace: process [0-9]+: the trace is cut: truncated at offset'
is "... counts up to there" "$(sed -n 2p facts)" "v2 memset 3 12288"
is "... and hides nothing of the graph" "$(graph cut.db)" "$(graph killed.db)"
finish
