/*
 * Samples of stalls: what the builder makes of them, that a profile keeps it, and records that
 * cannot be.
 */
#include "tests/unit/made_traces.h"

#include <unistd.h>
#include <zstd.h>

#include "gpu/records.h"
#include "gpu/stalls/reasons.h"

static void device(uint64_t samples, uint64_t others)
{
	struct gpu_stall_device payload = {.samples = samples,
					   .other_samples = others,
					   .period = 16,
					   .multiprocessors = 132,
					   .warps = 64};

	fact(GPU_RECORD_STALL_DEVICE, 0, 0, &payload, sizeof(payload));
}

/* `size` of `bytes` at `offset`, all of them `filling`. */
static void code(uint64_t crc, uint64_t bytes, uint64_t offset, uint32_t size, char filling)
{
	union {
		struct gpu_stall_code code;
		char bytes[256];
	} payload = {.code = {.crc = crc, .bytes = bytes, .offset = offset, .size = size}};

	memset(payload.code.piece, filling, size);
	fact(GPU_RECORD_STALL_CODE, 0, 0, &payload, 32 + (size < 8 ? 8 : size));
}

static void function(uint64_t crc, uint32_t number, const char *name)
{
	struct gpu_stall_function payload = {.crc = crc, .function = number};

	memcpy(payload.name, name, strlen(name)); /* at most 8 bytes */
	fact(GPU_RECORD_STALL_FUNCTION, 0, 0, &payload, sizeof(payload));
}

static void samples(uint32_t number, uint32_t offset, uint32_t reason, uint64_t all,
		    uint64_t latency)
{
	struct gpu_stall_samples payload = {.samples = all,
					    .latency = latency,
					    .function = number,
					    .offset = offset,
					    .reason = reason};

	fact(GPU_RECORD_STALL_SAMPLES, 0, 0, &payload, sizeof(payload));
}

static void launches(const char *name, uint64_t count, uint64_t ns, uint32_t blocks)
{
	struct gpu_stall_launches payload = {.launches = count,
					     .time_ns = ns,
					     .grid = {blocks, 1, 1},
					     .block = {128, 1, 1},
					     .registers = 40,
					     .geometries = 1};

	memcpy(payload.name, name, strlen(name));
	fact(GPU_RECORD_STALL_LAUNCHES, 0, 0, &payload, sizeof(payload));
}

static void gpu_time(uint32_t of, uint64_t ns)
{
	struct gpu_time payload = {.after_ns = 1, .time_ns = ns};

	fact(GPU_RECORD_TIME, 0, of, &payload, sizeof(payload));
}

static struct profile *build_stalls_run(void)
{
	const struct build_run run = {.folder = folder, .passes = "stalls"};
	struct error error;
	struct profile *profile = build_runs(&run, 1, build_analyses, &error);

	assert_non_null(profile);
	return profile;
}

/* Two processes: what the first one numbers 1 and 2, the second numbers 2 and 1. */
static void make_run(void)
{
	for (uint32_t pid = 1; pid <= 2; pid++) {
		uint32_t f = pid, g = 3 - pid;

		start(pid);
		module(1, "/nowhere/app");
		frame(1, 0, 1, 0x100);
		frame(2, 0, 1, 0x200);
		context(1, TRACE_KERNEL, "_Z1fv", 1);
		context(2, TRACE_KERNEL, "_Z1fv", 2);
		context(3, TRACE_KERNEL, "_Z1gv", 1);
		event(1, 0, NULL);
		gpu_time(1, 300);
		event(2, 0, NULL);
		gpu_time(2, 100);
		event(1, 0, NULL);
		gpu_time(1, 50);
		device(100 * pid, 1);
		if (pid == 1)
			code(7, 20, 0, 12, 'a'); /* it did not come to the rest */
		if (pid == 2) {
			code(7, 20, 0, 12, 'b');
			code(7, 20, 12, 8, 'c');
		}
		if (pid == 1) {
			function(7, f, "_Z1fv");
			function(8, g, "_Z1gv");
		} else {
			function(8, g, "_Z1gv");
			function(7, f, "_Z1fv");
		}
		samples(f, 16, STALL_LONG_SCOREBOARD, 10 * pid, 4 * pid);
		samples(f, 32, STALL_LONG_SCOREBOARD, 5, 5);
		samples(g, 16, STALL_SELECTED, 1, 0);
		launches("_Z1fv", 3, pid == 1 ? 450 : 500, 4 * pid);
		end();
	}
}

static void check(const struct profile *profile)
{
	static const struct {
		uint32_t function, offset, reason;
		uint64_t samples, latency;
	} wanted[] = {{0, 16, STALL_LONG_SCOREBOARD, 30, 12},
		      {0, 32, STALL_LONG_SCOREBOARD, 10, 10},
		      {1, 16, STALL_SELECTED, 2, 0}};
	const struct profile_stall_function *f = profile->stall_functions;
	char image[21] = "";

	assert_int_equal(profile->stall_device_count, 2);
	assert_int_equal(profile->stall_devices[1].samples, 200);
	assert_int_equal(profile->stall_devices[1].process, 1);
	assert_int_equal(profile->stall_devices[1].multiprocessors, 132);
	assert_int_equal(profile->stall_code_count, 2);
	assert_int_equal(profile->stall_codes[0].crc, 7);
	assert_int_equal(profile->stall_codes[0].bytes, 20);
	assert_int_equal(ZSTD_decompress(image, 20, profile->stall_codes[0].image.bytes,
					 profile->stall_codes[0].image.size),
			 20);
	assert_string_equal(image, "bbbbbbbbbbbbcccccccc");
	assert_null(profile->stall_codes[1].image.bytes); /* nobody has given it */
	assert_int_equal(profile->stall_function_count, 2);
	assert_string_equal(f[0].name, "_Z1fv");
	assert_int_equal(f[0].code, 0);
	assert_int_equal(f[0].launches, 6);
	assert_int_equal(f[0].time_ns, 950);
	assert_int_equal(f[0].grid_x, 8); /* of the process where it took longer */
	assert_int_equal(f[0].registers, 40);
	assert_string_equal(f[1].name, "_Z1gv");
	assert_int_equal(f[1].launches, 0);
	assert_int_equal(profile->stall_sample_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct profile_stall_sample *sample = &profile->stall_samples[i];

		assert_int_equal(sample->function, wanted[i].function);
		assert_int_equal(sample->offset, wanted[i].offset);
		assert_int_equal(sample->reason, wanted[i].reason);
		assert_int_equal(sample->samples, wanted[i].samples);
		assert_int_equal(sample->latency, wanted[i].latency);
	}
	/* f is launched from two places, of which the first takes 350 of 450 ns, in each process */
	assert_int_equal(profile->stall_vertex_count, 2);
	assert_int_equal(profile->stall_vertices[0].function, 0);
	assert_int_equal(profile->stall_vertices[0].launches, 4);
	assert_int_equal(profile->stall_vertices[0].time_ns, 700);
	assert_int_equal(profile->stall_vertices[1].time_ns, 200);
}

static void test_stalls(void **state)
{
	char path[256];
	struct profile *profile, *read;
	struct error error;

	(void)state;
	make_run();
	profile = build_stalls_run();
	check(profile);
	snprintf(path, sizeof(path), "%s/stalls.db", folder);
	assert_int_equal(profile_write(profile, path, &error), 0);
	read = profile_read(path, &error);
	assert_non_null(read);
	assert_int_equal(read->stall_device_count, 2);
	assert_int_equal(read->stall_sample_count, 0); /* with the events only */
	assert_int_equal(profile_read_events(read, path, &error), 0);
	check(read);
	profile_free(read);
	profile_free(profile);
	unlink(path);
}

/* Should samples have demangled names, their kernels are found all the same. */
static void test_demangled(void **state)
{
	union {
		struct gpu_stall_function function;
		char bytes[64];
	} payload = {.function = {.crc = 7, .function = 1}};
	struct profile *profile;

	(void)state;
	start(1);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x100);
	context(1, TRACE_KERNEL, "_Z1fv", 1);
	event(1, 0, NULL);
	strcpy(payload.function.name, "f()");
	fact(GPU_RECORD_STALL_FUNCTION, 0, 0, &payload, sizeof(payload));
	samples(1, 16, STALL_WAIT, 10, 0);
	launches("_Z1fv", 3, 450, 4);
	end();
	profile = build_stalls_run();
	assert_int_equal(profile->stall_function_count, 1);
	assert_string_equal(profile->stall_functions[0].name, "_Z1fv");
	assert_int_equal(profile->stall_functions[0].launches, 3);
	assert_int_equal(profile->stall_vertex_count, 1);
	profile_free(profile);
}

/* Where the pass was not made, nobody takes the records. */
static void test_other_pass(void **state)
{
	const struct build_run run = {.folder = folder, .passes = "flow"};
	struct profile *profile;
	struct error error;

	(void)state;
	make_run();
	profile = build_runs(&run, 1, build_analyses, &error);
	assert_non_null(profile);
	assert_int_equal(profile->stall_sample_count, 0);
	assert_int_equal(profile->stall_code_count, 0);
	profile_free(profile);
}

static void damaged_there(const char *message)
{
	struct profile *profile;

	event(1, 0, NULL);
	end();
	profile = build_stalls_run();
	if (!strstr(coverage_of(profile, "trace"), message))
		print_message("got: %s\n", coverage_of(profile, "trace"));
	assert_non_null(strstr(coverage_of(profile, "trace"), message));
	profile_free(profile);
	unlink(path);
}

static void test_bad(void **state)
{
	(void)state;
	good_beginning();
	device(1, 2);
	damaged_there("samples of a device that cannot be");
	good_beginning();
	code(1, 10, 8, 4, 0);
	damaged_there("a piece of GPU code that is not in it");
	good_beginning();
	code(1, 64, 0, 4, 0);
	code(1, 64, 8, 4, 0);
	damaged_there("a piece of GPU code that is not the next one");
	good_beginning();
	code(1, 64, 0, 4, 0);
	code(1, 60, 4, 4, 0);
	damaged_there("a piece of GPU code that is not the next one");
	good_beginning();
	function(1, 1, "01234567");
	damaged_there("kind STALL_FUNCTION with a name that has no end");
	good_beginning();
	function(1, 1, "a");
	function(1, 1, "b");
	damaged_there("sampled function 1 comes twice");
	good_beginning();
	samples(1, 0, 1, 1, 0);
	damaged_there("samples of function 1, which is not there");
	good_beginning();
	function(1, 1, "a");
	samples(1, 0, 1, 1, 2);
	damaged_there("samples that cannot be");
	good_beginning();
	launches("01234567", 1, 1, 1);
	damaged_there("kind STALL_LAUNCHES with a name that has no end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stalls, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_demangled, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_other_pass, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_bad, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
