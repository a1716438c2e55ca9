/* GPU code: what the builder makes of its modules and kernels, and of records that cannot be. */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

/* Of 100 bytes, 48 of them code, 32 of these of two kernels. */
static void code(uint32_t number, uint64_t names, uint32_t innermost)
{
	struct gpu_code payload = {.bytes = 100,
				   .code_bytes = 48,
				   .kernel_bytes = 32,
				   .names = names,
				   .code = number,
				   .kernels = 2,
				   .frame = innermost};

	fact(GPU_RECORD_CODE, 0, 0, &payload, sizeof(payload));
}

static void kernel(uint32_t number, const char *name, uint64_t bytes, bool launched)
{
	struct gpu_code_kernel payload = {.bytes = bytes, .code = number, .launched = launched};

	memcpy(payload.name, name, strlen(name)); /* at most 8 bytes */
	fact(GPU_RECORD_CODE_KERNEL, 0, 0, &payload, sizeof(payload));
}

static void test_modules(void **state)
{
	const struct profile_gpu_module *row;
	struct profile *profile;

	(void)state;
	for (uint32_t pid = 1; pid <= 2; pid++) {
		start(pid);
		module(1, "/nowhere/app");
		frame(1, 0, 1, 0x100);
		code(1, 7, 1);
		kernel(1, "a", 16, false);
		kernel(1, "b", 16, true);
		code(2, 7, 1); /* like the first */
		kernel(2, "b", 16, true);
		code(3, 8, 1); /* its kernels have other names */
		code(4, 7, 0); /* loaded elsewhere */
		end();
	}
	profile = build();
	assert_int_equal(profile->gpu_module_count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		row = &profile->gpu_modules[i];
		assert_int_equal(row->process, i / 3);
		assert_int_equal(row->loads, i % 3 ? 1 : 2);
		assert_int_equal(row->kernels, 2);
		assert_int_equal(row->launched, i % 3 ? 0 : 1);
		assert_int_equal(row->launched_bytes, i % 3 ? 0 : 16);
	}
	assert_string_equal(profile->gpu_modules[0].library, "/nowhere/app");
	assert_null(profile->gpu_modules[2].library);
	assert_int_equal(profile->gpu_function_count, 4);
	assert_false(profile->gpu_functions[0].launched);
	assert_true(profile->gpu_functions[1].launched);
	profile_free(profile);
}

/* Names are bytes of the program's: what is no text does not keep the profile from being written.
 */
static void test_names_that_are_no_text(void **state)
{
	static const char kernel_name[] = "k\x1b\xff\n", clean_name[] = "k\\x1b\\xff\\x0a";
	static const char texts[] = "p\x80\0d\n\0/bin/\1\xfe\0./\1\xfe\0\t\0";
	char *file = xasprintf("%s/1.db", folder);
	struct profile *profile, *read;
	struct error error;

	(void)state;
	start_in(folder, 1, texts, sizeof(texts));
	module(1, "/\xc3\x28/a\rp");
	frame(1, 0, 1, 0x100);
	context(1, TRACE_ALLOC, "cudaMalloc", 1);
	context(2, TRACE_KERNEL, kernel_name, 1);
	object(1, 1, 64);
	event(1, 0, NULL);
	EVENT(2, {1, 1, TRACE_WRITE, 64, 0});
	code(1, 7, 1);
	kernel(1, kernel_name, 16, true);
	end();
	profile = build();
	if (profile_write(profile, file, &error) != 0)
		fail_msg("%s", error.text);
	profile_free(profile);
	read = profile_read(file, &error);
	assert_non_null(read);
	assert_string_equal(read->gpu_modules[0].library, "/\\xc3(/a\\x0dp");
	assert_string_equal(read->gpu_functions[0].name, clean_name);
	assert_string_equal(read->graph->vertices[2].name, clean_name);
	profile_free(read);
	unlink(file);
	free(file);
}

static void test_bad(void **state)
{
	(void)state;
	good_beginning();
	kernel(1, "a", 16, true);
	cut_there("a kernel of module 1, which is not there");
	good_beginning();
	code(1, 0, 1);
	code(1, 0, 1);
	cut_there("module 1 of GPU code comes twice");
	good_beginning();
	code(1, 0, 1);
	kernel(1, "01234567", 16, true);
	cut_there("kind CODE_KERNEL with a name that has no end");
	good_beginning();
	code(1, 0, 2);
	cut_there("kind CODE of frame 2, which is not there");
	good_beginning();
	code(1, 0, 1);
	kernel(1, "a", 33, false);
	cut_there("a kernel that is larger than those of its module");
	good_beginning();
	code(1, 0, 1);
	kernel(1, "a", 8, true);
	kernel(1, "b", 8, true);
	kernel(1, "c", 8, true);
	cut_there("more kernels launched than their module has");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_modules, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_names_that_are_no_text, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_bad, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
