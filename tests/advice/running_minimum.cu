/*
 * The nearest of many distances: the one that is so far is stored after each, though it seldom
 * changes.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 8192, OTHERS = 16 };

static float distance[OTHERS * N], nearest[N];

static __global__ void find_nearest(float *nearest, const float *distance, int n)
{
	int i = INDEX;
	float least = 1e9f;

	for (int k = 0; k < OTHERS; k++) {
		float next = distance[k * n + i];

		if (next < least)
			least = next;
#if !FIX_1
		/* PLANT 1: temporal_store_redundancy, store_once, with this input */
		nearest[i] = least;
#endif
	}
#if FIX_1
	nearest[i] = least;
#endif
}

int main()
{
	float *device_nearest = device_array<float>(N);

	random_floats(distance, OTHERS * N, 16);
	for (int i = 0; i < N; i++) {
		nearest[i] = distance[i];
		for (int k = 1; k < OTHERS; k++)
			nearest[i] = fminf(nearest[i], distance[k * N + i]);
	}
	find_nearest<<<BLOCKS(N)>>>(device_nearest, upload(distance, OTHERS * N), N);
	check_exactly("nearest", device_nearest, nearest, N);
	return 0;
}
