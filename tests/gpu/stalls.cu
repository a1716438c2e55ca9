/*
 * Kernels with one planted bottleneck each, and their twins without it, for tests/gpu/stalls.sh.
 * Prints "NAME MILLISECONDS LAUNCHES" of each; stalls MILLISECONDS: each takes about so long.
 * A comment with the name of a case is on the line that is to blame.
 */
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "stalls.cu:%d: %s\n", __LINE__,                            \
				cudaGetErrorString(error));                                        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { THREADS = 256, COLUMNS = 256, TILE = 32, VALUES = 48 };

static unsigned multiprocessors;

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* -- integer division: the divisor is a power of two, which the compiler cannot know -------------
 */

__global__ void division_planted(unsigned *out, unsigned n, unsigned zero)
{
	unsigned s = THREAD;

	for (int k = 0; k < 256; k++)
		s += (n + k) / ((1u << (s & 15)) + zero); /* division */
	out[THREAD] = s;
}

__global__ void division_mended(unsigned *out, unsigned n, unsigned zero)
{
	unsigned s = THREAD;

	for (int k = 0; k < 256; k++)
		s += ((n + k) >> (s & 15)) + zero;
	out[THREAD] = s;
}

/* -- a constant without f ------------------------------------------------------------------------
 */

__global__ void double_planted(float *out, unsigned n)
{
	float x = THREAD * 1e-6f;

	for (unsigned k = 0; k < n; k++)
		x = x * 1.0001 + 0.5; /* double */
	out[THREAD] = x;
}

__global__ void double_mended(float *out, unsigned n)
{
	float x = THREAD * 1e-6f;

	for (unsigned k = 0; k < n; k++)
		x = x * 1.0001f + 0.5f;
	out[THREAD] = x;
}

/* -- each thread reads a row of its own ----------------------------------------------------------
 */

__global__ void uncoalesced_planted(float *out, const float *in, unsigned columns)
{
	float s = 0;

	for (unsigned k = 0; k < columns; k++)
		s += in[THREAD * columns + k]; /* uncoalesced */
	out[THREAD] = s;
}

__global__ void uncoalesced_mended(float *out, const float *in, unsigned columns)
{
	float s = 0;

	for (unsigned k = 0; k < columns; k++)
		s += in[k * (gridDim.x * blockDim.x) + THREAD];
	out[THREAD] = s;
}

/* -- threads of a warp read a column of a tile ---------------------------------------------------
 */

template <int WIDTH> __device__ __forceinline__ float sum_of_tile(float (*tile)[WIDTH], unsigned n)
{
	float s = 0;

	for (unsigned k = 0; k < n; k++)
		s += tile[threadIdx.x % TILE][(k * 5) % TILE]; /* conflicts */
	return s;
}

__global__ void conflicts_planted(float *out, unsigned n)
{
	__shared__ float tile[TILE][TILE];

	for (unsigned i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
		tile[i / TILE][i % TILE] = i;
	__syncthreads();
	out[THREAD] = sum_of_tile(tile, n);
}

__global__ void conflicts_mended(float *out, unsigned n)
{
	__shared__ float tile[TILE][TILE + 1];

	for (unsigned i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
		tile[i / TILE][i % TILE] = i;
	__syncthreads();
	out[THREAD] = sum_of_tile(tile, n);
}

/* -- more values than there are registers --------------------------------------------------------
 */

__device__ __forceinline__ float turn_values(unsigned n, float factor)
{
	float v[VALUES], s = 0;

#pragma unroll
	for (int j = 0; j < VALUES; j++)
		v[j] = j + threadIdx.x;
#pragma unroll 1
	for (unsigned k = 0; k < n; k++) {
#pragma unroll
		for (int j = 0; j < VALUES; j++)
			v[j] = v[j] * factor + v[(j + 7) % VALUES]; /* spill */
	}
#pragma unroll
	for (int j = 0; j < VALUES; j++)
		s += v[j];
	return s;
}

__global__ void __launch_bounds__(THREADS, 8) spill_planted(float *out, unsigned n, float factor)
{
	out[THREAD] = turn_values(n, factor);
}

__global__ void __launch_bounds__(THREADS, 4) spill_mended(float *out, unsigned n, float factor)
{
	out[THREAD] = turn_values(n, factor);
}

/* -- fewer blocks than multiprocessors -----------------------------------------------------------
 */

__device__ __forceinline__ void work_off(float *out, unsigned n)
{
	for (unsigned i = THREAD; i < n; i += gridDim.x * blockDim.x) {
		float x = i;

		for (int k = 0; k < 200; k++)
			x = x * 0.999f + 1.0f;
		out[i] = x;
	}
}

__global__ void blocks_planted(float *out, unsigned n)
{
	work_off(out, n);
}

__global__ void blocks_mended(float *out, unsigned n)
{
	work_off(out, n);
}

/* -- one warp of each block works, and the others wait for it ------------------------------------
 */

__device__ __forceinline__ float steps(float x, unsigned n)
{
#pragma unroll 1
	for (unsigned k = 0; k < n; k++)
		x = x * 0.999f + 1.0f;
	return x;
}

__global__ void barrier_planted(float *out, unsigned n)
{
	float x = threadIdx.x;

	for (unsigned k = 0; k < n; k++) {
		if (threadIdx.x < 32)
			x = steps(x, 256);
		__syncthreads(); /* barrier */
	}
	out[THREAD] = x;
}

__global__ void barrier_mended(float *out, unsigned n)
{
	float x = threadIdx.x;

	for (unsigned k = 0; k < n; k++) {
		x = steps(x, 256 / (THREADS / 32));
		__syncthreads();
	}
	out[THREAD] = x;
}

/* -- shared memory that nobody needs leaves room for few blocks -----------------------------------
 */

__global__ void threads_planted(float *out, unsigned n)
{
	out[THREAD] = steps(threadIdx.x, n);
}

__global__ void threads_mended(float *out, unsigned n)
{
	out[THREAD] = steps(threadIdx.x, n);
}

/* -- a sum of integers that could be one of floats ------------------------------------------------
 */

__global__ void conversions_planted(float *out, unsigned n)
{
	float x = threadIdx.x;
	int s = 0;

	for (unsigned k = 0; k < n; k++) {
		x = x * 0.999f + 1.0f;
		s += (int)x; /* conversions */
	}
	out[THREAD] = s;
}

__global__ void conversions_mended(float *out, unsigned n)
{
	float x = threadIdx.x, s = 0;

	for (unsigned k = 0; k < n; k++) {
		x = x * 0.999f + 1.0f;
		s += x;
	}
	out[THREAD] = s;
}

/* -- all threads add to one word -----------------------------------------------------------------
 */

__global__ void atomics_planted(float *sum, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		atomicAdd(sum, (float)(THREAD + k)); /* atomics */
}

__global__ void atomics_mended(float *sum, unsigned n)
{
	float x = 0;

	for (unsigned k = 0; k < n; k++)
		x += (float)(THREAD + k);
	for (int k = 16; k; k /= 2)
		x += __shfl_down_sync(0xffffffff, x, k);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, x);
}

/* ------------------------------------------------------------------------------------------------
 */

static float *out, *in;

#define FULL (multiprocessors * (2048 / THREADS))

static const struct kernel {
	const char *name;
	void (*launch)();
} kernels[] = {
	{"division_planted",
	 [] { division_planted<<<FULL, THREADS>>>((unsigned *)out, 1u << 30, 0); }},
	{"division_mended",
	 [] { division_mended<<<FULL, THREADS>>>((unsigned *)out, 1u << 30, 0); }},
	{"double_planted", [] { double_planted<<<FULL, THREADS>>>(out, 256); }},
	{"double_mended", [] { double_mended<<<FULL, THREADS>>>(out, 256); }},
	{"uncoalesced_planted", [] { uncoalesced_planted<<<FULL, THREADS>>>(out, in, COLUMNS); }},
	{"uncoalesced_mended", [] { uncoalesced_mended<<<FULL, THREADS>>>(out, in, COLUMNS); }},
	{"conflicts_planted", [] { conflicts_planted<<<FULL, THREADS>>>(out, 1024); }},
	{"conflicts_mended", [] { conflicts_mended<<<FULL, THREADS>>>(out, 1024); }},
	{"spill_planted", [] { spill_planted<<<FULL, THREADS>>>(out, 64, 0.5f); }},
	{"spill_mended", [] { spill_mended<<<FULL, THREADS>>>(out, 64, 0.5f); }},
	{"blocks_planted", [] { blocks_planted<<<16, THREADS>>>(out, 1 << 18); }},
	{"blocks_mended", [] { blocks_mended<<<multiprocessors, THREADS>>>(out, 1 << 18); }},
	{"barrier_planted", [] { barrier_planted<<<FULL, THREADS>>>(out, 16); }},
	{"barrier_mended", [] { barrier_mended<<<FULL, THREADS>>>(out, 16); }},
	{"threads_planted", [] { threads_planted<<<4 * FULL, 64, 48 << 10>>>(out, 512); }},
	{"threads_mended", [] { threads_mended<<<4 * FULL, 64>>>(out, 512); }},
	{"conversions_planted", [] { conversions_planted<<<FULL, THREADS>>>(out, 512); }},
	{"conversions_mended", [] { conversions_mended<<<FULL, THREADS>>>(out, 512); }},
	{"atomics_planted", [] { atomics_planted<<<multiprocessors, THREADS>>>(out, 8); }},
	{"atomics_mended", [] { atomics_mended<<<multiprocessors, THREADS>>>(out, 8); }},
};

/* Milliseconds of so many launches. */
static float time_of(const struct kernel *kernel, unsigned launches)
{
	cudaEvent_t begin, end;
	float ms;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaEventRecord(begin));
	for (unsigned i = 0; i < launches; i++)
		kernel->launch();
	CHECK(cudaEventRecord(end));
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaGetLastError());
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	CHECK(cudaEventDestroy(begin));
	CHECK(cudaEventDestroy(end));
	return ms;
}

int main(int argc, char **argv)
{
	const float wanted = argc > 1 ? atof(argv[1]) : 50;
	cudaDeviceProp properties;

	CHECK(cudaGetDeviceProperties(&properties, 0));
	multiprocessors = properties.multiProcessorCount;
	CHECK(cudaMalloc(&out, 64 << 20));
	CHECK(cudaMalloc(&in, (size_t)FULL * THREADS * COLUMNS * sizeof(float)));
	CHECK(cudaMemset(in, 0, (size_t)FULL * THREADS * COLUMNS * sizeof(float)));
	for (const struct kernel &kernel : kernels) {
		float once;
		unsigned launches;

		time_of(&kernel, 1);
		once = time_of(&kernel, 4) / 4;
		launches =
			once > 0 && wanted / once < 20000 ? (unsigned)(wanted / once) + 1 : 20000;
		printf("%s %.6f %u\n", kernel.name, time_of(&kernel, launches) / launches,
		       launches);
	}
	return 0;
}
