/*
 * No waste: buffers of one size, allocated in a loop and freed in a loop, all of which are there at
 * the same time.
 */
#include "tests/advice/program.h"

enum { N = 16384, LAYERS = 4, INPUTS = 2 };

static float weights[N], data[N], expected[N];

static void network_new(float **layers, int count)
{
	for (int l = 0; l < count; l++) {
		CHECK(cudaMalloc((void **)&layers[l], sizeof(weights)));
		random_floats(weights, N, (unsigned)l);
		CHECK(cudaMemcpy(layers[l], weights, sizeof(weights), cudaMemcpyHostToDevice));
	}
}

static void network_run(float *const *layers, int count, float *in, float *out)
{
	CHECK(cudaMemcpy(in, data, sizeof(data), cudaMemcpyHostToDevice));
	for (int l = 0; l < count; l++) {
		float *other = in;

		LAUNCH(multiply, N / 256, 256, out, in, layers[l], N);
		in = out;
		out = other;
	}
	CHECK(cudaMemcpy(data, in, sizeof(data), cudaMemcpyDeviceToHost));
}

static void run_on_host(int count)
{
	memcpy(expected, data, sizeof(data));
	for (int l = 0; l < count; l++) {
		random_floats(weights, N, (unsigned)l);
		for (int i = 0; i < N; i++)
			expected[i] *= weights[i];
	}
}

static void network_free(float *const *layers, int count)
{
	for (int l = 0; l < count; l++)
		CHECK(cudaFree(layers[l]));
}

int main(void)
{
	float *layers[LAYERS], *in, *out;

	network_new(layers, LAYERS);
	CHECK(cudaMalloc((void **)&in, sizeof(data)));
	CHECK(cudaMalloc((void **)&out, sizeof(data)));
	for (unsigned i = 0; i < INPUTS; i++) {
		random_floats(data, N, 100 + i);
		run_on_host(LAYERS);
		network_run(layers, LAYERS, in, out);
		expect_floats(data, expected, N, "the output");
		print_checksum("output", data, sizeof(data));
	}
	network_free(layers, LAYERS);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	return 0;
}
