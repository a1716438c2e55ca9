/*
 * Training of three layers.  Every step clears the gradients of all layers, and the backward pass
 * then stores (not adds) each of them.
 */
#include "tests/advice/program.h"

enum { LAYERS = 3, LARGEST = 8192, STEPS = 3 };

struct layer {
	int size;
	float *weight, *gradient, *activation, *error; /* on the device */
	float *expected;
};

static float activations[LARGEST], errors[LARGEST], weights[LARGEST];

static struct layer layer_new(int size, unsigned seed)
{
	struct layer layer = {.size = size, .expected = host_alloc(size * sizeof(float))};
	size_t bytes = size * sizeof(float);

	CHECK(cudaMalloc((void **)&layer.weight, bytes));
	CHECK(cudaMalloc((void **)&layer.gradient, bytes));
	CHECK(cudaMalloc((void **)&layer.activation, bytes));
	CHECK(cudaMalloc((void **)&layer.error, bytes));
	random_floats(layer.expected, size, seed);
	CHECK(cudaMemcpy(layer.weight, layer.expected, bytes, cudaMemcpyHostToDevice));
	return layer;
}

static void zero_gradient(struct layer *layer)
{
#if FIX_1
	(void)layer;
#else
	/* PLANT 1: dead_write, delete, 256K */
	CHECK(cudaMemset(layer->gradient, 0, layer->size * sizeof(float)));
#endif
}

static void backward(struct layer *layer, unsigned seed)
{
	int n = layer->size, blocks = (n + 255) / 256;

	random_floats(activations, n, seed);
	random_floats(errors, n, seed + 1);
	CHECK(cudaMemcpy(layer->activation, activations, n * sizeof(float),
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(layer->error, errors, n * sizeof(float), cudaMemcpyHostToDevice));
	LAUNCH(multiply, blocks, 256, layer->gradient, layer->activation, layer->error, n);
}

static void step(struct layer *layers, int count, unsigned seed)
{
	for (int l = 0; l < count; l++)
		zero_gradient(&layers[l]);
	for (int l = count - 1; l >= 0; l--) {
		struct layer *layer = &layers[l];

		backward(layer, seed + 10 * l);
		LAUNCH(sgd, (layer->size + 255) / 256, 256, layer->weight, layer->gradient, 0.125f,
		       layer->size);
		for (int i = 0; i < layer->size; i++)
			layer->expected[i] -= 0.125f * (activations[i] * errors[i]);
	}
}

/* The first two layers learn alone for a while. */
static void warm_up(struct layer *layers)
{
	step(layers, 2, 100);
}

int main(void)
{
	struct layer layers[LAYERS] = {layer_new(4096, 1), layer_new(6144, 2),
				       layer_new(LARGEST, 3)};

	warm_up(layers);
	for (unsigned i = 0; i < STEPS; i++)
		step(layers, LAYERS, 1000 * (i + 1));
	for (int l = 0; l < LAYERS; l++) {
		struct layer *layer = &layers[l];

		CHECK(cudaMemcpy(weights, layer->weight, layer->size * sizeof(float),
				 cudaMemcpyDeviceToHost));
		expect_floats(weights, layer->expected, layer->size, "weights");
		print_checksum("weights", weights, layer->size * sizeof(float));
		CHECK(cudaFree(layer->weight));
		CHECK(cudaFree(layer->gradient));
		CHECK(cudaFree(layer->activation));
		CHECK(cudaFree(layer->error));
		free(layer->expected);
	}
	return 0;
}
