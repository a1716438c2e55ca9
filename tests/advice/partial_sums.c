/*
 * Sums in two kernels: one sum per block, and the sum of these.  The sums of blocks are cleared
 * first, though every block stores its own.
 */
#include "tests/advice/program.h"

enum { N = 65536, PARTIALS = N / 64, ARRAYS = 4 };

struct reduction {
	float *data, *partials, *sum; /* on the device */
};

static float data[N];

static struct reduction reduction_new(void)
{
	struct reduction r;

	CHECK(cudaMalloc((void **)&r.data, sizeof(data)));
	CHECK(cudaMalloc((void **)&r.partials, PARTIALS * sizeof(float)));
	CHECK(cudaMalloc((void **)&r.sum, sizeof(float)));
	return r;
}

static float reduce(const struct reduction *r)
{
	float sum;

	CHECK(cudaMemcpy(r->data, data, sizeof(data), cudaMemcpyHostToDevice));
#if !FIX_1
	/* PLANT 1: dead_write, delete, 16K */
	CHECK(cudaMemset(r->partials, 0, PARTIALS * sizeof(float)));
#endif
	LAUNCH(block_sums, PARTIALS, 64, r->partials, r->data, N);
	LAUNCH(sum_partials, 1, 64, r->sum, r->partials, PARTIALS);
	CHECK(cudaMemcpy(&sum, r->sum, sizeof(sum), cudaMemcpyDeviceToHost));
	return sum;
}

static void reduction_free(const struct reduction *r)
{
	CHECK(cudaFree(r->data));
	CHECK(cudaFree(r->partials));
	CHECK(cudaFree(r->sum));
}

int main(void)
{
	struct reduction reduction = reduction_new();

	for (unsigned array = 0; array < ARRAYS; array++) {
		double expected = 0;
		float sum;

		random_floats(data, N, array);
		for (int i = 0; i < N; i++)
			expected += data[i];
		sum = reduce(&reduction);
		expect(fabs(sum - expected) < 1e-4 * expected, "the sum");
		print_checksum("sum", &sum, sizeof(sum));
	}
	reduction_free(&reduction);
	return 0;
}
