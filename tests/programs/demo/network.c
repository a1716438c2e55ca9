/*
 * network.c: a network that tells which way stripes run: oriented line detectors, pooling, layers
 * in which the channels of an orientation vote for it and against the others.
 */
#include <math.h>

#include "tests/programs/demo/network.h"
#include "tests/programs/launch.h"

#define BATCH 2
#define FILTERS 8 /* two per orientation, of opposite sign */
#define SIZE 3

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fputs("demo: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

/* Small numbers in [-1, 1), the same in every run. */
static float noise(void)
{
	static unsigned state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 8) / 8388608.0f - 1;
}

/* Whether the tap lies on the line of the orientation: - | \ / */
static int on_line(int orientation, int row, int column)
{
	switch (orientation) {
	case 0:
		return row == 1;
	case 1:
		return column == 1;
	case 2:
		return row == column;
	default:
		return row + column == 2;
	}
}

static void line_detectors(float *weights)
{
	for (int filter = 0; filter < FILTERS; filter++)
		for (int row = 0; row < SIZE; row++)
			for (int column = 0; column < SIZE; column++)
				*weights++ = (filter % 2 ? -1 : 1) *
						     (on_line(filter / 2, row, column) ? 2 : -1) /
						     6.0f +
					     0.02f * noise();
}

/* Each result likes the inputs of its own orientation and dislikes the others. */
static void votes(float *weights, int results)
{
	for (int result = 0; result < results; result++)
		for (int channel = 0; channel < FILTERS; channel++)
			for (int tap = 0; tap < SIZE * SIZE; tap++)
				*weights++ = (result * CLASSES / results == channel / 2 ? 3 : -1) /
						     27.0f +
					     0.01f * noise();
}

struct network make_network(void)
{
	struct network net = {};
	struct layer *l = net.layers;
	float weights[FILTERS * FILTERS * SIZE * SIZE], biases[FILTERS];
	int side = IMAGE_SIDE;

	net.batch = BATCH;
	net.input_gpu = cuda_make_array(NULL, (size_t)BATCH * IMAGE_PIXELS);

	for (int i = 0; i < FILTERS; i++)
		biases[i] = 0.3f * noise();
	line_detectors(weights);
	l[0] = make_convolutional_layer(BATCH, 1, side, side, FILTERS, SIZE, weights, biases);
	side = l[0].out_height;
	l[1] = make_maxpool_layer(BATCH, FILTERS, side, side);
	side = l[1].out_height;
	votes(weights, FILTERS);
	l[2] = make_convolutional_layer(BATCH, FILTERS, side, side, FILTERS, SIZE, weights, biases);
	side = l[2].out_height;
	l[3] = make_maxpool_layer(BATCH, FILTERS, side, side);
	side = l[3].out_height;
	votes(weights, CLASSES);
	l[4] = make_convolutional_layer(BATCH, FILTERS, side, side, CLASSES, SIZE, weights, biases);
	net.layer_count = 5;

	size_t largest = 0;
	for (int i = 0; i < net.layer_count; i++) {
		size_t count = (size_t)l[i].channels * l[i].size * l[i].size * l[i].out_height *
			       l[i].out_width;

		if (count > largest)
			largest = count;
	}
	CHECK(cudaMalloc((void **)&net.workspace_gpu, largest * sizeof(float)));
	return net;
}

void network_predict_gpu(struct network *net, const float *images, float *scores)
{
	const float *x_gpu = net->input_gpu;

	CHECK(cudaMemcpy(net->input_gpu, images, net->batch * IMAGE_PIXELS * sizeof(float),
			 cudaMemcpyHostToDevice));
	for (int i = 0; i < net->layer_count; i++) {
		struct layer *l = &net->layers[i];

		if (l->type == CONVOLUTIONAL)
			x_gpu = forward_convolutional_layer_gpu(l, x_gpu, net->workspace_gpu);
		else
			x_gpu = forward_maxpool_layer_gpu(l, x_gpu);
	}
	CHECK(cudaMemcpy(scores, x_gpu, net->batch * CLASSES * sizeof(float),
			 cudaMemcpyDeviceToHost));
}

void free_network(struct network *net)
{
	for (int i = 0; i < net->layer_count; i++)
		free_layer(&net->layers[i]);
	CHECK(cudaFree(net->input_gpu));
	CHECK(cudaFree(net->workspace_gpu));
}

/* One image through one layer, straight from the definition. */
static void forward_reference(const struct layer *l, const float *in, float *out)
{
	for (int i = 0; i < l->outputs; i++) {
		int plane = i / (l->out_height * l->out_width);
		int y = i / l->out_width % l->out_height, x = i % l->out_width;

		if (l->type == MAXPOOL) {
			const float *corner = in + (plane * l->height + 2 * y) * l->width + 2 * x;

			out[i] = fmaxf(fmaxf(corner[0], corner[1]),
				       fmaxf(corner[l->width], corner[l->width + 1]));
			continue;
		}

		const float *weight = l->weights + plane * l->channels * l->size * l->size;
		float sum = 0;

		for (int channel = 0; channel < l->channels; channel++)
			for (int row = 0; row < l->size; row++)
				for (int column = 0; column < l->size; column++)
					sum += *weight++ *
					       in[(channel * l->height + y + row) * l->width + x +
						  column];
		sum += l->biases[plane];
		out[i] = sum > 0 ? sum : 0.1f * sum;
	}
}

void network_predict_reference(const struct network *net, const float *images, float *scores)
{
	for (int image = 0; image < net->batch; image++) {
		const float *in = images + image * IMAGE_PIXELS;
		float *old = NULL;

		for (int i = 0; i < net->layer_count; i++) {
			float *out = (float *)xcalloc(net->layers[i].outputs, sizeof(float));

			forward_reference(&net->layers[i], in, out);
			free(old);
			in = old = out;
		}
		for (int i = 0; i < CLASSES; i++)
			scores[image * CLASSES + i] = in[i];
		free(old);
	}
}
