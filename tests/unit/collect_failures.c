/* collect/guest/failures.c by itself: what is left out, names, and when sums are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/guest/failures.c"
#include "collect/guest/memory.c"

static struct {
	uint32_t frame, error;
	uint64_t count;
	char text[512];
	size_t size;
} last;
static unsigned written;
static uint64_t left_out;

int guest_append(struct trace_record *record, size_t size)
{
	const struct trace_failed_call *call = (struct trace_failed_call *)record;

	assert_int_equal(record->type, TRACE_FAILED_CALL);
	last.frame = call->frame;
	last.error = call->error;
	last.count = call->count;
	last.size = size - offsetof(struct trace_failed_call, text);
	memcpy(last.text, call->text, last.size);
	written++;
	return 0;
}

void guest_give_up(const char *why)
{
	fail_msg("%s", why);
}

void coverage_add(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	(void)detail, (void)bytes;
	assert_int_equal(id, COVERAGE_FAILED_CALLS_LEFT_OUT);
	left_out += count;
}

static void test_expected(void **state)
{
	static const struct {
		const char *name;
		uint32_t error;
		bool expected;
	} cases[] = {
		{"cudaMalloc", 0, true},
		{"cudaMalloc", 2, false},
		{"cudaFree", 4, true}, /* the runtime is gone */
		{"cudaEventQuery", 600, true},
		{"cudaStreamQuery", 600, true},
		{"cuEventElapsedTime_v2", 600, true},
		{"cudaEventQuery", 700, false},
		{"cudaDeviceEnablePeerAccess", 704, true},
		{"cuCtxDisablePeerAccess", 705, true},
		{"cudaDeviceEnablePeerAccess", 101, false},
		{"cudaGraphExecUpdate", 910, true},
		{"cudaDeviceGetAttribute", 1, true},
		{"cudaPointerGetAttributes", 1, true},
		{"cuGetProcAddress_v2", 500, true},
		{"cudaGetLastError", 1, true},
		{"cudaPeekAtLastError", 1, true},
		{"cudaFuncSetAttribute", 1, false},
		{"cudaDeviceSynchronize", 700, false},
		{"cudaHostRegister", 712, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(failures_is_expected(cases[i].name, cases[i].error),
				 cases[i].expected);
}

static void text_is(const char *text, size_t size)
{
	assert_int_equal(last.size, size);
	assert_memory_equal(last.text, text, size);
}
#define TEXT_IS(text) text_is(text, sizeof(text))

static void test_sums(void **state)
{
	(void)state;
	failures_add("cuMemFree_v2", 1, 7);
	assert_int_equal(written, 1);
	TEXT_IS("cuMemFree\0CUDA_ERROR_INVALID_VALUE\0invalid argument");
	assert_int_equal(last.frame, 7);
	assert_int_equal(last.error, 1);
	failures_add("cuMemFree", 1, 7); /* the same */
	assert_int_equal(written, 2);
	assert_int_equal(last.count, 2);
	failures_add("cuMemFree", 1, 8); /* others */
	failures_add("cuMemFree", 2, 7);
	failures_add("cuMemFree_v2_ptsz", 1, 7);
	assert_int_equal(written, 4);
	failures_add("cuMemFree", 1, 7);
	assert_int_equal(written, 5); /* 4 of them */
	assert_int_equal(last.count, 4);
	for (int i = 0; i < 3; i++)
		failures_add("cuMemFree", 1, 7);
	assert_int_equal(written, 5);
	failures_write();
	assert_int_equal(written, 6);
	assert_int_equal(last.count, 7);
	failures_write();
	assert_int_equal(written, 6);
	/* an error of the other API, and of none */
	failures_add("cuLaunchKernel", 9, 1);
	TEXT_IS("cuLaunchKernel\0\0invalid configuration argument");
	failures_add("cudaLaunchKernel", 123456, 1);
	TEXT_IS("cudaLaunchKernel\0\0");
}

static void test_many(void **state)
{
	uint32_t before = failure_count;

	(void)state;
	for (uint32_t i = 0; i < FAILURES_MAX; i++)
		failures_add("cudaFree", 1, 1000 + i);
	assert_int_equal(failure_count, FAILURES_MAX);
	assert_int_equal(left_out, before);
	failures_add("cudaFree", 1, 1000); /* which is known */
	assert_int_equal(left_out, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
