/*
 * No waste: threads load and store the same places again and again, and there is something else
 * each time.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384, SWEEPS = 6 };

static float field[N], next[BLOCK];

static __global__ void relax(float *field)
{
	float *mine = field + blockIdx.x * blockDim.x;
	int i = threadIdx.x, last = blockDim.x - 1;

	for (int s = 0; s < SWEEPS; s++) {
		float mean = (mine[max(i - 1, 0)] + mine[i] + mine[min(i + 1, last)]) / 3;

		__syncthreads();
		mine[i] = mean;
		__syncthreads();
	}
}

static void relax_on_host(float *mine)
{
	for (int s = 0; s < SWEEPS; s++) {
		for (int i = 0; i < BLOCK; i++)
			next[i] = (mine[i > 0 ? i - 1 : 0] + mine[i] +
				   mine[i < BLOCK - 1 ? i + 1 : BLOCK - 1]) /
				  3;
		memcpy(mine, next, BLOCK * sizeof(*mine));
	}
}

int main()
{
	float *device_field;

	random_floats(field, N, 28);
	for (int i = 0; i < N; i++)
		field[i] *= field[i] * field[i] * field[i]; /* 1 to 16 */
	device_field = upload(field, N);
	relax<<<BLOCKS(N)>>>(device_field);
	for (int i = 0; i < N; i += BLOCK)
		relax_on_host(field + i);
	check_floats("field", device_field, field, N);
	return 0;
}
