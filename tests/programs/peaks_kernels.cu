/* The kernels of peaks.c: each thread has an element of the result. */

extern "C" __global__ void combine(int *to, const int *a, const int *b, int of_a)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = 3 * a[i] + b[i % of_a];
}

/* The sum of the rows of a matrix, or of its columns, with the elements of a vector. */
extern "C" __global__ void product(int *to, const int *matrix, const int *vector, int side,
				   int by_columns)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	int sum = 0;

	for (int k = 0; k < side; k++)
		sum += matrix[by_columns ? k * side + i : i * side + k] * vector[k];
	to[i] = sum;
}

/* Looks numbers up in the first `count` elements of a grid. */
extern "C" __global__ void look_up(int *to, const int *grid, int count)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = grid[i * 37 % count];
}
