/*
 * No waste: a kernel stores its results in mapped memory of the host, over those of the step
 * before.  The host reads all of them, which no call shows, and writes the input there too.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

struct window {
	float *in, *out;               /* as the host sees them */
	float *device_in, *device_out; /* and the device */
};

static struct window window_new(void)
{
	struct window w;
	size_t bytes = N * sizeof(float);

	CHECK(cudaHostAlloc((void **)&w.in, bytes, cudaHostAllocMapped));
	CHECK(cudaHostAlloc((void **)&w.out, bytes, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&w.device_in, w.in, 0));
	CHECK(cudaHostGetDevicePointer((void **)&w.device_out, w.out, 0));
	return w;
}

static void step(const struct window *w, unsigned number)
{
	float by = 0.75f * (float)(number + 1);

	random_floats(w->in, N, number);
	LAUNCH(scale, N / 256, 256, w->device_out, w->device_in, by, N);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		expect(w->out[i] == w->in[i] * by, "the results");
	print_checksum("results", w->out, N * sizeof(float));
}

static void window_free(const struct window *w)
{
	CHECK(cudaFreeHost(w->in));
	CHECK(cudaFreeHost(w->out));
}

int main(void)
{
	struct window window = window_new();

	for (unsigned i = 0; i < STEPS; i++)
		step(&window, i);
	window_free(&window);
	return 0;
}
