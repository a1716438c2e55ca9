/*
 * The kernels of the C programs of the corpus.  Unless said otherwise, a thread computes one
 * element of `count`, and stores it once.
 */
#include <cuda_fp16.h>

static __device__ int thread_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* -- one array from others ----------------------------------------------------------------------
 */

extern "C" __global__ void scale(float *to, const float *from, float by, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = from[i] * by;
}

extern "C" __global__ void shift(float *data, float by, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] += by;
}

extern "C" __global__ void multiply(float *to, const float *a, const float *b, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = a[i] * b[i];
}

extern "C" __global__ void difference(float *to, const float *a, const float *b, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = a[i] - b[i];
}

/* The mean of an element and its neighbours; the ends have one neighbour. */
extern "C" __global__ void smooth(float *to, const float *from, int count)
{
	int i = thread_index();

	if (i < count) {
		float left = from[i > 0 ? i - 1 : i], right = from[i < count - 1 ? i + 1 : i];

		to[i] = (left + from[i] + right) / 3;
	}
}

/* Element i with element i % table_size of a table. */
extern "C" __global__ void apply_table(float *to, const float *from, const float *table,
				       int table_size, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = from[i] * table[i % table_size];
}

extern "C" __global__ void add_bias(float *to, const float *from, float by, const float *bias,
				    int bias_size, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = from[i] * by + bias[i % bias_size];
}

extern "C" __global__ void damp(float *data, const float *drive, float by, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] = data[i] * by + drive[i];
}

/* 0.99 of the element and 0.01 of the next one; the flux between them, if it is wanted. */
extern "C" __global__ void diffuse(float *next, const float *now, float *flux, int count)
{
	int i = thread_index();

	if (i < count) {
		float flow = (now[i < count - 1 ? i + 1 : 0] - now[i]) * 0.01f;

		next[i] = now[i] + flow;
		if (flux)
			flux[i] = flow;
	}
}

/* -- sums into an array -------------------------------------------------------------------------
 */

extern "C" __global__ void accumulate(float *total, const float *a, const float *b, int count)
{
	int i = thread_index();

	if (i < count)
		total[i] += a[i] * b[i];
}

extern "C" __global__ void masked_add(float *total, const float *from, const unsigned char *mask,
				      float by, int count)
{
	int i = thread_index();

	if (i < count)
		total[i] += from[i] * mask[i] * by;
}

extern "C" __global__ void gather_add(float *total, const float *from, const int *index, float by,
				      int count)
{
	int i = thread_index();

	if (i < count)
		total[i] += from[index[i]] * by;
}

/* Adds the loads of `count` elements of a line, `first`, first + 2, ..., to the nodes at their
 * ends. */
extern "C" __global__ void assemble(float *nodes, const float *loads, int first, int count)
{
	int i = thread_index();

	if (i < count) {
		int element = first + 2 * i;

		nodes[element] += loads[element] * 0.25f;
		nodes[element + 1] += loads[element] * 0.75f;
	}
}

extern "C" __global__ void histogram(int *bins, const unsigned short *samples, int count)
{
	int i = thread_index();

	if (i < count)
		atomicAdd(&bins[samples[i]], 1);
}

/* One sum per block of 64 threads. */
extern "C" __global__ void block_sums(float *partials, const float *from, int count)
{
	__shared__ float tile[64];
	int i = thread_index();

	tile[threadIdx.x] = i < count ? from[i] : 0;
	for (int half = 32; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			tile[threadIdx.x] += tile[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		partials[blockIdx.x] = tile[0];
}

/* One block of 64 threads sums all. */
extern "C" __global__ void sum_partials(float *sum, const float *partials, int count)
{
	__shared__ float tile[64];
	float own = 0;

	for (int i = threadIdx.x; i < count; i += 64)
		own += partials[i];
	tile[threadIdx.x] = own;
	for (int half = 32; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			tile[threadIdx.x] += tile[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		*sum = tile[0];
}

/* -- matrices and images ------------------------------------------------------------------------
 */

static __device__ float dot(const float *a, const float *b, int n, int i)
{
	int row = i / n, column = i % n;
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + column];
	return sum;
}

/* c = a * b, of n * n elements each. */
extern "C" __global__ void gemm(float *c, const float *a, const float *b, int n)
{
	int i = thread_index();

	if (i < n * n)
		c[i] = dot(a, b, n, i);
}

/* c += a * b */
extern "C" __global__ void gemm_add(float *c, const float *a, const float *b, int n)
{
	int i = thread_index();

	if (i < n * n)
		c[i] += dot(a, b, n, i);
}

/* Puts the image in the middle of one that is a pixel wider on every side. */
extern "C" __global__ void embed(float *padded, const float *image, int width, int height)
{
	int i = thread_index();

	if (i < width * height)
		padded[(i / width + 1) * (width + 2) + i % width + 1] = image[i];
}

/* The mean of 3 * 3 pixels of a padded image. */
extern "C" __global__ void blur_padded(float *image, const float *padded, int width, int height)
{
	int i = thread_index();

	if (i < width * height) {
		const float *at = padded + i / width * (width + 2) + i % width;
		float sum = 0;

		for (int row = 0; row < 3; row++)
			for (int column = 0; column < 3; column++)
				sum += at[row * (width + 2) + column];
		image[i] = sum / 9;
	}
}

/* The mean of the four neighbours; the edge stays. */
extern "C" __global__ void jacobi(float *next, const float *now, int width, int height)
{
	int i = thread_index(), row = i / width, column = i % width;

	if (i >= width * height)
		return;
	if (row == 0 || row == height - 1 || column == 0 || column == width - 1)
		next[i] = now[i];
	else
		next[i] = (now[i - width] + now[i + width] + now[i - 1] + now[i + 1]) / 4;
}

/* Writes all pixels from `first` on. */
extern "C" __global__ void draw_legend(float *image, int first, float shade, int count)
{
	int i = first + thread_index();

	if (i < count)
		image[i] = shade + i;
}

/* From rows that are `pitch` bytes apart to rows that are not. */
extern "C" __global__ void scale_rows(float *to, const float *from, size_t pitch, int width,
				      int height, float by)
{
	int i = thread_index();

	if (i < width * height)
		to[i] = ((const float *)((const char *)from + i / width * pitch))[i % width] * by;
}

/* -- learning -----------------------------------------------------------------------------------
 */

extern "C" __global__ void sgd(float *weight, const float *gradient, float rate, int count)
{
	int i = thread_index();

	if (i < count)
		weight[i] -= rate * gradient[i];
}

extern "C" __global__ void momentum(float *weight, float *mean, float *square,
				    const float *gradient, int count)
{
	int i = thread_index();

	if (i < count) {
		mean[i] = mean[i] * 0.5f + gradient[i] * 0.25f;
		square[i] = square[i] * 0.25f + gradient[i] * gradient[i];
		weight[i] -= mean[i] / (1 + square[i]);
	}
}

/* One block of 256 threads: a token that depends on all before it. */
extern "C" __global__ void next_token(int *next, const int *tokens, int length)
{
	__shared__ unsigned tile[256];
	unsigned own = 0;

	for (int i = threadIdx.x; i < length; i += 256)
		own += (unsigned)tokens[i] * (2 * i + 1);
	tile[threadIdx.x] = own;
	for (int half = 128; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			tile[threadIdx.x] += tile[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		*next = tile[0] % 50000;
}

/* -- indices, tables, counters ------------------------------------------------------------------
 */

extern "C" __global__ void iota(int *order, int count)
{
	int i = thread_index();

	if (i < count)
		order[i] = i;
}

/* Of 0 ... count - 1: the other way round. */
extern "C" __global__ void reverse(int *order, int count)
{
	int i = thread_index();

	if (i < count)
		order[i] = count - 1 - order[i];
}

/* Welch's window. */
extern "C" __global__ void welch(float *window, int count)
{
	int i = thread_index();

	if (i < count) {
		float t = (i - 0.5f * (count - 1)) / (0.5f * (count + 1));

		window[i] = 1 - t * t;
	}
}

/* 1 ... 7, and another number at the next step. */
extern "C" __global__ void count_neighbours(int *counts, int step, int count)
{
	int i = thread_index();

	if (i < count)
		counts[i] = 1 + (i + step) % 7;
}

extern "C" __global__ void move(float *position, const int *cell, float time, int count)
{
	int i = thread_index();

	if (i < count)
		position[i] += time * (1 + cell[i] % 5);
}

/* Half the way to the target; *moving becomes 1 when somebody is still far from it. */
extern "C" __global__ void relax(float *data, const float *target, int *moving, float far,
				 int count)
{
	int i = thread_index();

	if (i < count) {
		float step = (target[i] - data[i]) / 2;

		data[i] += step;
		if (fabsf(step) > far)
			*moving = 1;
	}
}

/* -- values of other widths ---------------------------------------------------------------------
 */

extern "C" __global__ void shift_doubles(double *data, double by, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] += by;
}

extern "C" __global__ void double_halves(__half *data, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] = __hadd(data[i], data[i]);
}

extern "C" __global__ void invert_bytes(unsigned char *data, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] = 255 - data[i];
}

struct body {
	double position, velocity;
	int id;
};

/* Writes the whole body back, its id too. */
extern "C" __global__ void drift(struct body *bodies, double time, int count)
{
	int i = thread_index();

	if (i < count) {
		volatile struct body *body = &bodies[i]; /* else the store of the id would go */

		body->position = body->position + body->velocity * time;
		body->velocity = body->velocity * 0.75;
		body->id = body->id;
	}
}

/* w is the age: all of a particle is stored, or its age alone. */
extern "C" __global__ void age_particles(float4 *particles, float by, int count)
{
	int i = thread_index();

	if (i < count) {
		float4 particle = particles[i];

		particle.w += by;
		particles[i] = particle;
	}
}

extern "C" __global__ void age_only(float *particles, float by, int count)
{
	int i = thread_index();

	if (i < count)
		particles[4 * i + 3] += by;
}

extern "C" __global__ void component_sums(float *sums, const float *particles, int count)
{
	int i = thread_index();

	if (i < count)
		sums[i] = particles[4 * i] + particles[4 * i + 1] + particles[4 * i + 2] +
			  particles[4 * i + 3];
}

/* -- memory that accesses do not show ------------------------------------------------------------
 */

__constant__ float parameters[1024];

extern "C" __global__ void evaluate(float *to, const float *from, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = from[i] * parameters[i % 1024];
}

extern "C" __global__ void sample_texture(float *to, cudaTextureObject_t texture, float by,
					  int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = tex1Dfetch<float>(texture, i) * by;
}

/* Takes the values out of an array that it knows by a pointer in memory, and leaves zeros there. */
extern "C" __global__ void consume(float *to, float *const *arrays, float by, int count)
{
	int i = thread_index();

	if (i < count) {
		to[i] = arrays[0][i] * by;
		arrays[0][i] = 0;
	}
}
