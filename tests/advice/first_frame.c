/*
 * Compares the frames of a film with its first one.  The first one is on the device already when
 * the loop begins, and is sent once more.
 */
#include "tests/advice/program.h"

enum { PIXELS = 16384, FRAMES = 4 };

struct comparison {
	float *frame, *background, *change; /* on the device */
};

static float film[FRAMES][PIXELS], background[PIXELS], change[PIXELS];

/* The background is the first frame, smoothed. */
static void comparison_begin(struct comparison *c)
{
	CHECK(cudaMalloc((void **)&c->frame, sizeof(change)));
	CHECK(cudaMalloc((void **)&c->background, sizeof(change)));
	CHECK(cudaMalloc((void **)&c->change, sizeof(change)));
	CHECK(cudaMemcpy(c->frame, film[0], sizeof(film[0]), cudaMemcpyHostToDevice));
	LAUNCH(smooth, PIXELS / 256, 256, c->background, c->frame, PIXELS);
	CHECK(cudaMemcpy(background, c->background, sizeof(background), cudaMemcpyDeviceToHost));
}

static void compare(const struct comparison *c, int frame)
{
	if (!FIX_1 || frame > 0) {
		/* PLANT 1: duplicate_transfer, delete_first, 64K */
		CHECK(cudaMemcpy(c->frame, film[frame], sizeof(film[frame]),
				 cudaMemcpyHostToDevice));
	}
	LAUNCH(difference, PIXELS / 256, 256, c->change, c->frame, c->background, PIXELS);
	CHECK(cudaMemcpy(change, c->change, sizeof(change), cudaMemcpyDeviceToHost));
}

static void comparison_end(const struct comparison *c)
{
	CHECK(cudaFree(c->frame));
	CHECK(cudaFree(c->background));
	CHECK(cudaFree(c->change));
}

int main(void)
{
	struct comparison comparison;

	for (unsigned frame = 0; frame < FRAMES; frame++)
		random_floats(film[frame], PIXELS, frame);
	comparison_begin(&comparison);
	for (int i = 1; i < PIXELS - 1; i++)
		expect(fabsf(3 * background[i] - film[0][i - 1] - film[0][i] - film[0][i + 1]) <
			       1e-4f,
		       "the background");
	for (int frame = 0; frame < FRAMES; frame++) {
		compare(&comparison, frame);
		for (int i = 0; i < PIXELS; i++)
			expect(change[i] == film[frame][i] - background[i], "the change");
		print_checksum("change", change, sizeof(change));
	}
	comparison_end(&comparison);
	return 0;
}
