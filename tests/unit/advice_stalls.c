/*
 * tests/unit/advice_stalls.c: what is advised about stalls, and what it would give.
 *
 * Samples are made up, of tests/gpu/sass/flow.sm_90.txt; estimates were worked out by hand from the
 * formulas in advice/stall/optimizer.h.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "advice/stall/optimizer.h"
#include "advice/stall/report.h"
#include "tests/unit/sass_fixture.h"

static struct profile_stall_device device;
static struct profile_stall_function launched;
static struct profile *profile;

static int make_profile(void **state)
{
	(void)state;
	device = (struct profile_stall_device){.period = 16, .multiprocessors = 132, .warps = 64};
	launched = (struct profile_stall_function){.launches = 1,
						   .time_ns = 1200,
						   .grid_x = 264,
						   .grid_y = 1,
						   .grid_z = 1,
						   .block_x = 256,
						   .block_y = 1,
						   .block_z = 1};
	profile = profile_new();
	return 0;
}

static int free_profile(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

/* What stall_kernels_read() makes. */
static struct stall_kernels *load_code(const char *function, const char *code,
				       const struct stall_count *counts, size_t count)
{
	struct stall_kernels *kernels = xcalloc(1, sizeof(*kernels));
	struct stall_kernel *kernel = xcalloc(1, sizeof(*kernel));
	struct error error;

	kernels->modules = xcalloc(1, sizeof(*kernels->modules));
	kernels->module_count = 1;
	kernels->all = kernel;
	kernels->count = 1;
	*kernel = (struct stall_kernel){.profile = profile,
					.module = kernels->modules,
					.name = xstrdup(function),
					.launched = &launched,
					.device = &device};
	if (code) {
		kernel->flow = make_flow(code, &kernels->modules->listing);
	} else {
		kernels->modules->listing = read_listing("flow.sm_90");
		kernel->flow = flow_build(sass_find(kernels->modules->listing, function), &error);
	}
	kernel->counts = xmalloc(count * sizeof(*counts));
	memcpy(kernel->counts, counts, count * sizeof(*counts));
	kernel->count_count = count;
	for (size_t i = 0; i < count; i++) {
		struct stall_sum *sum = &kernel->by_reason[counts[i].reason];

		kernel->counts[i].instruction /= 16;
		sum->samples += (double)counts[i].samples;
		sum->latency += (double)counts[i].latency;
		kernel->all.samples += (double)counts[i].samples;
		kernel->all.latency += (double)counts[i].latency;
	}
	kernel->issued = kernel->by_reason[STALL_SELECTED].samples;
	stall_kernel_blame(kernel);
	kernels->samples = kernel->all.samples;
	return kernels;
}

static struct stall_kernels *load(const char *function, const struct stall_count *counts,
				  size_t count)
{
	return load_code(function, NULL, counts, count);
}

#define LOAD(function, ...)                                                                        \
	load((function), (const struct stall_count[]){__VA_ARGS__},                                \
	     sizeof((const struct stall_count[]){__VA_ARGS__}) / sizeof(struct stall_count))

/* "NAME SPEEDUP FURTHER SOURCE STALLED", of all, and frees the kernels. */
static void assert_advice(struct stall_kernels *kernels, const char *wanted)
{
	size_t count;
	struct stall_advice *all = stall_advise(kernels->all, &count);
	char text[1024] = "";

	for (size_t i = 0; i < count; i++) {
		sprintf(text + strlen(text), "%s ", all[i].optimizer->name);
		if (all[i].least < all[i].speedup)
			sprintf(text + strlen(text), "%.3f-", all[i].least);
		sprintf(text + strlen(text), "%.3f%s %.3f", all[i].speedup,
			all[i].bounded ? "!" : "", all[i].further);
		if (all[i].source != SASS_NONE)
			sprintf(text + strlen(text), " %x %x", all[i].source * 16,
				all[i].stalled * 16);
		strcat(text, "\n");
	}
	free(all);
	stall_kernels_free(kernels);
	assert_string_equal(text, wanted);
}

static struct stall_kernels *triad(void)
{
	/* T 1000, L 600, A 400, two of ten samples issue */
	return LOAD("triad", {0xf0, STALL_LONG_SCOREBOARD, 600, 500}, {0x100, STALL_WAIT, 200, 100},
		    {0xb0, STALL_SELECTED, 100, 0}, {0xd0, STALL_SELECTED, 100, 0});
}

static void test_hidden(void **state)
{
	(void)state;
	/* 600 of latency can be hidden by 400: 1000 / 600.  16 of 64 warps: (1 - 0.8^16) / 0.4.
	 * Of the two loads the second is closer: 100 / 4 to 100 / 2 */
	assert_advice(triad(), "thread_increase 2.430 2.430\n"
			       "code_reordering 1.667 1.667 d0 f0\n");
	/* all warps there are */
	launched.grid_x = 132 * 8;
	assert_advice(triad(), "code_reordering 1.667 1.667 d0 f0\n");
	/* half of the registers that a multiprocessor has: 32 warps of 64 */
	device.registers = 65536;
	launched.registers = 64;
	assert_advice(triad(), "thread_increase 2.430 2.430\n"
			       "code_reordering 1.667 1.667 d0 f0\n");
}

static void test_bound(void **state)
{
	struct graph_vertex *vertex;

	(void)state;
	/* 1800 bytes a ns, and 1.8 MB in 1200 ns: 1.2 times as fast at most */
	device.memory_kilohertz = 1000000;
	device.bus_bits = 8000;
	profile->stall_vertices = xcalloc(1, sizeof(*profile->stall_vertices));
	profile->stall_vertex_count = profile->stall_vertex_capacity = 1;
	vertex = graph_add_vertex(profile->graph, 1);
	vertex->read_bytes = 5 * 1200000;
	vertex->written_bytes = 5 * 600000;
	vertex->invocations = 5;
	profile->stall_vertices[0] = (struct profile_stall_vertex){
		.function = PROFILE_NO_ROW, .vertex = 1, .launches = 1, .time_ns = 1200};
	/* equal ones by name; the first has used what the second would */
	launched.grid_x = 132 * 8;
	{
		struct stall_kernels *kernels = triad();

		kernels->all->function = PROFILE_NO_ROW;
		assert_advice(kernels, "code_reordering 1.200! 1.200 d0 f0\n");
	}
}

static void test_removed(void **state)
{
	(void)state;
	launched.grid_x = 132 * 8;
	/* T 400: 250 of latency at the barrier; the load in the loop waits for 30 that 120 hide */
	assert_advice(LOAD("choose", {0x170, STALL_BARRIER, 280, 250},
			   {0x100, STALL_LONG_SCOREBOARD, 30, 30}, {0x100, STALL_SELECTED, 90, 0}),
		      "warp_balance 2.667 2.667 160 170\n"
		      "code_reordering 1.081 1.081 f0 100\n"
		      "loop_unrolling 1.081 1.000 f0 100\n");
	/* 16 of 132 multiprocessors */
	launched.grid_x = 16;
	assert_advice(LOAD("choose", {0x130, STALL_LG_THROTTLE, 100, 50},
			   {0x130, STALL_SELECTED, 100, 0}),
		      "block_increase 8.250 8.250\n"
		      "memory_transactions 1.333 1.333 130 130\n");
}

/*
 * At the second instruction of the code 200 samples of this reason, half of them latency; 200 are
 * issued at the first: T 400.
 */
static void assert_made(const char *code, enum stall_reason reason, const char *wanted)
{
	const struct stall_count counts[] = {{0x10, reason, 200, 100}, {0, STALL_SELECTED, 200, 0}};

	assert_advice(load_code("k", code, counts, 2), wanted);
}

/* The same, with half of the 200 issued at the second. */
static void assert_issued(const char *code, enum stall_reason reason, const char *wanted)
{
	const struct stall_count counts[] = {{0x10, reason, 200, 100},
					     {0, STALL_SELECTED, 100, 0},
					     {0x10, STALL_SELECTED, 100, 0}};

	assert_advice(load_code("k", code, counts, 3), wanted);
}

#define TID "S2R R0, SR_TID.X|0|\n"

static void test_kinds(void **state)
{
	(void)state;
	launched.grid_x = 132 * 8;
	/* 400 / 300 */
	assert_made("NOP||\nLDL R2, [R1]|2|1\nEXIT||", STALL_LG_THROTTLE,
		    "register_reuse 1.333 1.333 10 10\n");
	assert_made("NOP||\nSTL [R1], R2||12\nEXIT||", STALL_LG_THROTTLE,
		    "register_reuse 1.333 1.333 10 10\n");
	/* something cheap comes instead of what is slow, and takes as long to issue */
	assert_made("NOP||\nMUFU.RCP R2, R1|2|1\nEXIT||", STALL_MIO_THROTTLE,
		    "strength_reduction 1.333 1.333 10 10\n");
	assert_made("NOP||\nF2I.FTZ.U32.TRUNC.NTZ R2, R1|2|1\nEXIT||", STALL_MIO_THROTTLE,
		    "strength_reduction 1.333 1.333 10 10\n");
	assert_made("NOP||\nF2F.F64.F32 R2, R1|23|1\nEXIT||", STALL_MIO_THROTTLE,
		    "double_precision 1.333 1.333 10 10\n");
	/* of 300 samples in which something was issued one half was this: 400 / (400 - 100 - 150)
	 */
	assert_issued("NOP||\nF2F.F64.F32 R2, R1|23|1\nEXIT||", STALL_MIO_THROTTLE,
		      "double_precision 1.333-2.667 2.667 10 10\n");
	assert_issued("NOP||\nLDL R2, [R1]|2|1\nEXIT||", STALL_LG_THROTTLE,
		      "register_reuse 1.333-2.667 2.667 10 10\n");
	assert_issued("NOP||\n$k$__cuda_sm20_div_s64:\nFFMA R2, R4, R6, R8|2|468\nEXIT||",
		      STALL_MATH_PIPE_THROTTLE, "fast_math 1.333-2.667 2.667 10 10\n");
	assert_issued("NOP||\nMUFU.RCP R2, R1|2|1\nEXIT||", STALL_MIO_THROTTLE,
		      "strength_reduction 1.333 1.333 10 10\n");
	/* arithmetic stays, as float */
	assert_made("NOP||\nDFMA R2, R4, R6, R8|23|456789\nEXIT||", STALL_MATH_PIPE_THROTTLE,
		    "double_precision 1.333 1.333 10 10\n");
	/* a pipe that is full of cheap work is in use */
	assert_made("NOP||\nFFMA R2, R4, R6, R8|2|468\nEXIT||", STALL_MATH_PIPE_THROTTLE, "");
	/* rows of 128 bytes, 32 turns in place of one: 400 / (400 - 100 * 31 / 32) */
	assert_made(TID "LDS R2, [R0]|2|0\nEXIT||", STALL_MIO_THROTTLE, "");
	assert_advice(load_code("k", TID "IMAD R1, R0, 0x80, RZ|1|0\nLDS R2, [R1]|2|1\nEXIT||",
				(const struct stall_count[]){{0x20, STALL_MIO_THROTTLE, 200, 100},
							     {0x0, STALL_SELECTED, 200, 0}},
				2),
		      "bank_conflicts 1.320 1.320 20 20\n");
	/* STS without conflicts waits in the same queue, of whose 10 * 32 + 22 turns 310 are
	 * needless: 400 / (400 - 100 * 31 / 32 - 50 * 310 / 342) */
	assert_advice(load_code("k",
				TID "IMAD R1, R0, 0x80, RZ|1|0\nLDS R2, [R1]|2|1\n"
				    "STS [R3], R4||34\nEXIT||",
				(const struct stall_count[]){{0x20, STALL_MIO_THROTTLE, 200, 100},
							     {0x30, STALL_MIO_THROTTLE, 100, 50},
							     {0x20, STALL_SELECTED, 10, 0},
							     {0x30, STALL_SELECTED, 22, 0},
							     {0x10, STALL_SELECTED, 68, 0}},
				5),
		      "bank_conflicts 1.552 1.552 20 20\n");
	/* 32 sectors in place of 4: 400 / (400 - 87.5); all requests at all: 400 / 300, and those
	 * that are left: 12.5 of 400 */
	assert_advice(load_code("k",
				TID "IMAD R1, R0, c[0x0][0x210], RZ|1|0\n"
				    "LDG.E R2, desc[UR4][R1.64]|2|1\nEXIT||",
				(const struct stall_count[]){{0x20, STALL_LG_THROTTLE, 200, 100},
							     {0x0, STALL_SELECTED, 200, 0}},
				2),
		      "memory_transactions 1.333 1.333 20 20\n"
		      "coalescing 1.280 1.000 20 20\n");
	/* one request of 32 is left: 400 / (400 - 100 * 31 / 32) */
	assert_made("NOP||\nREDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R7||237\nEXIT||",
		    STALL_LG_THROTTLE, "atomics 1.320 1.320 10 10\n");
	/* nobody waits for reductions but who ends */
	assert_made("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R7||237\nEXIT||",
		    STALL_DRAIN, "atomics 1.320 1.320 0 10\n");
	assert_made("NOP||\nEXIT||", STALL_DRAIN, "");
	/* what the compiler calls, and what the program does: 100 of latency that 300 can hide */
	assert_made("NOP||\n$k$__cuda_sm20_div_s64:\nFFMA R2, R4, R6, R8|2|468\nEXIT||",
		    STALL_MATH_PIPE_THROTTLE, "fast_math 1.333 1.333 10 10\n");
	assert_made("NOP||\n$k$_Z1fv:\nFFMA R2, R4, R6, R8|2|468\nEXIT||", STALL_WAIT,
		    "code_reordering 1.333 1.333 0 10\n"
		    "function_inlining 1.333 1.000 0 10\n");
	/* unless it waits for code anyway */
	assert_made("NOP||\n$k$_Z1fv:\nFFMA R2, R4, R6, R8|2|468\nEXIT||", STALL_NO_INSTRUCTIONS,
		    "");
}

static void test_warps(void **state)
{
	struct stall_kernels *kernels = triad();
	struct stall_kernel *kernel = kernels->all;

	(void)state;
	assert_true(stall_active_warps(kernel) == 16 && stall_possible_warps(kernel) == 64);
	/* 228 KiB: a block of 100 KiB and the KiB that the driver takes fits twice */
	device.shared_bytes = 233472;
	launched.dynamic_bytes = 100 << 10;
	assert_true(stall_possible_warps(kernel) == 16);
	launched.dynamic_bytes = 0;
	/* 40 registers of 8 warps: 10240; six times in 65536 */
	device.registers = 65536;
	launched.registers = 40;
	assert_true(stall_possible_warps(kernel) == 48);
	device.blocks = 5;
	assert_true(stall_possible_warps(kernel) == 40);
	launched.block_x = 2048;
	assert_true(stall_active_warps(kernel) == 0);
	stall_kernels_free(kernels);
}

/* -- profiles that do not have it all -- */

static void assert_unknown(const char *words)
{
	struct stall_kernels *kernels = stall_kernels_read(profile);
	const struct report_stalls report = {.profile = profile, .kernels = kernels};
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	assert_int_equal(kernels->count, 1);
	assert_null(kernels->all[0].flow);
	if (!strstr(kernels->all[0].unknown, words))
		print_message("got: %s\n", kernels->all[0].unknown);
	assert_non_null(strstr(kernels->all[0].unknown, words));
	assert_true(kernels->all[0].all.samples == 30);
	report_stalls_print(&report, out);
	report_stalls_json(&report, out);
	fclose(out);
	assert_non_null(strstr(text, "1. f: 100.0% of the samples"));
	assert_non_null(strstr(text, "\"long_scoreboard\""));
	free(text);
	stall_kernels_free(kernels);
}

static void test_unknown(void **state)
{
	static const char garbage[] = "\177ELF and then nothing of the kind";
	struct error error;

	(void)state;
	assert_int_equal(report_stalls_check(profile, &error), -1);
	assert_non_null(strstr(error.text, "collect it with --passes stalls"));
	profile_add_coverage(profile, COVERAGE_STALLS_LOST, "18", 7, 0);
	assert_int_equal(report_stalls_check(profile, &error), -1);
	assert_non_null(strstr(error.text, "--stalls-period 18"));
	profile->stall_codes = xcalloc(1, sizeof(*profile->stall_codes));
	profile->stall_code_count = 1;
	profile->stall_functions = xcalloc(1, sizeof(*profile->stall_functions));
	profile->stall_functions[0].name = xstrdup("_Z1fv");
	profile->stall_function_count = 1;
	profile->stall_samples = xcalloc(1, sizeof(*profile->stall_samples));
	profile->stall_samples[0] = (struct profile_stall_sample){
		.reason = STALL_LONG_SCOREBOARD, .samples = 30, .latency = 20};
	profile->stall_sample_count = 1;
	assert_int_equal(report_stalls_check(profile, &error), 0);
	assert_unknown("the profile does not have its code");
	profile->stall_codes[0] = (struct profile_stall_code){
		.bytes = 100, .image = {xstrdup(garbage), sizeof(garbage)}};
	assert_unknown("not what it was packed from");
	profile->stall_codes[0].bytes = UINT64_C(1) << 40;
	assert_unknown("larger than 512 MiB");
	free(profile->stall_codes[0].image.bytes);
	profile->stall_codes[0].image.bytes = xmalloc(ZSTD_compressBound(sizeof(garbage)));
	profile->stall_codes[0].image.size =
		ZSTD_compress(profile->stall_codes[0].image.bytes,
			      ZSTD_compressBound(sizeof(garbage)), garbage, sizeof(garbage), 3);
	profile->stall_codes[0].bytes = sizeof(garbage);
	assert_unknown("no function of that name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hidden, make_profile, free_profile),
		cmocka_unit_test_setup_teardown(test_bound, make_profile, free_profile),
		cmocka_unit_test_setup_teardown(test_removed, make_profile, free_profile),
		cmocka_unit_test_setup_teardown(test_kinds, make_profile, free_profile),
		cmocka_unit_test_setup_teardown(test_warps, make_profile, free_profile),
		cmocka_unit_test_setup_teardown(test_unknown, make_profile, free_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
