/*
 * Kernels whose machine code is read by tests/unit/sass_*.c.  The listings beside this file are
 * what nvcc -cubin -arch=sm_90 -o x flow.cu && nvdisasm -c -hex -plr -lrm narrow x | sed 's/ *$//'
 * printed (nvcc 13.0, nvdisasm 12.4); other compilers make other code of it.
 */
extern "C" __global__ void triad(float *a, const float *b, const float *c, float s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[i] + s * c[i];
}

extern "C" __global__ void choose(int *a, int n, int what)
{
	int i = threadIdx.x, sum = 0;

#pragma unroll 1
	for (int k = 0; k < n; k++) {
		if (a[k] > what)
			sum += a[a[k]];
		__syncthreads();
	}
	a[i] = sum;
}
