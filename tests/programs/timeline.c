/*
 * Streams, events and waits, whose times by the emulated device's model tests/cli/time_model.sh
 * works out: `timeline CASE`.
 */
#include <string.h>

#include "tests/programs/launch.h"

enum { MEGABYTE = 1000000, STAGED = 65536 };

/* The emulated device's; elsewhere the host just has nothing to do. */
void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static void work(unsigned long ns)
{
	if (vflow_emulator_work)
		vflow_emulator_work(ns);
}

static void *device(void)
{
	void *data;

	CHECK(cudaMalloc(&data, MEGABYTE));
	return data;
}

static void run_streams(void)
{
	static char pageable[MEGABYTE];
	void *a = device(), *b = device(), *pinned;
	cudaStream_t s, t;
	cudaEvent_t event;

	CHECK(cudaMallocHost(&pinned, MEGABYTE));
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	work(1000);
	CHECK(cudaMemsetAsync(a, 1, MEGABYTE, s));
	CHECK(cudaMemcpyAsync(pinned, a, 550000, cudaMemcpyDeviceToHost, s));
	CHECK(cudaEventRecord(event, s));
	CHECK(cudaStreamWaitEvent(t, event, 0));
	CHECK(cudaMemsetAsync(b, 2, MEGABYTE, t));
	CHECK(cudaStreamSynchronize(s));
	CHECK(cudaMemcpy(pageable, b, 200000, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(b));
	CHECK(cudaMemset(a, 3, MEGABYTE));
	CHECK(cudaFree(a));
	CHECK(cudaMallocHost(&pinned, STAGED));
	a = device();
	CHECK(cudaMemset(a, 4, 1000));
}

/* What an asynchronous copy waits for depends on the host's memory. */
static void run_pageable(void)
{
	static char pageable[MEGABYTE];
	void *a = device();
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMemsetAsync(a, 1, MEGABYTE, s));
	CHECK(cudaMemcpyAsync(a, pageable, 40000, cudaMemcpyHostToDevice, s));
	CHECK(cudaMemcpyAsync(a, pageable, 400000, cudaMemcpyHostToDevice, s));
	CHECK(cudaMemset(a, 2, 1000));
	CHECK(cudaMemcpyAsync(pageable, a, 20000, cudaMemcpyDeviceToHost, s));
	CHECK(cudaMemsetAsync(a, 3, 1000, s));
}

/* Events, and waits for one and for all. */
static void run_events(void)
{
	void *a = device(), *b = device();
	cudaEvent_t first, last;
	cudaStream_t s;
	float ms;

	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreate(&last));
	CHECK(cudaEventRecord(first, s));
	CHECK(cudaMemsetAsync(a, 1, MEGABYTE, s));
	CHECK(cudaEventRecord(last, s));
	CHECK(cudaMemset(b, 1, MEGABYTE));
	CHECK(cudaEventSynchronize(last));
	CHECK(cudaMemsetAsync(a, 2, MEGABYTE, s));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemset(b, 2, 1000));
	CHECK(cudaEventElapsedTime(&ms, first, last));
	printf("%.6f ms\n", ms);
}

/* A graph's nodes cost the host nothing. */
static void run_graph(void)
{
	void *a = device();
	cudaGraphExec_t executable;
	cudaGraph_t graph;
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(a, 1, MEGABYTE, s));
	CHECK(cudaMemsetAsync(a, 2, 1000, s));
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, s));
	CHECK(cudaStreamSynchronize(s));
	CHECK(cudaMemset(a, 3, 1000));
}

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "";

	if (!strcmp(wanted, "streams"))
		run_streams();
	else if (!strcmp(wanted, "pageable"))
		run_pageable();
	else if (!strcmp(wanted, "events"))
		run_events();
	else if (!strcmp(wanted, "graph"))
		run_graph();
	else
		return 2;
	return 0;
}
