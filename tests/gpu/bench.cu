/*
 * Programs for the overhead table (tests/gpu/overhead): `bench NAME`.  Each does what a program of
 * its kind does: makes its input on the host, copies it, computes, copies back and looks at the
 * result.  Prints launches, the milliseconds between events around them, and a check sum.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "tests/programs/launch.h"

#define THREADS 256
#define LARGE (16u << 20) /* 64 MiB of floats */

static float milliseconds;
static int launches;
static double sum;

static unsigned random_number(void)
{
	static unsigned long long seed = 1;

	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 40);
}

template <typename T> static T *on_device(const std::vector<T> &host)
{
	T *device;

	CHECK(cudaMalloc((void **)&device, host.size() * sizeof(T)));
	CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> static T *on_device(size_t count)
{
	T *device;

	CHECK(cudaMalloc((void **)&device, count * sizeof(T)));
	CHECK(cudaMemset(device, 0, count * sizeof(T)));
	return device;
}

template <typename T> static void add_up(const T *device, size_t count)
{
	std::vector<T> host(count);

	CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
	for (T value : host)
		sum += (double)value;
}

static std::vector<float> numbers(size_t count)
{
	std::vector<float> made(count);

	for (float &value : made)
		value = (float)(random_number() % 1024) / 1024;
	return made;
}

/* Calls f(i) `count` times, between two events. */
template <typename F> static void repeat(int count, int per_call, F f)
{
	cudaEvent_t before, after;

	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	CHECK(cudaEventRecord(before));
	for (int i = 0; i < count; i++)
		f(i);
	CHECK(cudaEventRecord(after));
	CHECK(cudaEventSynchronize(after));
	CHECK(cudaEventElapsedTime(&milliseconds, before, after));
	CHECK(cudaGetLastError());
	launches += count * per_call;
}

/* 4 GiB in 64 objects, all of it read and written: how much GPU memory is taken then, in MiB. */
__global__ void increment_kernel(unsigned *a)
{
	a[blockIdx.x * blockDim.x + threadIdx.x]++;
}

static void memory(void)
{
	size_t available, all;
	unsigned *arrays[64];

	for (unsigned *&array : arrays)
		array = on_device<unsigned>(LARGE);
	repeat(64, 1, [=](int i) { increment_kernel<<<LARGE / THREADS, THREADS>>>(arrays[i]); });
	CHECK(cudaMemGetInfo(&available, &all));
	sum = (double)((all - available) >> 20);
}

/* -- streaming ---------------------------------------------------------------------------- */

__global__ void triad_kernel(float *a, const float *b, const float *c)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[i] + 3 * c[i];
}

static void triad(void)
{
	float *a = on_device<float>(LARGE), *b = on_device(numbers(LARGE)),
	      *c = on_device(numbers(LARGE));

	repeat(20, 1, [=](int) { triad_kernel<<<LARGE / THREADS, THREADS>>>(a, b, c); });
	add_up(a, LARGE);
}

__global__ void gather_kernel(float *a, const float *b, const unsigned *index)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[index[i]];
}

static void gather(void)
{
	std::vector<unsigned> index(LARGE);
	float *a = on_device<float>(LARGE), *b = on_device(numbers(LARGE));
	unsigned *places;

	for (unsigned &place : index)
		place = random_number() % LARGE;
	places = on_device(index);
	repeat(20, 1, [=](int) { gather_kernel<<<LARGE / THREADS, THREADS>>>(a, b, places); });
	add_up(a, LARGE);
}

static void set(void)
{
	unsigned char *a = on_device<unsigned char>(4 * LARGE);

	repeat(100, 1, [=](int i) { CHECK(cudaMemset(a, i, 4 * LARGE)); });
	add_up(a, 4 * LARGE);
}

__global__ void tiny_kernel(float *a)
{
	a[threadIdx.x] += 1;
}

static void tiny(void)
{
	float *a = on_device<float>(LARGE);

	repeat(20000, 1, [=](int) { tiny_kernel<<<1, 32>>>(a); });
	add_up(a, 32);
}

__global__ void transpose_kernel(float *to, const float *from, int n)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (int i = 0; i < 32; i += 8)
		tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int i = 0; i < 32; i += 8)
		to[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

static void transpose(void)
{
	const int n = 4096;
	float *a = on_device(numbers(n * n)), *b = on_device<float>(n * n);

	repeat(20, 1, [=](int i) {
		transpose_kernel<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(i % 2 ? a : b,
									i % 2 ? b : a, n);
	});
	add_up(b, n * n);
}

/* -- dense and sparse algebra ------------------------------------------------------------- */

__global__ void gemm_kernel(float *c, const float *a, const float *b, int n)
{
	__shared__ float x[16][16], y[16][16];
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float result = 0;

	for (int k = 0; k < n; k += 16) {
		x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
		__syncthreads();
		for (int i = 0; i < 16; i++)
			result += x[threadIdx.y][i] * y[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = result;
}

static void gemm(void)
{
	const int n = 1024;
	float *a = on_device(numbers(n * n)), *b = on_device(numbers(n * n)),
	      *c = on_device<float>(n * n);

	repeat(20, 1,
	       [=](int) { gemm_kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n); });
	add_up(c, n * n);
}

/* A warp per row. */
__global__ void spmv_kernel(float *y, const float *x, const int *starts, const int *columns,
			    const float *values, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float result = 0;

	if (row >= rows)
		return;
	for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
		result += values[i] * x[columns[i]];
	for (int by = 16; by; by /= 2)
		result += __shfl_down_sync(~0u, result, by);
	if (lane == 0)
		y[row] = result;
}

static void spmv(void)
{
	const int rows = 1 << 18;
	std::vector<int> starts(1, 0), columns;
	float *x = on_device(numbers(rows)), *y = on_device<float>(rows), *values;
	int *device_starts, *device_columns;

	for (int row = 0; row < rows; row++) {
		for (unsigned i = 8 + random_number() % 40; i--;)
			columns.push_back((int)(random_number() % rows));
		starts.push_back((int)columns.size());
	}
	values = on_device(numbers(columns.size()));
	device_starts = on_device(starts);
	device_columns = on_device(columns);
	repeat(20, 1, [=](int) {
		spmv_kernel<<<rows / (THREADS / 32), THREADS>>>(y, x, device_starts, device_columns,
								values, rows);
	});
	add_up(y, rows);
}

/* -- reductions, scans, sorting ----------------------------------------------------------- */

__global__ void reduce_kernel(float *sums, const float *values, unsigned count)
{
	__shared__ float part[THREADS];
	float result = 0;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x)
		result += values[i];
	part[threadIdx.x] = result;
	__syncthreads();
	for (int by = THREADS / 2; by; by /= 2) {
		if ((int)threadIdx.x < by)
			part[threadIdx.x] += part[threadIdx.x + by];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		sums[blockIdx.x] = part[0];
}

static void reduce(void)
{
	float *values = on_device(numbers(LARGE)), *sums = on_device<float>(1025);

	repeat(20, 2, [=](int) {
		reduce_kernel<<<1024, THREADS>>>(sums, values, LARGE);
		reduce_kernel<<<1, THREADS>>>(sums + 1024, sums, 1024);
	});
	add_up(sums + 1024, 1);
}

__global__ void histogram_kernel(unsigned *bins, const unsigned char *values, unsigned count)
{
	__shared__ unsigned own[256];

	own[threadIdx.x] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x)
		atomicAdd(&own[values[i]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static void histogram(void)
{
	std::vector<unsigned char> made(LARGE);
	unsigned *bins = on_device<unsigned>(256);
	unsigned char *values;

	for (unsigned char &value : made)
		value = (unsigned char)random_number();
	values = on_device(made);
	repeat(20, 1, [=](int) { histogram_kernel<<<1024, 256>>>(bins, values, LARGE); });
	add_up(bins, 256);
}

/* Sums inside a block of threads, and the block's total. */
__global__ void scan_kernel(unsigned *to, const unsigned *from, unsigned *totals)
{
	__shared__ unsigned part[THREADS];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = from[i];
	__syncthreads();
	for (unsigned by = 1; by < THREADS; by *= 2) {
		unsigned before = threadIdx.x >= by ? part[threadIdx.x - by] : 0;

		__syncthreads();
		part[threadIdx.x] += before;
		__syncthreads();
	}
	to[i] = part[threadIdx.x];
	if (totals && threadIdx.x == THREADS - 1)
		totals[blockIdx.x] = part[threadIdx.x];
}

__global__ void add_totals_kernel(unsigned *to, const unsigned *totals)
{
	if (blockIdx.x)
		to[blockIdx.x * blockDim.x + threadIdx.x] += totals[blockIdx.x - 1];
}

static void scan(void)
{
	std::vector<unsigned> made(LARGE);
	unsigned *from, *to = on_device<unsigned>(LARGE);
	unsigned *totals = on_device<unsigned>(LARGE / THREADS),
		 *higher = on_device<unsigned>(LARGE / THREADS / THREADS);

	for (unsigned &value : made)
		value = random_number() % 16;
	from = on_device(made);
	repeat(10, 5, [=](int) {
		const unsigned few = LARGE / THREADS, fewer = few / THREADS;

		scan_kernel<<<few, THREADS>>>(to, from, totals);
		scan_kernel<<<fewer, THREADS>>>(totals, totals, higher);
		scan_kernel<<<1, THREADS>>>(higher, higher, NULL);
		add_totals_kernel<<<fewer, THREADS>>>(totals, higher);
		add_totals_kernel<<<few, THREADS>>>(to, totals);
	});
	add_up(to + LARGE - 256, 256);
}

__global__ void bitonic_kernel(unsigned *keys, unsigned distance, unsigned size)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

	if (other > i) {
		unsigned a = keys[i], b = keys[other];

		if ((a > b) == !(i & size)) {
			keys[i] = b;
			keys[other] = a;
		}
	}
}

static void bitonic(void)
{
	const unsigned count = 1 << 20;
	std::vector<unsigned> made(count);
	unsigned *keys;

	for (unsigned &key : made)
		key = random_number();
	keys = on_device(made);
	repeat(1, 210, [=](int) {
		for (unsigned size = 2; size <= count; size *= 2)
			for (unsigned distance = size / 2; distance; distance /= 2)
				bitonic_kernel<<<count / THREADS, THREADS>>>(keys, distance, size);
	});
	add_up(keys, 1);
}

/* -- simulations -------------------------------------------------------------------------- */

__global__ void stencil2d_kernel(float *to, const float *from, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	const float *at = from + y * n + x;

	if (x && y && x < n - 1 && y < n - 1)
		to[y * n + x] = at[0] + 0.1f * (at[-1] + at[1] + at[-n] + at[n] - 4 * at[0]);
}

static void stencil2d(void)
{
	const int n = 2048;
	float *a = on_device(numbers(n * n)), *b = on_device<float>(n * n);

	repeat(50, 1, [=](int i) {
		stencil2d_kernel<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(i % 2 ? a : b, i % 2 ? b : a,
								       n);
	});
	add_up(a, n * n);
}

__global__ void stencil3d_kernel(float *to, const float *from, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	for (int z = 1; x && y && x < n - 1 && y < n - 1 && z < n - 1; z++) {
		const float *at = from + (z * n + y) * n + x;

		to[(z * n + y) * n + x] = at[0] + 0.1f * (at[-1] + at[1] + at[-n] + at[n] +
							  at[-n * n] + at[n * n] - 6 * at[0]);
	}
}

static void stencil3d(void)
{
	const int n = 192;
	float *a = on_device(numbers(n * n * n)), *b = on_device<float>(n * n * n);

	repeat(20, 1, [=](int i) {
		stencil3d_kernel<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(i % 2 ? a : b, i % 2 ? b : a,
								       n);
	});
	add_up(a, n * n * n);
}

__global__ void nbody_kernel(float4 *to, const float4 *from, int count)
{
	__shared__ float4 tile[THREADS];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 mine = from[i], force = make_float4(0, 0, 0, 0);

	for (int start = 0; start < count; start += THREADS) {
		tile[threadIdx.x] = from[start + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < THREADS; k++) {
			float x = tile[k].x - mine.x, y = tile[k].y - mine.y,
			      z = tile[k].z - mine.z;
			float pull = tile[k].w * rsqrtf(x * x + y * y + z * z + 0.01f);

			force.x += x * pull, force.y += y * pull, force.z += z * pull;
		}
		__syncthreads();
	}
	to[i] = make_float4(mine.x + 1e-6f * force.x, mine.y + 1e-6f * force.y,
			    mine.z + 1e-6f * force.z, mine.w);
}

static void nbody(void)
{
	const int count = 32768;
	std::vector<float> made = numbers(4 * count);
	float4 *a = (float4 *)on_device(made), *b = (float4 *)on_device<float>(4 * count);

	repeat(20, 1, [=](int i) {
		nbody_kernel<<<count / THREADS, THREADS>>>(i % 2 ? a : b, i % 2 ? b : a, count);
	});
	add_up((float *)a, 4 * count);
}

/* -- copies and streams ------------------------------------------------------------------- */

__global__ void scale_kernel(float *values, float by)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

static void pipeline(void)
{
	const unsigned part = LARGE / 16;
	cudaStream_t streams[4];
	float *host, *device;

	CHECK(cudaMallocHost((void **)&host, LARGE * sizeof(*host)));
	CHECK(cudaMalloc((void **)&device, LARGE * sizeof(*device)));
	for (unsigned i = 0; i < LARGE; i++)
		host[i] = (float)(random_number() % 1024);
	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreate(&stream));
	repeat(16 * 4, 1, [=](int i) {
		float *at = device + i % 16 * part, *host_at = host + i % 16 * part;
		cudaStream_t stream = streams[i % 4];

		CHECK(cudaMemcpyAsync(at, host_at, part * sizeof(*at), cudaMemcpyHostToDevice,
				      stream));
		scale_kernel<<<part / THREADS, THREADS, 0, stream>>>(at, 1.5f);
		CHECK(cudaMemcpyAsync(host_at, at, part * sizeof(*at), cudaMemcpyDeviceToHost,
				      stream));
	});
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < LARGE; i++)
		sum += host[i];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {
		{"triad", triad},         {"gemm", gemm},
		{"gather", gather},       {"set", set},
		{"tiny", tiny},           {"reduce", reduce},
		{"histogram", histogram}, {"stencil2d", stencil2d},
		{"stencil3d", stencil3d}, {"transpose", transpose},
		{"scan", scan},           {"spmv", spmv},
		{"nbody", nbody},         {"bitonic", bitonic},
		{"pipeline", pipeline},   {"memory", memory},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (argc == 2 && !strcmp(argv[1], programs[i].name)) {
			programs[i].run();
			printf("%s %d launches %.3f ms sum %.6g\n", argv[1], launches, milliseconds,
			       sum);
			return 0;
		}
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		fprintf(stderr, "%s ", programs[i].name);
	fprintf(stderr, "\n");
	return 2;
}
