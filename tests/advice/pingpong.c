/*
 * No waste: Jacobi's iteration between two buffers.  Each is written again and again, but
 * everything is read in between.
 */
#include "tests/advice/program.h"

enum { WIDTH = 128, HEIGHT = 128, CELLS = WIDTH * HEIGHT, ITERATIONS = 9 };

static float field[CELLS], expected[2][CELLS];

static void swap(float **a, float **b)
{
	float *other = *a;

	*a = *b;
	*b = other;
}

static void iterate_on_host(float *next, const float *now)
{
	for (int i = 0; i < CELLS; i++) {
		int row = i / WIDTH, column = i % WIDTH;

		if (row == 0 || row == HEIGHT - 1 || column == 0 || column == WIDTH - 1)
			next[i] = now[i];
		else
			next[i] = (now[i - WIDTH] + now[i + WIDTH] + now[i - 1] + now[i + 1]) / 4;
	}
}

static void iterate(float **now, float **next, int count)
{
	for (int i = 0; i < count; i++) {
		LAUNCH(jacobi, CELLS / 256, 256, *next, *now, WIDTH, HEIGHT);
		swap(now, next);
		iterate_on_host(expected[(i + 1) % 2], expected[i % 2]);
	}
}

int main(void)
{
	float *now, *next;

	CHECK(cudaMalloc((void **)&now, sizeof(field)));
	CHECK(cudaMalloc((void **)&next, sizeof(field)));
	random_floats(field, CELLS, 1);
	memcpy(expected[0], field, sizeof(field));
	CHECK(cudaMemcpy(now, field, sizeof(field), cudaMemcpyHostToDevice));
	iterate(&now, &next, ITERATIONS);
	CHECK(cudaMemcpy(field, now, sizeof(field), cudaMemcpyDeviceToHost));
	expect_floats(field, expected[ITERATIONS % 2], CELLS, "the field");
	print_checksum("field", field, sizeof(field));
	CHECK(cudaFree(now));
	CHECK(cudaFree(next));
	return 0;
}
