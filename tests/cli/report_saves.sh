#!/bin/bash
# What findings save, on the emulated device's model clock: by hand, and as much as the corrected
# twins of tests/advice save, to the ns.
. tests/lib.sh
exec </dev/null # each run reads it

build() { # SOURCE FLAG -> $T/program
	# shellcheck disable=SC2016,SC2086
	"$CC" -std=gnu11 -g -w -D_GNU_SOURCE -Igpu/emulator/include -I. $ASAN "$2" -o "$T/program" "$1" \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm
}
observe() { # NAME SOURCE FLAG [PASSES] -> $T/NAME.db
	build "$2" "$3" && DEVICE=emulated collect "$T/$1.db" --passes "${4:-flow,time,waits}" "$T/program" >/dev/null 2>"$T/err" || cat "$T/err"
}
ask() { # NAME SQL
	sqlite3 -separator ' ' "$T/$1.db" "$2"
}
took() { # NAME: ns of the whole run
	ask "$1" "SELECT max(time_end_ns) - min(time_start_ns) FROM process"
}

# A step takes 5000 to launch; its kernel begins 6000 after that and takes 2000 + 8192, for 512 warps
# of 16 instructions; the first wait goes on 2000 after that and takes 1000, the second 1000 more:
# 20192.  Without the first wait the second one waits: 19192.  Without both the kernels follow one
# another: 10192.  The last one ends 9 * 20192 + 6000 + 10192 = 197920 after the first launch, and
# 6000 + 10 * 10192 = 107920 then; the copy begins 3000 + 1000 + 6000 after that, and 6000 then.
# The first operation is a copy of 64 KiB: 6000, 2000 + 3276 at 20 bytes a ns, and it ends 2000 + 5000
# later; as long does the one at the end take, but for the 5000 that come after its wait.  From the
# first to the last: 18276 + 197920 + 4000 + 13276 = 233472.  Before that an allocation: 5000.
observe plain tests/cli/report_saves.c -DFIX_1=0
observe fixed tests/cli/report_saves.c -DFIX_1=1
is "what each saves alone" "$(ask plain "SELECT pattern, action, saves_ns, saves_most_ns FROM finding WHERE pattern <> 'gpu_idle'")" \
	"$(printf '%s\n' 'unnecessary_wait delete 10000 10000' 'consecutive_waits delete 10000 10000')"
is "what they save together" "$(ask plain "SELECT kind, saves_ns, saves_most_ns, findings FROM finding_groups")" \
	"$(printf '%s\n' 'all 94000 94000 1,2' 'single_point 94000 94000 1,2' 'function 94000 94000 1,2' 'sequence 94000 94000 1,2')"
is "the second one adds what the first one alone cannot save" \
	"$(ask plain "SELECT finding, adds_ns FROM finding_group_member WHERE finding_group = 1 ORDER BY position")" "$(printf '%s\n' '1 10000' '2 84000')"
is "that is what the corrected program saves" $(($(took plain) - $(took fixed))) 94000
is "nothing is left there" "$(ask fixed "SELECT count(*) FROM finding WHERE pattern <> 'gpu_idle'")" 0
is "idle time is the most that can be saved" "$(ask plain "SELECT DISTINCT saves_ns IS NULL, saves_most_ns = time_ns FROM finding WHERE pattern = 'gpu_idle'")" "1 1"

report=$("$VFLOW" report "$T/plain.db" | tr -s ' \n' ' ')
run=$(took plain)
like "the report ranks by time" "$report" "findings, most model time saved first"
like "it says what a finding saves" "$report" "1. unnecessary wait: saves 10.0 us of 233 us, 4.3%, delete"
like "... and what that is a part of" "$report" "time: 233 us from the first operation to the last; start-up before it: 5.00 us"
like "and what all save" "$report" "All together: saves 94.0 us of 233 us, 40.3%"
like "one after the other" "$report" "finding 1 10.0 us, finding 2 84.0 us more"
like "in one place" "$report" "In one place, main report_saves.c:18: findings 1 and 2: saves 94.0 us"
like "in a function" "$report" "In functions of one name, main: findings 1 and 2: saves 94.0 us"
like "in a row" "$report" "In a row, from cudaDeviceSynchronize"
which=$(grep -o 'whatif --without a[0-9]*' <<<"$report" | head -n 1)
like "vflow whatif says the same" "$("$VFLOW" whatif --without "${which##* }" "$T/plain.db")" "saves 10.0 us .*10 calls are changed"
"$VFLOW" export -T json "$T/plain.db" >"$T/plain.json"
is "JSON has the figures" "$(json_query "$T/plain.json" "SELECT value->>'saves_ns', value->>'saves_most_ns', value->>'function', value->>'line'
	FROM json, json_each(text, '\$.findings') WHERE value->>'pattern' <> 'gpu_idle'")" \
	"$(printf '%s\n' '10000 10000 cudaDeviceSynchronize 18' '10000 10000 cudaStreamSynchronize 18')"
is "JSON has the groups" "$(json_query "$T/plain.json" "SELECT value->>'kind', value->>'run_ns', value->>'span_ns', value->>'startup_ns', value->>'saves_ns', json_array_length(value->'findings')
	FROM json, json_each(text, '\$.finding_groups') LIMIT 1")" "all $run 233472 5000 94000 2"
"$VFLOW" report -T json "$T/plain.db" >"$T/plain.json"
is "... and the report's" "$(json_query "$T/plain.json" "SELECT text->>'\$.run.run_ns', text->>'\$.run.span_ns', text->>'\$.run.startup_ns' FROM json")" "$run 233472 5000"
"$VFLOW" render -o "$T/plain.html" "$T/plain.db"
like "the page has a column for it" "$(tr -d '\n ' <"$T/plain.html")" '"findings":\[[^]]*"name":"calls"[^]]*"name":"saves"'
like "the page has the figures" "$(grep -A30 '"findings":' "$T/plain.html" | grep -o '"cudaDeviceSynchronize (main report_saves.c:18)",[0-9]*')" \
	'"cudaDeviceSynchronize \(main report_saves.c:18\)",10000'

# The command of an allocation in a loop hoists the allocations, too.  A step takes 5000 to allocate and
# 5000 for a set, whose operation begins 6000 after its call and takes 2000 + 65; the release goes on 2000
# after that and takes 30000.  In a loop of sets alone a step takes 5000: 9 times 40065 are saved.
cat >"$T/loop.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
	void *p;
	for (int i = 0; i < 10; i++) {
		cudaMalloc(&p, 65536);
		cudaMemset(p, i, 65536);
		cudaFree(p);
	}
	return 0;
}
C
observe loop "$T/loop.c" -DLOOP
is "an allocation in a loop: what it saves" "$(ask loop "SELECT saves_ns FROM finding WHERE pattern = 'free_in_loop'")" 360585
command=$("$VFLOW" report "$T/loop.db" | grep -o 'whatif --hoist a[^ ]*')
# shellcheck disable=SC2086
"$VFLOW" ${command:-whatif} -T json "$T/loop.db" >"$T/loop.json"
is "... and by the command that the report shows" "$(json_query "$T/loop.json" "SELECT (text->>'\$.before_ns') - (text->>'\$.after_ns') FROM json")" 360585

# Where the twin is what the advice says, and no more.
for name in sync_each_step sync_twice attenuation_table cell_index clear_gradients cleared_twice download_mesh download_same dropout_mask \
	first_frame graph_clear partial_sums raw_frames stream_table window_function; do
	observe "$name" "tests/advice/$name.c" -DFIXED=0
	observe "$name.fixed" "tests/advice/$name.c" -DFIXED=1
	is "$name: what its findings save" "$(ask "$name" "SELECT saves_ns FROM finding_group WHERE kind = 'all'")" \
		$(($(took "$name") - $(took "$name.fixed")))
done
# Where it does more, or something in place of it.
for name in pageable_download gemm_accumulate tied_weights; do
	observe "$name" "tests/advice/$name.c" -DFIXED=0
	observe "$name.fixed" "tests/advice/$name.c" -DFIXED=1
	is "$name: at least so much" "$(ask "$name" "SELECT saves_ns > 0, saves_most_ns IS NULL, saves_ns <= $(($(took "$name") - $(took "$name.fixed")))
		FROM finding WHERE id = 1")" "1 1 1"
done
for name in streams_by_host zero_velocity; do
	observe "$name" "tests/advice/$name.c" -DFIXED=0
	observe "$name.fixed" "tests/advice/$name.c" -DFIXED=1
	is "$name: at most so much" "$(ask "$name" "SELECT saves_ns IS NULL, saves_most_ns >= $(($(took "$name") - $(took "$name.fixed")))
		FROM finding WHERE pattern <> 'gpu_idle'")" "1 1"
done
for name in round_trip_part legend species_table; do
	observe "$name" "tests/advice/$name.c" -DFIXED=0
	observe "$name.fixed" "tests/advice/$name.c" -DFIXED=1
	is "$name: something between" "$(ask "$name" "SELECT saves_ns <= saved, saves_most_ns >= saved
		FROM finding, (SELECT $(($(took "$name") - $(took "$name.fixed"))) AS saved) WHERE pattern <> 'gpu_idle'")" "1 1"
	percents=$(awk -v run="$(ask "$name" "SELECT span_ns FROM finding_group WHERE kind = 'all'")" '{ printf "%.1f%% to %.1f%%", 100 * $1 / run, 100 * $2 / run }' \
		<<<"$(ask "$name" "SELECT saves_ns, saves_most_ns FROM finding WHERE id = 1")")
	like "$name: the report says both ends in percent, too" "$("$VFLOW" report "$T/$name.db" | tr -s ' \n' ' ')" "1\. [a-z ]*: saves [0-9.]* [un]s to [0-9.]* us of [0-9.]* us, $percents"
done

observe untimed tests/advice/cleared_twice.c -DFIXED=0 flow
report=$("$VFLOW" report "$T/untimed.db")
like "without times the list is by bytes" "$report" "finding, most bytes first"
unlike "and says nothing of time" "$report" "saves|together"
observe nowaits tests/advice/cleared_twice.c -DFIXED=0 flow,time
report=$("$VFLOW" report "$T/nowaits.db")
like "without waits it says why" "$(tr -s ' \n' ' ' <<<"$report")" "most bytes first .* What they save together not known, so the list is by bytes: .*waits"
finish
