/*
 * gpu/emulator/driver/launch.c: driver API: launches with attributes, and occupancy.
 */
#include "gpu/emulator/driver/driver.h"

/* Attributes other than these two affect speed only and are ignored. */
static void read_attributes(const CUlaunchConfig *config, struct emulator_launch *launch)
{
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *attribute = &config->attrs[i];

		if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			launch->cooperative = attribute->value.cooperative != 0;
		if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
			launch->cluster[0] = attribute->value.clusterDim.x;
			launch->cluster[1] = attribute->value.clusterDim.y;
			launch->cluster[2] = attribute->value.clusterDim.z;
		}
	}
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
			  void **extra)
{
	struct emulator_launch launch = {.kernel = (struct emulator_kernel *)f,
					 .arguments = kernelParams};

	if (!config || (config->numAttrs && !config->attrs) ||
	    (extra && (kernelParams || !driver_read_extra(extra, &launch))))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	launch.grid[0] = config->gridDimX;
	launch.grid[1] = config->gridDimY;
	launch.grid[2] = config->gridDimZ;
	launch.block[0] = config->blockDimX;
	launch.block[1] = config->blockDimY;
	launch.block[2] = config->blockDimZ;
	launch.shared_bytes = config->sharedMemBytes;
	read_attributes(config, &launch);
	return RESULT(driver_result(vflow_emulator_launch(config->hStream, &launch)));
}
PER_THREAD(cuLaunchKernelEx, cuLaunchKernelEx_ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
				   unsigned int gridDimZ, unsigned int blockDimX,
				   unsigned int blockDimY, unsigned int blockDimZ,
				   unsigned int sharedMemBytes, CUstream hStream,
				   void **kernelParams)
{
	struct emulator_launch launch = {.kernel = (struct emulator_kernel *)f,
					 .grid = {gridDimX, gridDimY, gridDimZ},
					 .block = {blockDimX, blockDimY, blockDimZ},
					 .shared_bytes = sharedMemBytes,
					 .arguments = kernelParams,
					 .cooperative = true};

	return RESULT(driver_result(vflow_emulator_launch(hStream, &launch)));
}
PER_THREAD(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz);

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
							      int blockSize, size_t dynamicSMemSize,
							      unsigned int flags)
{
	(void)flags;
	return DELEGATE(cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize,
								    dynamicSMemSize));
}

/* Of the block sizes (multiples of a warp) with maximum occupancy the largest. */
CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
					  CUoccupancyB2DSize blockSizeToDynamicSMemSize,
					  size_t dynamicSMemSize, int blockSizeLimit)
{
	struct emulator_kernel *kernel = (struct emulator_kernel *)func;
	struct emulator_kernel_facts facts;
	int best = 0, best_threads = 0, best_blocks = 0, limit;
	int error = vflow_emulator_kernel_facts(kernel, &facts);

	if (error || !minGridSize || !blockSize || blockSizeLimit < 0)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	limit = blockSizeLimit && blockSizeLimit < facts.max_threads ? blockSizeLimit
								     : facts.max_threads;
	for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32) {
		size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads)
							   : dynamicSMemSize;
		int blocks;

		if (!vflow_emulator_occupancy(kernel, threads, shared, &blocks) &&
		    blocks * threads > best_threads) {
			best_threads = blocks * threads;
			best_blocks = blocks;
			best = threads;
		}
	}
	if (!best)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*blockSize = best;
	*minGridSize = best_blocks * EMULATOR_MULTIPROCESSORS;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
						   CUfunction func,
						   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
						   size_t dynamicSMemSize, int blockSizeLimit,
						   unsigned int flags)
{
	(void)flags;
	return DELEGATE(cuOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func,
							 blockSizeToDynamicSMemSize,
							 dynamicSMemSize, blockSizeLimit));
}
