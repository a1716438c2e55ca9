/*
 * No waste: a flag of four bytes is cleared, set and fetched in every iteration; mostly it is what
 * it was before, which is worth no one's time.
 */
#include "tests/advice/program.h"

enum { N = 16384, MOST = 40 };

struct relaxation {
	float *data, *target; /* on the device */
	int *moving;
};

static float data[N], target[N], expected[N];

static struct relaxation relaxation_new(void)
{
	struct relaxation r;

	CHECK(cudaMalloc((void **)&r.data, sizeof(data)));
	CHECK(cudaMalloc((void **)&r.target, sizeof(target)));
	CHECK(cudaMalloc((void **)&r.moving, sizeof(int)));
	CHECK(cudaMemcpy(r.data, data, sizeof(data), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(r.target, target, sizeof(target), cudaMemcpyHostToDevice));
	return r;
}

static int iterate(const struct relaxation *r, float far)
{
	int moving;

	CHECK(cudaMemset(r->moving, 0, sizeof(int)));
	LAUNCH(relax, N / 256, 256, r->data, r->target, r->moving, far, N);
	CHECK(cudaMemcpy(&moving, r->moving, sizeof(moving), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expected[i] += (target[i] - expected[i]) / 2;
	return moving;
}

static void relaxation_free(const struct relaxation *r)
{
	CHECK(cudaFree(r->data));
	CHECK(cudaFree(r->target));
	CHECK(cudaFree(r->moving));
}

int main(void)
{
	struct relaxation relaxation;
	int iterations = 1;

	random_floats(data, N, 1);
	random_floats(target, N, 2);
	for (int i = 0; i < N; i++)
		target[i] *= 100;
	memcpy(expected, data, sizeof(data));
	relaxation = relaxation_new();
	while (iterations < MOST && iterate(&relaxation, 0.01f))
		iterations++;
	expect(iterations > 5 && iterations < MOST, "it converges");
	CHECK(cudaMemcpy(data, relaxation.data, sizeof(data), cudaMemcpyDeviceToHost));
	expect_floats(data, expected, N, "the data");
	printf("%d iterations\n", iterations);
	print_checksum("data", data, sizeof(data));
	relaxation_free(&relaxation);
	return 0;
}
