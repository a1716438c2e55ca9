#!/bin/bash
# vflow report --stalls: of samples that are made up here, since they come from GPUs only.
. tests/lib.sh
make_profile="$BUILD/stalls-profile"

# -- what is refused, and in which words
expect_exit 125 "the emulated device has nothing to sample" "$VFLOW" collect --passes stalls --device emulated -o "$T/none.db" "$P/figure3"
like "... says why" "$(cat "$T/err")" "the pass stalls cannot be made on the emulated device: there is nothing to sample"
is "... and leaves nothing" "$(find "$T" -name 'none.db*')" ""
expect_exit 2 "a period" "$VFLOW" collect --passes stalls --stalls-period 4 -o "$T/none.db" "$P/figure3"
like "... has limits" "$(cat "$T/err")" "--stalls-period is 5 to 31"
expect_exit 2 "a period without the pass" "$VFLOW" collect --stalls-period 8 -o "$T/none.db" "$P/figure3"
collect "$T/flow.db" "$P/figure3" >"$T/out"
expect_exit 1 "a profile without samples" "$VFLOW" report --stalls "$T/flow.db"
like "... says how to get some" "$(cat "$T/err")" "has no samples of stalls: collect it with --passes stalls"
expect_exit 2 "--stalls and --memory" "$VFLOW" report --stalls --memory "$T/flow.db"
expect_exit 2 "--stalls as SARIF" "$VFLOW" report --stalls -T sarif "$T/flow.db"
expect_exit 2 "--stalls with a limit" "$VFLOW" report --stalls --fail-above 1K "$T/flow.db"

# -- code that cannot be read: the sums are there all the same
printf '\177ELF, but no more' >"$T/bad.cubin"
cat >"$T/bad.samples" <<'END'
device 16 132 64 32 65536 233472 1980000 3201000 6144
function _Z4workPf 7 2000000 264 1 1 256 1 1 32 0 0 0 1
sample 10 long_scoreboard 30 15
sample 20 selected 10 0
function _Z5otherPf 1 1000 1 1 1 32 1 1 32 0 0 0 1
sample 10 barrier 10 5
END
"$make_profile" make "$T/bad.samples" "$T/bad.cubin" "$T/bad.db" >"$T/log" 2>&1 || not_ok "a profile" "$(cat "$T/log")"
expect_exit 0 "code that cannot be read" "$VFLOW" report --stalls "$T/bad.db"
like "... the sums" "$(head -1 "$T/out")" "^50 samples, of each multiprocessor every 2\^16 cycles; 2 functions\$"
like "... of each function" "$(cat "$T/out")" "1\. work: 80\.0% of the samples, 2\.00 ms"
like "... its reasons" "$(tr -s ' \n' ' ' <"$T/out")" "in 37\.5% of the samples the scheduler had nothing to issue; long_scoreboard 75\.0%"
like "... its warps" "$(tr -s ' \n' ' ' <"$T/out")" "16 of 64 warps on a multiprocessor"
like "... and why there is no more" "$(tr -s ' \n' ' ' <"$T/out")" "blamed (its code has no function of that name|no nvdisasm)"
like "the report of findings tells of them" "$("$VFLOW" report "$T/bad.db")" $'\n'"  stalls: 50 samples of where kernels wait: vflow report --stalls"$'\n'
unlike "... only where there are any" "$("$VFLOW" report "$T/flow.db")" "stalls:"
is "--top" "$("$VFLOW" report --stalls --top 1 "$T/bad.db" | grep -c '^[0-9]\. ')" 1
is "JSON" "$("$VFLOW" report --stalls -T json "$T/bad.db" >"$T/json"; sqlite3 -separator ' ' :memory: "SELECT json_extract(k.value, '\$.name'), json_extract(k.value, '\$.samples'),
	json_extract(k.value, '\$.reasons.long_scoreboard.latency'), json_extract(k.value, '\$.blocks') FROM json_each(CAST(readfile('$T/json') AS TEXT), '\$.kernels') k")" \
	"work(float*) 40.0 15.0 264
other(float*) 10.0  1"
is "the view" "$(sqlite3 -separator ' ' "$T/bad.db" "SELECT * FROM stall_samples LIMIT 1")" "_Z4workPf 16 long_scoreboard 30 15"
# and back
mkdir "$T/dump"
"$make_profile" dump "$T/bad.db" "$T/dump"
is "samples as they were" "$(cat "$T/dump/1.samples")" "$(cat "$T/bad.samples")"
is "code as it was" "$(cmp "$T/dump/1.cubin" "$T/bad.cubin" 2>&1)" ""

# -- code that can: of tests/gpu/sass/flow.cu, of which triad waits for what it has loaded where it adds
nvdisasm=$(command -v nvdisasm || ls "$CUDA_TOOLKIT/bin/nvdisasm" .deps/toolkit/usr/bin/nvdisasm 2>/dev/null | head -1)
if [ -z "$NVCC" ] || [ -z "$nvdisasm" ]; then
	skip "who is to blame" "needs nvcc and nvdisasm"
	finish
fi
PATH=$(dirname "$nvdisasm"):$PATH
"$NVCC" -cubin -arch=sm_90 -lineinfo -o "$T/flow.cubin" tests/gpu/sass/flow.cu >"$T/log" 2>&1 || not_ok "nvcc" "$(cat "$T/log")"
place() { # OPCODE: where triad has it
	"$nvdisasm" -c "$T/flow.cubin" 2>/dev/null | sed -n '/^\.text\.triad:/,/EXIT/p' | sed -n "s,^ */\*\([0-9a-f]*\)\*/  *$1.*,\1,p" | head -1
}
cat >"$T/flow.samples" <<END
device 16 132 64 32 65536 233472 1980000 3201000 6144
function triad 7 2000000 1056 1 1 256 1 1 32 0 0 0 1
sample $(place FFMA) long_scoreboard 800 600
sample $(place LDG) selected 200 0
END
"$make_profile" make "$T/flow.samples" "$T/flow.cubin" "$T/flow.db" >"$T/log" 2>&1 || not_ok "a profile" "$(cat "$T/log")"
expect_exit 0 "code that can be read" "$VFLOW" report --stalls "$T/flow.db"
line=$(grep -n 'a\[i\] = b\[i\]' tests/gpu/sass/flow.cu | cut -d: -f1)
text=$(tr -s ' \n' ' ' <"$T/out")
like "... the load is to blame" "$text" "blamed [0-9.]+% long_scoreboard: a load of global memory, LDG\.E[^(]*\(flow\.cu:$line, \+0x[0-9a-f]+\); FFMA [^;]* waits for it"
like "... both loads share it" "$text" "0% of 1 waits have a single cause"
# T 1000, L 600, A 400
like "... what that would give" "$text" "advice 1 a value is used too soon after it is asked for \(1\.67x, saves 800 us\)"
like "... and where" "$text" "where 80\.0% of the samples: a load of global memory, LDG\.E"
is "... as JSON" "$("$VFLOW" report --stalls -T json "$T/flow.db" >"$T/json"; sqlite3 -separator ' ' :memory: "SELECT json_extract(a.value, '\$.optimizer'), round(json_extract(a.value, '\$.speedup'), 3),
	json_extract(a.value, '\$.source.lines[0].line') FROM json_each(CAST(readfile('$T/json') AS TEXT), '\$.kernels[0].advice') a")" "code_reordering 1.667 $line"
"$VFLOW" report --stalls --lines 'tri[a-z]d' "$T/flow.db" >"$T/out"
like "--lines: the head" "$(head -1 "$T/out")" "^triad: 100\.0% of the samples\$"
like "... the source" "$(cat "$T/out")" $'\n'"flow\.cu:$line: a\[i\] = b\[i\] \+ s \* c\[i\];"$'\n'
like "... what waits, and for whom" "$(tr -s ' ' <"$T/out")" " 80\.0% 60\.0% long_scoreboard 0x0*$(place FFMA) FFMA [^<]* <- 0x[0-9a-f]{4} [0-9]+%, 0x[0-9a-f]{4} [0-9]+%"$'\n'
like "... what issues" "$(tr -s ' ' <"$T/out")" " 20\.0% selected 0x0*$(place LDG) LDG\.E "
is "... all of the code" "$(grep -c ' 0x[0-9a-f]*  [@A-Z]' "$T/out")" "$("$nvdisasm" -c "$T/flow.cubin" 2>/dev/null | sed -n '/^\.text\.triad:/,/^\.L_x.*:$/p' | sed -n '/BRA/q;p' | grep -c '/\*[0-9a-f]*\*/ ' | awk '{ print $1 + 1 }')"
expect_exit 1 "--lines of no kernel" "$VFLOW" report --stalls --lines nothing "$T/flow.db"
like "... says so" "$(cat "$T/err")" "--lines nothing: no kernel that was sampled has such a name"
expect_exit 1 "--lines of no expression" "$VFLOW" report --stalls --lines 'a(' "$T/flow.db"
expect_exit 2 "--lines as JSON" "$VFLOW" report --stalls --lines a -T json "$T/flow.db"

# -- what that is worth to the run, and what else is known of the kernel: as if the GPU had been at the demo
collect "$T/demo.db" --passes flow,time,waits "$P/demo" >"$T/out"
for name in leaky_activate_kernel fill_kernel; do
	sed "s/triad/$name/" tests/gpu/sass/flow.cu >"$T/$name.cu"
	"$NVCC" -cubin -arch=sm_90 -lineinfo -o "$T/$name.cubin" "$T/$name.cu" >"$T/log" 2>&1 || not_ok "nvcc" "$(cat "$T/log")"
	sed "s/triad/$name/" "$T/flow.samples" >"$T/$name.samples"
	"$make_profile" make "$T/$name.samples" "$T/$name.cubin" "$T/$name.db" "$T/demo.db" >"$T/log" 2>&1 || not_ok "a profile" "$(cat "$T/log")"
	"$VFLOW" report --stalls -T json "$T/$name.db" >"$T/$name.json"
	"$VFLOW" report --stalls "$T/$name.db" | tr -s ' \n' ' ' >"$T/$name.txt"
done
json() { # FILE PATH
	sqlite3 :memory: "SELECT json_extract(CAST(readfile('$1') AS TEXT), '$2')"
}
# 1.67 times as fast: 60 % of what it was
vertex=$(sqlite3 "$T/demo.db" "SELECT id FROM vertex WHERE name = 'leaky_activate_kernel'")
"$VFLOW" whatif --instead "$vertex=60%" -T json "$T/demo.db" >"$T/whatif"
is "the kernel holds the run up" "$(($(json "$T/whatif" '$.saves_ns') > 0))" 1
is "what the run saves is what whatif says" "$(json "$T/leaky_activate_kernel.json" '$.kernels[0].advice[0].run_saves_ns')" \
	"$(($(json "$T/whatif" '$.before_ns') - $(json "$T/whatif" '$.after_most_ns')))"
like "... in words" "$(cat "$T/leaky_activate_kernel.txt")" "\(1\.67x, saves 800 us, [0-9.]+ us of the whole run\)"
like "... and its operation" "$(cat "$T/leaky_activate_kernel.txt")" "operation leaky_activate_kernel \(vertex $vertex, "
is "a kernel that is needed" "$(json "$T/leaky_activate_kernel.json" '$.kernels[0].findings')" "[]"
finding=$("$VFLOW" report --brief "$T/demo.db" | awk '/fill_kernel/ { print $1 }')
is "... and one that may not be" "$(json "$T/fill_kernel.json" '$.kernels[0].findings')" "[${finding:-none}]"
like "... in words" "$(cat "$T/fill_kernel.txt")" "values finding $finding of vflow report \(fill then accumulate, [^)]*\) is about this kernel: see first whether this work is needed"
PATH=/nowhere "$VFLOW" report --stalls "$T/flow.db" >"$T/out" 2>"$T/err"
if [ -z "$(ls /usr/local/cuda/bin/nvdisasm /opt/cuda/bin/nvdisasm /usr/lib/nvidia-cuda-toolkit/bin/nvdisasm "${CUDA_HOME:-/nowhere}/bin/nvdisasm" 2>/dev/null)" ]; then
	like "no nvdisasm: says what to install" "$(tr -s ' \n' ' ' <"$T/out")" "blamed no nvdisasm, which reads GPU code: install the package"
fi
finish
