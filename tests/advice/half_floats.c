/*
 * No waste: half floats that are doubled.  Of every number the upper byte changes and the lower one
 * does not.
 */
#include "tests/advice/program.h"

enum { N = 32768, STEPS = 4, ONE = 0x3c00, EXPONENT = 0x0400 };

static uint16_t halves[N], expected[N];

/* 2^k * (1 + m / 1024) for small k, all m. */
static void draw_halves(void)
{
	unsigned state = 3;

	for (int i = 0; i < N; i++) {
		unsigned number = random_number(&state);

		halves[i] = (uint16_t)(ONE + (number & 0x3ff) - EXPONENT * (number >> 10 & 3));
		expected[i] = halves[i];
	}
}

static uint16_t *halves_on_device(void)
{
	uint16_t *device;

	CHECK(cudaMalloc((void **)&device, sizeof(halves)));
	CHECK(cudaMemcpy(device, halves, sizeof(halves), cudaMemcpyHostToDevice));
	return device;
}

/* One more in the exponent. */
static void step(uint16_t *device_halves)
{
	LAUNCH(double_halves, N / 256, 256, device_halves, N);
	for (int i = 0; i < N; i++)
		expected[i] += EXPONENT;
}

static void check_halves(const uint16_t *device_halves)
{
	CHECK(cudaMemcpy(halves, device_halves, sizeof(halves), cudaMemcpyDeviceToHost));
	expect(!memcmp(halves, expected, sizeof(halves)), "doubled");
	print_checksum("halves", halves, sizeof(halves));
}

int main(void)
{
	uint16_t *device_halves;

	draw_halves();
	device_halves = halves_on_device();
	for (int i = 0; i < STEPS; i++)
		step(device_halves);
	check_halves(device_halves);
	CHECK(cudaFree(device_halves));
	return 0;
}
