/*
 * A mask of weights for each input is drawn anew every fourth step, but sent in every step.
 */
#include <stdbool.h>

#include "tests/advice/program.h"

enum { N = 16384, STEPS = 16, DRAWN_EVERY = 4 };

static unsigned char mask[N];
static float input[N], total[N], expected[N];

static void draw_mask(unsigned seed)
{
	unsigned state = seed;

	for (int i = 0; i < N; i++)
		mask[i] = (unsigned char)random_number(&state);
}

static void forward(float *device_total, const float *device_input, unsigned char *device_mask,
		    int step)
{
	float by = 0.0625f * (float)(step + 1);
	bool drawn = step % DRAWN_EVERY == 0;

	if (drawn)
		draw_mask((unsigned)step);
	if (!FIX_1 || drawn) {
		/* PLANT 1: duplicate_transfer, copy_when_changed, 192K */
		CHECK(cudaMemcpy(device_mask, mask, sizeof(mask), cudaMemcpyHostToDevice));
	}
	LAUNCH(masked_add, N / 256, 256, device_total, device_input, device_mask, by, N);
	for (int i = 0; i < N; i++)
		expected[i] += input[i] * mask[i] * by;
}

int main(void)
{
	float *device_total, *device_input;
	unsigned char *device_mask;

	CHECK(cudaMalloc((void **)&device_total, sizeof(total)));
	CHECK(cudaMalloc((void **)&device_input, sizeof(input)));
	CHECK(cudaMalloc((void **)&device_mask, sizeof(mask)));
	random_floats(total, N, 1);
	random_floats(input, N, 2);
	memcpy(expected, total, sizeof(total));
	CHECK(cudaMemcpy(device_total, total, sizeof(total), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_input, input, sizeof(input), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++)
		forward(device_total, device_input, device_mask, step);
	CHECK(cudaMemcpy(total, device_total, sizeof(total), cudaMemcpyDeviceToHost));
	expect_floats(total, expected, N, "the total");
	print_checksum("total", total, sizeof(total));
	CHECK(cudaFree(device_total));
	CHECK(cudaFree(device_input));
	CHECK(cudaFree(device_mask));
	return 0;
}
