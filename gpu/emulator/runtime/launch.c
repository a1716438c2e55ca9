/*
 * gpu/emulator/runtime/launch.c: runtime API: kernels, their attributes and launches.
 */
#include <string.h>

#include "gpu/emulator/runtime/runtime.h"

#define NESTED_LAUNCHES 16

/* Launch attributes that change results; all others affect speed only. */
#define ATTRIBUTE_COOPERATIVE 2
#define ATTRIBUTE_CLUSTER 4

struct cudaLaunchAttribute_st {
	int id;
	char pad[4];
	union {
		char space[64];
		int cooperative;
		unsigned cluster[3];
	} value;
};

/* `kernel<<<...>>>(arguments)`: the shape waits here while the arguments are evaluated. */
static __thread struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} configurations[NESTED_LAUNCHES];
static __thread unsigned configured;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
					    cudaStream_t stream);
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
					      void *stream);
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
				      size_t shared, cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	if (configured == NESTED_LAUNCHES)
		return 1;
	configurations[configured++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	const struct configuration *top;

	if (!configured)
		return runtime_result(cudaErrorMissingConfiguration);
	top = &configurations[--configured];
	*grid = top->grid;
	*block = top->block;
	*shared = top->shared;
	*(cudaStream_t *)stream = top->stream;
	return cudaSuccess;
}

static cudaError_t launch(const char *name, const void *function, dim3 grid, dim3 block,
			  void **args, size_t shared, cudaStream_t stream, bool cooperative,
			  const unsigned *cluster)
{
	struct emulator_launch what = {
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z},
		.shared_bytes = shared,
		.arguments = args,
		.cooperative = cooperative,
	};
	int error;

	if (cluster)
		memcpy(what.cluster, cluster, sizeof(what.cluster));
	ATTACH_OF(name);
	error = registry_kernel(function, &what.kernel);
	/* as CUDA 13 does on a GPU: what is no kernel is taken for a handle of one */
	if (CUDART_MAJOR >= 13 && error == cudaErrorInvalidDeviceFunction)
		error = cudaErrorInvalidResourceHandle;
	if (!error)
		error = vflow_emulator_launch(stream, &what);
	if (CUDART_MAJOR >= 13 && error == cudaErrorInvalidConfiguration)
		error = cudaErrorInvalidValue; /* as CUDA 13 does on a GPU */
	return runtime_result_of(name, error);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
			     size_t sharedMem, cudaStream_t stream)
{
	return launch(__func__, func, gridDim, blockDim, args, sharedMem, stream, false, NULL);
}
PER_THREAD(cudaLaunchKernel, cudaLaunchKernel_ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared, cudaStream_t stream)
{
	return launch("cudaLaunchKernel", kernel, grid, block, args, shared, stream, false, NULL);
}
PER_THREAD(__cudaLaunchKernel, __cudaLaunchKernel_ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
					size_t sharedMem, cudaStream_t stream)
{
	return launch(__func__, func, gridDim, blockDim, args, sharedMem, stream, true, NULL);
}
PER_THREAD(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	const unsigned *cluster = NULL;
	bool cooperative = false;

	if (!config || (config->numAttrs && !config->attrs))
		return runtime_result(cudaErrorInvalidValue);
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const struct cudaLaunchAttribute_st *attribute = &config->attrs[i];

		if (attribute->id == ATTRIBUTE_CLUSTER)
			cluster = attribute->value.cluster;
		if (attribute->id == ATTRIBUTE_COOPERATIVE)
			cooperative = attribute->value.cooperative;
	}
	return launch(__func__, func, config->gridDim, config->blockDim, args,
		      config->dynamicSmemBytes, config->stream, cooperative, cluster);
}
PER_THREAD(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);

static int facts_of(const void *function, struct emulator_kernel **kernel,
		    struct emulator_kernel_facts *facts)
{
	int error = registry_kernel(function, kernel);

	return error ? error : vflow_emulator_kernel_facts(*kernel, facts);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	struct emulator_kernel_facts facts;
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = attr ? facts_of(func, &kernel, &facts) : (int)cudaErrorInvalidValue;
	if (error)
		return runtime_result(error);
	memset(attr, 0, sizeof(*attr));
	attr->sharedSizeBytes = facts.shared_bytes;
	attr->localSizeBytes = facts.local_bytes;
	attr->maxThreadsPerBlock = facts.max_threads;
	attr->numRegs = facts.registers;
	attr->ptxVersion = facts.ptx_version;
	attr->binaryVersion = 10 * EMULATOR_MAJOR + EMULATOR_MINOR;
	attr->maxDynamicSharedSizeBytes = (int)facts.max_dynamic_shared_bytes;
	attr->preferredShmemCarveout = -1;
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	struct emulator_kernel_facts facts;
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = facts_of(func, &kernel, &facts);
	if (!error && attr == cudaFuncAttributeMaxDynamicSharedMemorySize)
		error = vflow_emulator_kernel_set_shared(kernel, value);
	else if (!error && attr != cudaFuncAttributePreferredSharedMemoryCarveout &&
		 attr != cudaFuncAttributeNonPortableClusterSizeAllowed &&
		 attr != cudaFuncAttributeClusterSchedulingPolicyPreference)
		error = cudaErrorInvalidValue;
	return runtime_result(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
	struct emulator_kernel_facts facts;
	struct emulator_kernel *kernel;

	(void)cacheConfig;
	ATTACH();
	return runtime_result(facts_of(func, &kernel, &facts));
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
	struct emulator_kernel_facts facts;
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = name ? facts_of(func, &kernel, &facts) : (int)cudaErrorInvalidValue;
	if (!error)
		*name = facts.name;
	return runtime_result(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
							  int blockSize, size_t dynamicSMemSize)
{
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = numBlocks ? registry_kernel(func, &kernel) : (int)cudaErrorInvalidValue;
	return runtime_result(
		error ? error
		      : vflow_emulator_occupancy(kernel, blockSize, dynamicSMemSize, numBlocks));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
								   int blockSize,
								   size_t dynamicSMemSize,
								   unsigned int flags)
{
	(void)flags;
	return DELEGATE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize,
								      dynamicSMemSize));
}
