/*
 * No waste: the host waits for the kernels before it unmaps their memory, which waits for nothing.
 * cudaFree() waits by itself: see freed.c.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 524288, PAGE = 2 << 20, PREPARE_NS = 400000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N];

int main(void)
{
	CUmemAllocationProp property = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
	};
	CUmemAccessDesc access = {
		.location = property.location,
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;
	float *state, *sums;
	cudaStream_t stream;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&sums, sizeof(numbers)));
	(void)kernel("scale");
	CHECK(cuMemAddressReserve(&address, PAGE, 0, 0, 0));
	CHECK(cuMemCreate(&handle, PAGE, &property, 0));
	CHECK(cuMemMap(address, PAGE, 0, handle, 0));
	CHECK(cuMemSetAccess(address, PAGE, &access, 1));
	state = (float *)(uintptr_t)address;
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	LAUNCH_ON(stream, scale, N / 256, 256, sums, state, 0.5f, N);
	CHECK(cudaStreamSynchronize(stream));
	if (vflow_emulator_work)
		vflow_emulator_work(PREPARE_NS);
	CHECK(cuMemUnmap(address, PAGE));
	CHECK(cuMemRelease(handle));
	CHECK(cuMemAddressFree(address, PAGE));
	LAUNCH_ON(stream, shift, N / 256, 256, sums, 1.0f, N);
	CHECK(cudaMemcpy(numbers, sums, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(sums));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
