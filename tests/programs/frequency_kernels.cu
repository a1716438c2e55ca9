/* The kernels of frequency.c; volatile, so that each access is made. */

/* Each thread loads its element; the first ones, or each `every`-th one, so many times more. */
extern "C" __global__ void visit(const volatile int *data, unsigned first, unsigned every,
				 unsigned more)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const bool often = i < first || (every && i % every == 0);

	(void)data[i];
	for (unsigned n = 0; often && n < more; n++)
		(void)data[i];
}

/* All threads but the first 15 add to the last of 16 bins. */
extern "C" __global__ void count(int *bins)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&bins[i < 15 ? i : 15], 1);
}

/* A byte for each of the first 256 threads, then four bytes, two of which one element has. */
extern "C" __global__ void bytes_and_words(const volatile unsigned char *data)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < 256)
		(void)data[i];
	else
		(void)*(const volatile int *)&data[256 + 4 * (i - 256)];
}

/* 8 and 16 bytes are two and four elements. */
extern "C" __global__ void wide(const double *pairs, const double2 *fours, double *to)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const double2 four = __ldcv(&fours[i]);

	to[i] = four.x + four.y + __ldcv(&pairs[i < 32 ? i : 0]);
}
