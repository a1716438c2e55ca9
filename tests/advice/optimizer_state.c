/*
 * The state of an optimizer begins with zeros, which are sent from the host.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 3 };

struct optimizer {
	float *weight, *mean, *square, *gradient; /* on the device */
};

static float weight[N], gradient[N], mean[N], square[N];

static float *zeros_on_device(void)
{
	float *device;

	CHECK(cudaMalloc((void **)&device, N * sizeof(float)));
#if FIX_1
	CHECK(cudaMemset(device, 0, N * sizeof(float)));
#else
	float *zeros = host_alloc(N * sizeof(float));

	for (int i = 0; i < N; i++)
		zeros[i] = 0;
	/* PLANT 1: duplicate_transfer|duplicate_values, set_instead */
	CHECK(cudaMemcpy(device, zeros, N * sizeof(float), cudaMemcpyHostToDevice));
	free(zeros);
#endif
	return device;
}

static struct optimizer optimizer_new(void)
{
	struct optimizer o;

	CHECK(cudaMalloc((void **)&o.weight, sizeof(weight)));
	CHECK(cudaMalloc((void **)&o.gradient, sizeof(gradient)));
	CHECK(cudaMemcpy(o.weight, weight, sizeof(weight), cudaMemcpyHostToDevice));
	o.mean = zeros_on_device();
	o.square = zeros_on_device();
	return o;
}

static void optimizer_step(const struct optimizer *o, unsigned seed)
{
	random_floats(gradient, N, seed);
	CHECK(cudaMemcpy(o->gradient, gradient, sizeof(gradient), cudaMemcpyHostToDevice));
	LAUNCH(momentum, N / 256, 256, o->weight, o->mean, o->square, o->gradient, N);
	for (int i = 0; i < N; i++) {
		mean[i] = mean[i] * 0.5f + gradient[i] * 0.25f;
		square[i] = square[i] * 0.25f + gradient[i] * gradient[i];
		weight[i] -= mean[i] / (1 + square[i]);
	}
}

static void optimizer_free(const struct optimizer *o)
{
	CHECK(cudaFree(o->weight));
	CHECK(cudaFree(o->mean));
	CHECK(cudaFree(o->square));
	CHECK(cudaFree(o->gradient));
}

int main(void)
{
	static float result[N];
	struct optimizer optimizer;

	random_floats(weight, N, 1);
	optimizer = optimizer_new();
	for (unsigned step = 0; step < STEPS; step++)
		optimizer_step(&optimizer, 10 + step);
	CHECK(cudaMemcpy(result, optimizer.weight, sizeof(result), cudaMemcpyDeviceToHost));
	expect_floats(result, weight, N, "weights");
	print_checksum("weights", result, sizeof(result));
	CHECK(cudaMemcpy(result, optimizer.mean, sizeof(result), cudaMemcpyDeviceToHost));
	expect_floats(result, mean, N, "means");
	CHECK(cudaMemcpy(result, optimizer.square, sizeof(result), cudaMemcpyDeviceToHost));
	expect_floats(result, square, N, "squares");
	optimizer_free(&optimizer);
	return 0;
}
