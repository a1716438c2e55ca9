/*
 * No waste: a window over a signal moves on by a chunk.  As the old and the new place of its tail
 * overlap, it goes by way of a buffer: two copies on the device, both needed.
 */
#include "tests/advice/program.h"

enum { WINDOW = 16384, CHUNK = 4096, TAIL = WINDOW - CHUNK, CHUNKS = 6 };

struct window {
	float *data, *tail, *smooth; /* on the device */
};

static float window[WINDOW], result[WINDOW];

static struct window window_new(void)
{
	struct window w;

	CHECK(cudaMalloc((void **)&w.data, sizeof(window)));
	CHECK(cudaMalloc((void **)&w.tail, TAIL * sizeof(float)));
	CHECK(cudaMalloc((void **)&w.smooth, sizeof(result)));
	CHECK(cudaMemcpy(w.data, window, sizeof(window), cudaMemcpyHostToDevice));
	return w;
}

static void window_move(const struct window *w, const float *chunk)
{
	size_t tail = TAIL * sizeof(float);

	CHECK(cudaMemcpy(w->tail, w->data + CHUNK, tail, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(w->data, w->tail, tail, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(w->data + TAIL, chunk, CHUNK * sizeof(float), cudaMemcpyHostToDevice));
	memmove(window, window + CHUNK, tail);
	memcpy(window + TAIL, chunk, CHUNK * sizeof(float));
}

static void window_smooth(const struct window *w)
{
	LAUNCH(smooth, WINDOW / 256, 256, w->smooth, w->data, WINDOW);
	CHECK(cudaMemcpy(result, w->smooth, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 1; i < WINDOW - 1; i++) {
		float sum = window[i - 1] + window[i] + window[i + 1];

		expect(fabsf(result[i] - sum / 3) < 1e-4f, "smooth");
	}
	print_checksum("smooth", result, sizeof(result));
}

static void window_free(const struct window *w)
{
	CHECK(cudaFree(w->data));
	CHECK(cudaFree(w->tail));
	CHECK(cudaFree(w->smooth));
}

int main(void)
{
	static float chunk[CHUNK];
	struct window w;

	random_floats(window, WINDOW, 1);
	w = window_new();
	window_smooth(&w);
	for (unsigned i = 0; i < CHUNKS; i++) {
		random_floats(chunk, CHUNK, 10 + i);
		window_move(&w, chunk);
		window_smooth(&w);
	}
	window_free(&w);
	return 0;
}
