/*
 * A window that depends on nothing but its size is computed again for every block of samples.
 */
#include "tests/advice/program.h"

enum { N = 16384, BLOCKS = 6 };

struct analyzer {
	float *samples, *window, *windowed; /* on the device */
};

static float samples[N], windowed[N];

static struct analyzer analyzer_new(void)
{
	struct analyzer a;

	CHECK(cudaMalloc((void **)&a.samples, sizeof(samples)));
	CHECK(cudaMalloc((void **)&a.window, sizeof(samples)));
	CHECK(cudaMalloc((void **)&a.windowed, sizeof(windowed)));
	return a;
}

static void analyze(const struct analyzer *a, unsigned block)
{
	CHECK(cudaMemcpy(a->samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
	if (!FIX_1 || block == 0) {
		/* PLANT 1: redundant_values, launch_once, 320K, with this input */
		LAUNCH(welch, N / 256, 256, a->window, N);
	}
	LAUNCH(multiply, N / 256, 256, a->windowed, a->samples, a->window, N);
	CHECK(cudaMemcpy(windowed, a->windowed, sizeof(windowed), cudaMemcpyDeviceToHost));
}

static void analyzer_free(const struct analyzer *a)
{
	CHECK(cudaFree(a->samples));
	CHECK(cudaFree(a->window));
	CHECK(cudaFree(a->windowed));
}

static void check_windowed(void)
{
	for (int i = 0; i < N; i++) {
		float t = ((float)i - 0.5f * (N - 1)) / (0.5f * (N + 1));

		expect(fabsf(windowed[i] - samples[i] * (1 - t * t)) < 1e-4f, "windowed");
	}
	print_checksum("windowed", windowed, sizeof(windowed));
}

int main(void)
{
	struct analyzer analyzer = analyzer_new();

	for (unsigned block = 0; block < BLOCKS; block++) {
		random_floats(samples, N, block);
		analyze(&analyzer, block);
		check_windowed();
	}
	analyzer_free(&analyzer);
	return 0;
}
