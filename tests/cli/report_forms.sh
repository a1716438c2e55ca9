#!/bin/bash
# vflow report for other programs: JSON, SARIF, GitHub's annotations, Markdown; ids; what makes it fail, and what is suppressed.
. tests/lib.sh
exec </dev/null

build() { # PROGRAM SOURCE FLAG...
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -Igpu/emulator/include -Itests/advice -I. $ASAN -o "$T/$1" "${@:3}" "$2" \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm 2>"$T/log" || not_ok "build $1" "$(cat "$T/log")"
}
run() { # DB PROGRAM [PASSES]
	"$VFLOW" collect -q --device emulated --passes "${3:-flow,time,waits}" -o "$T/$1.db" "$T/$2" >"$T/$1.out" 2>&1 || not_ok "run $2" "$(cat "$T/$1.out")"
}
ask() { # SQL, with j() for the JSON in $T/report.json
	json_query "$T/report.json" "$1"
}
value() { # PATH
	ask "SELECT text->>'$1' FROM json"
}
report() { # DB OPTION...
	"$VFLOW" report -T json "${@:2}" "$T/$1.db" >"$T/report.json" 2>"$T/err"
}
ids() { # DB OPTION...: of all findings, sorted
	report "$@"
	ask "SELECT value->>'id' FROM json, json_each(text, '\$.findings') ORDER BY 1"
}
python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! $candidate -W ignore -c 'import jsonschema' 2>/dev/null || python=$candidate
done
valid() { # NAME JSON [SCHEMA]
	if [ -n "$python" ]; then
		is "$1" "$($python -W ignore - "${3:-advice/vflow-report.schema.json}" "$2" <<'END' 2>&1
import json, sys, jsonschema
schema, data = (json.load(open(name)) for name in sys.argv[1:])
print("\n".join(f"{list(e.absolute_path)}: {e.message[:200]}" for e in jsonschema.validators.validator_for(schema)(schema).iter_errors(data)))
END
)" ""
	else
		skip "$1" "needs python3 with jsonschema (package python3-jsonschema)"
	fi
}

source=tests/advice/cleared_twice.c
build plain $source
build mended $source -DFIX_1
{ printf '/* moved */\n\n'; sed 's/draw_samples/draw_all_samples/' $source; } >"$T/edited.c"
build edited "$T/edited.c"
run plain plain
run mended mended
run edited edited
run untimed plain flow

# -- JSON
expect_exit 0 "JSON" "$VFLOW" report -T json -o "$T/report.json" "$T/plain.db"
valid "... as the schema has it" "$T/report.json"
is "... as many findings as the text has" "$(value '$.finding_count') $(ask "SELECT json_array_length(text, '\$.findings') FROM json")" \
	"$("$VFLOW" report --brief "$T/plain.db" | awk 'END { print NR, NR }')"
is "... bytes and savings are the profile's" "$(ask "SELECT value->>'pattern', value->>'bytes', value->>'saves_ns' FROM json, json_each(text, '\$.findings') ORDER BY value->>'rank'")" \
	"$(sqlite3 -separator ' ' "$T/plain.db" "SELECT pattern, bytes, saves_ns FROM finding ORDER BY rowid")"
dead="SELECT value FROM json, json_each(text, '\$.findings') WHERE value->>'pattern' = 'dead_write' AND value->>'\$.operation.frames[0].function' = 'begin_frame'"
is "... frames" "$(ask "SELECT value->>'\$.operation.frames[0].line' FROM ($dead)")" "$(grep -n 'cudaMemset' $source | head -n 1 | cut -d: -f1)"
untimed=$(report untimed; value '$.run.run_ns')
is "... no savings without times" "$untimed$(value '$.findings[0].saves_ns')" ""
valid "... as the schema has it, too" "$T/report.json"

build zeros tests/advice/zero_bias.c
run zeros zeros flow,values
report zeros
line=$(grep -n 'by + bias\[' tests/advice/kernels.cu | cut -d: -f1)
is "a finding about values: the code" "$(ask "SELECT value->>'pattern', value->>'\$.code.function', value->>'\$.code.line' FROM json, json_each(text, '\$.findings') WHERE value->>'code' IS NOT NULL")" "single_zero add_bias $line"
valid "... as the schema has it" "$T/report.json"
"$VFLOW" report "$T/zeros.db" >"$T/report"
like "... in the text" "$(cat "$T/report")" $'\n'"    line       add_bias kernels.cu:$line"$'\n'

# -- ids
for db in plain edited mended; do ids $db >"$T/$db.ids"; done
is "each finding has an id of its own" "$(uniq -d "$T/plain.ids" | wc -l) $(wc -l <"$T/plain.ids")" "0 $(sqlite3 "$T/plain.db" "SELECT count(*) FROM finding")"
is "ids stay when lines move and another function is renamed" "$(cat "$T/edited.ids")" "$(cat "$T/plain.ids")"
is "a finding that is mended takes its id with it, and no other" "$(comm -3 "$T/plain.ids" "$T/mended.ids" | wc -l)" \
	"$("$VFLOW" diff -T json "$T/plain.db" "$T/mended.db" >"$T/report.json"; ask "SELECT json_array_length(text, '\$.findings.gone') + json_array_length(text, '\$.findings.new') FROM json")"

# -- what makes it fail
report plain
bytes=$(ask "SELECT max(value->>'bytes') FROM json, json_each(text, '\$.findings')")
saves=$(ask "SELECT max(value->>'saves_ns') FROM json, json_each(text, '\$.findings')")
expect_exit 0 "nothing is above the largest" "$VFLOW" report --fail-above "$bytes" "$T/plain.db"
is "... and no word of it" "$(cat "$T/err")" ""
expect_exit 3 "one byte less" "$VFLOW" report --fail-above $((bytes - 1)) "$T/plain.db"
like "... says which" "$(cat "$T/err")" "^vflow report: [0-9]+ findings? above $((bytes - 1)): [0-9, ]+$"
like "... and writes the report all the same" "$(cat "$T/out")" "dead write"
expect_exit 0 "no finding saves more time" "$VFLOW" report --fail-above "${saves}ns" "$T/plain.db"
expect_exit 3 "a nanosecond less" "$VFLOW" report --fail-above "$((saves - 1))ns" "$T/plain.db"
expect_exit 3 "any finding" "$VFLOW" report --brief --fail-above 0 "$T/plain.db"
report plain
most=$(ask "SELECT max(max(coalesce(value->>'saves_most_ns', 0), coalesce(value->>'saves_ns', 0))) FROM json, json_each(text, '\$.findings')")
expect_exit 0 "no finding may save more time" "$VFLOW" report --fail-at-most "${most}ns" "$T/plain.db"
expect_exit 3 "a nanosecond less of that" "$VFLOW" report --fail-at-most "$((most - 1))ns" "$T/plain.db"
expect_exit 2 "--fail-at-most of bytes" "$VFLOW" report --fail-at-most 64K "$T/plain.db"
expect_exit 2 "both limits" "$VFLOW" report --fail-at-most 1ms --fail-above 1ms "$T/plain.db"
collect "$T/corrected.db" --passes flow,time,waits "$P/demo_corrected" >/dev/null
expect_exit 0 "a corrected program, with times" "$VFLOW" report --fail-above 1ms "$T/corrected.db"
expect_exit 1 "a limit of time without times" "$VFLOW" report --fail-above 1ms "$T/untimed.db"
like "... says what to do" "$(cat "$T/err")" "^vflow report: --fail-above 1ms: .* collect it with --passes flow,time,waits$"
for limit in much "" -1 1s2 99999999999999999999; do
	expect_exit 2 "--fail-above '$limit'" "$VFLOW" report --fail-above "$limit" "$T/plain.db"
done
expect_exit 0 "the run itself as baseline" "$VFLOW" report --fail-above 0 --baseline "$T/plain.db" "$T/plain.db"
expect_exit 0 "an edited program's run" "$VFLOW" report --fail-above 0 --baseline "$T/plain.db" "$T/edited.db"
expect_exit 3 "waste that the baseline lacks" "$VFLOW" report -T json --fail-above 0 --baseline "$T/mended.db" -o "$T/report.json" "$T/plain.db"
like "... in words" "$(cat "$T/err")" "findings? above 0, not in $T/mended.db: "
is "... is what diff calls new" "$(ask "SELECT value->>'id' FROM json, json_each(text, '\$.findings') WHERE value->>'new' AND value->>'fails' ORDER BY 1")" "$(comm -23 "$T/plain.ids" "$T/mended.ids")"
like "... in the text" "$("$VFLOW" report --baseline "$T/mended.db" "$T/plain.db")" "dead write: [^:]*, delete[^:]*, new"
expect_exit 1 "a baseline that is not there" "$VFLOW" report --baseline "$T/none.db" "$T/plain.db"
like "... is named" "$(cat "$T/err")" "none.db"

# -- suppressions
suppress() { # TEXT OPTION...: exit code
	printf '%b' "$1" >"$T/known"
	local code=0
	"$VFLOW" report -T json --suppressions "$T/known" "${@:2}" -o "$T/report.json" "$T/plain.db" >"$T/out" 2>"$T/err" || code=$?
	echo $code
}
suppressed() { # of the last one
	ask "SELECT value->>'pattern', value->>'\$.suppressed.reason', value->>'\$.suppressed.line' FROM json, json_each(text, '\$.suppressed')"
}
all=$(sqlite3 "$T/plain.db" "SELECT count(*) FROM finding")
is "a suppression" "$(suppress '# of bug 12\n\npattern: dead_write\nfunction: begin_*\nreason: cleared on purpose\n')" 0
is "... takes one finding" "$(suppressed), $(value '$.finding_count')" "dead_write cleared on purpose 3, $((all - 1))"
valid "... as the schema has it" "$T/report.json"
is "... nothing on stderr" "$(cat "$T/err")" ""
like "... is told in the text" "$("$VFLOW" report --suppressions "$T/known" "$T/plain.db")" "Suppressed.*dead write: .*: cleared on purpose \(line 3\)"
is "... every finding, and nothing fails" "$(suppress 'pattern: *\nreason: later\n' --fail-above 0) $(value '$.finding_count')" "0 0"
like "... in words" "$("$VFLOW" report --suppressions "$T/known" "$T/plain.db")" "No findings but those that are suppressed"
is "... what they save together is nothing, and the run took as long" "$(ask "SELECT count(*) FROM json, json_each(text, '\$.groups') AS g, json_each(g.value, '\$.findings')") $(value '$.run.run_ns')" "0 $(report plain; value '$.run.run_ns')"
is "... no limit of time fails" "$(suppress 'pattern: *\nreason: later\n' --fail-above 0ns)" 0
unlike "... and no sum is told" "$("$VFLOW" report --suppressions "$T/known" "$T/plain.db"; "$VFLOW" report -T markdown --suppressions "$T/known" "$T/plain.db")" "ogether"
report plain
group="json, json_each(text, '\$.groups') AS g, json_each(g.value, '\$.findings') AS f WHERE g.value->>'kind' = 'all'"
one=$(ask "SELECT f.value->>'id' FROM $group ORDER BY f.value->>'adds_ns' DESC LIMIT 1")
alone=$(ask "SELECT value->>'id', value->>'saves_ns' FROM json, json_each(text, '\$.findings') WHERE value->>'id' = '$one'")
is "all but one: it alone is what is saved together" "$(suppress "$(grep -v "$one" "$T/plain.ids" | sed 's/.*/id: &\\nreason: r\\n\\n/' | tr -d '\n')") $(ask "SELECT f.value->>'id', g.value->>'saves_ns' FROM $group")" "0 $alone"
id=$(report plain; ask "SELECT value->>'id' FROM ($dead)")
is "by id" "$(suppress "id: $id\nreason: known\n") $(suppressed)" "0 dead_write known 1"
is "by the call of the operation" "$(suppress 'function: cudaMemset\npattern: dead_write\nreason: r\n') $(suppressed)" "0 dead_write r 1"
is "by the object's function" "$(suppress 'object: no_such\nreason: r\n') $(value '$.finding_count')" "0 $all"
like "a block that suppresses nothing" "$(cat "$T/err")" "^vflow report: $T/known:1: this block suppresses no finding$"
is "the first block that matches" "$(suppress 'id: '"$id"'\nreason: first\n\npattern: dead_write\nfunction: begin_frame\nreason: second\n') $(suppressed)" "0 dead_write first 1"
while IFS='|' read -r text words; do
	is "suppressions '${text:0:40}'" "$(suppress "$text") $(sed "s,$T/,," "$T/err")" "1 vflow report: known:$words"
done <<'END'
pattern: a\n|1: this block has no 'reason: WHY'
\n\nreason: b\n|3: this block would suppress every finding: add pattern, function, object or id
pattern: a\nreason b\n|2: expected 'pattern:', 'function:', 'object:', 'id:' or 'reason:'
colour: red\n|1: expected 'pattern:', 'function:', 'object:', 'id:' or 'reason:'
pattern:\n|1: nothing after the colon
pattern: a\npattern: b\n|2: named twice in one block: is there a blank line missing?
END
is "a line without an end" "$(suppress "pattern: $(printf '%5000s' '' | tr ' ' x)\n") $(sed "s,$T/,," "$T/err")" "1 vflow report: known:1: the line is longer than 4095 bytes"
expect_exit 1 "a file that is not there" "$VFLOW" report --suppressions "$T/none" "$T/plain.db"
expect_exit 1 "a folder" "$VFLOW" report --suppressions "$T" "$T/plain.db"

# -- SARIF
printf 'pattern: dead_write\nfunction: begin_frame\nreason: cleared on purpose\n' >"$T/known"
"$VFLOW" report -T sarif --suppressions "$T/known" --baseline "$T/mended.db" -o "$T/report.json" "$T/plain.db"
if [ -f "${SARIF_SCHEMA:=.deps/sarif-schema-2.1.0.json}" ]; then
	valid "SARIF: as OASIS' schema has it" "$T/report.json" "$SARIF_SCHEMA"
else
	skip "SARIF: as OASIS' schema has it" "no $SARIF_SCHEMA: schema/sarif-schema-2.1.0.json of github.com/oasis-tcs/sarif-spec (or SARIF_SCHEMA=FILE)"
fi
result="SELECT value FROM json, json_each(text, '\$.runs[0].results')"
is "SARIF: version, results" "$(value '$.version') $(ask "SELECT count(*) FROM ($result)")" "2.1.0 $all"
is "... each of the rule at its index" "$(ask "SELECT count(*) FROM ($result) AS r, json WHERE r.value->>'ruleId' <> json_extract(text, '\$.runs[0].tool.driver.rules[' || (r.value->>'ruleIndex') || '].id')")" 0
is "... fingerprints are the ids" "$(ask "SELECT value->>'\$.partialFingerprints.\"vflowFinding/v1\"' FROM ($result) ORDER BY 1")" "$(cat "$T/plain.ids")"
is "... what is suppressed says why" "$(ask "SELECT value->>'\$.suppressions[0].kind', value->>'\$.suppressions[0].justification', value->>'baselineState' FROM ($result) WHERE value->>'suppressions' IS NOT NULL")" "external cleared on purpose new"
is "... a file below the folder is named from there" "$(ask "SELECT DISTINCT value->>'\$.locations[0].physicalLocation.artifactLocation.uri', value->>'\$.locations[0].physicalLocation.artifactLocation.uriBaseId' FROM ($result) WHERE value->>'ruleId' = 'dead_write'")" "$source SRCROOT"

# -- names that mean something elsewhere
vflow=$(realpath "$VFLOW")
mkdir "$T/names"
cp $source "$T/names/a,b:c%25 d.c"
build odd "$T/names/a,b:c%25 d.c"
run odd odd
(cd "$T/names" && "$vflow" report -T github --fail-above 0 "$T/odd.db") >"$T/out" 2>"$T/err" || :
like "GitHub: the file, escaped" "$(head -n 1 "$T/out")" '^::error file=a%2Cb%3Ac%2525 d\.c,line=[0-9]+,title=[^:]*::[^:]'
is "... a command on each line" "$(grep -vc '^::\(error\|notice\) [^:]*::' "$T/out")" 0
"$VFLOW" report -T github "$T/plain.db" >"$T/out"
is "... warnings where nothing is to fail" "$(grep -c '^::error' "$T/out") $(grep -c '^::warning file=tests/advice/cleared_twice.c,line=' "$T/out" | sed 's/^[1-9].*/some/')" "0 some"
(cd "$T/names" && "$vflow" report -T sarif "$T/odd.db") >"$T/report.json"
is "SARIF: a URI" "$(ask "SELECT DISTINCT value->>'\$.locations[0].physicalLocation.artifactLocation.uri' FROM ($result) WHERE value->>'ruleId' = 'dead_write'")" "a%2Cb%3Ac%2525%20d.c"

# -- a library of headers between the program and CUDA, deeper than what is kept of a path
mkdir -p "$T/include/thrust"
long=a_function_of_the_program_with_a_name_of_more_bytes_than_any_line_of_a_report_has_columns_for_names_of_functions
{
	echo '#include <cuda_runtime_api.h>'
	echo 'static inline void layer_0(void *p) { cudaFree(p); }'
	for n in $(seq 40); do echo "static inline void layer_$n(void *p) { layer_$((n - 1))(p); }"; done
} >"$T/include/thrust/deep.h"
cat >"$T/deep.c" <<END
#include <thrust/deep.h>
static void $long(void *p) { layer_40(p); }
int main(void) {
	for (int i = 0; i < 4; i++) {
		void *p; char c;
		cudaMalloc(&p, 1 << 20); cudaMemset(p, i, 1 << 20); cudaMemcpy(&c, p, 1, cudaMemcpyDeviceToHost);
		$long(p);
	}
}
END
build deep "$T/deep.c" -I"$T/include"
run deep deep
deep() { # COMMAND...: its output, which must have the program's line, and none of the library
	"$VFLOW" "$@" "$T/deep.db" >"$T/out"
	echo "$(grep -c 'deep\.c' "$T/out" | sed 's/^[1-9].*/some/') $(grep -c 'deep\.h:\|layer_[0-3]' "$T/out")"
}
for type in text json sarif github markdown; do
	is "library, $type: the program's line" "$(deep report -T $type)" "some 0"
done
"$VFLOW" report -T github "$T/deep.db" >"$T/out"
like "... GitHub points at it" "$(cat "$T/out")" "file=[^,]*/deep\.c,line=2,title=allocation in a loop"
"$VFLOW" report "$T/deep.db" >"$T/out"
like "... the path in full, with a short name" "$(cat "$T/out")" $'\n'" +operation  cudaFree \(free\)"$'\n'" +a_function_of_the_program[a-z_]*\.\.\.[[:space:]]+deep\.c:2 < main deep\.c:7"$'\n'
is "... few lines, none too long" "$(awk '/^[0-9]+\. /{ n = 0 } { n++ } n > 30 || length > 100' "$T/out" | grep -v "$T")" ""
report deep
is "... JSON has its frames" "$(ask "SELECT f.value->>'function', f.value->>'file', f.value->>'line' FROM json, json_each(text, '\$.findings[0].frames') AS f")" \
	"$long $(realpath "$T")/deep.c 2"$'\n'"main deep.c 7"
is "... as findings about operations have theirs there" "$(ask "SELECT count(*) FROM json, json_each(text, '\$.findings') AS f WHERE (f.value->>'frames' IS NULL) = (f.value->>'operation' IS NULL)")" 0
valid "... as the schema has it" "$T/report.json"
is "... in brief" "$(deep report --brief) $(awk 'length > 100' "$T/out")" "some 0 "
is "... whatif" "$(deep whatif) $(awk 'length > 100' "$T/out")" "some 0 "

# -- Markdown: 100 findings, of sizes that fall
{
	echo '#include <cuda_runtime_api.h>'
	for n in $(seq 100); do
		echo "static void step_$n(void) { void *p; char c; cudaMalloc(&p, $((65536 - n * 64))); cudaMemset(p, 1, $((65536 - n * 64))); cudaMemset(p, 2, $((65536 - n * 64)));"
		echo "	cudaMemcpy(&c, p, 1, cudaMemcpyDeviceToHost); cudaFree(p); }"
	done
	echo 'int main(void) {'
	for n in $(seq 100 -1 1); do echo "	step_$n();"; done
	echo '}'
} >"$T/many.c"
build many "$T/many.c"
run many many flow
page() { # OPTION...
	"$VFLOW" report -T markdown "$@" "$T/many.db" >"$T/page"
}
numbers() { # of findings, in their order
	grep -oE '^(## |- )[0-9]+\. ' "$T/page" | tr -dc '0-9\n'
}
count=$("$VFLOW" report --brief "$T/many.db" | wc -l)
is "Markdown: a hundred findings or more" "$((count >= 100))" 1
page --max-lines 250
is "... each, in their order" "$(numbers)" "$(seq "$count")"
for lines in 150 200 250; do
	page --max-lines $lines
	full=$(grep -c '^## [0-9]' "$T/page") more=$(sed -n 's/^- \([0-9]*\) more: .*/\1/p' "$T/page")
	is "... within $lines lines" "$(($(wc -l <"$T/page") <= lines)) $(($(numbers | wc -l) + ${more:-0}))" "1 $count"
	[ $lines != 250 ] || is "... some of them in full" "$((full > 0))" 1
done
page --max-lines 20
is "... in few lines, with how many are left" "$(($(wc -l <"$T/page") <= 20)) $(($(numbers | wc -l) + $(sed -n 's/^- \([0-9]*\) more: .*/\1/p' "$T/page")))" "1 $count"
page --max-lines 0
is "... without a limit all in full" "$(grep -c '^## [0-9]' "$T/page")" "$count"
page --top 3 --max-lines 0
like "... the worst three" "$(cat "$T/page")" "^# [^#]*## 1. dead write: [^#]* many.c:2 .*$((count - 3)) more"
is "... their numbers" "$(numbers)" "$(seq 3)"

for type in yaml "" JSON; do
	expect_exit 2 "-T '$type'" "$VFLOW" report -T "$type" "$T/plain.db"
done
expect_exit 2 "--brief is text" "$VFLOW" report --brief -T json "$T/plain.db"
expect_exit 2 "--stalls has no SARIF" "$VFLOW" report --stalls -T sarif "$T/plain.db"
expect_exit 2 "--stalls does not fail" "$VFLOW" report --stalls --fail-above 0 "$T/plain.db"
[ ! -c /dev/full ] || for type in json sarif github markdown; do
	code=0
	"$VFLOW" report -T $type "$T/plain.db" >/dev/full 2>"$T/err" || code=$?
	like "a full disk, $type" "$code $(cat "$T/err")" "^1 vflow report: cannot write standard output: (No space left|it is closed or full)"
done
# -- a terminal narrower than 100 columns
longest() { # OPTION...: columns of the longest line in a terminal of 60
	script -qec "stty cols 60; '$VFLOW' report $* '$T/plain.db'" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' |
		awk '{ if (length($0) > most) most = length($0) } END { print most <= 60 ? "fits" : most }'
}
if have_terminal; then
	is "the report fits a narrow terminal" "$(longest)" fits
	is "... and --brief" "$(longest --brief)" fits
else
	skip "a narrow terminal" "there is no terminal (script(1), /dev/pts)"
fi
finish
