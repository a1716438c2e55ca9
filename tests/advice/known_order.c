/*
 * Sums that run through an array in one order and then in another.  A kernel makes the first
 * order; the host sends the very same numbers again in between.
 */
#include "tests/advice/program.h"

enum { N = 8192, BATCHES = 3 };

static int identity[N];
static float values[N], total[N], expected[N];

static void sum_batch(float *device_total, const float *device_values, int *device_order)
{
	LAUNCH(iota, N / 256, 256, device_order, N);
	LAUNCH(gather_add, N / 256, 256, device_total, device_values, device_order, 0.5f, N);
#if !FIX_1
	/* PLANT 1: duplicate_transfer, delete, 96K */
	CHECK(cudaMemcpy(device_order, identity, sizeof(identity), cudaMemcpyHostToDevice));
#endif
	LAUNCH(gather_add, N / 256, 256, device_total, device_values, device_order, 0.25f, N);
	LAUNCH(reverse, N / 256, 256, device_order, N);
	LAUNCH(gather_add, N / 256, 256, device_total, device_values, device_order, 0.125f, N);
}

static void sum_on_host(void)
{
	for (int i = 0; i < N; i++) {
		expected[i] += values[i] * 0.5f;
		expected[i] += values[i] * 0.25f;
		expected[i] += values[N - 1 - i] * 0.125f;
	}
}

int main(void)
{
	float *device_total, *device_values;
	int *device_order;

	CHECK(cudaMalloc((void **)&device_total, sizeof(total)));
	CHECK(cudaMalloc((void **)&device_values, sizeof(values)));
	CHECK(cudaMalloc((void **)&device_order, sizeof(identity)));
	for (int i = 0; i < N; i++)
		identity[i] = i;
	random_floats(total, N, 100);
	memcpy(expected, total, sizeof(total));
	CHECK(cudaMemcpy(device_total, total, sizeof(total), cudaMemcpyHostToDevice));
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		random_floats(values, N, batch);
		CHECK(cudaMemcpy(device_values, values, sizeof(values), cudaMemcpyHostToDevice));
		sum_batch(device_total, device_values, device_order);
		sum_on_host();
	}
	CHECK(cudaMemcpy(total, device_total, sizeof(total), cudaMemcpyDeviceToHost));
	expect_floats(total, expected, N, "the sums");
	print_checksum("sums", total, sizeof(total));
	CHECK(cudaFree(device_total));
	CHECK(cudaFree(device_values));
	CHECK(cudaFree(device_order));
	return 0;
}
