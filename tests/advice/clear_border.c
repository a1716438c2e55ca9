/*
 * Blurs images that lie in a padded buffer.  The whole buffer is cleared for each image, but only
 * its border must be zero, and nobody ever writes there.
 */
#include "tests/advice/program.h"

enum { WIDTH = 128, HEIGHT = 96, PIXELS = WIDTH * HEIGHT, IMAGES = 4 };
enum { PADDED_WIDTH = WIDTH + 2, PADDED_PIXELS = PADDED_WIDTH * (HEIGHT + 2) };

struct blur {
	float *image, *padded, *result; /* on the device */
};

static float image[PIXELS], result[PIXELS];

static float pixel(int row, int column)
{
	if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH)
		return 0;
	return image[row * WIDTH + column];
}

static void check_blurred(void)
{
	static float expected[PIXELS];

	for (int i = 0; i < PIXELS; i++) {
		float sum = 0;

		for (int row = -1; row <= 1; row++)
			for (int column = -1; column <= 1; column++)
				sum += pixel(i / WIDTH + row, i % WIDTH + column);
		expected[i] = sum / 9;
	}
	expect_floats(result, expected, PIXELS, "blurred");
}

static struct blur blur_new(void)
{
	struct blur blur;

	CHECK(cudaMalloc((void **)&blur.image, PIXELS * sizeof(float)));
	CHECK(cudaMalloc((void **)&blur.padded, PADDED_PIXELS * sizeof(float)));
	CHECK(cudaMalloc((void **)&blur.result, PIXELS * sizeof(float)));
#if FIX_1
	size_t row = PADDED_WIDTH * sizeof(float);

	/* the first row, the last one, and the ends of rows with the beginnings of the next */
	CHECK(cudaMemset(blur.padded, 0, row));
	CHECK(cudaMemset(blur.padded + PADDED_PIXELS - PADDED_WIDTH, 0, row));
	CHECK(cudaMemset(blur.padded + PADDED_WIDTH, 0, sizeof(float)));
	CHECK(cudaMemset2D(blur.padded + 2 * PADDED_WIDTH - 1, row, 0, 2 * sizeof(float),
			   HEIGHT - 1));
	CHECK(cudaMemset(blur.padded + PADDED_PIXELS - PADDED_WIDTH - 1, 0, sizeof(float)));
#endif
	return blur;
}

static void blur_run(const struct blur *blur)
{
	CHECK(cudaMemcpy(blur->image, image, sizeof(image), cudaMemcpyHostToDevice));
#if !FIX_1
	/* PLANT 1: dead_write, set_range, 192K */
	CHECK(cudaMemset(blur->padded, 0, PADDED_PIXELS * sizeof(float)));
#endif
	LAUNCH(embed, PIXELS / 256, 256, blur->padded, blur->image, WIDTH, HEIGHT);
	LAUNCH(blur_padded, PIXELS / 256, 256, blur->result, blur->padded, WIDTH, HEIGHT);
	CHECK(cudaMemcpy(result, blur->result, sizeof(result), cudaMemcpyDeviceToHost));
}

static void blur_free(const struct blur *blur)
{
	CHECK(cudaFree(blur->image));
	CHECK(cudaFree(blur->padded));
	CHECK(cudaFree(blur->result));
}

int main(void)
{
	struct blur blur = blur_new();

	for (unsigned i = 0; i < IMAGES; i++) {
		random_floats(image, PIXELS, i);
		blur_run(&blur);
		check_blurred();
		print_checksum("blurred", result, sizeof(result));
	}
	blur_free(&blur);
	return 0;
}
