/* The kernels of ValueExpert's Figure 3. */

extern "C" __global__ void zero(unsigned *data, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		data[i] = 0;
}

/* No byte of the sum of 0 and the constant is zero. */
extern "C" __global__ void use(const unsigned *a, unsigned *b, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		b[i] = a[i] + 0x04030201;
}
