/*
 * tests/cli/coverage_counts.cu: what coverage counts, of each more than one, so that its unit
 * shows. coverage_counts.sh says how many, and of how many bytes.  With an argument a kernel fails.
 */
#include "tests/gpu/check.h"

#define WIDTH 64

__constant__ int small[4], large[256];
__constant__ float factor;
__managed__ int shared_with_host[4]; /* 16 bytes */

/* Many reads by many warps: three variables. */
__global__ void read_constants(int *out)
{
	int sum = 0;

	for (int i = 0; i < 256; i++)
		sum += large[i] + small[i & 3];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum + (int)factor;
}

__global__ void draw(cudaSurfaceObject_t surface)
{
	surf2Dwrite((float)threadIdx.x, surface, (int)threadIdx.x * 4, (int)blockIdx.x);
}

__global__ void look(cudaTextureObject_t texture, float *out)
{
	const int at = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	out[at] = tex2D<float>(texture, (float)threadIdx.x, (float)blockIdx.x);
}

__global__ void skipped(cudaTextureObject_t texture, float *out)
{
	out[threadIdx.x] = tex2D<float>(texture, 1, 1);
}

__global__ void touch(int *managed, int *pinned, int *mapped)
{
	managed[threadIdx.x] = pinned[threadIdx.x] = mapped[threadIdx.x] = shared_with_host[0];
}

__global__ void fail(int *nowhere)
{
	nowhere[threadIdx.x] = 1;
}

int main(int argc, char **)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource = {};
	cudaTextureDesc desc = {};
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
	int *numbers, *managed, *pinned, *mapped;
	char rows[3 * 16] = {};
	float *out;

	CHECK(cudaMalloc(&numbers, WIDTH * WIDTH * sizeof(*numbers)));
	CHECK(cudaMalloc(&out, WIDTH * WIDTH * sizeof(*out)));
	if (argc > 1) {
		fail<<<2, WIDTH>>>(NULL);
		printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "no error" : "failed");
		return 0;
	}
	read_constants<<<WIDTH, WIDTH>>>(numbers);
	read_constants<<<WIDTH, WIDTH>>>(numbers);

	CHECK(cudaMallocArray(&resource.res.array.array, &format, WIDTH, WIDTH,
			      cudaArraySurfaceLoadStore));
	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	for (int i = 0; i < 3; i++)
		draw<<<WIDTH, WIDTH>>>(surface);
	for (int i = 0; i < 2; i++)
		look<<<WIDTH, WIDTH>>>(texture, out);
	skipped<<<1, WIDTH>>>(texture, out); /* --kernel leaves it out */

	CHECK(cudaMallocManaged(&managed, 4096));
	CHECK(cudaMallocHost(&pinned, 8192));
	CHECK(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
	touch<<<1, WIDTH>>>(managed, pinned, mapped);

	CHECK(cudaMemcpy2D(numbers, 32, rows, 16, 8, 3, cudaMemcpyHostToDevice)); /* 24 bytes */
	CHECK(cudaMemcpy2D(rows, 16, numbers, 32, 4, 2, cudaMemcpyDeviceToHost)); /* 8 bytes */
	CHECK(cudaDeviceSynchronize());
	puts("done");
	return 0;
}
