#!/bin/bash
# Findings of memory as findings: the members that all have, ids, what makes the command fail, what is suppressed, and the other forms of the report.
. tests/lib.sh
exec </dev/null

# 1 MiB that is there four calls before it is needed, while there are 4 MiB: the peak of 5 MiB falls by 1 MiB if it is not.
# 64 KiB that are never freed lie at no peak.
cat >"$T/early.c" <<'C'
#include <cuda_runtime_api.h>
static char host[4 << 20];

static void *make_weights(void)
{
	void *weights;

	cudaMalloc(&weights, 1 << 20);
	return weights;
}

static void fill(void *memory, size_t size)
{
	cudaMemset(memory, 1, size);
	cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost);
}

static void draw(void)
{
	void *image;

	cudaMalloc(&image, 4 << 20);
	fill(image, 4 << 20);
	cudaFree(image);
}

int main(void)
{
#ifdef MENDED
	void *weights = (draw(), make_weights()), *log;
#else
	void *weights = make_weights(), *log;

	draw();
#endif
	fill(weights, 1 << 20);
	cudaFree(weights);
	cudaMalloc(&log, 64 << 10);
	fill(log, 64 << 10);
}
C
{ printf '/* moved */\n\n'; sed 's/draw/paint/' "$T/early.c"; } >"$T/edited.c"
run() { # DB SOURCE FLAG...
	"$CC" -g $ASAN -Igpu/emulator/include -o "$T/$1" "${@:3}" "$T/$2" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
	"$VFLOW" collect -q --device emulated -o "$T/$1.db" "$T/$1" >"$T/out" 2>&1 || not_ok "run $1" "$(cat "$T/out")"
}
ask() { # SQL
	json_query "$T/report.json" "$1"
}
memory() { # DB OPTION...
	"$VFLOW" report --memory -T json "${@:2}" -o "$T/report.json" "$T/$1.db" 2>"$T/err"
}
ids() { # DB
	memory "$1"
	ask "SELECT value->>'id' FROM json, json_each(text, '\$.findings') ORDER BY 1"
}
run plain early.c
run mended early.c -DMENDED
run edited edited.c

# -- what all findings have
memory plain
is "members of all findings" "$(ask "SELECT value->>'rank', value->>'pattern', value->>'action', value->>'bytes', value->>'saves_peak_bytes',
	value->>'\$.operation.name', value->>'\$.operation.frames[0].function', value->>'\$.object.frames[0].function' FROM json, json_each(text, '\$.findings')")" \
	"1 early_allocation allocate_later 1048576 1048576 cudaMalloc make_weights make_weights
2 memory_leak free 65536 0 cudaMalloc main main"
is "titles" "$(ask "SELECT value->>'title' FROM json, json_each(text, '\$.findings')")" "early allocation: peak falls by 1.0M; 1.0M, allocate later
memory leak: 64.0K, free"
if python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
	is "as the schema has findings" "$(python3 -W ignore - advice/vflow-report.schema.json "$T/report.json" <<'END' 2>&1
import json, sys, jsonschema
schema, data = (json.load(open(name)) for name in sys.argv[1:])
schema = {"$defs": schema["$defs"], "items": schema["$defs"]["finding"]}
print("\n".join(f"{list(e.absolute_path)}: {e.message[:200]}" for e in jsonschema.Draft202012Validator(schema).iter_errors(data["findings"])))
END
)" ""
else
	skip "as the schema has findings" "needs python3 with jsonschema (package python3-jsonschema)"
fi
for db in plain edited mended; do ids $db >"$T/$db.ids"; done
is "ids stay when lines move and another function is renamed" "$(sort -u "$T/edited.ids")" "$(cat "$T/plain.ids")"
is "what is mended takes its id with it, and no other" "$(comm -3 "$T/plain.ids" "$T/mended.ids" | wc -l) $(comm -12 "$T/plain.ids" "$T/mended.ids" | wc -l)" "1 1"

# -- what makes it fail: bytes off the peak
fails() { # CODE NAME DB OPTION...
	expect_exit "$1" "$2" "$VFLOW" report --memory "${@:4}" "$T/$3.db"
}
fails 0 "nothing is above what the peak falls by" plain --fail-above 1M
fails 3 "one byte less" plain --fail-above 1048575
is "... says which" "$(cat "$T/err")" "vflow report: 1 finding above 1048575: 1"
like "... and writes the report all the same" "$(cat "$T/out")" "early allocation: peak falls to 4.0M"
fails 0 "a leak that is not at the peak is worth no bytes" mended --fail-above 1
fails 3 "but it is a finding" mended --fail-above 0
fails 3 "... in JSON, too" plain -T json --fail-above 1
cp "$T/out" "$T/report.json"
is "... which fail" "$(ask "SELECT value->>'fails' FROM json, json_each(text, '\$.findings')")" "1
0"
fails 2 "findings of memory save no time" plain --fail-above 1ms
fails 2 "... nor at most" plain --fail-at-most 1ms
fails 0 "the run itself as baseline" plain --fail-above 0 --baseline "$T/plain.db"
fails 0 "an edited program's run" edited --fail-above 0 --baseline "$T/plain.db"
fails 3 "waste that the baseline lacks" plain --fail-above 0 --baseline "$T/mended.db"
is "... in words" "$(cat "$T/err")" "vflow report: 1 finding above 0, not in $T/mended.db: 1"
is "... in the text" "$(grep -E '^[0-9]+\. ' "$T/out")" "1. early allocation: peak falls to 4.0M, new
2. memory leak: does not lower the peak"
memory plain --baseline "$T/mended.db"
is "... in JSON" "$(ask "SELECT value->>'new' FROM json, json_each(text, '\$.findings')")" "1
0"
cp tests/profiles/version-1000.db "$T/old.db"
fails 1 "nobody knows of an old run" old --fail-above 0
is "... which is said" "$(cat "$T/err")" "vflow report: $T/old.db does not say when memory was accessed: an older vflow made it"
fails 1 "... nor is it a baseline" plain --baseline "$T/old.db"
fails 1 "... nor are there annotations of it" old -T github
fails 0 "in the text it is told" old

# -- suppressions
known() { # LINE
	printf '%s\nreason: known\n' "$1" >"$T/known"
	fails "$2" "suppressed by $1" mended --fail-above 0 --suppressions "$T/known"
}
known "pattern: memory_leak" 0
is "... listed by itself" "$(sed -n '/^No findings/,$p' "$T/out")" "No findings but those that are suppressed.

Suppressed
  1. memory leak: 64.0K, free: known (line 1)"
known "function: main" 0
known "object: cudaMalloc" 0
known "id: $(cat "$T/mended.ids")" 0
known "object: make_weights" 3
is "a block that suppresses nothing is named" "$(grep -c 'this block suppresses no finding' "$T/err")" 1
printf 'pattern: early_allocation\nreason: known\n' >"$T/known"
memory plain --suppressions "$T/known"
is "suppressed in JSON" "$(ask "SELECT text->>'\$.finding_count', text->>'\$.findings[0].pattern', text->>'\$.suppressed[0].rank', text->>'\$.suppressed[0].suppressed.reason', text->>'\$.suppressed[0].byte_calls' FROM json")" \
	"1 memory_leak 1 known 4194304"

# -- other forms
malloc_line() { # N
	grep -n cudaMalloc "$T/early.c" | sed -n "$1s/:.*//p"
}
fails 3 "SARIF" plain -T sarif --fail-above 1 -o "$T/report.json"
is "... results" "$(ask "SELECT value->>'ruleId', value->>'level', value->>'\$.locations[0].physicalLocation.region.startLine', value->>'\$.properties.bytes', value->>'\$.properties.saves_peak_bytes'
	FROM json, json_each(text, '\$.runs[0].results')")" "early_allocation error $(malloc_line 1) 1048576 1048576
memory_leak warning $(malloc_line 3) 65536 0"
is "... fingerprints are the ids" "$(ask "SELECT value->>'\$.partialFingerprints.\"vflowFinding/v1\"' FROM json, json_each(text, '\$.runs[0].results') ORDER BY 1")" "$(cat "$T/plain.ids")"
is "... rules" "$(ask "SELECT value->>'id', value->>'\$.shortDescription.text' FROM json, json_each(text, '\$.runs[0].tool.driver.rules')")" "early_allocation early allocation
memory_leak memory leak"
fails 3 "annotations" plain -T github --fail-above 1
is "... at the allocations" "$(sed -E 's/file=[^,]*\///; s/::cudaMalloc.*//' "$T/out" | grep -v '^::notice title=vflow')" "::error early.c,line=$(malloc_line 1),title=early allocation%3A peak falls by 1.0M; 1.0M%2C allocate later
::warning early.c,line=$(malloc_line 3),title=memory leak%3A 64.0K%2C free"
fails 0 "Markdown" plain -T markdown
like "... how many, and in which order" "$(cat "$T/out")" "^# vflow report --memory: [^#]*2 findings, those that lower the peak most first\."
is "... each" "$(sed -n 's/^## \([0-9].*\)/\1/p' "$T/out")" "1. early allocation: peak falls by 1.0M; 1.0M, allocate later
2. memory leak: 64.0K, free"
fails 0 "Markdown of one of them" plain -T markdown --top 1
like "... how to see the other" "$(cat "$T/out")" "1 more: vflow report --memory --top 0 "

# -- vflow diff
pairs() { # BEFORE AFTER: patterns of those that are gone, new, in both
	"$VFLOW" diff --memory -T json "$T/$1.db" "$T/$2.db" >"$T/report.json"
	ask "SELECT (SELECT group_concat(value->>'pattern') FROM json_each(text, '\$.findings.gone')), (SELECT group_concat(value->>'pattern') FROM json_each(text, '\$.findings.new')),
		(SELECT group_concat(value->>'\$.after.pattern') FROM json_each(text, '\$.findings.remaining')), text->>'\$.numbers.findings.before', text->>'\$.numbers.findings.after' FROM json"
}
is "diff: what was mended is gone" "$(pairs plain mended)" "early_allocation  memory_leak 2 1"
is "... as was promised" "$(ask "SELECT (text->>'\$.numbers.peak_bytes.before') - (text->>'\$.numbers.peak_bytes.after'), text->>'\$.findings.gone[0].saves_peak_bytes' FROM json")" "1048576 1048576"
is "... and the other way around it is new" "$(pairs mended plain)" " early_allocation memory_leak 1 2"
is "... an edit changes nothing" "$(pairs plain edited)" "  early_allocation,memory_leak 2 2"
like "... in words" "$("$VFLOW" diff --memory "$T/plain.db" "$T/mended.db")" "- #1 early allocation: peak falls by 1.0M; cudaMalloc \(vertex 1, early.c:8 < early.c:3.\).*= #2 -> #1 memory leak: 64.0K; cudaMalloc "
like "... as Markdown" "$("$VFLOW" diff --memory -T markdown "$T/plain.db" "$T/mended.db")" "Findings gone: 1[^#]*- #1 \*\*early allocation\*\*: peak falls by 1.0M; cudaMalloc"
expect_exit 1 "diff: nobody knows of an old run" "$VFLOW" diff --memory "$T/plain.db" "$T/old.db"
is "... which is said" "$(cat "$T/err")" "vflow diff: $T/old.db does not say when memory was accessed: an older vflow made it"
finish
