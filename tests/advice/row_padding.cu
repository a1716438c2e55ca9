/*
 * Rows of 61 bytes lie 64 bytes apart.  The three between them are cleared, and read by nobody; the
 * copy of the rows, whose every byte is read, comes after that and ends within their unit of four
 * bytes.
 *
 * LATER ON GPUS: what was cleared beside the ends of rows is not known there
 */
#include "tests/advice/values.h"

enum { WIDTH = 61, PITCH = 64, ROWS = 1024 };

static uint8_t rows[ROWS * WIDTH], sums[ROWS * WIDTH];

static __global__ void add_right(uint8_t *sums, const uint8_t *rows, int n)
{
	int i = INDEX, x = i % WIDTH, right = x < WIDTH - 1 ? x + 1 : 0;

	if (i < n)
		sums[i] = rows[i / WIDTH * PITCH + x] + rows[i / WIDTH * PITCH + right];
}

int main()
{
	unsigned state = 38;
	uint8_t *device = device_array<uint8_t>(ROWS * PITCH);
	uint8_t *device_sums = device_array<uint8_t>(ROWS * WIDTH);

	for (int i = 0; i < ROWS * WIDTH; i++)
		rows[i] = (uint8_t)(1 + random_number(&state) % 100);
	for (int i = 0; i < ROWS * WIDTH; i++)
		sums[i] = rows[i] + rows[i % WIDTH < WIDTH - 1 ? i + 1 : i - (WIDTH - 1)];
#if !FIX_1
	/* PLANT 1: never_read, delete, 3K, with this input */
	CHECK(cudaMemset2D(device + WIDTH, PITCH, 0, PITCH - WIDTH, ROWS));
#endif
	CHECK(cudaMemcpy2D(device, PITCH, rows, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
	add_right<<<BLOCKS(ROWS * WIDTH)>>>(device_sums, device, ROWS * WIDTH);
	check_exactly("sums", device_sums, sums, ROWS * WIDTH);
	return 0;
}
