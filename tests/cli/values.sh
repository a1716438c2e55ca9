#!/bin/bash
# Pass `values`, end to end: what kernels of values.cu load and store, by line, kind and type; part of
# the launches and blocks; what coverage says.  The figures are worked out by hand, beside each.
. tests/lib.sh
[ -n "$NVCC" ] || { skip "values" "no CUDA toolkit"; finish; }
[ -z "$ASAN" ] || { skip "values" "nvcc's programs do not start with the sanitizers' libraries"; finish; }
libraries=$(realpath "$BUILD")/lib/emulator source=$(realpath tests/cli/values.cu)
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cd "$T" || exit 1
exec </dev/null

"$NVCC" -g -lineinfo -cudart shared -o values "$source" 2>log || { not_ok "build" "$(cat log)"; finish; }
ask() { # DB SQL
	sqlite3 -separator ' ' "$1.db" "$2"
}
line() { # NAME: of the mark in the source
	grep -n "// LINE $1\$" "$source" | cut -d: -f1
}
at() { # DB NAME KIND: "TYPE COUNT ZEROS REPEATS LEAST MOST DIFFERENT FREQUENT TIMES SLOPE INTERCEPT", - for what is not there
	ask "$1" "SELECT type, count, zeros, repeats, least, most, different, most_frequent, times, coalesce(slope, '-'), coalesce(intercept, '-')
		FROM values_accessed WHERE file = '$source' AND line = $(line "$2") AND kind = '$3'"
}
whole() { # DB KERNEL KIND: at all places
	ask "$1" "SELECT a.type, a.count, a.least, a.most, v.launches, v.partly, v.sampled FROM values_accessed a JOIN value v ON v.id = a.id
		WHERE a.function IS NULL AND a.kernel LIKE '$2(%' AND a.kind = '$3'"
}
coverage() { # DB
	ask "$1" "SELECT what, count, reason FROM coverage ORDER BY what, reason"
}
values() { # DB OPTION...
	"$VFLOW" collect --device emulated -o "$1.db" "${@:2}" ./values >out 2>err
}

./values >expected
values all --passes flow,values
is "the program runs twice, and does what it does" "$? $(cat out)" "0 $(cat expected expected)"
is "nothing is missing" "$(coverage all)" ""

# -- integers: 128 threads
is "8 bits: t - 64" "$(at all s8 load)" "s8 128 1 0 -64.0 63.0 128 0 1 1.0 -64.0"
is "16 bits: 2 * t" "$(at all u16 load)" "u16 128 1 0 0.0 254.0 128 0 1 2.0 0.0"
# 7 of t < 32, else -t, to -127: 1 + 96 values
is "32 bits" "$(at all s32 load)" "s32 128 0 0 -127.0 7.0 97 7 32 - -"
# 0 to 3 times 2^40
is "64 bits" "$(at all s64 load)" "s64 128 32 0 0.0 3298534883328.0 4 0 32 - -"
# t < 32: 3 * t - 57 + 2^40 * (t % 4); else 2 * t - 64 + 2^40 * (t % 4): 0 of t = 32; t = 34 gives 4 + 2 * 2^40, t = 127 the most
is "... their sum" "$(at all sum store | cut -d' ' -f1-6)" "s64 128 1 0 -57.0 3298534883518.0"

# -- vectors: 64 threads
# t, 1, 0, -1: 0 and 1 come 65 times, of which the lower bits go first; -1 to 63 are 65 values
is "float4" "$(at all float4 store)" "f32 256 65 0 -1.0 63.0 65 0 65 - -"
# t / 2 and 2: 2 comes from t = 4, too
is "double2" "$(at all double2 load)" "f64 128 1 0 0.0 31.5 64 2 65 - -"
# 2 and t / 2 + 1: 2 comes from t = 2, too
is "... stored" "$(at all stored store)" "f64 128 0 0 1.0 32.5 64 2 65 - -"
# t and 1: loaded once, for the compiler knows that both are one; the line is that of the kernel, not of the header
is "half2" "$(at all half2 load)" "f16 128 1 0 0.0 63.0 64 1 65 - -"
is "... stored" "$(at all half2 store)" "f16 128 1 0 0.0 126.0 64 2 65 - -"

# -- shared memory: it belongs to no object, and has its lines
is "shared memory, stored" "$(at all put store | cut -d' ' -f2-)" "64 1 0 0.0 315.0 64 0 1 5.0 0.0"
is "... loaded: 5 * i of element i" "$(at all get load | cut -d' ' -f2-)" "64 1 0 0.0 315.0 64 0 1 5.0 0.0"
is "... belongs to no object" "$(ask all "SELECT count(*), count(allocation) FROM values_accessed WHERE line = $(line put)")" "1 0"
# element i gets 5 * (63 - i) + 1
is "what is made of it: backwards" "$(at all get store | cut -d' ' -f2-)" "64 0 0 1.0 316.0 64 1 1 -5.0 316.0"

# -- atomics: their operands
is "atomicAdd of 1 to 4" "$(at all add atomic)" "s32 64 0 0 1.0 4.0 4 1 16 - -"
is "... of floats" "$(at all float atomic)" "f32 64 0 0 0.5 0.5 1 0.5 64 - -"
is "atomicCAS: the new value" "$(at all cas atomic)" "raw32 64 0 0 9.0 9.0 1 0x00000009 64 - -"

# -- what threads had before: of four rounds three load it again; 0 0 1 1 is stored: two are repeated, of each thread
is "loads of the same" "$(at all limit load | cut -d' ' -f2-)" "128 0 96 -63.0 -32.0 32 -63 4 -1.0 -32.0"
is "stores of the same" "$(at all last store | cut -d' ' -f2-6)" "128 64 64 0.0 1.0"

advice() { # KERNEL: of its repeated loads
	"$VFLOW" report -T json --min-bytes 0 all.db >report.json
	json_query report.json "SELECT value->>'advice' FROM json, json_each(text, '\$.findings')
		WHERE value->>'pattern' = 'temporal_load_redundancy' AND value->>'\$.code.line' = $(line "$1")"
}
like "... what to do" "$(advice limit)" "^Load it once before the loop, and keep it in a register"
is "loads of what the kernel stores, too" "$(at all settled load | cut -d' ' -f1-4)" "s32 128 0 96"
like "... what to do" "$(advice settled)" "^Load it once, .* if no other thread stores there in between: the kernel stores to the object, too\."


# -- who shows the line
"$VFLOW" report -T sarif --min-bytes 0 all.db >report.json
is "SARIF: the line in the kernel" "$(json_query report.json "SELECT value->>'\$.locations[0].physicalLocation.region.startLine' FROM json, json_each(text, '\$.runs[0].results')
	WHERE value->>'ruleId' = 'temporal_load_redundancy' ORDER BY 1" | paste -sd ' ')" "$(line limit) $(line settled)"
like "GitHub" "$("$VFLOW" report -T github --top 0 --min-bytes 0 all.db)" "values\.cu,line=$(line settled),title=temporal load redundancy"
like "--brief" "$("$VFLOW" report --brief --min-bytes 0 all.db)" "temporal load redundancy *settled \([^)]*\): settled values\.cu:$(line settled)"

# -- launches and blocks: five launches of 8 * 32 threads, the n-th of which loads 3 * (n - 1)
is "all launches" "$(whole all sampled load)" "s32 1280 0.0 12.0 5 0 0"
values launches --passes flow,values --value-launches 2
is "every second: 1, 3, 5" "$(whole launches sampled load)" "s32 768 0.0 12.0 3 0 0"
like "... of others the first" "$(whole launches shared load)" "64 0.0 315.0 1 0 0"
like "... coverage" "$(coverage launches)" "passes 2 the run for values: skipped launches: --value-launches left them out"
is "... the graph is whole" "$(ask launches "SELECT read_bytes FROM vertex WHERE name LIKE 'sampled%'")" $((5 * 1024))
values blocks --passes flow,values --value-blocks 4
is "blocks 0 and 4 of 8" "$(whole blocks sampled store)" "s32 320 3.0 15.0 5 0 1"
is "... one of ints" "$(at blocks s8 load)" "s8 64 0 0 -64.0 -1.0 64 -64 1 1.0 -64.0"
# 6 of each of five launches, and one of ints
is "... coverage" "$(coverage blocks)" "passes 31 the run for values: blocks of launches: --value-blocks left out what values they load and store"
like "... findings say so" "$(ask blocks "SELECT evidence FROM finding WHERE pattern = 'single_value' AND access = 2")" \
	"^All 320 s32 values that it stored in some blocks of 5 launches were one in each launch, and not the same in all of them\.\$"
values kernel --passes flow,values --kernel '^sampled'
is "one kernel" "$(ask kernel "SELECT DISTINCT kernel FROM values_accessed")" "sampled(int*)"
like "... coverage" "$(coverage kernel)" "the run for values: skipped launches: --kernel left their kernels out"

# -- without the graph
values alone --passes values
is "values alone" "$? $(cat out)" "0 $(cat expected)"
is "... the same ones" "$(ask alone "SELECT kernel, line, kind, type, count, zeros, least, most FROM values_accessed" | sort | cksum)" \
	"$(ask all "SELECT kernel, line, kind, type, count, zeros, least, most FROM values_accessed" | sort | cksum)"
is "... coverage" "$(coverage alone)" "passes 1 no pass that makes the graph left a trace; the operations are those that values saw"
values again --passes flow,values --keep-trace
"$VFLOW" collect -q --from-trace again.db.trace -o built.db 2>err
is "from a kept trace" "$? $(ask built "SELECT * FROM value" | cksum)" "0 $(ask again "SELECT * FROM value" | cksum)"

# -- without lines
"$NVCC" -g -cudart shared -o values "$source" 2>log
values plain --passes flow,values
is "no -lineinfo: lines of the PTX" "$(ask plain "SELECT count(*), count(file), sum(line), min(code) > 0 FROM code_place")" \
	"$(ask all "SELECT count(DISTINCT place) FROM value") 0 0 1"

# -- misuse
misuse() { # NAME SAYS ARGS...
	expect_exit 2 "$1" "$VFLOW" collect "${@:3}" ./values
	is "... says so" "$(cat err)" "vflow collect: $2 (see 'vflow collect --help')"
}
misuse "no block" "--value-blocks is 1 or more" --passes values --value-blocks 0
misuse "no launch" "--value-launches is 1 or more" --passes values --value-launches 0
misuse "an option of another pass" "--value-blocks is an option of the pass values, which --passes leaves out" --passes flow --value-blocks 2
finish
