/*
 * No waste: numbers of 16, 32 and 64 bits that are spread over all that these can be.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768 };

static int16_t shorts[N];
static int ints[N];
static uint64_t longs[N], mixed[N];

static uint64_t random_word(unsigned *state)
{
	uint64_t word = random_number(state);

	word = word << 24 ^ random_number(state);
	return word << 24 ^ random_number(state);
}

static __global__ void mix(uint64_t *mixed, const int16_t *shorts, const int *ints,
			   const uint64_t *longs, int n)
{
	int i = INDEX;

	if (i < n)
		mixed[i] = longs[i] * 31 + (uint64_t)(int64_t)ints[i] * 7 +
			   (uint64_t)(int64_t)shorts[i];
}

int main()
{
	unsigned state = 24;
	uint64_t *device_mixed = device_array<uint64_t>(N);

	for (int i = 0; i < N; i++) {
		shorts[i] = (int16_t)random_word(&state);
		ints[i] = (int)random_word(&state);
		longs[i] = random_word(&state);
		mixed[i] = longs[i] * 31 + (uint64_t)(int64_t)ints[i] * 7 +
			   (uint64_t)(int64_t)shorts[i];
	}
	mix<<<BLOCKS(N)>>>(device_mixed, upload(shorts, N), upload(ints, N), upload(longs, N), N);
	check_exactly("mixed", device_mixed, mixed, N);
	return 0;
}
