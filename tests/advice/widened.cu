/*
 * No waste: small ints that one kernel loads, before another one puts large ones in their place,
 * and small ints to which atomics add.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384, SCATTER = 7919 };

static int classes[N], counts[N], sums[N];
static float weights[N], weighed[N];

static __global__ void weigh(float *to, const float *weights, const int *classes, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = weights[i] * classes[i];
}

static __global__ void tally(int *counts, const int *classes, int n)
{
	int i = INDEX;

	if (i < n)
		atomicAdd(&counts[i * SCATTER % n], classes[i]);
}

static __global__ void spread(int *sums, const int *counts, int n)
{
	int i = INDEX;

	if (i < n)
		sums[i] = counts[i] * 1000003 + i;
}

static __global__ void widen(int *classes, int n)
{
	int i = INDEX;

	if (i < n)
		classes[i] = classes[i] * 1000000 + i;
}

int main()
{
	unsigned state = 29;
	int *device_classes, *device_counts, *device_sums = device_array<int>(N);
	float *to = device_array<float>(N);

	random_floats(weights, N, 30);
	for (int i = 0; i < N; i++) {
		classes[i] = 1 + (int)(random_number(&state) % 10);
		counts[i] = (int)(random_number(&state) % 200);
		weighed[i] = weights[i] * (float)classes[i];
	}
	device_classes = upload(classes, N);
	device_counts = upload(counts, N);
	weigh<<<BLOCKS(N)>>>(to, upload(weights, N), device_classes, N);
	tally<<<BLOCKS(N)>>>(device_counts, device_classes, N);
	spread<<<BLOCKS(N)>>>(device_sums, device_counts, N);
	widen<<<BLOCKS(N)>>>(device_classes, N);
	for (int i = 0; i < N; i++)
		counts[(long)i * SCATTER % N] += classes[i];
	for (int i = 0; i < N; i++) {
		sums[i] = counts[i] * 1000003 + i;
		classes[i] = classes[i] * 1000000 + i;
	}
	check_exactly("weighed", to, weighed, N);
	check_exactly("sums", device_sums, sums, N);
	check_exactly("classes", device_classes, classes, N);
	return 0;
}
