/*
 * Two layers learn; the gradients of the second one are zero with this input, so that its weights
 * stay what they are.  With another input they would not.
 */
#include "tests/advice/program.h"

enum { N = 16384, SMALL = 12288, STEPS = 3 };

struct layer {
	int size;
	float *weight, *gradient; /* on the device */
	float *expected;
};

static float gradient[N], weight[N];

static struct layer layer_new(int size, unsigned seed)
{
	struct layer layer = {.size = size, .expected = host_alloc(size * sizeof(float))};

	CHECK(cudaMalloc((void **)&layer.weight, size * sizeof(float)));
	CHECK(cudaMalloc((void **)&layer.gradient, size * sizeof(float)));
	random_floats(layer.expected, size, seed);
	CHECK(cudaMemcpy(layer.weight, layer.expected, size * sizeof(float),
			 cudaMemcpyHostToDevice));
	return layer;
}

static void learn(struct layer *layer)
{
	CHECK(cudaMemcpy(layer->gradient, gradient, layer->size * sizeof(float),
			 cudaMemcpyHostToDevice));
	LAUNCH(sgd, (layer->size + 255) / 256, 256, layer->weight, layer->gradient, 0.5f,
	       layer->size);
	for (int i = 0; i < layer->size; i++)
		layer->expected[i] -= 0.5f * gradient[i];
}

/* The gradient of the second layer: a product with what is zero here. */
static void learn_frozen(struct layer *layer, unsigned seed, float error)
{
	random_floats(gradient, layer->size, seed);
	CHECK(cudaMemcpy(layer->gradient, gradient, layer->size * sizeof(float),
			 cudaMemcpyHostToDevice));
	/* NOTE 1: redundant_values */
	LAUNCH(sgd, (layer->size + 255) / 256, 256, layer->weight, layer->gradient, 0.5f * error,
	       layer->size);
	for (int i = 0; i < layer->size; i++)
		layer->expected[i] -= 0.5f * error * gradient[i];
}

static void layer_finish(const struct layer *layer)
{
	CHECK(cudaMemcpy(weight, layer->weight, layer->size * sizeof(float),
			 cudaMemcpyDeviceToHost));
	expect_floats(weight, layer->expected, layer->size, "weights");
	print_checksum("weights", weight, layer->size * sizeof(float));
	CHECK(cudaFree(layer->weight));
	CHECK(cudaFree(layer->gradient));
	free(layer->expected);
}

int main(int argc, char **argv)
{
	struct layer first = layer_new(N, 1), second = layer_new(SMALL, 2);
	float error = argc > 1 ? strtof(argv[1], NULL) : 0;

	for (unsigned step = 0; step < STEPS; step++) {
		random_floats(gradient, N, 10 + step);
		learn(&first);
		learn_frozen(&second, 20 + step, error);
	}
	layer_finish(&first);
	layer_finish(&second);
	return 0;
}
