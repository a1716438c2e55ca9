/*
 * Frames are cleared before they are sent, and a preview is computed that a drawn one replaces.
 * Half of the launches are looked at: that of the preview is wasted in all of these, of the others
 * nobody knows.
 *
 * COLLECT: --sample-kernels 2
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 10 };

struct viewer {
	float *frame, *preview, *result; /* on the device */
};

static float frame[N], drawn[N], result[N], expected[N];

static struct viewer viewer_new(void)
{
	struct viewer v;

	CHECK(cudaMalloc((void **)&v.frame, sizeof(frame)));
	CHECK(cudaMalloc((void **)&v.preview, sizeof(drawn)));
	CHECK(cudaMalloc((void **)&v.result, sizeof(result)));
	return v;
}

static void send_frame(const struct viewer *v)
{
#if !FIX_1
	/* PLANT 1: dead_write, delete, 640K */
	CHECK(cudaMemset(v->frame, 0, sizeof(frame)));
#endif
	CHECK(cudaMemcpy(v->frame, frame, sizeof(frame), cudaMemcpyHostToDevice));
}

static void show(const struct viewer *v)
{
#if !FIX_2
	/* PLANT 2: dead_write, collect_all, 320K */
	LAUNCH(scale, N / 256, 256, v->preview, v->frame, 0.5f, N);
#endif
	CHECK(cudaMemcpy(v->preview, drawn, sizeof(drawn), cudaMemcpyHostToDevice));
	LAUNCH(multiply, N / 256, 256, v->result, v->preview, v->frame, N);
	CHECK(cudaMemcpy(result, v->result, sizeof(result), cudaMemcpyDeviceToHost));
}

int main(void)
{
	struct viewer viewer = viewer_new();

	for (unsigned round = 0; round < ROUNDS; round++) {
		random_floats(frame, N, 2 * round);
		random_floats(drawn, N, 2 * round + 1);
		send_frame(&viewer);
		show(&viewer);
		for (int i = 0; i < N; i++)
			expected[i] = drawn[i] * frame[i];
		expect_floats(result, expected, N, "the product");
		print_checksum("product", result, sizeof(result));
	}
	CHECK(cudaFree(viewer.frame));
	CHECK(cudaFree(viewer.preview));
	CHECK(cudaFree(viewer.result));
	return 0;
}
