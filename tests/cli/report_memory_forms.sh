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
finish
