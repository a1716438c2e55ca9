/*
 * devices CASE: kernels of two GPUs that wait for each other, three rounds: mapped (through mapped
 * memory of the host), peer, threads (through each other's memory; with a thread for each).
 * The comments give, for each GPU and round, what happens to its object of two halves of 16 KiB.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "check.h"

enum { HALF = 4096, ROUNDS = 3, SECONDS = 40 };

/* Adds the number to a half. */
static __global__ void add(int *x, int value)
{
	x[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

/* Both have come so far. */
static __device__ bool arrive(volatile int *mine, volatile int *theirs, int point)
{
	long long start, now;

	__threadfence_system();
	*theirs = point;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	while (*mine < point && now - start < SECONDS * 1000000000ll);
	__threadfence_system();
	return *mine >= point;
}

/* Adds the first half of an object to the second one of ours. */
static __global__ void meet(volatile int *mine, volatile int *theirs, int round, int *x,
			    const volatile int *others, int *alone)
{
	if (threadIdx.x == 0 && !arrive(mine, theirs, 2 * round - 1))
		*alone = 1;
	__syncthreads();
	for (int i = threadIdx.x; i < HALF; i += blockDim.x)
		x[HALF + i] += others[i];
	__syncthreads();
	if (threadIdx.x == 0 && !arrive(mine, theirs, 2 * round))
		*alone = 1;
}

static int *data[2], *flags[2], *alone;
static cudaStream_t stream[2];
static bool peers;

static void work(int device, int round)
{
	CHECK(cudaSetDevice(device));
	add<<<HALF / 256, 256, 0, stream[device]>>>(data[device], 1); /* the first half: round */
	meet<<<1, 256, 0, stream[device]>>>(flags[device], flags[!device], round, data[device],
					    data[peers ? !device : device], alone);
	add<<<HALF / 256, 256, 0, stream[device]>>>(data[device] + HALF,
						    1); /* the second: 2, 5, 9 */
	CHECK(cudaGetLastError());
}

static void finish(int device)
{
	CHECK(cudaSetDevice(device));
	CHECK(cudaStreamSynchronize(stream[device]));
}

static void work_all(int device)
{
	for (int round = 1; round <= ROUNDS; round++) {
		work(device, round);
		finish(device);
	}
}

static int run(const char *name)
{
	int count, can[2] = {0, 0}, host[2 * HALF], wrong = 0;

	peers = strcmp(name, "mapped");
	CHECK(cudaGetDeviceCount(&count));
	for (int i = 0; count > 1 && i < 2; i++)
		CHECK(cudaDeviceCanAccessPeer(&can[i], i, !i));
	if (count < 2 || (peers && (!can[0] || !can[1]))) {
		puts("no two GPUs");
		return 0;
	}
	CHECK(cudaHostAlloc(&alone, sizeof(*alone), cudaHostAllocMapped | cudaHostAllocPortable));
	*alone = 0;
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		if (peers)
			CHECK(cudaDeviceEnablePeerAccess(!i, 0));
		CHECK(cudaMalloc(&data[i], sizeof(host)));
		CHECK(cudaMemset(data[i], 0, sizeof(host)));
		if (peers)
			CHECK(cudaMalloc(&flags[i], sizeof(int)));
		else
			CHECK(cudaHostAlloc(&flags[i], sizeof(int),
					    cudaHostAllocMapped | cudaHostAllocPortable));
		CHECK(cudaMemset(flags[i], 0, sizeof(int)));
		CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
		CHECK(cudaDeviceSynchronize());
	}
	if (!strcmp(name, "threads")) {
		std::thread other(work_all, 1);

		work_all(0);
		other.join();
	}
	for (int round = 1; strcmp(name, "threads") && round <= ROUNDS; round++) {
		for (int i = 0; i < 2; i++)
			work(i, round);
		for (int i = 0; peers && i < 2; i++)
			finish(i);
	}
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemcpy(host, data[i], sizeof(host), cudaMemcpyDeviceToHost));
		for (int k = 0; k < 2 * HALF; k++)
			wrong += host[k] != (k < HALF ? ROUNDS : 9);
	}
	printf("%s: %d wrong, %s\n", name, wrong, *alone ? "alone" : "met");
	return wrong || *alone;
}

int main(int argc, char **argv)
{
	return argc == 2 ? run(argv[1]) : 2;
}
