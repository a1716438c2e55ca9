/*
 * tests/programs/demo/network.h: a small convolutional network, built like Darknet.
 *
 * Arrays with a name in _gpu are on the device, the others on the host.  Images are
 * channels x height x width floats; convolutions have stride 1 and no padding.
 */
#ifndef DEMO_NETWORK_H
#define DEMO_NETWORK_H

#include <stddef.h>

enum layer_type { CONVOLUTIONAL, MAXPOOL };

struct layer {
	enum layer_type type;
	int batch;                           /* images per inference */
	int channels, height, width, inputs; /* of one image that comes in */
	int filters, size;
	int out_height, out_width, outputs; /* of one image that goes out */
	float *weights, *biases, *output;
	float *weights_gpu, *biases_gpu;
	float *output_gpu; /* convolution and biases, or the pooled image */
	float *x_gpu;      /* CONVOLUTIONAL: what the activation makes of output_gpu */
};

#define MAX_LAYERS 8

struct network {
	struct layer layers[MAX_LAYERS];
	int layer_count;
	int batch;
	float *input_gpu;
	float *workspace_gpu; /* one unrolled image */
};

/* layers.c */
struct layer make_convolutional_layer(int batch, int channels, int height, int width, int filters,
				      int size, const float *weights, const float *biases);
struct layer make_maxpool_layer(int batch, int channels, int height, int width);
/* Each returns where its result is. */
const float *forward_convolutional_layer_gpu(struct layer *l, const float *input_gpu,
					     float *workspace_gpu);
const float *forward_maxpool_layer_gpu(struct layer *l, const float *input_gpu);
void free_layer(struct layer *l);

/* network.c */
struct network make_network(void);
/* `batch` images in, the scores of CLASSES classes per image out. */
void network_predict_gpu(struct network *net, const float *images, float *scores);
void free_network(struct network *net);
/* The same on the CPU. */
void network_predict_reference(const struct network *net, const float *images, float *scores);

/* ongpu.c: one function per kernel, and arrays on the device. */
float *cuda_make_array(const float *x, size_t count);
void fill_ongpu(int n, float value, float *x);
void im2col_ongpu(const float *image, int channels, int height, int width, int size,
		  float *columns);
void gemm_ongpu(int m, int n, int k, const float *a, const float *b, float beta, float *c);
void add_bias_ongpu(int n, int filters, int pixels, const float *biases, float *x);
void leaky_activate_ongpu(int n, const float *from, float *to);
void maxpool_ongpu(int n, int out_height, int out_width, const float *from, float *to);

#define IMAGE_SIDE 18
#define IMAGE_PIXELS (IMAGE_SIDE * IMAGE_SIDE)
#define CLASSES 4

void *xcalloc(size_t count, size_t size);

#endif
