#!/bin/bash
# Advice that holds for one of several calls says for which, and names callers that need the call only where there are such.
. tests/lib.sh
build() { # NAME [OPTION...] <SOURCE
	cat >"$T/$1.c"
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -Igpu/emulator/include -I. $ASAN -o "$T/$1" "$T/$1.c" "$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} \
		-Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm >"$T/log" 2>&1 && collect "$T/$1.db" "${@:2}" "$T/$1" </dev/null >"$T/log" 2>&1 || not_ok "$1" "$(cat "$T/log")"
}
advice() { # NAME
	"$VFLOW" report -T json "$T/$1.db" >"$T/report.json" && json_query "$T/report.json" "SELECT value->>'pattern' || '|' || (value->>'action') || '|' ||
		(value->>'advice') FROM json, json_each(text, '\$.findings')"
}

# The flux is for nothing: one call, of two objects.
build two_results <<'END'
#include "tests/advice/program.h"
enum { N = 8192 };
static float in[N], out[N];
int main(void)
{
	float *now, *next, *flux;
	random_floats(in, N, 1);
	CHECK(cudaMalloc((void **)&now, sizeof(in)));
	CHECK(cudaMalloc((void **)&next, sizeof(in)));
	CHECK(cudaMalloc((void **)&flux, sizeof(in)));
	CHECK(cudaMemcpy(now, in, sizeof(in), cudaMemcpyHostToDevice));
	LAUNCH(diffuse, N / 256, 256, next, now, flux, N);
	CHECK(cudaMemcpy(out, next, sizeof(out), cudaMemcpyDeviceToHost));
	print_checksum("out", out, sizeof(out));
	return 0;
}
END
is "one call that writes two objects: no other callers" "$(advice two_results)" \
	"never_read|drop_store|Leave out the kernel's stores to this object: nobody reads them."

# Three sets of one line: the third one's object is never read.
build members <<'END'
#include "tests/advice/program.h"
enum { N = 8192 };
static float in[N], out[N];
int main(void)
{
	float *a, *b, *c;
	random_floats(in, N, 1);
	CHECK(cudaMalloc((void **)&a, sizeof(in)));
	CHECK(cudaMalloc((void **)&b, sizeof(in)));
	CHECK(cudaMalloc((void **)&c, sizeof(in)));
	for (int i = 0; i < 2; i++) { cudaMemset(a, i + 1, sizeof(in)); cudaMemset(b, i + 2, sizeof(in)); cudaMemset(c, i + 3, sizeof(in));
		CHECK(cudaMemcpy(out, a, sizeof(out), cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(in, b, sizeof(out), cudaMemcpyDeviceToHost));
	}
	print_checksum("out", out, sizeof(out));
	return 0;
}
END
is "three calls of one line: which" "$(advice members)" \
	"dead_write|delete_one|Delete this set: nobody reads what it writes. Another call from the same line is needed: leave out only this one, the 3rd of the 3 calls."

# One helper, two callers: only one of them needs what it copies.
build helper <<'END'
#include "tests/advice/program.h"
enum { N = 8192 };
static float in[N], out[N];
__attribute__((noinline)) static void upload(float *to)
{
	CHECK(cudaMemcpy(to, in, sizeof(in), cudaMemcpyHostToDevice));
	in[0] += 1;
}
int main(void)
{
	float *a, *b;
	random_floats(in, N, 1);
	CHECK(cudaMalloc((void **)&a, sizeof(in)));
	CHECK(cudaMalloc((void **)&b, sizeof(in)));
	for (int i = 0; i < 2; i++) {
		upload(a);
		upload(b);
		CHECK(cudaMemcpy(out, b, sizeof(out), cudaMemcpyDeviceToHost));
	}
	print_checksum("out", out, sizeof(out));
	return 0;
}
END
line=$(grep -n 'upload(a)' "$T/helper.c" | cut -d: -f1)
is "other callers need it" "$(advice helper | grep '^[a-z]*_[a-z]*|delete')" \
	"dead_write|delete|Delete this copy: nobody reads what it writes. Only where it is called from helper.c:$line: others need it."
# A helper that allocates, waits for nothing that it needs and frees, called in three loops: each is told once, with the sum.
build loops --passes flow,time,waits <<'END'
#include "tests/advice/program.h"
enum { N = 4096, TURNS = 4 };
static float in[N], out[N];
__attribute__((noinline)) static void step(float *total)
{
	float *a;
	CHECK(cudaMalloc((void **)&a, sizeof(in)));
	CHECK(cudaMemcpy(a, in, sizeof(in), cudaMemcpyHostToDevice));
	LAUNCH(accumulate, N / 256, 256, total, a, a, N);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(a));
}
#define LOOP(name) __attribute__((noinline)) static void name(float *total) \
	{ for (int i = 0; i < TURNS; i++) { random_floats(in, N, i); step(total); } }
LOOP(first)
LOOP(second)
LOOP(third)
int main(void)
{
	float *total;
	CHECK(cudaMalloc((void **)&total, sizeof(out)));
	CHECK(cudaMemset(total, 0, sizeof(out)));
	first(total);
	second(total);
	third(total);
	CHECK(cudaMemcpy(out, total, sizeof(out), cudaMemcpyDeviceToHost));
	print_checksum("out", out, sizeof(out));
	return 0;
}
END
by_line() { # OPTION...: patterns of calls, model time, findings
	"$VFLOW" report "$@" -T json "$T/loops.db" >"$T/report.json" && json_query "$T/report.json" "SELECT value->>'pattern', sum(value->>'time_ns'),
		count(*) FROM json, json_each(text, '\$.findings') WHERE value->>'pattern' IN ('free_in_loop', 'unnecessary_wait') GROUP BY 1 ORDER BY 1"
}
# 12 allocations of 5 us and releases of 30
waited=$(by_line --min-time 0 --by path | sed -n 's/^unnecessary_wait \([1-9][0-9]*\) 3$/\1/p')
is "calls of one line, from three callers: one finding" "$(by_line --min-time 0)" "free_in_loop 420000 1
unnecessary_wait $waited 1"
is "... from each with --by path" "$(by_line --min-time 0 --by path | head -n 1)" "free_in_loop 420000 3"
"$VFLOW" report --min-time 0 -T json "$T/loops.db" >"$T/report.json"
saves=$(json_query "$T/report.json" "SELECT value->>'saves_ns' FROM json, json_each(text, '\$.findings') WHERE value->>'pattern' = 'free_in_loop'")
command=$("$VFLOW" report --min-time 0 "$T/loops.db" | grep -A2 'vflow whatif --hoist' | tr -d '\n' | sed 's/.*vflow whatif/"$VFLOW" whatif/; s/\.db.*/.db/; s/  */ /g')
like "it saves something" "$saves" '^[1-9]'
is "the command is about all of them" "$(eval "$command -T json" | tr ',' '\n' | sed -n 's/.*"saves_ns": *\([0-9]*\).*/\1/p' | head -n 1)" "$saves"
finish
