/*
 * layers.c: the layers.  Two inefficiencies of Darknet that ValueExpert found (its section 1.1)
 * are in here; -DCORRECTED builds the program without them.
 */
#include "tests/programs/demo/network.h"
#include "tests/programs/launch.h"

struct layer make_convolutional_layer(int batch, int channels, int height, int width, int filters,
				      int size, const float *weights, const float *biases)
{
	struct layer l = {};
	size_t weight_count = (size_t)filters * channels * size * size;

	l.type = CONVOLUTIONAL;
	l.batch = batch;
	l.channels = channels;
	l.height = height;
	l.width = width;
	l.inputs = channels * height * width;
	l.filters = filters;
	l.size = size;
	l.out_height = height - size + 1;
	l.out_width = width - size + 1;
	l.outputs = filters * l.out_height * l.out_width;
	l.weights = (float *)xcalloc(weight_count, sizeof(float));
	l.biases = (float *)xcalloc(filters, sizeof(float));
	l.output = (float *)xcalloc((size_t)batch * l.outputs, sizeof(float));
	for (size_t i = 0; i < weight_count; i++)
		l.weights[i] = weights[i];
	for (int i = 0; i < filters; i++)
		l.biases[i] = biases[i];

	l.weights_gpu = cuda_make_array(l.weights, weight_count);
	l.biases_gpu = cuda_make_array(l.biases, filters);
#ifdef CORRECTED
	l.output_gpu = cuda_make_array(NULL, (size_t)batch * l.outputs);
	l.x_gpu = cuda_make_array(NULL, (size_t)batch * l.outputs);
#else
	/* Inefficiency II: l.output is all zeros, and the same zeros cross the bus twice. */
	l.output_gpu = cuda_make_array(l.output, (size_t)batch * l.outputs);
	l.x_gpu = cuda_make_array(l.output, (size_t)batch * l.outputs);
#endif
	return l;
}

const float *forward_convolutional_layer_gpu(struct layer *l, const float *input_gpu,
					     float *workspace_gpu)
{
	int rows = l->size * l->size * l->channels;
	int pixels = l->out_height * l->out_width;
#ifdef CORRECTED
	float beta = 0;
#else
	float beta = 1;

	/* Inefficiency I: zeros for the multiplication to add to, when it could just store. */
	fill_ongpu(l->outputs * l->batch, 0, l->output_gpu);
#endif
	for (int i = 0; i < l->batch; i++) {
		im2col_ongpu(input_gpu + i * l->inputs, l->channels, l->height, l->width, l->size,
			     workspace_gpu);
		gemm_ongpu(l->filters, pixels, rows, l->weights_gpu, workspace_gpu, beta,
			   l->output_gpu + i * l->outputs);
	}
	add_bias_ongpu(l->outputs * l->batch, l->filters, pixels, l->biases_gpu, l->output_gpu);
	leaky_activate_ongpu(l->outputs * l->batch, l->output_gpu, l->x_gpu);
	return l->x_gpu;
}

struct layer make_maxpool_layer(int batch, int channels, int height, int width)
{
	struct layer l = {};

	l.type = MAXPOOL;
	l.batch = batch;
	l.channels = channels;
	l.height = height;
	l.width = width;
	l.inputs = channels * height * width;
	l.out_height = height / 2;
	l.out_width = width / 2;
	l.outputs = channels * l.out_height * l.out_width;
	CHECK(cudaMalloc((void **)&l.output_gpu, (size_t)batch * l.outputs * sizeof(float)));
	return l;
}

const float *forward_maxpool_layer_gpu(struct layer *l, const float *input_gpu)
{
	maxpool_ongpu(l->outputs * l->batch, l->out_height, l->out_width, input_gpu, l->output_gpu);
	return l->output_gpu;
}

void free_layer(struct layer *l)
{
	CHECK(cudaFree(l->weights_gpu));
	CHECK(cudaFree(l->biases_gpu));
	CHECK(cudaFree(l->output_gpu));
	CHECK(cudaFree(l->x_gpu));
	free(l->weights);
	free(l->biases);
	free(l->output);
}
