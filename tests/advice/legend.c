/*
 * Plots of which the lower quarter is covered by a legend.  The host sends all of the plot, and the
 * legend is drawn over what nobody has looked at.
 */
#include "tests/advice/program.h"

enum { WIDTH = 128, HEIGHT = 128, PIXELS = WIDTH * HEIGHT, LEGEND = PIXELS * 3 / 4, PLOTS = 4 };

struct plotter {
	float *plot, *image; /* on the device */
};

static float plot[PIXELS], image[PIXELS];

static void draw(const struct plotter *plotter, float shade)
{
	size_t bytes = (FIX_1 ? LEGEND : PIXELS) * sizeof(float);

	/* PLANT 1: dead_write, copy_range, 64K */
	CHECK(cudaMemcpy(plotter->plot, plot, bytes, cudaMemcpyHostToDevice));
	LAUNCH(draw_legend, (PIXELS - LEGEND) / 256, 256, plotter->plot, LEGEND, shade, PIXELS);
	LAUNCH(smooth, PIXELS / 256, 256, plotter->image, plotter->plot, PIXELS);
	CHECK(cudaMemcpy(image, plotter->image, sizeof(image), cudaMemcpyDeviceToHost));
}

static void check_image(float shade)
{
	static float expected[PIXELS];

	for (int i = LEGEND; i < PIXELS; i++)
		plot[i] = shade + (float)i;
	for (int i = 0; i < PIXELS; i++) {
		float left = plot[i > 0 ? i - 1 : i], right = plot[i < PIXELS - 1 ? i + 1 : i];

		expected[i] = (left + plot[i] + right) / 3;
	}
	expect_floats(image, expected, PIXELS, "the image");
	print_checksum("image", image, sizeof(image));
}

int main(void)
{
	struct plotter plotter;

	CHECK(cudaMalloc((void **)&plotter.plot, sizeof(plot)));
	CHECK(cudaMalloc((void **)&plotter.image, sizeof(image)));
	for (unsigned i = 0; i < PLOTS; i++) {
		random_floats(plot, PIXELS, i);
		draw(&plotter, (float)i + 0.5f);
		check_image((float)i + 0.5f);
	}
	CHECK(cudaFree(plotter.plot));
	CHECK(cudaFree(plotter.image));
	return 0;
}
