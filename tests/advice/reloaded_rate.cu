/*
 * A history of growth: the rate of a cell is loaded for each step, since the compiler cannot know
 * that the history does not lie over the rates.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 8192, STEPS = 8 };

static float start[N], rate[N], expected[STEPS * N];

static __global__ void grow(float *history, const float *start, const float *rate, int n)
{
	int i = INDEX;
	float now = start[i];
#if FIX_1
	float by = rate[i];

	for (int s = 0; s < STEPS; s++) {
		now *= by;
		history[s * n + i] = now;
	}
#else
	for (int s = 0; s < STEPS; s++) {
		/* PLANT 1: temporal_load_redundancy, load_once, 28K, with this input */
		now *= rate[i];
		history[s * n + i] = now;
	}
#endif
}

int main()
{
	float *history = device_array<float>(STEPS * N);

	random_floats(start, N, 14);
	random_floats(rate, N, 15);
	for (int i = 0; i < N; i++) {
		float now = start[i];

		for (int s = 0; s < STEPS; s++)
			expected[s * N + i] = now *= rate[i];
	}
	grow<<<BLOCKS(N)>>>(history, upload(start, N), upload(rate, N), N);
	check_exactly("history", history, expected, STEPS * N);
	return 0;
}
