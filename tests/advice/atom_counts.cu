/*
 * Masses of cells from the numbers of their atoms, up to 199, which are stored as doubles.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384 };

typedef
#if FIX_1
	uint8_t
#else
	double
#endif
		count_type;

static count_type counts[N];
static double weights[N], masses[N];

static __global__ void weigh(double *masses, const double *weights, const count_type *counts, int n)
{
	int i = INDEX;

	if (i < n)
		/* PLANT 1: heavy_type, narrow_type, 112K, with this input */
		masses[i] = weights[i] * counts[i];
}

int main()
{
	unsigned state = 5;
	double *device_masses = device_array<double>(N);

	for (int i = 0; i < N; i++) {
		counts[i] = (count_type)(random_number(&state) % 200);
		weights[i] = 1 + random_number(&state) / 3e7;
		masses[i] = weights[i] * (double)counts[i];
	}
	weigh<<<BLOCKS(N)>>>(device_masses, upload(weights, N), upload(counts, N), N);
	check_exactly("masses", device_masses, masses, N);
	return 0;
}
