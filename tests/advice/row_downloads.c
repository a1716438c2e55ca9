/*
 * The middle of an image is downloaded row by row; its margin is copied in two dimensions.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { WIDTH = 256, HEIGHT = 64, SHOWN = 192, MARGIN = WIDTH - SHOWN, PIXELS = WIDTH * HEIGHT };

static float image[PIXELS], shown[SHOWN * HEIGHT], margin[MARGIN * HEIGHT];

int main(void)
{
	const size_t pitch = WIDTH * sizeof(float), row = SHOWN * sizeof(float);
	float *in, *out;

	random_floats(image, PIXELS, 1);
	CHECK(cudaMalloc((void **)&in, sizeof(image)));
	CHECK(cudaMalloc((void **)&out, sizeof(image)));
	CHECK(cudaMemcpy(in, image, sizeof(image), cudaMemcpyHostToDevice));
	LAUNCH(scale, PIXELS / 256, 256, out, in, 0.5f, PIXELS);
#if FIX_1
	CHECK(cudaMemcpy2D(shown, row, out, pitch, row, HEIGHT, cudaMemcpyDeviceToHost));
#else
	for (size_t y = 0; y < HEIGHT; y++)
		/* PLANT 1: many_small_copies, copy_2d */
		CHECK(cudaMemcpy(shown + y * SHOWN, out + y * WIDTH, row, cudaMemcpyDeviceToHost));
#endif
	CHECK(cudaMemcpy2D(margin, pitch - row, out + SHOWN, pitch, pitch - row, HEIGHT,
			   cudaMemcpyDeviceToHost));
	for (int i = 0; i < PIXELS; i++) {
		const int x = i % WIDTH, y = i / WIDTH;

		expect((x < SHOWN ? shown[y * SHOWN + x] : margin[y * MARGIN + x - SHOWN]) ==
			       image[i] * 0.5f,
		       "the scaled image");
	}
	print_checksum("shown", shown, sizeof(shown));
	print_checksum("margin", margin, sizeof(margin));
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	return 0;
}
