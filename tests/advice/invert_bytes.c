/*
 * No waste: images of bytes are inverted in place and weigh a sum; 255 - x is never x.
 */
#include "tests/advice/program.h"

enum { PIXELS = 32768, IMAGES = 4 };

struct exposure {
	unsigned char *image; /* on the device */
	float *light, *total;
};

static unsigned char image[PIXELS], inverted[PIXELS];
static float light[PIXELS], total[PIXELS], expected[PIXELS];

static struct exposure exposure_new(void)
{
	struct exposure e;

	CHECK(cudaMalloc((void **)&e.image, sizeof(image)));
	CHECK(cudaMalloc((void **)&e.light, sizeof(light)));
	CHECK(cudaMalloc((void **)&e.total, sizeof(total)));
	CHECK(cudaMemcpy(e.light, light, sizeof(light), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(e.total, total, sizeof(total), cudaMemcpyHostToDevice));
	return e;
}

static void draw_image(unsigned seed)
{
	unsigned state = seed;

	for (int i = 0; i < PIXELS; i++)
		image[i] = (unsigned char)random_number(&state);
}

static void expose(const struct exposure *e, float time)
{
	CHECK(cudaMemcpy(e->image, image, sizeof(image), cudaMemcpyHostToDevice));
	LAUNCH(invert_bytes, PIXELS / 256, 256, e->image, PIXELS);
	LAUNCH(masked_add, PIXELS / 256, 256, e->total, e->light, e->image, time, PIXELS);
	CHECK(cudaMemcpy(inverted, e->image, sizeof(inverted), cudaMemcpyDeviceToHost));
	for (int i = 0; i < PIXELS; i++) {
		expect(inverted[i] == 255 - image[i], "inverted");
		expected[i] += light[i] * inverted[i] * time;
	}
	print_checksum("inverted", inverted, sizeof(inverted));
}

int main(void)
{
	struct exposure exposure;

	random_floats(light, PIXELS, 1);
	random_floats(total, PIXELS, 2);
	memcpy(expected, total, sizeof(total));
	exposure = exposure_new();
	for (unsigned i = 0; i < IMAGES; i++) {
		draw_image(i);
		expose(&exposure, 0.25f);
	}
	CHECK(cudaMemcpy(total, exposure.total, sizeof(total), cudaMemcpyDeviceToHost));
	expect_floats(total, expected, PIXELS, "the total");
	print_checksum("total", total, sizeof(total));
	CHECK(cudaFree(exposure.image));
	CHECK(cudaFree(exposure.light));
	CHECK(cudaFree(exposure.total));
	return 0;
}
