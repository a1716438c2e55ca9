/*
 * Frames are sent as they come from the camera, then scaled by the host and sent again to the same
 * place before the device looks at them.
 */
#include "tests/advice/program.h"

enum { PIXELS = 16384, FRAMES = 4 };

struct detector {
	float *frame, *edges; /* on the device */
};

static float frame[PIXELS], edges[PIXELS];

static void grab(const struct detector *detector, unsigned number)
{
	random_floats(frame, PIXELS, number);
#if FIX_1
	(void)detector;
#else
	/* PLANT 1: dead_write, delete, 256K */
	CHECK(cudaMemcpy(detector->frame, frame, sizeof(frame), cudaMemcpyHostToDevice));
#endif
}

static void normalize(const struct detector *detector)
{
	float largest = 0;

	for (int i = 0; i < PIXELS; i++)
		largest = fmaxf(largest, frame[i]);
	for (int i = 0; i < PIXELS; i++)
		frame[i] = frame[i] / (2 * largest);
	CHECK(cudaMemcpy(detector->frame, frame, sizeof(frame), cudaMemcpyHostToDevice));
}

static void detect(const struct detector *detector)
{
	LAUNCH(smooth, PIXELS / 256, 256, detector->edges, detector->frame, PIXELS);
	CHECK(cudaMemcpy(edges, detector->edges, sizeof(edges), cudaMemcpyDeviceToHost));
}

static void check_edges(void)
{
	for (int i = 0; i < PIXELS; i++) {
		float left = frame[i > 0 ? i - 1 : i], right = frame[i < PIXELS - 1 ? i + 1 : i];

		expect(fabsf(edges[i] - (left + frame[i] + right) / 3) < 1e-4f, "edges");
	}
	print_checksum("edges", edges, sizeof(edges));
}

int main(void)
{
	struct detector detector;

	CHECK(cudaMalloc((void **)&detector.frame, sizeof(frame)));
	CHECK(cudaMalloc((void **)&detector.edges, sizeof(edges)));
	for (unsigned number = 0; number < FRAMES; number++) {
		grab(&detector, number);
		normalize(&detector);
		detect(&detector);
		check_edges();
	}
	CHECK(cudaFree(detector.frame));
	CHECK(cudaFree(detector.edges));
	return 0;
}
