/*
 * Pixels of four bytes, whose channels are stored one by one, by two kernels: colours, which are
 * read, and alpha, which nobody reads.
 */
#include "tests/advice/values.h"

enum { PIXELS = 65536 };

struct pixel {
	uint8_t red, green, blue, alpha;
};

static uint8_t shade[PIXELS], luma[PIXELS];

static __global__ void colour(struct pixel *image, const uint8_t *shade, int n)
{
	int i = INDEX;

	if (i >= n)
		return;
	image[i].red = shade[i] + 3;
	image[i].green = shade[i] + 50;
	image[i].blue = shade[i] + 7;
}

#if !FIX_1
static __global__ void set_alpha(struct pixel *image, const uint8_t *shade, int n)
{
	int i = INDEX;

	if (i < n)
		image[i].alpha = shade[i] > 9 ? 255 : shade[i] + 1;
}
#endif

static __global__ void weigh(uint8_t *luma, const struct pixel *image, int n)
{
	int i = INDEX;

	if (i < n)
		luma[i] = (image[i].red + 2 * image[i].green + image[i].blue) / 4;
}

int main()
{
	unsigned state = 35;
	struct pixel *image = device_array<struct pixel>(PIXELS);
	uint8_t *device_luma = device_array<uint8_t>(PIXELS), *device_shade;

	for (int i = 0; i < PIXELS; i++) {
		shade[i] = (uint8_t)(random_number(&state) % 200);
		luma[i] = (uint8_t)((4 * shade[i] + 3 + 2 * 50 + 7) / 4);
	}
	device_shade = upload(shade, PIXELS);
	colour<<<BLOCKS(PIXELS)>>>(image, device_shade, PIXELS);
#if !FIX_1
	/* PLANT 1: never_read, delete, 64K, with this input, by hand */
	set_alpha<<<BLOCKS(PIXELS)>>>(image, device_shade, PIXELS);
#endif
	weigh<<<BLOCKS(PIXELS)>>>(device_luma, image, PIXELS);
	check_exactly("luma", device_luma, luma, PIXELS);
	return 0;
}
