// tests/cli/emulator_nvcc.cu: what nvcc makes of an ordinary program, as TAP.
#include <cstdio>
#include <cstring>

static int number, failures;

static void ok(bool good, const char *name)
{
	failures += !good;
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);
}

__device__ int total = 3;
__device__ int *cursor = &total;
__constant__ float weights[4] = {1, 2, 4, 8};

struct shape {
	int width, height;
	float scale;
};

template <typename T> __global__ void fill(T *to, int n, T value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = value + (T)i;
}

__global__ void weigh(float *to, shape s, const float *from)
{
	int x = threadIdx.x, y = threadIdx.y;

	to[y * s.width + x] = from[y * s.width + x] * s.scale * weights[x & 3];
}

__global__ void reverse(int *values)
{
	extern __shared__ int tile[];

	tile[threadIdx.x] = values[threadIdx.x];
	__syncthreads();
	values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void add_up(int n)
{
	atomicAdd(cursor, n);
}

__global__ void store_at(int *where)
{
	*where = 1;
}

int main(int argc, char **argv)
{
	int *ints, host[1000];
	float *a, *b, floats[64];
	cudaStream_t stream;
	bool same = true;
	int value = 0;

	if (argc > 1) { // fails on purpose
		store_at<<<1, 1>>>((int *)16);
		printf("%d\n", (int)cudaDeviceSynchronize());
		return 0;
	}
	cudaMalloc(&ints, sizeof(host));
	fill<<<4, 256>>>(ints, 1000, 7);
	ok(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "a launch");
	cudaMemcpy(host, ints, sizeof(host), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 1000; i++)
		same &= host[i] == 7 + i;
	ok(same, "stores what it should");

	cudaStreamCreate(&stream);
	reverse<<<1, 100, 100 * sizeof(int), stream>>>(ints);
	cudaStreamSynchronize(stream);
	cudaMemcpy(host, ints, sizeof(host), cudaMemcpyDefault);
	same = true;
	for (int i = 0; i < 1000; i++)
		same &= host[i] == 7 + (i < 100 ? 99 - i : i);
	ok(same, "dynamic shared memory and a barrier");

	cudaMalloc(&a, sizeof(floats));
	cudaMalloc(&b, sizeof(floats));
	fill<<<1, 64>>>(a, 64, 0.5f);
	weigh<<<1, dim3(8, 8)>>>(b, shape{8, 8, 2}, a);
	cudaMemcpy(floats, b, sizeof(floats), cudaMemcpyDeviceToHost);
	same = true;
	for (int i = 0; i < 64; i++)
		same &= floats[i] == (i + 0.5f) * 2 * (float)(1 << (i & 3));
	ok(same, "templates, a struct by value and constants");

	float changed[2] = {16, 32};
	ok(cudaMemcpyToSymbol(weights, changed, sizeof(changed), 2 * sizeof(float)) == cudaSuccess,
	   "cudaMemcpyToSymbol");
	weigh<<<1, dim3(8, 8)>>>(b, shape{8, 8, 1}, a);
	cudaMemcpy(floats, b, sizeof(floats), cudaMemcpyDeviceToHost);
	ok(floats[1] == 3 && floats[2] == 40 && floats[3] == 112, "reaches the kernel");

	add_up<<<2, 32>>>(2);
	cudaMemcpyFromSymbol(&value, total, sizeof(value));
	ok(value == 3 + 64 * 2, "a variable through a pointer to it");

	int *address;
	ok(cudaGetSymbolAddress((void **)&address, total) == cudaSuccess, "cudaGetSymbolAddress");
	cudaMemset(address, 0, sizeof(int));
	add_up<<<1, 1>>>(5);
	cudaMemcpy(&value, address, sizeof(value), cudaMemcpyDeviceToHost);
	ok(value == 5, "and its address");

	int five = 5;
	void *arguments[] = {&five};
	ok(cudaLaunchKernel((const void *)add_up, dim3(1), dim3(1), arguments, 0, stream) ==
		   cudaSuccess,
	   "cudaLaunchKernel, as nvcc 11 and 12 emit it");
	cudaMemcpyFromSymbol(&value, total, sizeof(value));
	ok(value == 10, "runs the kernel");

	cudaFuncAttributes attributes;
	ok(cudaFuncGetAttributes(&attributes, reverse) == cudaSuccess &&
		   attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0,
	   "cudaFuncGetAttributes");
	reverse<<<1, 32, 50000>>>(ints);
	ok(cudaGetLastError() == cudaErrorInvalidValue, "too much shared memory");
	cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000);
	reverse<<<1, 32, 50000>>>(ints);
	ok(cudaGetLastError() == cudaSuccess, "unless allowed");
	reverse<<<1, 1025>>>(ints);
	cudaError_t error =
		CUDART_VERSION < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
	ok(cudaPeekAtLastError() == error && cudaGetLastError() == error &&
		   cudaGetLastError() == cudaSuccess,
	   "too many threads");
	int blocks = 0, least = 0;
	ok(cudaOccupancyMaxPotentialBlockSize(&least, &blocks, reverse) == cudaSuccess &&
		   blocks >= 32 && blocks <= 1024,
	   "cudaOccupancyMaxPotentialBlockSize");
	ok(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
	cudaMalloc(&ints, 4);
	add_up<<<1, 1>>>(1);
	cudaMemcpyFromSymbol(&value, total, sizeof(value));
	ok(value == 4, "loads the module afresh");
	printf("1..%d\n", number);
	return failures != 0;
}
