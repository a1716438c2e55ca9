/*
 * Accesses of many types, whose machine code is read by tests/unit/sass_types.c.  The listings were
 * made as those of flow.cu, with blanks before the table of registers squeezed:
 *     awk -F '// ' '{ gsub(/  +/, " ", $1) } { print $1 (NF > 1 ? "// " $2 : "") }'
 * Each access of a kernel is to an array of its own.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void floats(double *widened, const float *narrow, __half2 *halves,
				  __nv_bfloat162 *brains, __half *rounded, float4 *vectors,
				  double *sums)
{
	int t = threadIdx.x;

	widened[t] = narrow[t];
	halves[t] = __hadd2(halves[t], halves[t + 64]);
	brains[t] = __hmul2(brains[t], brains[t + 64]);
	rounded[t] = __float2half(narrow[t + 9]);
	vectors[t] = make_float4(vectors[t].x + 1, vectors[t].y * 2, vectors[t].z, vectors[t].w);
	atomicAdd(sums, sums[t + 1] * 3);
}

extern "C" __global__ void integers(int *ints, long long *longs, unsigned char *bytes,
				    short *shorts, unsigned *words, unsigned long long *pairs,
				    int *copies)
{
	int t = threadIdx.x;

	ints[t] = max(ints[t + 1], 7);
	longs[t] = longs[t] * 5 + ints[t + 100];
	bytes[t] = bytes[t] + 1;
	shorts[t + 1] = -shorts[t] * 3;
	words[t] = words[t] / 10;
	if (pairs[t + 8] < 99)
		pairs[t] += 3;
	copies[t] = copies[t + 1];
	atomicMax(words + 9, words[5]);
}

extern "C" __global__ void chosen(float *result, const float *left, const float *right, int *index)
{
	int t = threadIdx.x, count = 0;
	float value = 0;

	/* through a loop, a selection, a shuffle and a predicate */
#pragma unroll 1
	for (int i = 0; i < index[t]; i++) {
		float other = right[i];

		value = left[i] > 0.5f ? other : value;
		count += t - i;
	}
	value = __shfl_xor_sync(~0u, value, 1);
	if (count > 3)
		result[t] = value * 2;
	index[t + 32] = count;
}

extern "C" __global__ void others(float4 *vectors, const __nv_bfloat16 *brains, float *single,
				  const signed char *bytes, int *ints, const float *copied)
{
	__shared__ float tile[64];
	__shared__ unsigned counts[8];
	int t = threadIdx.x;
	float4 vector = vectors[t];

	vector.x += 1;
	vector.w *= 2;
	vectors[t] = vector;
	single[t] = __bfloat162float(brains[t]) + 1;
	ints[t] = bytes[t] * 3;
	atomicAdd(&counts[t & 7], 1u);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(&tile[t])),
		     "l"(copied + t));
	asm volatile("cp.async.wait_all;");
	__syncthreads();
	single[t + 64] = -tile[63 - t];
	atomicCAS(ints + 99, 4, (int)counts[1] + 1);
}
