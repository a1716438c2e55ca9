#!/bin/bash
# The pass `time` on the emulated device: the model's times, worked out by hand from the costs that
# gpu/emulator/README.md lists.  All in ns from the start of the run:
#	called returned | the device began ended
. tests/lib.sh
exec </dev/null # each run reads it

times() { # CASE: name and times of each operation
	DEVICE=emulated collect "$T/$1.db" --passes flow,time,waits "$P/timeline" "$1" </dev/null >"$T/$1.out" 2>"$T/$1.err" ||
		cat "$T/$1.err"
	sqlite3 -separator ' ' "$T/$1.db" "SELECT name, call_ns, return_ns, start_ns, end_ns FROM gpu_times"
}

exact() { # CASE <TABLE
	is "timeline $1" "$(times "$1")" "$(sed 's/^[ \t]*//; s/ *#.*//')"
}

# Calls that wait, from when on, for how long; and what comes after an event in another stream.
waits() { # CASE
	sqlite3 -separator ' ' "$T/$1.db" "SELECT name, waits_for, own, stream, start_ns, wait_ns, recorded_ns FROM waits;
		SELECT name, 'after stream', o.stream, 'at', recorded_ns FROM stream_order o JOIN api_calls c ON c.id = o.call"
}

waiting() { # CASE <TABLE
	is "waits of $1" "$(waits "$1" | sed 's/ *$//')" "$(sed 's/^[ \t]*//; s/ *#.*//')"
}

# Two allocations and pinned memory take 5000 each, the host 1000; the streams do not wait for the
# default stream.
exact streams <<'END'
	cudaMemsetAsync 16000 21000 22000 25000 # 6000 after the call; 2000 + 1 MB at 1 TB/s
	cudaMemcpyAsync 21000 26000 27000 39000 # 2000 + 550000 / 55
	cudaMemsetAsync 26000 31000 39000 42000 # waits for the event
	cudaMemcpy 42000 67000 48000 60000      # the wait for the stream until 39000 took 2000 + 1000
	cudaMemset 97000 102000 103000 106000   # nothing ran when cudaFree() took its 30000
	cudaMemset 148000 153000 154000 156001  # cudaFree() until 106000, 2000 + 30000; 2 allocations
END
exact pageable <<'END'
	cudaMemsetAsync 5000 10000 11000 14000
	cudaMemcpyAsync 10000 15000 16000 20000 # at 20 bytes a ns; staged at once
	cudaMemcpyAsync 15000 55000 26000 48000 # too large for that: waits until 20000, then 6000
	cudaMemset 55000 60000 61000 63001
	cudaMemcpyAsync 60000 79001 69001 72001 # the default stream is before it
	cudaMemsetAsync 79001 84001 85001 87002
END
exact events <<'END'
	cudaMemsetAsync 10000 15000 16000 19000
	cudaMemset 15000 20000 21000 24000      # beside the other stream
	cudaMemsetAsync 21000 26000 27000 30000 # the event was over: the wait took 1000
	cudaMemset 33000 38000 39000 41001      # the device: 30000 + 2000 + 1000
END
# from the first record at 10000 to the end of the set at 19000
is "time between events" "$(tail -1 "$T/events.out")" "0.009000 ms"
exact graph <<'END'
	cudaGraphLaunch 5000 10000 16000 19000 # 5000 a launch, for its first node; nothing for the others
	cudaGraphLaunch 10000 10000 19000 21001
	cudaGraphLaunch 10000 15000 21001 24001
	cudaGraphLaunch 15000 15000 24001 26002
	cudaMemset 29002 34002 35002 37003
END
# 2000 from the end of what is waited for to the return from it
waiting streams <<'END'
	cudaStreamSynchronize stream 0 1 31000 10000 # the copy ends at 39000
	cudaMemcpy default stream 1 0 42000 20000    # itself, at 60000
	cudaFree all streams 0 0 67000 0
	cudaFree all streams 0 0 102000 6000         # the set, at 106000
	cudaMemsetAsync after stream 1 at 26000
END
waiting pageable <<'END'
	cudaMemcpyAsync stream 1 1 15000 35000 # itself, at 48000
	cudaMemcpyAsync stream 1 1 60000 14001 # itself, at 72001
END
waiting events <<'END'
	cudaEventSynchronize event 0 1 20000 0 15000
	cudaDeviceSynchronize all streams 0 0 26000 6000 # 30000
	cudaEventElapsedTime nothing: needs an event 0 1 38000 0 10000 # the first record
	cudaEventElapsedTime nothing: needs an event 0 1 38000 0 15000 # the last
END
waiting graph <<'END'
	cudaStreamSynchronize stream 0 1 15000 13002 # 26002
END
is "calls of the host" "$(sqlite3 -separator ' ' "$T/events.db" "SELECT kind, name, stream, start_ns, end_ns FROM api_calls LIMIT 6")" \
	"alloc cudaMalloc 0 0 5000
alloc cudaMalloc 0 5000 10000
memset cudaMemsetAsync 1 10000 15000
memset cudaMemset 0 15000 20000
sync cudaEventSynchronize 0 20000 21000
memset cudaMemsetAsync 1 21000 26000"
is "the run" "$(sqlite3 -separator ' ' "$T/graph.db" "SELECT time_start_ns, time_end_ns FROM process")" "0 34002"
# 5000 to allocate, 1000 to synchronize; the set begins 6000 after its call and takes 2001
launches=$(sqlite3 "$T/graph.db" "SELECT group_concat(id) FROM vertex WHERE name = 'cudaGraphLaunch'")
is "the run without the launches" "$("$VFLOW" whatif --without "$launches" -T json "$T/graph.db" | tr -d ' \n' | sed 's/.*"after_ns":\([0-9]*\).*/\1/')" 14001
is "sums of operations" "$("$VFLOW" query 'MATCH (a) WHERE a.time_ns > 0 RETURN a.name, a.time_ns' \
	-T json "$T/graph.db" | tr -d ' \n')" \
	'[{"a.name":"cudaGraphLaunch","a.time_ns":6000},{"a.name":"cudaGraphLaunch","a.time_ns":4002},{"a.name":"cudaMemset","a.time_ns":2001}]'
DEVICE=emulated collect "$T/r.db" --passes flow,time "$P/figure3" >/dev/null
"$VFLOW" report --min-bytes 1 "$T/r.db" >"$T/report"
sum=$(sqlite3 "$T/r.db" "SELECT sum(time_ns) FROM vertex")
like "report: time of all" "$(cat "$T/report")" "GPU time: $(awk "BEGIN { printf \"%.1f\", $sum / 1000 }") us, all operations added up; model time"
zero=$(sqlite3 "$T/r.db" "SELECT time_ns FROM vertex WHERE id = 6")
like "report: time of an operation" "$(tr -s ' \n' ' ' <"$T/report")" \
	"zero \(kernel, vertex 6, 1 invocation, $(awk "BEGIN { printf \"%.2f us: %.1f\", $zero / 1000, 100 * $zero / $sum }")% of the GPU time\)"
# the GPU's tracks for ui.perfetto.dev, in us: stream 1 is s of run_streams(), stream 2 is t
"$VFLOW" render -T perfetto "$T/streams.db" >"$T/streams.json"
slices() { # TRACK
	json_query "$T/streams.json" "WITH e AS (SELECT value FROM json, json_each(text, '\$.traceEvents')) SELECT value->>'name', value->>'ts', value->>'dur' FROM e
		WHERE value->>'ph' = 'X' AND value->>'tid' = (SELECT value->>'tid' FROM e WHERE value->>'name' = 'thread_name' AND value->>'\$.args.name' = '$1')"
}
is "perfetto: a stream" "$(slices 'GPU: stream 1')" "$(printf '%s\n' 'cudaMemsetAsync 22.0 3.0' 'cudaMemcpyAsync 27.0 12.0')"
is "perfetto: another" "$(slices 'GPU: stream 2')" "cudaMemsetAsync 39.0 3.0"
is "perfetto: the calls" "$(slices 'calls of thread 0' | wc -l)" 6
# they depend on the program alone
for run in a b; do
	DEVICE=emulated collect "$T/$run.db" --passes flow,time "$P/figure3" >/dev/null
	"$VFLOW" export -T dot -o "$T/$run.dot" "$T/$run.db"
done
is "two runs" "$(cat "$T/a.dot")" "$(cat "$T/b.dot")"
is "operations with a time" "$(grep -c time_ns= "$T/a.dot")" 5
collect "$T/c.db" "$P/figure3" >/dev/null
unlike "report: no time without the pass" "$("$VFLOW" report "$T/c.db")" "GPU time"
is "none without the pass" "$("$VFLOW" export -T dot "$T/c.db" | grep -c time_ns=)" 0
is "every case of timeline.c has its table" \
	"$(grep -o '^static void run_[a-z_]*' tests/programs/timeline.c | sed 's/.*run_//' | sort)" \
	"$(grep -o '^exact [a-z_]*' "$0" | cut -d' ' -f2 | sort)"
finish
