/*
 * Small asynchronous copies, several of which get one pass: tests/gpu/costs.sh compares their graph
 * with that of the emulated device.  Nothing on the host changes before it is waited for.
 */
#include <string.h>

#include "tests/programs/launch.h"

enum { OBJECTS = 4, BYTES = 4096, ROUNDS = 6, PARTS = 8, PART = BYTES / PARTS };

static unsigned char *device[OBJECTS], *from, *to;
static cudaStream_t streams[2];
static cudaEvent_t over[2];

__global__ void add(unsigned char *a)
{
	a[threadIdx.x] += 1;
}

static void upload(int object, int at, int source, int bytes)
{
	CHECK(cudaMemcpyAsync(device[object] + at, from + source, bytes, cudaMemcpyHostToDevice,
			      streams[0]));
}

static void download(int object, int at, int bytes)
{
	CHECK(cudaMemcpyAsync(to + object * BYTES + at, device[object] + at, bytes,
			      cudaMemcpyDeviceToHost, streams[0]));
}

/* A kernel on the other stream, behind all that is on the first and before what comes there. */
static void other_kernel(int object)
{
	CHECK(cudaEventRecord(over[0], streams[0]));
	CHECK(cudaStreamWaitEvent(streams[1], over[0], 0));
	add<<<1, 200, 0, streams[1]>>>(device[object] + 100);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(over[1], streams[1]));
	CHECK(cudaStreamWaitEvent(streams[0], over[1], 0));
}

int main(void)
{
	unsigned long sum = 0;

	CHECK(cudaMallocHost((void **)&from, BYTES));
	CHECK(cudaMallocHost((void **)&to, OBJECTS * BYTES));
	for (int i = 0; i < OBJECTS; i++)
		CHECK(cudaMalloc((void **)&device[i], BYTES));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		CHECK(cudaEventCreate(&over[i]));
	}
	/* the first copies of a process are waited for */
	for (int i = 0; i < 5 * OBJECTS; i++)
		CHECK(cudaMemcpy(device[i % OBJECTS], to, BYTES, cudaMemcpyHostToDevice));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < BYTES; i++)
			from[i] = (unsigned char)(i / 7 * (round / 2 + 1));
		for (int part = 0; part < PARTS; part++) /* beside each other */
			for (int i = 0; i < OBJECTS; i++)
				upload(i, part * PART, part * PART, PART - i);
		for (int i = 0; i < OBJECTS; i++) { /* over what was copied before */
			upload(i, 10, 50, 700 + i);
			upload(i, 300, 51, 700 + i);
			download(i, 0, BYTES);
			download(i, 200, 1000);
		}
		CHECK(cudaMemsetAsync(device[1] + 64, round & 1, 512, streams[0]));
		download(1, 0, 1000);
		other_kernel(round % OBJECTS);
		for (int i = 0; i < OBJECTS; i++)
			download(i, 90, 300);
		add<<<1, 64, 0, streams[0]>>>(device[2]);
		CHECK(cudaGetLastError());
		download(2, 0, 64);
		CHECK(cudaStreamSynchronize(streams[0]));
		for (int i = 0; i < OBJECTS * BYTES; i++)
			sum += to[i];
	}
	for (int i = 0; i < OBJECTS; i++)
		CHECK(cudaFree(device[i]));
	printf("held sum %lu\n", sum);
	return 0;
}
