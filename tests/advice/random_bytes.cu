/*
 * No waste: a stream of bytes is encrypted, byte by byte and, of another key, four at a time.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 65536 };

static uint8_t text[N], key[N], expected[N];

static __global__ void encrypt(uint8_t *text, const uint8_t *key, int n)
{
	int i = INDEX;

	if (i < n)
		text[i] = text[i] ^ key[i];
}

static __global__ void rotate(uint32_t *text, int n)
{
	int i = INDEX;

	if (i < n)
		text[i] = text[i] << 5 | text[i] >> 27;
}

int main()
{
	unsigned state = 25;
	uint8_t *device_text;

	for (int i = 0; i < N; i++) {
		text[i] = (uint8_t)random_number(&state);
		key[i] = (uint8_t)(random_number(&state) >> 3);
		expected[i] = text[i] ^ key[i];
	}
	for (int i = 0; i < N; i += 4) {
		uint32_t word;

		memcpy(&word, expected + i, 4);
		word = word << 5 | word >> 27;
		memcpy(expected + i, &word, 4);
	}
	device_text = upload(text, N);
	encrypt<<<BLOCKS(N)>>>(device_text, upload(key, N), N);
	rotate<<<BLOCKS(N / 4)>>>((uint32_t *)device_text, N / 4);
	check_exactly("text", device_text, expected, N);
	return 0;
}
