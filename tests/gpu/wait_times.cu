/*
 * Which calls wait for the device: `wait_times spin|block`.  In each of three kinds of streams a
 *kernel of 5 ms runs, and then a call is made; a line says what it was and how long it took: KIND
 *CALL NS
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <cuda_runtime.h>

#include "check.h"

enum { SPIN_NS = 5000000, SMALL = 4096, LARGE = 64 << 20 };

__global__ void spin(unsigned long long ns)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < ns);
}

__global__ void nothing()
{
}

__device__ char variable[SMALL];

static unsigned long long now_ns(void)
{
	timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static cudaStream_t stream, other;
static cudaEvent_t event;

/* The kernel has begun when this returns, and no call of ours waits for it. */
static void start(void)
{
	spin<<<1, 1, 0, stream>>>(SPIN_NS);
	CHECK(cudaEventRecord(event, stream));
}

/* Polls: cudaStreamQuery() is no event, and waits for nothing. */
static void finish(void)
{
	while (cudaStreamQuery(stream) == cudaErrorNotReady ||
	       cudaStreamQuery(other) == cudaErrorNotReady)
		;
}

/* NAME: a call while the kernel runs, between BEFORE and AFTER. */
#define TRY(name, before, call, after)                                                             \
	do {                                                                                       \
		unsigned long long began;                                                          \
                                                                                                   \
		before;                                                                            \
		start();                                                                           \
		began = now_ns();                                                                  \
		CHECK(call);                                                                       \
		printf("%s %s %llu\n", kind, name, now_ns() - began);                              \
		finish();                                                                          \
		after;                                                                             \
	} while (0)

static void all(const char *kind)
{
	static char *pageable = (char *)malloc(LARGE), *host = (char *)aligned_alloc(SMALL, LARGE);
	char *device, *second, *pinned, *managed;
	void *made;

	CHECK(cudaMalloc(&device, LARGE));
	CHECK(cudaMalloc(&second, LARGE));
	CHECK(cudaMallocHost(&pinned, LARGE));
	CHECK(cudaMallocManaged(&managed, LARGE));
	memset(pageable, 1, LARGE);
	memset(host, 1, LARGE);
	memset(managed, 1, LARGE);
	CHECK(cudaMallocAsync(&made, SMALL, other)); /* makes the pool */
	CHECK(cudaFreeAsync(made, other));
	CHECK(cudaDeviceSynchronize());
	TRY("launch", , (nothing<<<1, 1, 0, other>>>(), cudaGetLastError()), );
	TRY("D2H-pageable", , cudaMemcpy(pageable, device, SMALL, cudaMemcpyDeviceToHost), );
	TRY("D2H-pageable-large", , cudaMemcpy(pageable, device, LARGE, cudaMemcpyDeviceToHost), );
	TRY("D2H-pinned", , cudaMemcpy(pinned, device, SMALL, cudaMemcpyDeviceToHost), );
	TRY("H2D-pageable", , cudaMemcpy(device, pageable, SMALL, cudaMemcpyHostToDevice), );
	TRY("H2D-pageable-large", , cudaMemcpy(device, pageable, LARGE, cudaMemcpyHostToDevice), );
	TRY("H2D-pinned", , cudaMemcpy(device, pinned, SMALL, cudaMemcpyHostToDevice), );
	TRY("D2D", , cudaMemcpy(second, device, LARGE, cudaMemcpyDeviceToDevice), );
	TRY("H2H", , cudaMemcpy(pageable, host, SMALL, cudaMemcpyHostToHost), );
	TRY("symbol", , cudaMemcpyToSymbol(variable, pageable, SMALL), );
	TRY("async-D2H-pageable", ,
	    cudaMemcpyAsync(pageable, device, SMALL, cudaMemcpyDeviceToHost, stream), );
	TRY("async-D2H-pageable-large", ,
	    cudaMemcpyAsync(pageable, device, LARGE, cudaMemcpyDeviceToHost, stream), );
	TRY("async-D2H-pinned", ,
	    cudaMemcpyAsync(pinned, device, SMALL, cudaMemcpyDeviceToHost, stream), );
	TRY("async-H2D-pageable", ,
	    cudaMemcpyAsync(device, pageable, SMALL, cudaMemcpyHostToDevice, stream), );
	TRY("async-H2D-pageable-large", ,
	    cudaMemcpyAsync(device, pageable, LARGE, cudaMemcpyHostToDevice, stream), );
	TRY("async-H2D-pinned-large", ,
	    cudaMemcpyAsync(device, pinned, LARGE, cudaMemcpyHostToDevice, stream), );
	TRY("async-D2H-other", ,
	    cudaMemcpyAsync(pageable, device, SMALL, cudaMemcpyDeviceToHost, other), );
	TRY("set", , cudaMemset(device, 0, LARGE), );
	TRY("set-managed", , cudaMemset(managed, 0, SMALL), );
	TRY("set-pinned", , cudaMemset(pinned, 0, SMALL), );
	TRY("set-async", , cudaMemsetAsync(device, 0, LARGE, stream), );
	TRY("malloc", , cudaMalloc(&made, LARGE), CHECK(cudaFree(made)));
	TRY("malloc-managed", , cudaMallocManaged(&made, LARGE), CHECK(cudaFree(made)));
	TRY("malloc-host", , cudaMallocHost(&made, SMALL), CHECK(cudaFreeHost(made)));
	TRY("free", CHECK(cudaMalloc(&made, LARGE)), cudaFree(made), );
	TRY("free-managed", CHECK(cudaMallocManaged(&made, LARGE)), cudaFree(made), );
	TRY("free-host", CHECK(cudaMallocHost(&made, LARGE)), cudaFreeHost(made), );
	TRY("register", , cudaHostRegister(host, SMALL, 0), CHECK(cudaHostUnregister(host)));
	TRY("unregister", CHECK(cudaHostRegister(host, SMALL, 0)), cudaHostUnregister(host), );
	TRY("malloc-async", , cudaMallocAsync(&made, SMALL, other),
	    CHECK(cudaFreeAsync(made, other)));
	TRY("free-async", CHECK(cudaMallocAsync(&made, SMALL, other)),
	    cudaFreeAsync(made, other), );
	TRY("device-synchronize", , cudaDeviceSynchronize(), );
	TRY("stream-synchronize", , cudaStreamSynchronize(stream), );
	TRY("stream-synchronize-default", , cudaStreamSynchronize(NULL), );
	TRY("stream-synchronize-other", , cudaStreamSynchronize(other), );
	TRY("event-synchronize", , cudaEventSynchronize(event), );
	TRY("memory-info", , cudaMemGetInfo((size_t *)pageable, (size_t *)pageable), );
	CHECK(cudaFree(device));
	CHECK(cudaFree(second));
	CHECK(cudaFree(managed));
	CHECK(cudaFreeHost(pinned));
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"default", "blocking", "nonblocking"};

	if (argc != 2)
		return 2;
	CHECK(cudaSetDeviceFlags(strcmp(argv[1], "block") ? cudaDeviceScheduleSpin
							  : cudaDeviceScheduleBlockingSync));
	CHECK(cudaEventCreateWithFlags(
		&event,
		cudaEventDisableTiming | (strcmp(argv[1], "block") ? 0 : cudaEventBlockingSync)));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	nothing<<<1, 1, 0, other>>>();
	spin<<<1, 1, 0, other>>>(1000);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++) {
		if (i)
			CHECK(cudaStreamCreateWithFlags(&stream, i == 1 ? cudaStreamDefault
									: cudaStreamNonBlocking));
		all(kinds[i]);
	}
	return 0;
}
