/*
 * Mirrors a line by an array of indices, each N - 1 - i.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 40960 };

static float numbers[N], mirrored[N];

#if FIX_1
static __global__ void gather(float *to, const float *from, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = from[n - 1 - i] * 0.5f;
}
#else
static __global__ void gather(float *to, const float *from, const int *index, int n)
{
	int i = INDEX;

	if (i < n)
		/* PLANT 1: structured_values, compute_value, 160K, with this input */
		to[i] = from[index[i]] * 0.5f;
}
#endif

int main()
{
	float *device_mirrored = device_array<float>(N);

	random_floats(numbers, N, 7);
	for (int i = 0; i < N; i++)
		mirrored[i] = numbers[N - 1 - i] * 0.5f;
#if FIX_1
	gather<<<BLOCKS(N)>>>(device_mirrored, upload(numbers, N), N);
#else
	static int index[N];

	for (int i = 0; i < N; i++)
		index[i] = N - 1 - i;
	gather<<<BLOCKS(N)>>>(device_mirrored, upload(numbers, N), upload(index, N), N);
#endif
	check_exactly("mirrored", device_mirrored, mirrored, N);
	return 0;
}
