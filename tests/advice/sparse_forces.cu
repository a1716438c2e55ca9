/*
 * Forces that act on one particle in a hundred, stored for all of them.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 65536, ONE_IN = 100 };

static float speed[N], force[N], mass[N], expected[N];

static __global__ void drift(float *to, const float *speed, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = 2 * speed[i];
}

static __global__ void push_some(float *to, const uint16_t *who, const float *force,
				 const float *mass, int n)
{
	int i = INDEX;

	if (i < n)
		to[who[i]] = fmaf(force[i], mass[i], to[who[i]]);
}

static __global__ void push_all(float *to, const float *speed, const float *force,
				const float *mass, int n)
{
	int i = INDEX;

	if (i < n) {
		float by = force[i]; /* PLANT 1: frequent_values, treat_apart, with this input */

		to[i] = fmaf(by, mass[i], 2 * speed[i]);
	}
}

int main()
{
	static float some[N], their[N];
	static uint16_t who[N];
	unsigned state = 10;
	int count = 0;
	float *to = device_array<float>(N);

	random_floats(speed, N, 11);
	random_floats(mass, N, 12);
	random_floats(some, N, 13);
	for (int i = 0; i < N; i++) {
		if (random_number(&state) % ONE_IN == 0) {
			force[i] = some[count];
			their[count] = mass[i];
			who[count++] = (uint16_t)i;
		}
		expected[i] = fmaf(force[i], mass[i], 2 * speed[i]);
	}
#if FIX_1
	drift<<<BLOCKS(N)>>>(to, upload(speed, N), N);
	push_some<<<BLOCKS(count)>>>(to, upload(who, count), upload(some, count),
				     upload(their, count), count);
	(void)push_all;
#else
	push_all<<<BLOCKS(N)>>>(to, upload(speed, N), upload(force, N), upload(mass, N), N);
	(void)drift;
	(void)push_some;
#endif
	check_exactly("speed", to, expected, N);
	return 0;
}
