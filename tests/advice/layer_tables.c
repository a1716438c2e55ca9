/*
 * In each step the tables of eight layers are uploaded by a copy each, into allocations of their
 * own.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 4096, LAYERS = 8, TABLE = 256, STEPS = 3 };

static float tables[LAYERS][TABLE], signal[N], expected[N];

static void allocate(float *layers[])
{
#if FIX_1
	CHECK(cudaMalloc((void **)&layers[0], sizeof(tables)));
	for (int l = 1; l < LAYERS; l++)
		layers[l] = layers[l - 1] + TABLE;
#else
	for (int l = 0; l < LAYERS; l++)
		CHECK(cudaMalloc((void **)&layers[l], sizeof(tables[l])));
#endif
}

static void upload(float *layers[])
{
#if FIX_1
	CHECK(cudaMemcpy(layers[0], tables, sizeof(tables), cudaMemcpyHostToDevice));
#else
	for (int l = 0; l < LAYERS; l++)
		/* PLANT 1: many_small_copies, pack */
		CHECK(cudaMemcpy(layers[l], tables[l], sizeof(tables[l]), cudaMemcpyHostToDevice));
#endif
}

int main(void)
{
	float *data[2], *layers[LAYERS];

	random_floats(signal, N, 1);
	memcpy(expected, signal, sizeof(signal));
	for (int i = 0; i < 2; i++)
		CHECK(cudaMalloc((void **)&data[i], sizeof(signal)));
	allocate(layers);
	CHECK(cudaMemcpy(data[0], signal, sizeof(signal), cudaMemcpyHostToDevice));
	for (unsigned step = 0; step < STEPS; step++) {
		random_floats(tables[0], LAYERS * TABLE, step + 2);
		upload(layers);
		for (int l = 0; l < LAYERS; l++)
			LAUNCH(apply_table, N / 256, 256, data[(l + 1) % 2], data[l % 2], layers[l],
			       TABLE, N);
		CHECK(cudaMemcpy(signal, data[0], sizeof(signal), cudaMemcpyDeviceToHost));
		for (int i = 0; i < LAYERS * N; i++)
			expected[i % N] *= tables[i / N][i % N % TABLE];
		expect_floats(signal, expected, N, "the signal");
		print_checksum("signal", signal, sizeof(signal));
	}
	for (int i = 0; i < 2; i++)
		CHECK(cudaFree(data[i]));
	for (int l = 0; l < (FIX_1 ? 1 : LAYERS); l++)
		CHECK(cudaFree(layers[l]));
	return 0;
}
