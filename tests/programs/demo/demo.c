/*
 * demo.c: looks at four images of stripes, two at a time, and says which way the stripes run.
 * Ends with 1 when the GPU's scores are not those of the CPU or a guess is wrong.
 */
#include <math.h>

#include "tests/programs/demo/network.h"
#include "tests/programs/launch.h"

static const char *const class_names[CLASSES] = {"horizontal", "vertical", "falling", "rising"};

/* Stripes in the direction of the class, four pixels apart, over a grainy background. */
static void make_image(int direction, float *pixels)
{
	static unsigned grain = 7;

	for (int y = 0; y < IMAGE_SIDE; y++)
		for (int x = 0; x < IMAGE_SIDE; x++) {
			int across = direction == 0   ? y
				     : direction == 1 ? x
				     : direction == 2 ? x - y
						      : x + y;

			grain = grain * 1664525 + 1013904223;
			*pixels++ = sinf(1.5707963f * across + 0.4f * direction) +
				    (grain >> 8) / 33554432.0f - 0.25f;
		}
}

int main(void)
{
	struct network net = make_network();
	float *images = (float *)xcalloc((size_t)net.batch * IMAGE_PIXELS, sizeof(float));
	float *scores = (float *)xcalloc((size_t)net.batch * CLASSES, sizeof(float));
	float *expected = (float *)xcalloc((size_t)net.batch * CLASSES, sizeof(float));
	int wrong = 0;

	for (int first = 0; first < CLASSES; first += net.batch) {
		for (int i = 0; i < net.batch; i++)
			make_image(first + i, images + i * IMAGE_PIXELS);
		network_predict_gpu(&net, images, scores);
		network_predict_reference(&net, images, expected);
		for (int i = 0; i < net.batch; i++) {
			int best = 0;

			printf("image %d:", first + i);
			for (int c = 0; c < CLASSES; c++) {
				float score = scores[i * CLASSES + c];
				float difference = fabsf(score - expected[i * CLASSES + c]);

				printf("  %s %.3f", class_names[c], score);
				if (!(difference <= 1e-4f * (1 + fabsf(score))))
					wrong = 1;
				if (score > scores[i * CLASSES + best])
					best = c;
			}
			printf("  -> %s\n", class_names[best]);
			if (best != first + i)
				wrong = 1;
		}
	}
	puts(wrong ? "WRONG: not what the CPU computes" : "right: the CPU computes the same");
	free(images);
	free(scores);
	free(expected);
	free_network(&net);
	return wrong;
}
