/*
 * A table of the spectra of 16 species goes to the device; the signals that come are of two of
 * them only.
 */
#include "tests/advice/program.h"

enum { SPECIES = 16, LINES = 4096, FIRST = 5, USED = 2, N = 16384 };

static float table[SPECIES][LINES], signal[N], result[N];

static float *table_on_device(void)
{
	float *device;

	CHECK(cudaMalloc((void **)&device, sizeof(table)));
#if FIX_1
	CHECK(cudaMemcpy(device + FIRST * LINES, table[FIRST], USED * sizeof(table[0]),
			 cudaMemcpyHostToDevice));
#else
	/* PLANT 1: unused_transfer, copy_range, 224K */
	CHECK(cudaMemcpy(device, table, sizeof(table), cudaMemcpyHostToDevice));
#endif
	return device;
}

static void absorb(const float *device_table, int species)
{
	const float *lines = device_table + species * LINES;
	float *device_signal, *device_result;

	CHECK(cudaMalloc((void **)&device_signal, sizeof(signal)));
	CHECK(cudaMalloc((void **)&device_result, sizeof(result)));
	CHECK(cudaMemcpy(device_signal, signal, sizeof(signal), cudaMemcpyHostToDevice));
	LAUNCH(apply_table, N / 256, 256, device_result, device_signal, lines, LINES, N);
	CHECK(cudaMemcpy(result, device_result, sizeof(result), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device_signal));
	CHECK(cudaFree(device_result));
}

int main(void)
{
	float *device_table;

	for (unsigned species = 0; species < SPECIES; species++)
		random_floats(table[species], LINES, species);
	device_table = table_on_device();
	for (int species = FIRST; species < FIRST + USED; species++) {
		random_floats(signal, N, 100 + (unsigned)species);
		absorb(device_table, species);
		for (int i = 0; i < N; i++)
			expect(result[i] == signal[i] * table[species][i % LINES], "absorption");
		print_checksum("absorption", result, sizeof(result));
	}
	CHECK(cudaFree(device_table));
	return 0;
}
