/*
 * Loops of small calls, as programs have them that wait for the GPU again and again: `loops
 * [NAME...]`. Prints, for each, the microseconds of one turn and a check sum.
 */
#include <string.h>
#include <time.h>

#include "tests/programs/launch.h"

enum { THREADS = 64, MANY = 10000 };

static int turns = 2000;
static unsigned *device, *other, *pinned, sum;

__global__ void first_kernel(unsigned *a, unsigned add)
{
	if (threadIdx.x == 0)
		a[0] += add;
}

__global__ void second_kernel(unsigned *a, const unsigned *b)
{
	a[threadIdx.x + 1] = b[0] + threadIdx.x;
}

static void launch(unsigned *a = device)
{
	first_kernel<<<1, THREADS>>>(a, 3);
	CHECK(cudaGetLastError());
}

/* A flag goes there, two kernels look at it, it comes back: until nothing changes any more. */
static void flag(int i)
{
	unsigned value = (unsigned)i;

	CHECK(cudaMemcpy(device, &value, sizeof(value), cudaMemcpyHostToDevice));
	launch();
	second_kernel<<<1, THREADS>>>(other, device);
	CHECK(cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost));
	sum += value;
}

static void in_a_row(int)
{
	launch();
}

static void waited_for(int)
{
	launch();
	CHECK(cudaDeviceSynchronize());
}

static void timed(int)
{
	static cudaEvent_t before, after;

	if (!before) {
		CHECK(cudaEventCreate(&before));
		CHECK(cudaEventCreate(&after));
	}
	CHECK(cudaEventRecord(before));
	launch();
	CHECK(cudaEventRecord(after));
	CHECK(cudaEventSynchronize(after));
}

static void allocated(int)
{
	unsigned *array;

	CHECK(cudaMalloc((void **)&array, 1024));
	launch(array);
	CHECK(cudaFree(array));
}

static void set(int)
{
	CHECK(cudaMemset(other, 0, 4));
	launch();
}

/* Pinned memory, a stream of one's own. */
static void asynchronous(int i)
{
	static cudaStream_t stream;

	if (!stream)
		CHECK(cudaStreamCreate(&stream));
	pinned[0] = (unsigned)i;
	CHECK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream));
	first_kernel<<<1, THREADS, 0, stream>>>(device, 3);
	CHECK(cudaMemcpyAsync(pinned + 1, device, 4, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	sum += pinned[1];
}

/* What cuBLAS does for a result on the host. */
static void dot(int)
{
	static cudaStream_t stream;
	unsigned long long value;

	if (!stream)
		CHECK(cudaStreamCreate(&stream));
	first_kernel<<<1, THREADS, 0, stream>>>(device, 3);
	second_kernel<<<1, THREADS, 0, stream>>>(other, device);
	CHECK(cudaMemcpyAsync(&value, other, 8, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	sum += (unsigned)value;
}

static void result(int)
{
	unsigned value;

	launch();
	CHECK(cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost));
	sum += value;
}

static void two_streams(int i)
{
	static cudaStream_t streams[2];

	if (!streams[0])
		for (cudaStream_t &stream : streams)
			CHECK(cudaStreamCreate(&stream));
	first_kernel<<<1, THREADS, 0, streams[i % 2]>>>(i % 2 ? device : other, 3);
}

static void make_many(void)
{
	static unsigned *many[MANY];

	for (unsigned *&array : many)
		if (!array)
			CHECK(cudaMalloc((void **)&array, 1024));
}

static const struct {
	const char *name;
	void (*turn)(int i);
	void (*before)(void);
} loops[] = {
	{"launch", in_a_row, NULL},
	{"sync", waited_for, NULL},
	{"event", timed, NULL},
	{"flag", flag, NULL},
	{"result", result, NULL},
	{"dot", dot, NULL},
	{"async", asynchronous, NULL},
	{"set", set, NULL},
	{"alloc", allocated, NULL},
	{"streams", two_streams, NULL},
	{"many", waited_for, make_many},
	{"many-flag", flag, make_many},
	{"many-alloc", allocated, make_many},
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **names)
{
	CHECK(cudaMalloc((void **)&device, 4096));
	CHECK(cudaMalloc((void **)&other, 4096));
	CHECK(cudaMallocHost((void **)&pinned, 4096));
	if (getenv("TURNS"))
		turns = atoi(getenv("TURNS"));
	for (auto &loop : loops) {
		bool asked = count < 2;
		double start;

		for (int i = 1; i < count; i++)
			asked |= !strcmp(names[i], loop.name);
		if (!asked)
			continue;
		if (loop.before)
			loop.before();
		CHECK(cudaMemset(device, 0, 4096));
		CHECK(cudaMemset(other, 0, 4096));
		sum = 0;
		for (int i = 0; i < 100; i++)
			loop.turn(i);
		CHECK(cudaDeviceSynchronize());
		start = now();
		for (int i = 0; i < turns; i++)
			loop.turn(i);
		CHECK(cudaDeviceSynchronize());
		printf("%-10s %8.2f us %u\n", loop.name, (now() - start) / turns, sum);
		fflush(stdout);
	}
	return 0;
}
