/*
 * Activations of a layer in half precision, two at a time, with a bias that is 0.25 everywhere.
 *
 * COLLECT: --passes flow,values
 */
#include <cuda_fp16.h>

#include "tests/advice/values.h"

enum { N = 65536 };

static __half activations[N], outputs[N];

#if FIX_1
static __global__ void add_bias(__half2 *to, const __half2 *from, __half2 bias, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = __hadd2(from[i], bias);
}
#else
static __global__ void add_bias(__half2 *to, const __half2 *from, const __half2 *bias, int n)
{
	int i = INDEX;

	if (i < n)
		/* PLANT 1: single_value, use_argument, 128K, with this input */
		to[i] = __hadd2(from[i], bias[i]);
}
#endif

int main()
{
	unsigned state = 17;
	__half2 *device_outputs = (__half2 *)device_array<__half>(N);

	/* 2^k * (1 + m / 1024) for k = 0, 1 and all m, and sums that are exact to 1 / 1024 */
	for (int i = 0; i < N; i++) {
		unsigned number = random_number(&state);
		float value = (float)(1024 + number % 512) / 1024;

		activations[i] = __float2half(number >> 12 & 1 ? -value : value);
		outputs[i] = __float2half((number >> 12 & 1 ? -value : value) + 0.25f);
	}
	__half2 *from = (__half2 *)upload(activations, N);
#if FIX_1
	add_bias<<<BLOCKS(N / 2)>>>(device_outputs, from, __float2half2_rn(0.25f), N / 2);
#else
	static __half bias[N];

	for (int i = 0; i < N; i++)
		bias[i] = __float2half(0.25f);
	add_bias<<<BLOCKS(N / 2)>>>(device_outputs, from, (__half2 *)upload(bias, N), N / 2);
#endif
	check_exactly("outputs", (__half *)device_outputs, outputs, N);
	return 0;
}
