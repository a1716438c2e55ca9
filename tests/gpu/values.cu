/*
 * tests/gpu/values.cu: kernels that load and store values of all types, for values.sh.  No kernel
 * overwrites what it loads, and ptxas has no load to leave out: each value is used once.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define COUNT 4096
#define BLOCK 128

template <typename T, typename S> __global__ void add(const T *from, S *to, S more)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = (S)from[i] + more;
}

/* Compares: whether numbers have a sign matters. */
template <typename T> __global__ void least(const T *from, T *to, T limit)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] < limit ? from[i] : limit;
}

__global__ void pairs(const float2 *from, float2 *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float2 value = from[i];

	to[i] = make_float2(value.x * 2.0f, value.y + 1.0f);
}

__global__ void fours(const float4 *from, float *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float4 value = from[i];

	to[i] = value.x * value.y + value.z * value.w;
}

__global__ void doubles(const double2 *from, double *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i].x * from[i].y;
}

__global__ void halves(const __half *from, __half *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = __hmul(from[i], __float2half(2.0f));
}

/* Through an index that goes backwards; in three places. */
__global__ void gather(const int *index, const float *from, float *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = from[index[i]];

	if (i % 2)
		sum += from[i];
	else
		sum -= from[i ^ 2];
	to[i] = sum;
}

template <typename T> static T *device(const T *from)
{
	T *to;

	if (cudaMalloc(&to, COUNT * sizeof(T)) ||
	    (from && cudaMemcpy(to, from, COUNT * sizeof(T), cudaMemcpyHostToDevice)))
		exit(2);
	return to;
}

int main()
{
	static float zeros[COUNT], near[COUNT], values[COUNT], back[COUNT];
	static double integers[COUNT];
	static int small[COUNT], index[COUNT];
	static uint8_t bytes[COUNT];
	static int16_t shorts[COUNT];
	static int64_t longs[COUNT];
	static uint32_t flags[COUNT];
	static __half half[COUNT];
	float *to = device<float>(NULL), *from;
	double *to_doubles = device<double>(NULL);
	int *to_ints = device<int>(NULL);
	int64_t *to_longs = device<int64_t>(NULL);
	uint32_t *to_flags = device<uint32_t>(NULL);

	for (int i = 0; i < COUNT; i++) {
		near[i] = 1.0f + (i % 3) * 1e-5f;
		values[i] = sinf((float)i);
		integers[i] = i % 7;
		small[i] = i % 10 - 3;
		index[i] = COUNT - 1 - i;
		bytes[i] = (uint8_t)(i % 100 ? 0 : 200);
		shorts[i] = (int16_t)(-3 * i + 5);
		longs[i] = INT64_C(1000000007) * i - 5;
		flags[i] = i % 5 ? 0x80000001u : 7;
		half[i] = __float2half((float)(i % 8) * 0.5f);
	}
	add<<<COUNT / BLOCK, BLOCK>>>(device(zeros), to, 1.0f);
	add<<<COUNT / BLOCK, BLOCK>>>(device(near), to, 1.5f);
	add<<<COUNT / BLOCK, BLOCK>>>(device(integers), to_doubles, 0.5);
	add<<<COUNT / BLOCK, BLOCK>>>(device(small), to_ints, 3);
	add<<<COUNT / BLOCK, BLOCK>>>(device(bytes), to_ints, 1);
	add<<<COUNT / BLOCK, BLOCK>>>(device(longs), to_longs, INT64_C(6));
	least<<<COUNT / BLOCK, BLOCK>>>(device(small), to_ints, 2);
	least<<<COUNT / BLOCK, BLOCK>>>(device(flags), to_flags, 100u);
	add<<<COUNT / BLOCK, BLOCK>>>(device(shorts), to_ints, 1);
	from = device(values);
	pairs<<<COUNT / 2 / BLOCK, BLOCK>>>((float2 *)from, (float2 *)to);
	fours<<<COUNT / 4 / BLOCK, BLOCK>>>((float4 *)from, to);
	doubles<<<COUNT / 2 / BLOCK, BLOCK>>>((double2 *)device(integers), to_doubles);
	halves<<<COUNT / BLOCK, BLOCK>>>(device(half), device<__half>(NULL));
	gather<<<COUNT / BLOCK, BLOCK>>>(device(index), from, to);
	/* the same kernel once more, with other values */
	for (int i = 0; i < COUNT; i++)
		zeros[i] = 4;
	add<<<COUNT / BLOCK, BLOCK>>>(device(zeros), to, 1.0f);
	if (cudaMemcpy(back, to, sizeof(back), cudaMemcpyDeviceToHost))
		return 1;
	printf("%g %g\n", back[0], back[COUNT - 1]);
	return 0;
}
