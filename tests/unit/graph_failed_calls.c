/*
 * Calls that failed, on their way from traces to a profile: sums that replace each other, of
 * several processes, too many of them, and what cannot be.
 */
#include "tests/unit/made_traces.h"

static void failed(uint32_t innermost, uint32_t number, uint64_t count, const char *function)
{
	char texts[256];
	int size = snprintf(texts, sizeof(texts), "%s%cerrorName%cwhat it says", function, 0, 0);
	size_t at = offsetof(struct trace_failed_call, text);

	((struct trace_failed_call *)u.bytes)->frame = innermost;
	((struct trace_failed_call *)u.bytes)->error = number;
	((struct trace_failed_call *)u.bytes)->count = count;
	append_text(TRACE_FAILED_CALL, at, texts, (size_t)size + 1);
}

static void row_is(const struct profile *profile, uint32_t i, const char *function, uint32_t error,
		   uint64_t count, const char *callpath)
{
	const struct profile_failed_call *call = &profile->failed_calls[i];

	assert_true(i < profile->failed_call_count);
	assert_string_equal(call->function, function);
	assert_int_equal(call->error, error);
	assert_string_equal(call->error_name, "errorName");
	assert_string_equal(call->description, "what it says");
	assert_int_equal(call->count, count);
	if (callpath)
		assert_string_equal(call->place.callpath, callpath);
	else
		assert_null(call->place.callpath);
	assert_null(call->place.file);
	assert_int_equal(call->place.line, 0);
}

static void test_sums(void **state)
{
	struct profile *profile;

	(void)state;
	start(10);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x1000);
	frame(2, 1, 1, 0x2000);
	failed(2, 1, 1, "cudaMemset");
	failed(2, 2, 1, "cudaMemset");
	failed(2, 1, 2, "cudaMemset");
	failed(2, 1, 4, "cudaMemset");
	failed(0, 1, 7, "cudaMemset");
	failed(2, 1, 5, "cudaMemset"); /* at the end */
	end();
	start(11);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x1000);
	failed(1, 1, 1, "cudaMemset");
	frame(2, 1, 1, 0x2000);
	failed(2, 1, 1, "cudaMemset");
	failed(2, 1, 3, "cudaMemset");
	end();
	profile = build();
	assert_int_equal(profile->failed_call_count, 4);
	row_is(profile, 0, "cudaMemset", 1, 5 + 3, "app+0x2000 < app+0x1000");
	row_is(profile, 1, "cudaMemset", 2, 1, "app+0x2000 < app+0x1000");
	row_is(profile, 2, "cudaMemset", 1, 7, NULL);
	row_is(profile, 3, "cudaMemset", 1, 1, "app+0x1000");
	profile_free(profile);
}

/* What people read is clean, and an empty name of a function no harm. */
static void test_texts(void **state)
{
	static const char texts[] = "\x1b[1m\xff\0<b>\0\n";
	size_t at = offsetof(struct trace_failed_call, text);
	struct profile *profile;

	(void)state;
	start(10);
	((struct trace_failed_call *)u.bytes)->error = UINT32_MAX;
	((struct trace_failed_call *)u.bytes)->count = 1;
	append_text(TRACE_FAILED_CALL, at, texts, sizeof(texts));
	failed(0, 1, 1, "");
	end();
	profile = build();
	assert_int_equal(profile->failed_call_count, 2);
	assert_null(strchr(profile->failed_calls[0].function, '\x1b'));
	assert_null(strchr(profile->failed_calls[0].function, '\xff'));
	assert_string_equal(profile->failed_calls[0].error_name, "<b>");
	assert_null(strchr(profile->failed_calls[0].description, '\n'));
	row_is(profile, 1, "", 1, 1, NULL);
	profile_free(profile);
}

static void test_many(void **state)
{
	struct profile *profile;
	uint64_t left_out = 0;

	(void)state;
	start(10);
	for (uint32_t i = 1; i <= PROFILE_FAILED_CALLS_MAX + 3; i++) {
		failed(0, i, 1, "cuMemFree");
		failed(0, i, 2, "cuMemFree");
	}
	end();
	profile = build();
	assert_int_equal(profile->failed_call_count, PROFILE_FAILED_CALLS_MAX);
	row_is(profile, PROFILE_FAILED_CALLS_MAX - 1, "cuMemFree", PROFILE_FAILED_CALLS_MAX, 2,
	       NULL);
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (coverage_is(profile->coverage[i].id, COVERAGE_FAILED_CALLS_LEFT_OUT)) {
			left_out = profile->coverage[i].count;
			assert_int_equal(profile->coverage[i].hides, COVERAGE_HIDES_NOTHING);
		}
	assert_int_equal(left_out, 6);
	profile_free(profile);
}

/* The largest sums of several processes stay within what a profile holds. */
static void test_large(void **state)
{
	struct profile *profile;

	(void)state;
	for (uint32_t pid = 10; pid < 13; pid++) {
		start(pid);
		failed(0, 1, PROFILE_NUMBER_MAX - 1, "cuMemFree");
		end();
	}
	profile = build();
	assert_int_equal(profile->failed_call_count, 1);
	row_is(profile, 0, "cuMemFree", 1, PROFILE_NUMBER_MAX, NULL);
	profile_free(profile);
}

static void test_damaged(void **state)
{
	static const struct {
		uint32_t frame, error;
		uint64_t count;
		const char *message;
	} cases[] = {
		{2, 1, 1, "a failed call of frame 2: expected 0 to 1"},
		{UINT32_MAX, 1, 1, "a failed call of frame 4294967295: expected 0 to 1"},
		{1, 0, 1, "a failed call with error 0, 1 times: it cannot be"},
		{1, 1, UINT64_MAX, "18446744073709551615 times: it cannot be"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile;

		start(10);
		module(1, "/nowhere/app");
		frame(1, 0, 1, 0x1000);
		failed(1, 5, 1, "cudaFree");
		failed(cases[i].frame, cases[i].error, cases[i].count, "cudaFree");
		failed(1, 6, 1, "cudaFree");
		end();
		profile = build();
		assert_int_equal(profile->failed_call_count, 1);
		assert_non_null(strstr(profile->coverage[0].reason, cases[i].message));
		profile_free(profile);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_texts, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_many, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_large, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_damaged, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
