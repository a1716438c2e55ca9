/* The kernels of the network. */

#define TILE 8

__device__ int thread_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void fill_kernel(int n, float value, float *x)
{
	int i = thread_index();

	if (i < n)
		x[i] = value;
}

/* One thread per element of the (channels * size * size) x (out_height * out_width) matrix. */
extern "C" __global__ void im2col_kernel(const float *image, int channels, int height, int width,
					 int size, float *columns)
{
	int out_height = height - size + 1, out_width = width - size + 1;
	int pixels = out_height * out_width;
	int i = thread_index();

	if (i >= channels * size * size * pixels)
		return;

	int row = i / pixels, pixel = i % pixels;
	int channel = row / (size * size), tap = row % (size * size);
	int y = pixel / out_width + tap / size, x = pixel % out_width + tap % size;

	columns[i] = image[(channel * height + y) * width + x];
}

/* c = a * b + beta * c for an m x k matrix a and a k x n matrix b; one block per tile of c. */
extern "C" __global__ void gemm_kernel(int m, int n, int k, const float *a, const float *b,
				       float beta, float *c)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int tiles = (n + TILE - 1) / TILE;
	int y = threadIdx.x / TILE, x = threadIdx.x % TILE;
	int row = blockIdx.x / tiles * TILE + y, column = blockIdx.x % tiles * TILE + x;
	float sum = 0;

	for (int start = 0; start < k; start += TILE) {
		tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
		tile_b[y][x] = column < n && start + y < k ? b[(start + y) * n + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[y][i] * tile_b[i][x];
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = beta != 0 ? sum + beta * c[row * n + column] : sum;
}

extern "C" __global__ void add_bias_kernel(int n, int filters, int pixels, const float *biases,
					   float *x)
{
	int i = thread_index();

	if (i < n)
		x[i] += biases[i / pixels % filters];
}

extern "C" __global__ void leaky_activate_kernel(int n, const float *from, float *to)
{
	int i = thread_index();

	if (i < n)
		to[i] = from[i] > 0 ? from[i] : 0.1f * from[i];
}

/* 2 x 2 pooling; one thread per element of the result. */
extern "C" __global__ void maxpool_kernel(int n, int out_height, int out_width, const float *from,
					  float *to)
{
	int i = thread_index();

	if (i >= n)
		return;

	int plane = i / (out_height * out_width), pixel = i % (out_height * out_width);
	const float *corner = from + plane * 4 * out_height * out_width +
			      pixel / out_width * 4 * out_width + pixel % out_width * 2;

	to[i] = fmaxf(fmaxf(corner[0], corner[1]),
		      fmaxf(corner[2 * out_width], corner[2 * out_width + 1]));
}
