/*
 * Programs that do more than they need, and the same mended, on a GPU: `whatif CASE before|mended`
 * says how many ns the loop took, `whatif medians` "CASE BEFORE MENDED" of all.  A comment "whatif:
 * OPTION [VALUE]" stands where a call is that `vflow whatif` is to be asked about.  Kernels spin
 * for so many us.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <cuda_runtime.h>
#include <pthread.h>

#include "check.h"

#define UP cudaMemcpyHostToDevice
#define DOWN cudaMemcpyDeviceToHost

enum { TIMES = 200, SIZE = 4 << 20, LARGE = 256 << 20 };

static bool mended;
static char *memory, *second, *pinned, *large;
static cudaStream_t a, b;
static cudaEvent_t event;
static char pageable[SIZE];

static unsigned long long now_ns(void)
{
	timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* The host's own work. */
static void work(unsigned us)
{
	unsigned long long end = now_ns() + us * 1000ull;

	while (now_ns() < end)
		;
}

__global__ void spin(unsigned us)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < us * 1000ull);
}

/* So many us of the device. */
static void busy(unsigned us, cudaStream_t stream)
{
	spin<<<1, 1, 0, stream>>>(us);
}

/* Then the device is the bottleneck. */
static void run_wait(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(300, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(100);
	}
}

/* Then the host is. */
static void run_wait_host(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(300);
	}
}

static void run_loop(void)
{
	char *made = NULL;

	if (mended)
		CHECK(cudaMalloc(&made, SIZE));
	for (int i = 0; i < TIMES; i++) {
		if (!mended)
			CHECK(cudaMalloc(&made, SIZE)); /* whatif: --hoist */
		busy(200, a);
		work(50);
		if (!mended)
			CHECK(cudaFree(made)); /* whatif: --hoist */
	}
	if (mended)
		CHECK(cudaFree(made));
}

/* The same bytes each time. */
static void run_copy(void)
{
	for (int i = 0; i < TIMES; i++) {
		if (!mended)
			CHECK(cudaMemcpy(memory, pageable, SIZE, UP)); /* whatif: --without */
		busy(150, 0);
		CHECK(cudaDeviceSynchronize());
	}
}

static void run_first_use(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(200, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --after-use 150us */
		work(150);
		if (mended)
			CHECK(cudaStreamSynchronize(a));
		work(20);
	}
}

static void run_late_use(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(50, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --after-use 500us */
		work(500);
		if (mended)
			CHECK(cudaStreamSynchronize(a));
		work(20);
	}
}

static void run_two_streams(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(200, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		busy(200, b);
		CHECK(cudaStreamSynchronize(b));
		work(20);
	}
}

static void run_close_waits(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(200, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		busy(200, a);
		CHECK(cudaStreamSynchronize(a));
		work(20);
	}
}

static void run_three_waits(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(60);
		busy(100, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(60);
		busy(100, a);
		CHECK(cudaStreamSynchronize(a));
	}
}

/* Another stream is what the loop waits for. */
static void run_bottleneck(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(800, b);
		busy(200, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(100);
		CHECK(cudaStreamSynchronize(b));
	}
}

static void run_twice(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, a);
		if (!mended)
			CHECK(cudaDeviceSynchronize()); /* whatif: --without */
		CHECK(cudaStreamSynchronize(a));
		work(20);
	}
}

/* To the host and back. */
static void run_round_trip(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, 0);
		if (!mended) {
			CHECK(cudaMemcpy(pageable, memory, SIZE, DOWN)); /* whatif: --without */
			CHECK(cudaMemcpy(memory, pageable, SIZE, UP));   /* whatif: --without */
		}
		CHECK(cudaDeviceSynchronize());
	}
}

/* Zeros that are written over. */
static void run_dead_fill(void)
{
	for (int i = 0; i < TIMES; i++) {
		if (!mended)
			CHECK(cudaMemsetAsync(large, 0, LARGE, a)); /* whatif: --without */
		busy(100, a);
		CHECK(cudaStreamSynchronize(a));
	}
}

static void run_download(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, 0);
		if (!mended)
			CHECK(cudaMemcpy(pinned, memory, SIZE, DOWN)); /* whatif: --without */
		work(50);
	}
}

static void *thread(void *stream)
{
	for (int i = 0; i < TIMES; i++) {
		busy(150, (cudaStream_t)stream);
		if (!mended)
			CHECK(cudaStreamSynchronize((cudaStream_t)stream)); /* whatif: --without */
		work(100);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, thread, b) != 0)
		exit(1);
	thread(a);
	pthread_join(other, NULL);
}

static void run_graph(void)
{
	static cudaGraphExec_t made;
	cudaGraph_t graph;

	if (!made) {
		CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
		busy(80, a);
		busy(80, a);
		CHECK(cudaStreamEndCapture(a, &graph));
		CHECK(cudaGraphInstantiateWithFlags(&made, graph, 0));
	}
	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaGraphLaunch(made, a));
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(120);
	}
}

/* It is not on the critical path. */
static void run_beside(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(300, a);
		if (!mended)
			CHECK(cudaMemsetAsync(second, 0, SIZE, b)); /* whatif: --without */
		CHECK(cudaStreamSynchronize(a));
	}
}

static void run_events(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(100, a);
		CHECK(cudaEventRecord(event, a));
		if (!mended)
			CHECK(cudaEventSynchronize(event)); /* whatif: --without */
		CHECK(cudaStreamWaitEvent(b, event, 0));
		busy(100, b);
		work(150);
	}
	CHECK(cudaDeviceSynchronize());
}

/* Pages that the driver copies first; mended, it is pinned, and takes as long as that does. */
static void run_pageable(void)
{
	const char *p = mended ? pinned : pageable;

	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpyAsync(memory, p, SIZE, UP, a)); /* whatif: --async --instead 78us */
		work(100);
		busy(100, a);
	}
	CHECK(cudaDeviceSynchronize());
}

/* One field of what is copied is read. */
static void run_partial(void)
{
	const size_t size = mended ? SIZE / 8 : SIZE;

	for (int i = 0; i < TIMES; i++) {
		busy(50, 0);
		CHECK(cudaMemcpy(pinned, memory, size, DOWN)); /* whatif: --instead 12.5% */
		work(20);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"wait", run_wait},
	{"wait_host", run_wait_host},
	{"loop", run_loop},
	{"copy", run_copy},
	{"first_use", run_first_use},
	{"late_use", run_late_use},
	{"two_streams", run_two_streams},
	{"close_waits", run_close_waits},
	{"three_waits", run_three_waits},
	{"bottleneck", run_bottleneck},
	{"twice", run_twice},
	{"round_trip", run_round_trip},
	{"dead_fill", run_dead_fill},
	{"download", run_download},
	{"threads", run_threads},
	{"graph", run_graph},
	{"beside", run_beside},
	{"events", run_events},
	{"pageable", run_pageable},
	{"partial", run_partial},
};

static void prepare(void)
{
	CHECK(cudaMalloc(&memory, SIZE));
	CHECK(cudaMalloc(&second, SIZE));
	CHECK(cudaMalloc(&large, LARGE));
	CHECK(cudaMallocHost(&pinned, SIZE));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	memset(pageable, 1, SIZE);
	memset(pinned, 1, SIZE);
	CHECK(cudaMemset(memory, 0, SIZE));
	CHECK(cudaMemcpy(memory, pageable, SIZE, UP));
	CHECK(cudaMemcpy(pinned, memory, SIZE, DOWN));
	busy(1, a);
	busy(1, b);
	CHECK(cudaDeviceSynchronize());
}

static unsigned long long run(size_t which, bool without)
{
	unsigned long long start;

	mended = without;
	start = now_ns();
	cases[which].run();
	CHECK(cudaDeviceSynchronize());
	return now_ns() - start;
}

static int ascending(const void *x, const void *y)
{
	unsigned long long m = *(const unsigned long long *)x, n = *(const unsigned long long *)y;

	return (m > n) - (m < n);
}

/* All cases in one process: starting one costs more than most of them. */
static void print_medians(void)
{
	enum { RUNS = 5 };
	unsigned long long took[2][RUNS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int k = 0; k < RUNS; k++) {
			took[0][k] = run(i, false);
			took[1][k] = run(i, true);
		}
		qsort(took[0], RUNS, sizeof(**took), ascending);
		qsort(took[1], RUNS, sizeof(**took), ascending);
		printf("%s %llu %llu\n", cases[i].name, took[0][RUNS / 2], took[1][RUNS / 2]);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "medians")) {
		prepare();
		print_medians();
		return 0;
	}
	for (size_t i = 0; argc == 3 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		prepare();
		printf("%llu\n", run(i, !strcmp(argv[2], "mended")));
		return 0;
	}
	return 2;
}
