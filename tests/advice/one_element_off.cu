/*
 * No waste: an index that counts down but for one element, whole numbers as doubles but for one,
 * and small ints but for one.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 98304, AT = 12345 };

static int index_of[N], small[N];
static double whole[N];
static float from[N], to[N];

static __global__ void combine(float *to, const float *from, const int *index, const int *small,
			       const double *whole, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = (float)(from[index[i]] + whole[i] * small[i]);
}

int main()
{
	unsigned state = 21;
	float *device_to = device_array<float>(N);

	random_floats(from, N, 22);
	for (int i = 0; i < N; i++) {
		index_of[i] = N - 1 - i - (i == AT);
		small[i] = i == AT ? 70000 : (int)(random_number(&state) % 1000);
		whole[i] = i == AT ? 0.1 : random_number(&state) % 1000;
		to[i] = (float)fma(whole[i], (double)small[i], (double)from[index_of[i]]);
	}
	combine<<<BLOCKS(N)>>>(device_to, upload(from, N), upload(index_of, N), upload(small, N),
			       upload(whole, N), N);
	check_exactly("to", device_to, to, N);
	return 0;
}
