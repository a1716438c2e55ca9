/*
 * No waste: a kernel fills sums with a start value, and atomics add to them: who stores one value
 * everywhere and reads nothing is no news.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { CELLS = 4096, N = 65536 };

static uint16_t cell[N];
static float weight[N];
static double sums[CELLS];

static __global__ void fill(double *sums, double value, int n)
{
	int i = INDEX;

	if (i < n)
		sums[i] = value;
}

static __global__ void count(double *sums, const uint16_t *cell, const float *weight, int n)
{
	int i = INDEX;

	if (i < n)
		atomicAdd(&sums[cell[i]], (double)weight[i]);
}

int main()
{
	unsigned state = 26;
	double *device_sums = device_array<double>(CELLS);

	random_floats(weight, N, 27);
	for (int i = 0; i < CELLS; i++)
		sums[i] = 0.5;
	/* floats in [1, 2): sums of doubles are exact in any order */
	for (int i = 0; i < N; i++) {
		cell[i] = (uint16_t)(random_number(&state) % CELLS);
		sums[cell[i]] += weight[i];
	}
	fill<<<BLOCKS(CELLS)>>>(device_sums, 0.5, CELLS);
	count<<<BLOCKS(N)>>>(device_sums, upload(cell, N), upload(weight, N), N);
	check_exactly("sums", device_sums, sums, CELLS);
	return 0;
}
