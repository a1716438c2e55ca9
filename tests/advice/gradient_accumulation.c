/*
 * No waste: a gradient is cleared and then added to by four small batches, with plain loads and
 * stores.  One call adds all of them, so that only its first invocation finds the zeros.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 3, BATCHES = 4 };

struct learner {
	float *weight, *gradient, *activation, *error; /* on the device */
};

static float weight[N], activation[N], error[N], gradient[N];

static struct learner learner_new(void)
{
	struct learner l;

	CHECK(cudaMalloc((void **)&l.weight, sizeof(weight)));
	CHECK(cudaMalloc((void **)&l.gradient, sizeof(gradient)));
	CHECK(cudaMalloc((void **)&l.activation, sizeof(activation)));
	CHECK(cudaMalloc((void **)&l.error, sizeof(error)));
	CHECK(cudaMemcpy(l.weight, weight, sizeof(weight), cudaMemcpyHostToDevice));
	return l;
}

static void add_batch(const struct learner *l, unsigned seed)
{
	random_floats(activation, N, seed);
	random_floats(error, N, seed + 1);
	CHECK(cudaMemcpy(l->activation, activation, sizeof(activation), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(l->error, error, sizeof(error), cudaMemcpyHostToDevice));
	LAUNCH(accumulate, N / 256, 256, l->gradient, l->activation, l->error, N);
	for (int i = 0; i < N; i++)
		gradient[i] += activation[i] * error[i];
}

static void learn(const struct learner *l, unsigned step)
{
	CHECK(cudaMemset(l->gradient, 0, sizeof(gradient)));
	memset(gradient, 0, sizeof(gradient));
	for (unsigned batch = 0; batch < BATCHES; batch++)
		add_batch(l, 100 * step + 10 * batch);
	LAUNCH(sgd, N / 256, 256, l->weight, l->gradient, 0.125f, N);
	for (int i = 0; i < N; i++)
		weight[i] -= 0.125f * gradient[i];
}

static void learner_free(const struct learner *l)
{
	CHECK(cudaFree(l->weight));
	CHECK(cudaFree(l->gradient));
	CHECK(cudaFree(l->activation));
	CHECK(cudaFree(l->error));
}

int main(void)
{
	static float result[N];
	struct learner learner;

	random_floats(weight, N, 1000);
	learner = learner_new();
	for (unsigned step = 0; step < STEPS; step++)
		learn(&learner, step);
	CHECK(cudaMemcpy(result, learner.weight, sizeof(result), cudaMemcpyDeviceToHost));
	expect_floats(result, weight, N, "weights");
	print_checksum("weights", result, sizeof(result));
	learner_free(&learner);
	return 0;
}
