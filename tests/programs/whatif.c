/*
 * Programs that do more than they need, and the same mended: `whatif CASE [mended]`.  A comment
 * "whatif: OPTION [VALUE]" stands where a call is that `vflow whatif` is to be asked about;
 * tests/cli/whatif.sh holds what it says against what the mended program takes on the emulated
 * device.  The device's work is copies from pinned memory, of 2 us and 1 ns per 55 bytes.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "tests/programs/launch.h"

enum { TIMES = 5, US = 1000, SIZE = 4 << 20 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static bool mended;
static char *memory, *pinned;
static cudaStream_t a, b;
static char pageable[SIZE];

static void work(unsigned long us)
{
	if (vflow_emulator_work)
		vflow_emulator_work(us * US);
}

/* So many us of the device. */
static void busy(unsigned long us, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(memory, pinned, (us - 2) * US * 55, cudaMemcpyHostToDevice, stream));
}

/* Then the device is the bottleneck. */
static void run_wait(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(50, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(13);
	}
}

/* The wait moves to the next copy, and is as long there. */
static void run_wait_moves(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(50, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		CHECK(cudaStreamSynchronize(a));
		work(13);
	}
}

static void run_first_use(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(50, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --after-use 30us */
		work(30);
		if (mended)
			CHECK(cudaStreamSynchronize(a));
		work(10);
	}
}

static void run_two_streams(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(50, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		busy(40, b);
		CHECK(cudaStreamSynchronize(b));
		work(20);
	}
}

/* Another stream is the bottleneck. */
static void run_bottleneck(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(70, b);
		busy(10, a);
		if (!mended)
			CHECK(cudaStreamSynchronize(a)); /* whatif: --without */
		work(10);
		CHECK(cudaStreamSynchronize(b));
	}
}

static void run_loop(void)
{
	void *scratch = NULL;

	for (int i = 0; i < TIMES; i++) {
		if (!mended || !i)
			CHECK(cudaMalloc(&scratch, 1 << 20)); /* whatif: --hoist */
		busy(30, a);
		if (!mended || i == TIMES - 1)
			CHECK(cudaFree(scratch)); /* whatif: --hoist */
		work(10);
	}
}

/* A copy of what is there already. */
static void run_copy(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(30, a);
		if (!mended)
			CHECK(cudaMemcpy(memory, pageable, 500000, /* whatif: --without */
					 cudaMemcpyHostToDevice));
		busy(20, 0);
	}
}

static void run_asynchronous(void)
{
	cudaStream_t ordered;

	CHECK(cudaStreamCreate(&ordered));
	for (int i = 0; i < TIMES; i++) {
		busy(30, ordered);
		if (mended)
			CHECK(cudaMemcpyAsync(pinned, memory, 500000, cudaMemcpyDeviceToHost, 0));
		else
			CHECK(cudaMemcpy(pinned, memory, 500000, /* whatif: --async */
					 cudaMemcpyDeviceToHost));
		work(20);
		CHECK(cudaDeviceSynchronize());
	}
}

/* 2 us and 110000 / 55 ns instead of 440000 / 55. */
static void run_partial(void)
{
	const enum cudaMemcpyKind down = cudaMemcpyDeviceToHost;
	const size_t size = mended ? 110000 : 440000;

	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpy(pinned, memory, size, down)); /* whatif: --instead 4us */
		work(3);
	}
}

/* What the one stream does after the other's event. */
static void run_events(void)
{
	cudaEvent_t event;

	CHECK(cudaEventCreate(&event));
	for (int i = 0; i < TIMES; i++) {
		if (!mended)
			busy(60, a); /* whatif: --without */
		busy(20, a);
		CHECK(cudaEventRecord(event, a));
		CHECK(cudaStreamWaitEvent(b, event, 0));
		busy(30, b);
		CHECK(cudaEventSynchronize(event));
		work(5);
	}
}

static void run_graph(void)
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	busy(10, a);
	if (!mended)
		CHECK(cudaMemsetAsync(memory, 0, SIZE, a)); /* whatif: --without */
	busy(20, a);
	CHECK(cudaStreamEndCapture(a, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < TIMES; i++)
		CHECK(cudaGraphLaunch(executable, a));
	CHECK(cudaStreamSynchronize(a));
}

static void *thread(void *stream)
{
	for (int i = 0; i < TIMES; i++) {
		busy(stream == a ? 40 : 30, stream);
		if (!mended)
			CHECK(cudaStreamSynchronize(stream)); /* whatif: --without */
		work(20);
	}
	CHECK(cudaStreamSynchronize(stream));
	return NULL;
}

static void run_threads(void)
{
	cudaStream_t streams[] = {a, b};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) { /* each begins when the one before it is over */
		pthread_create(&threads[i], NULL, thread, streams[i]);
		pthread_join(threads[i], NULL);
	}
}

/* One stream's copy is wanted. */
static void run_one_of_streams(void)
{
	for (int i = 0; i < TIMES; i++) {
		busy(70, a);
		busy(10, b);
		if (mended)
			CHECK(cudaStreamSynchronize(b));
		else
			CHECK(cudaDeviceSynchronize()); /* whatif: --wait-for 2 */
		work(10);
	}
}

/* A copy of the default stream between those of streams that wait for it. */
static void run_barrier(void)
{
	cudaStream_t c, d;

	CHECK(cudaStreamCreate(&c));
	CHECK(cudaStreamCreate(&d));
	for (int i = 0; i < TIMES; i++) {
		busy(50, c);
		if (mended)
			busy(10, d);
		else
			busy(10, NULL); /* whatif: --wait-for 4 */
		busy(50, d);
		CHECK(cudaDeviceSynchronize());
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"wait", run_wait},
	{"wait_moves", run_wait_moves},
	{"first_use", run_first_use},
	{"two_streams", run_two_streams},
	{"bottleneck", run_bottleneck},
	{"loop", run_loop},
	{"copy", run_copy},
	{"asynchronous", run_asynchronous},
	{"partial", run_partial},
	{"events", run_events},
	{"graph", run_graph},
	{"threads", run_threads},
	{"one_of_streams", run_one_of_streams},
	{"barrier", run_barrier},
};

int main(int argc, char **argv)
{
	mended = argc > 2 && !strcmp(argv[2], "mended");
	CHECK(cudaMalloc((void **)&memory, SIZE));
	CHECK(cudaMallocHost((void **)&pinned, SIZE));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	for (unsigned i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
