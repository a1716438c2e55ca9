/*
 * No waste: images in rows of a pitch, copied in two dimensions.  The ends of rows are allocated,
 * but nobody touches them.
 */
#include "tests/advice/program.h"

enum { WIDTH = 100, HEIGHT = 96, PIXELS = WIDTH * HEIGHT, IMAGES = 4 };

struct images {
	float *in, *out; /* on the device: rows of a pitch, and rows without */
	size_t pitch;
};

static float image[PIXELS], scaled[PIXELS];

static struct images images_new(void)
{
	struct images images;

	CHECK(cudaMallocPitch((void **)&images.in, &images.pitch, WIDTH * sizeof(float), HEIGHT));
	CHECK(cudaMalloc((void **)&images.out, sizeof(scaled)));
	return images;
}

static void scale_image(const struct images *images, float by)
{
	size_t row = WIDTH * sizeof(float);

	CHECK(cudaMemcpy2D(images->in, images->pitch, image, row, row, HEIGHT,
			   cudaMemcpyHostToDevice));
	LAUNCH(scale_rows, (PIXELS + 255) / 256, 256, images->out, images->in, images->pitch, WIDTH,
	       HEIGHT, by);
	CHECK(cudaMemcpy(scaled, images->out, sizeof(scaled), cudaMemcpyDeviceToHost));
}

static void images_free(const struct images *images)
{
	CHECK(cudaFree(images->in));
	CHECK(cudaFree(images->out));
}

int main(void)
{
	struct images images = images_new();

	for (unsigned i = 0; i < IMAGES; i++) {
		float by = 0.5f * (float)(i + 1);

		random_floats(image, PIXELS, i);
		scale_image(&images, by);
		for (int k = 0; k < PIXELS; k++)
			expect(scaled[k] == image[k] * by, "the scaled image");
		print_checksum("scaled", scaled, sizeof(scaled));
	}
	images_free(&images);
	return 0;
}
