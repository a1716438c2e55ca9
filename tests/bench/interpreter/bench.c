/*
 * tests/bench/interpreter/bench.c: thread-instructions per second of the interpreter, not observed
 * and observed (with its share of the value-flow graph): on one host thread, where the time against
 * CPU builds of the same kernels is said too, and on all of them, by the clock and per second of
 * processor time.
 *
 *     bench [kernels.ptx [kernel]]
 *
 * An instruction of a warp counts as 32, whatever lanes its guard leaves: what the lanes of these
 * kernels nearly always all do.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/analysis/shadow.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/ptx/instruction.h"
#include "tests/bench/interpreter/kernels.h"

#define COUNT (1 << 18)

struct parameters {
	uint64_t words[7];
};

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t floats(uint64_t low, uint64_t high)
{
	return low | high << 32;
}

static uint32_t bits(float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 20);

	if (!file || !text) {
		fprintf(stderr, "bench: cannot read %s\n", path);
		exit(1);
	}
	*size = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

static const struct plain_kernel *find(const struct plain_kernel *list, const char *name)
{
	while (strcmp(list->name, name))
		list++;
	return list;
}

static double plain(const struct plain_kernel *list, const char *name, const struct arrays *arrays,
		    int n)
{
	const struct plain_kernel *kernel = find(list, name);
	double start, best = 1e9;

	for (int k = 0; k < 3; k++) {
		start = now(CLOCK_THREAD_CPUTIME_ID);
		kernel->run(arrays, n);
		if (now(CLOCK_THREAD_CPUTIME_ID) - start < best)
			best = now(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	return best;
}

struct figures {
	double seconds,
		wall; /* of processor time, by the clock: the least of each of a few launches */
	double instructions; /* of threads */
};

/* With a shadow, what collection does after each launch is included. */
static struct figures emulated(struct launch *launch, struct shadow *shadow, const char *threads)
{
	struct figures best = {1e9, 1e9, 0};
	const struct gpu_row *rows;
	uint64_t instructions;
	struct fault fault;
	size_t count;

	setenv("VFLOW_EMULATOR_THREADS", threads, 1);
	launch->instructions = &instructions;
	launch->observed = shadow != NULL;
	for (int k = 0; k < 5; k++) {
		double start = now(CLOCK_PROCESS_CPUTIME_ID), begin = now(CLOCK_MONOTONIC), taken;

		instructions = 0;
		if (interpreter_run(launch, &fault)) {
			fprintf(stderr, "bench: %s\n", fault.text);
			exit(1);
		}
		if (shadow)
			shadow_settle(shadow, 2, &rows, &count);
		taken = now(CLOCK_PROCESS_CPUTIME_ID) - start;
		best.seconds = taken < best.seconds ? taken : best.seconds;
		taken = now(CLOCK_MONOTONIC) - begin;
		best.wall = taken < best.wall ? taken : best.wall;
	}
	best.instructions = (double)instructions * PTX_LANES / 1e6;
	return best;
}

int main(int argc, char **argv)
{
	size_t size;
	char *text = read_file(argc > 1 ? argv[1] : "tests/bench/interpreter/kernels.ptx", &size);
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, size, &error);
	struct allocation *allocation = memory_allocate(COUNT * 4 * 7, 512);
	uint64_t memory = allocation->address, at[7];
	struct shadow *shadow = shadow_create(false);
	struct arrays arrays;
	uint32_t seed = 1;

	if (!module) {
		fprintf(stderr, "bench: %s\n", error.text);
		return 1;
	}
	for (unsigned n = 0; n < 7; n++)
		at[n] = memory + n * COUNT * 4;
	arrays = (struct arrays){(void *)at[0], (void *)at[1], (void *)at[2], (void *)at[3],
				 (void *)at[4], (void *)at[5], (void *)at[6], (void *)at[0]};
	for (unsigned i = 0; i < COUNT; i++) {
		seed = seed * 1664525 + 1013904223;
		arrays.c[i] = 5 + (float)(seed >> 16) / 2621.44f;
		arrays.d[i] = arrays.c[i] * (0.75f + (float)(seed >> 20 & 1023) / 2048);
		arrays.e[i] = 0.25f + (float)(seed >> 24) / 26.2f;
		arrays.values[i] = seed ^ seed << 13;
	}
	const struct {
		const char *name;
		uint32_t grid[3], block[3];
		struct parameters parameters;
		int plain;
	} runs[] = {
		{"black",
		 {480, 1, 1},
		 {128, 1, 1},
		 {{at[0], at[1], at[2], at[3], at[4], floats(bits(0.02f), bits(0.3f)), COUNT}},
		 COUNT},
		{"histo", {64, 1, 1}, {256, 1, 1}, {{at[5], at[6], COUNT}}, COUNT},
		{"scan", {COUNT / 256, 1, 1}, {256, 1, 1}, {{at[0], at[2], COUNT}}, COUNT},
		{"binomial", {64, 1, 1}, {256, 1, 1}, {{at[0], 256}}, 64},
		{"matmul", {12, 12, 1}, {16, 16, 1}, {{at[0], at[2], at[3], 192}}, 192},
		{"triad",
		 {COUNT / 256, 1, 1},
		 {256, 1, 1},
		 {{at[0], at[2], at[3], floats(bits(3), COUNT)}},
		 COUNT},
		{"mandel", {16, 16, 1}, {16, 16, 1}, {{at[0], floats(256, 64)}}, 256},
	};

	if (!shadow)
		return 1;
	allocation->shadow = shadow_object_create(shadow, 1, 1, (void *)memory, COUNT * 4 * 7);
	printf("%-10s %8s %8s %8s %9s %9s %9s %8s %8s\n", "million", "1 thread", "observed",
	       "threads", "per core", "observed", "per core", "x -O0", "x -O2");
	for (size_t n = 0; n < sizeof(runs) / sizeof(*runs); n++) {
		if (argc > 2 && strcmp(argv[2], runs[n].name))
			continue;
		struct parameters parameters = runs[n].parameters;
		struct launch launch = {.module = module,
					.kernel = ptx_find_kernel(module, runs[n].name),
					.parameters = (const uint8_t *)&parameters};
		struct figures one, seen, all, all_seen;

		memcpy(launch.grid, runs[n].grid, sizeof(launch.grid));
		memcpy(launch.block, runs[n].block, sizeof(launch.block));
		one = emulated(&launch, NULL, "1");
		seen = emulated(&launch, shadow, "1");
		all = emulated(&launch, NULL, "");
		all_seen = emulated(&launch, shadow, "");
		printf("%-10s %8.0f %8.0f %8.0f %9.0f %9.0f %9.0f %8.1f %8.1f\n", runs[n].name,
		       one.instructions / one.seconds, one.instructions / seen.seconds,
		       one.instructions / all.wall, one.instructions / all.seconds,
		       one.instructions / all_seen.wall, one.instructions / all_seen.seconds,
		       one.seconds / plain(plain_unoptimised, runs[n].name, &arrays, runs[n].plain),
		       one.seconds / plain(plain_optimised, runs[n].name, &arrays, runs[n].plain));
	}
	shadow_object_destroy(allocation->shadow);
	shadow_destroy(shadow);
	ptx_free(module);
	free(text);
	return 0;
}
