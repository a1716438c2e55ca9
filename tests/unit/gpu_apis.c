/*
 * What functions of CUDA wait for and need, by the names that programs and callbacks have for them;
 * that each function of the driver has its row is asked by tests/sanitizer/apis.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/nvidia/apis.h"

static void knows_what_is_asynchronous(void **state)
{
	static const char *const yes[] = {
		"cudaMemcpyAsync",
		"cudaMemcpyAsync_ptsz",
		"cudaMemcpyAsync_ptsz_v7000",
		"cudaMemcpy2DToArrayAsync",
		"cudaMemcpyToSymbolAsync",
		"cuMemcpyHtoDAsync_v2",
		"cuMemcpyHtoDAsync_v2_ptsz",
		"cudaMemsetAsync",
		"cudaMallocAsync",
		"cudaMallocFromPoolAsync",
		"cudaFreeAsync",
		"cudaMemcpyBatchAsync",
		"cuLaunchHostFunc",
		"cuStreamWriteValue32_v2",
	};
	/* Kernels and variables can have any name. */
	static const char *const no[] = {
		"cudaMemcpy",
		"cudaMemcpy_ptds",
		"cudaMemset",
		"cudaFree",
		"cudaMalloc",
		"cuMemcpyDtoH_v2",
		"cudaMemcpy3DPeer",
		"copyAsync",
		"cudaAsync",
		"cudaGraphLaunch",
		"cudaLaunchKernel",
		"cuAsync",
		"cu",
		"cuda",
		"",
		"_v2",
		"cudaMemcpyAsyncTo",
		"cudaMemcpyAsyn",
		"cudaDeviceRegisterAsyncNotification",
		"cudaMemcpyAsyncWithANameThatIsLongerThanThoseOfAllFunctionsOfCudaAreTogether",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!api_is_asynchronous(yes[i]))
			fail_msg("%s is not asynchronous", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (api_is_asynchronous(no[i]))
			fail_msg("%s is asynchronous", no[i]);
	assert_false(api_is_asynchronous(NULL));
}

static void knows_copies(void **state)
{
	(void)state;
	assert_true(api_is_synchronous_copy("cudaMemcpy"));
	assert_true(api_is_synchronous_copy("cudaMemcpy2DFromArray_ptds"));
	assert_true(api_is_synchronous_copy("cuMemcpyHtoD_v2"));
	assert_false(api_is_synchronous_copy("cudaMemcpyAsync"));
	assert_false(api_is_synchronous_copy("cudaMemcpyBatchAsync"));
	assert_false(api_is_synchronous_copy("cudaGraphAddMemcpyNode"));
	assert_false(api_is_synchronous_copy("cudaGraphAddMemcpyNode1D"));
	assert_false(api_is_synchronous_copy("rowMemcpyKernel"));
	assert_false(api_is_synchronous_copy(NULL));
}

static void knows_what_waits(void **state)
{
	(void)state;
	assert_int_equal(api_waits_for("cudaDeviceSynchronize"), API_WAITS_CONTEXT);
	assert_int_equal(api_waits_for("cudaThreadSynchronize"), API_WAITS_CONTEXT);
	assert_int_equal(api_waits_for("cuCtxSynchronize_v2"), API_WAITS_CONTEXT);
	assert_int_equal(api_waits_for("cudaStreamSynchronize_ptsz"), API_WAITS_STREAM);
	assert_int_equal(api_waits_for("cudaEventSynchronize"), API_WAITS_EVENT);
	assert_int_equal(api_waits_for("cudaFree"), API_WAITS_CONTEXT);
	assert_int_equal(api_waits_for("cudaFreeAsync"), API_WAITS_NOTHING);
	assert_int_equal(api_waits_for("cudaMemcpy"), API_WAITS_OWN);
	assert_int_equal(api_waits_for("cudaStreamDestroy"), API_WAITS_NOTHING);
	assert_true(api_is_synchronization("cudaStreamSynchronize"));
	assert_false(api_is_synchronization("cudaFree"));
	assert_false(api_is_synchronization("cudaStreamQuery"));
	assert_false(api_is_synchronization("cudaMemcpy"));
}

static void knows_what_is_needed(void **state)
{
	(void)state;
	assert_int_equal(api_needs("cudaEventElapsedTime"), API_NEEDS_EVENT);
	assert_int_equal(api_needs("cudaEventElapsedTime_v2"), API_NEEDS_EVENT);
	assert_int_equal(api_needs("cuEventQuery"), API_NEEDS_EVENT);
	assert_int_equal(api_needs("cudaStreamQuery_ptsz"), API_NEEDS_STREAM);
	assert_int_equal(api_needs("cudaFreeHost"), API_NEEDS_HOST_MEMORY);
	assert_int_equal(api_needs("cudaHostUnregister"), API_NEEDS_HOST_MEMORY);
	assert_int_equal(api_needs("cuMemUnmap"), API_NEEDS_MEMORY);
	assert_int_equal(api_needs("cudaFree"), API_NEEDS_NOTHING);
	assert_int_equal(api_needs("cudaEventDestroy"), API_NEEDS_NOTHING);
	assert_int_equal(api_needs("cudaGraphExecDestroy"), API_NEEDS_NOTHING);
	assert_int_equal(api_needs("cudaGraphExecUpdate"), API_NEEDS_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_is_asynchronous),
		cmocka_unit_test(knows_copies),
		cmocka_unit_test(knows_what_waits),
		cmocka_unit_test(knows_what_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
