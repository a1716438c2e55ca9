/*
 * Diffusion in three tubes.  The kernel also stores the flux between cells, which was once
 * plotted; nothing reads it any more.
 */
#include "tests/advice/program.h"

enum { TUBES = 3, LARGEST = 16384 };

struct tube {
	int size;
	float *now, *next, *flux; /* on the device */
};

static float density[LARGEST], result[LARGEST];

static struct tube tube_new(int size)
{
	size_t bytes = size * sizeof(float);
	struct tube tube = {.size = size};

	CHECK(cudaMalloc((void **)&tube.now, bytes));
	CHECK(cudaMalloc((void **)&tube.next, bytes));
#if !FIX_1
	CHECK(cudaMalloc((void **)&tube.flux, bytes));
#endif
	random_floats(density, size, (unsigned)size);
	CHECK(cudaMemcpy(tube.now, density, bytes, cudaMemcpyHostToDevice));
	return tube;
}

static void tube_diffuse(const struct tube *tube)
{
	int blocks = (tube->size + 255) / 256;

	/* PLANT 1: never_read, drop_store, 136K */
	LAUNCH(diffuse, blocks, 256, tube->next, tube->now, tube->flux, tube->size);
	CHECK(cudaMemcpy(result, tube->next, tube->size * sizeof(float), cudaMemcpyDeviceToHost));
}

static void tube_free(const struct tube *tube)
{
	CHECK(cudaFree(tube->now));
	CHECK(cudaFree(tube->next));
	CHECK(cudaFree(tube->flux));
}

int main(void)
{
	static const int sizes[TUBES] = {LARGEST, 12288, 6144};

	for (int t = 0; t < TUBES; t++) {
		struct tube tube = tube_new(sizes[t]);

		tube_diffuse(&tube);
		for (int i = 0; i < tube.size; i++) {
			int right = i < tube.size - 1 ? i + 1 : 0;
			float next = density[i] + (density[right] - density[i]) * 0.01f;

			expect(fabsf(result[i] - next) < 1e-4f, "the density");
		}
		print_checksum("density", result, tube.size * sizeof(float));
		tube_free(&tube);
	}
	return 0;
}
