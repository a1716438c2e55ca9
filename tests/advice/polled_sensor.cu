/*
 * No waste: four samples are taken of words that something else may change at any time, which is
 * why they are volatile.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384, SAMPLES = 4 };

static float sensors[N], levels[N];

static __global__ void sample(float *levels, const volatile float *sensors, int n)
{
	int i = INDEX;

	if (i < n) {
		float sum = 0;

		for (int s = 0; s < SAMPLES; s++)
			sum += sensors[i];
		levels[i] = 0.75f * sum / SAMPLES;
	}
}

int main()
{
	float *device_levels = device_array<float>(N);

	random_floats(sensors, N, 31);
	sample<<<BLOCKS(N)>>>(device_levels, upload(sensors, N), N);
	for (int i = 0; i < N; i++)
		levels[i] = 0.75f * sensors[i];
	check_floats("levels", device_levels, levels, N);
	return 0;
}
