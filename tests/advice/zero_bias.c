/*
 * A layer without bias is computed by the kernel for layers with one; its zeros are written again
 * for every input.
 */
#include "tests/advice/program.h"

enum { N = 16384, BIAS = 8192, INPUTS = 6 };

struct layer {
	float *in, *out, *bias; /* on the device */
};

static float input[N], output[N];

static struct layer layer_new(void)
{
	struct layer layer;

	CHECK(cudaMalloc((void **)&layer.in, sizeof(input)));
	CHECK(cudaMalloc((void **)&layer.out, sizeof(output)));
	CHECK(cudaMalloc((void **)&layer.bias, BIAS * sizeof(float)));
#if FIX_1
	CHECK(cudaMemset(layer.bias, 0, BIAS * sizeof(float)));
#endif
	return layer;
}

static void layer_forward(const struct layer *layer)
{
	CHECK(cudaMemcpy(layer->in, input, sizeof(input), cudaMemcpyHostToDevice));
#if !FIX_1
	/* PLANT 1: redundant_values, set_once, 160K */
	CHECK(cudaMemset(layer->bias, 0, BIAS * sizeof(float)));
#endif
	LAUNCH(add_bias, N / 256, 256, layer->out, layer->in, 0.5f, layer->bias, BIAS, N);
	CHECK(cudaMemcpy(output, layer->out, sizeof(output), cudaMemcpyDeviceToHost));
}

static void layer_free(const struct layer *layer)
{
	CHECK(cudaFree(layer->in));
	CHECK(cudaFree(layer->out));
	CHECK(cudaFree(layer->bias));
}

int main(void)
{
	struct layer layer = layer_new();

	for (unsigned i = 0; i < INPUTS; i++) {
		random_floats(input, N, i);
		layer_forward(&layer);
		for (int k = 0; k < N; k++)
			expect(output[k] == input[k] * 0.5f, "nothing is added");
		print_checksum("output", output, sizeof(output));
	}
	layer_free(&layer);
	return 0;
}
