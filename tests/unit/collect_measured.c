/*
 * What a run of the passes time and waits says to later ones, on a trace made by hand: which waits
 * are worth a look.
 */
#include "collect/measured.h"

#include "gpu/records.h"
#include "tests/unit/made_traces.h"

enum { US = 1000, MALLOC = 1, KERNEL, SYNC, STREAM_SYNC, FREE };

static void call(uint32_t of, uint64_t ns)
{
	u.event.context = of;
	u.event.row_size = TRACE_ROW_SIZE(TRACE_METRICS);
	u.event.start_ns = clock_ns;
	u.event.end_ns = clock_ns += ns;
	append(TRACE_EVENT, sizeof(u.event));
}

static void wait(uint32_t of, uint64_t ns)
{
	const struct gpu_wait wait = {.wait_ns = ns, .scope = GPU_WAIT_STREAM};

	call(of, ns + US);
	fact(GPU_RECORD_WAIT, 0, of, &wait, sizeof(wait));
}

/*
 * The context takes 200 ms, the end of the process 100: in between 1 ms of operations, of which one
 * function waits for a twentieth and another one for a two-hundredth.
 */
static void waits_that_matter(void **state)
{
	static const char texts[] = "cupti\0a device\0/bin/app\0./app\0\0time,waits\0";
	const struct gpu_time time = {.after_ns = 6 * US, .time_ns = 50 * US};
	struct measured *measured;
	char *names;

	(void)state;
	start_in(folder, 7, texts, sizeof(texts));
	context(MALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	context(KERNEL, TRACE_KERNEL, "fill", 0);
	context(SYNC, TRACE_SYNC, "cudaDeviceSynchronize", 0);
	context(STREAM_SYNC, TRACE_SYNC, "cudaStreamSynchronize", 0);
	context(FREE, TRACE_RELEASE, "cudaFree", 0);
	clock_ns = 5 * US;
	call(MALLOC, 200000 * US);
	call(KERNEL, 5 * US);
	fact(GPU_RECORD_TIME, 0, KERNEL, &time, sizeof(time));
	wait(SYNC, 53 * US);
	wait(STREAM_SYNC, 5 * US);
	clock_ns += 890 * US;
	call(KERNEL, 5 * US);
	fact(GPU_RECORD_TIME, 0, KERNEL, &time, sizeof(time));
	call(FREE, 100000 * US);
	u.end.end_ns = clock_ns;
	end();
	measured = measured_read(folder);
	names = measured_waits(measured, 0.01);
	assert_string_equal(names, "cudaDeviceSynchronize");
	free(names);
	/* 5 us of 5 + 54 + 6 + 890 + 50 */
	names = measured_waits(measured, 0.004);
	assert_string_equal(names, "cudaDeviceSynchronize,cudaStreamSynchronize");
	free(names);
	measured_free(measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_that_matter),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
