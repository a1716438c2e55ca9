/*
 * What one small call costs: `calls [NAME...]`, each from a call path of ten functions.  Prints,
 * for each kind of call, the microseconds of one and a check sum.  CALLS (100000) says how many.
 */
#include <string.h>
#include <time.h>

#include "tests/programs/launch.h"

enum { WORDS = 64, DEPTH = 10, PLACES = 16 };

static unsigned *device, *other, *places, *pinned, sum;
static cudaStream_t stream;

__global__ void add_one(unsigned *a)
{
	a[threadIdx.x]++;
}

static void launch(unsigned)
{
	add_one<<<1, WORDS>>>(device);
	CHECK(cudaGetLastError());
}

static void upload(unsigned i)
{
	CHECK(cudaMemcpy(device, &i, sizeof(i), cudaMemcpyHostToDevice));
}

static void upload_async(unsigned i)
{
	pinned[0] = i;
	CHECK(cudaMemcpyAsync(device, pinned, WORDS * 4, cudaMemcpyHostToDevice, stream));
}

/* To places that lie beside each other. */
static void upload_turns(unsigned i)
{
	CHECK(cudaMemcpyAsync(places + i % PLACES * WORDS, pinned, WORDS * 4,
			      cudaMemcpyHostToDevice, stream));
}

static void download(unsigned)
{
	unsigned value;

	CHECK(cudaMemcpy(&value, other, sizeof(value), cudaMemcpyDeviceToHost));
	sum += value;
}

static void download_async(unsigned)
{
	CHECK(cudaMemcpyAsync(pinned + WORDS, other, WORDS * 4, cudaMemcpyDeviceToHost, stream));
}

/* Both on one stream, which nobody waits for. */
static void behind_launch(unsigned)
{
	add_one<<<1, WORDS, 0, stream>>>(device);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(pinned + WORDS, device, WORDS * 4, cudaMemcpyDeviceToHost, stream));
}

static void copy_on_device(unsigned)
{
	CHECK(cudaMemcpyAsync(device, other, WORDS * 4, cudaMemcpyDeviceToDevice, stream));
}

static void set(unsigned i)
{
	CHECK(cudaMemsetAsync(device, (int)(i & 1), WORDS * 4, stream));
}

/* A program that waits for a flag: of five calls two are copies. */
static void mixed(unsigned i)
{
	if (i % 5 == 0)
		upload(i);
	else if (i % 5 == 4)
		download(i);
	else
		launch(i);
}

static const struct {
	const char *name;
	void (*call)(unsigned i);
} calls[] = {
	{"launch", launch},
	{"upload", upload},
	{"download", download},
	{"upload_async", upload_async},
	{"set", set},
	{"download_async", download_async},
	{"mixed", mixed},
	{"copy_on_device", copy_on_device},
	{"upload_turns", upload_turns},
	{"behind_launch", behind_launch},
};

/* `depth` more functions; nothing of this is inlined, or becomes a loop. */
__attribute__((noinline)) static unsigned descend(unsigned depth, unsigned i,
						  void (*call)(unsigned))
{
	unsigned before = depth;

	if (depth)
		before += descend(depth - 1, i, call);
	else
		call(i);
	asm volatile("" : "+r"(before));
	return before;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

int main(int argc, char **argv)
{
	const char *given = getenv("CALLS");
	unsigned count = given ? (unsigned)atoi(given) : 100000;

	CHECK(cudaMalloc((void **)&device, WORDS * 4));
	CHECK(cudaMalloc((void **)&other, WORDS * 4));
	CHECK(cudaMalloc((void **)&places, PLACES * WORDS * 4));
	CHECK(cudaMallocHost((void **)&pinned, 2 * WORDS * 4));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemset(device, 0, WORDS * 4));
	CHECK(cudaMemset(other, 1, WORDS * 4));
	for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
		bool chosen = argc == 1;
		double start;

		for (int k = 1; k < argc; k++)
			chosen |= !strcmp(argv[k], calls[c].name);
		if (!chosen)
			continue;
		sum = 0;
		for (unsigned i = 0; i < 100; i++)
			descend(DEPTH - 1, i, calls[c].call);
		CHECK(cudaDeviceSynchronize());
		start = now();
		for (unsigned i = 0; i < count; i++)
			descend(DEPTH - 1, i, calls[c].call);
		CHECK(cudaDeviceSynchronize());
		printf("%s %.2f us sum %u\n", calls[c].name, (now() - start) / count, sum);
		fflush(stdout);
	}
	return 0;
}
