/*
 * A filter whose table goes to the device in every step, into memory that was freed after the step
 * before: what was there then is gone.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float table[N], signal[N], result[N];

struct filter {
	float *table, *in, *out; /* on the device */
};

static void send_table(struct filter *filter)
{
	/* PLANT 2: repeated_allocation, allocate_once */
	CHECK(cudaMalloc((void **)&filter->table, sizeof(table)));
	/* PLANT 1: duplicate_transfer, keep_on_device, 320K */
	CHECK(cudaMemcpy(filter->table, table, sizeof(table), cudaMemcpyHostToDevice));
}

static void run(struct filter *filter, int step)
{
	random_floats(signal, N, (unsigned)step);
	CHECK(cudaMemcpy(filter->in, signal, sizeof(signal), cudaMemcpyHostToDevice));
	LAUNCH(multiply, N / 256, 256, filter->out, filter->in, filter->table, N);
	CHECK(cudaMemcpy(result, filter->out, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(result[i] == signal[i] * table[i], "the filtered signal");
	print_checksum("signal", result, sizeof(result));
}

int main(void)
{
	struct filter filter;

	random_floats(table, N, 100);
	CHECK(cudaMalloc((void **)&filter.in, sizeof(signal)));
	CHECK(cudaMalloc((void **)&filter.out, sizeof(signal)));
	for (int step = 0; step < STEPS; step++) {
#if FIX_1
		if (step == 0)
			send_table(&filter);
#elif FIX_2
		if (step == 0)
			CHECK(cudaMalloc((void **)&filter.table, sizeof(table)));
		CHECK(cudaMemcpy(filter.table, table, sizeof(table), cudaMemcpyHostToDevice));
#else
		send_table(&filter);
#endif
		run(&filter, step);
#if !FIX_1 && !FIX_2
		CHECK(cudaFree(filter.table));
#endif
	}
	if (FIX_1 || FIX_2)
		CHECK(cudaFree(filter.table));
	CHECK(cudaFree(filter.in));
	CHECK(cudaFree(filter.out));
	return 0;
}
