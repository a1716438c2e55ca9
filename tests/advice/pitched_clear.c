/*
 * Images in rows of a pitch.  Each is cleared with the ends of its rows, which nobody reads, before
 * all its pixels are copied over the zeros.
 */
#include "tests/advice/program.h"

enum { WIDTH = 100, HEIGHT = 96, PIXELS = WIDTH * HEIGHT, IMAGES = 4 };

struct image {
	float *pixels; /* on the device */
	size_t pitch;
};

static float image[PIXELS], scaled[PIXELS];

static struct image image_new(void)
{
	struct image new;

	CHECK(cudaMallocPitch((void **)&new.pixels, &new.pitch, WIDTH * sizeof(float), HEIGHT));
	return new;
}

static void image_upload(const struct image *to, const float *from)
{
	size_t row = WIDTH * sizeof(float);

#if !FIX_1
	CHECK(cudaMemset(to->pixels, 0, to->pitch * HEIGHT)); /* PLANT 1: dead_write, delete */
#endif
	CHECK(cudaMemcpy2D(to->pixels, to->pitch, from, row, row, HEIGHT, cudaMemcpyHostToDevice));
}

static void image_scale(const struct image *from, float *to, float by)
{
	LAUNCH(scale_rows, (PIXELS + 255) / 256, 256, to, from->pixels, from->pitch, WIDTH, HEIGHT,
	       by);
	CHECK(cudaMemcpy(scaled, to, sizeof(scaled), cudaMemcpyDeviceToHost));
}

int main(void)
{
	struct image on_device = image_new();
	float *result;

	CHECK(cudaMalloc((void **)&result, sizeof(scaled)));
	for (unsigned i = 0; i < IMAGES; i++) {
		float by = 0.5f * (float)(i + 1);

		random_floats(image, PIXELS, i);
		image_upload(&on_device, image);
		image_scale(&on_device, result, by);
		for (int k = 0; k < PIXELS; k++)
			expect(scaled[k] == image[k] * by, "the scaled image");
		print_checksum("scaled", scaled, sizeof(scaled));
	}
	CHECK(cudaFree(on_device.pixels));
	CHECK(cudaFree(result));
	return 0;
}
