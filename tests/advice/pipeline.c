/*
 * Three mistakes of different weight in one pipeline: a table that is sent for every image, a
 * result that is cleared before it is stored, and a buffer that is allocated for nothing.
 */
#include "tests/advice/program.h"

enum { PIXELS = 16384, TABLE = 8192, SPARE = 4096, IMAGES = 5 };

struct pipeline {
	float *image, *table, *corrected, *spare; /* on the device */
};

static float image[PIXELS], table[TABLE], corrected[PIXELS];

static struct pipeline pipeline_new(void)
{
	struct pipeline p = {0};

	CHECK(cudaMalloc((void **)&p.image, sizeof(image)));
	CHECK(cudaMalloc((void **)&p.table, sizeof(table)));
	CHECK(cudaMalloc((void **)&p.corrected, sizeof(corrected)));
#if !FIX_3
	/* PLANT 3: unused_allocation, delete, 16K, with this input */
	CHECK(cudaMalloc((void **)&p.spare, SPARE * sizeof(float)));
#endif
	return p;
}

static void send(const struct pipeline *p, unsigned number)
{
	CHECK(cudaMemcpy(p->image, image, sizeof(image), cudaMemcpyHostToDevice));
	if (!FIX_2 || number == 0) {
		/* PLANT 2: duplicate_transfer, copy_once, 128K */
		CHECK(cudaMemcpy(p->table, table, sizeof(table), cudaMemcpyHostToDevice));
	}
}

static void correct(const struct pipeline *p)
{
#if !FIX_1
	/* PLANT 1: dead_write, delete, 320K */
	CHECK(cudaMemset(p->corrected, 0, sizeof(corrected)));
#endif
	LAUNCH(apply_table, PIXELS / 256, 256, p->corrected, p->image, p->table, TABLE, PIXELS);
	CHECK(cudaMemcpy(corrected, p->corrected, sizeof(corrected), cudaMemcpyDeviceToHost));
}

static void pipeline_free(const struct pipeline *p)
{
	CHECK(cudaFree(p->image));
	CHECK(cudaFree(p->table));
	CHECK(cudaFree(p->corrected));
	CHECK(cudaFree(p->spare));
}

int main(void)
{
	struct pipeline pipeline = pipeline_new();

	random_floats(table, TABLE, 1);
	for (unsigned number = 0; number < IMAGES; number++) {
		random_floats(image, PIXELS, 10 + number);
		send(&pipeline, number);
		correct(&pipeline);
		for (int i = 0; i < PIXELS; i++)
			expect(corrected[i] == image[i] * table[i % TABLE], "corrected");
		print_checksum("corrected", corrected, sizeof(corrected));
	}
	pipeline_free(&pipeline);
	return 0;
}
