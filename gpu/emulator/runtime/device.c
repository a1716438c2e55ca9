/*
 * gpu/emulator/runtime/device.c: runtime API: the device and its properties.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/emulator/runtime/runtime.h"

/* The layouts differ by major; these sizes are those of NVIDIA's headers. */
_Static_assert(sizeof(struct cudaDeviceProp) == (CUDART_MAJOR == 11   ? 728
						 : CUDART_MAJOR == 12 ? 1032
								      : 1008),
	       "layout of cudaDeviceProp");
_Static_assert(sizeof(struct cudaFuncAttributes) == (CUDART_MAJOR == 11 ? 56 : 144),
	       "layout of cudaFuncAttributes");
_Static_assert(sizeof(struct cudaPointerAttributes) == (CUDART_MAJOR < 13 ? 24 : 88),
	       "layout of cudaPointerAttributes");

cudaError_t cudaGetDeviceCount(int *count)
{
	ATTACH();
	if (!count)
		return runtime_result(cudaErrorInvalidValue);
	*count = 1;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	ATTACH();
	if (!device)
		return runtime_result(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	ATTACH();
	return runtime_result(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
	(void)deviceFlags;
	(void)flags;
	return DELEGATE(cudaSetDevice(device));
}

static unsigned device_flags;

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	ATTACH();
	device_flags = flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	ATTACH();
	if (!flags)
		return runtime_result(cudaErrorInvalidValue);
	*flags = device_flags;
	return cudaSuccess;
}

static int attribute(int number)
{
	int value = 0;

	vflow_emulator_attribute(number, &value);
	return value;
}

/* Properties that are not set here are features that the emulated device lacks. */
static void describe(struct cudaDeviceProp *prop, uint64_t total)
{
	memset(prop, 0, sizeof(*prop));
	snprintf(prop->name, sizeof(prop->name), "%s", EMULATOR_DEVICE_NAME);
	prop->totalGlobalMem = total;
	prop->sharedMemPerBlock = EMULATOR_SHARED_BYTES;
	prop->regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
	prop->warpSize = attribute(cudaDevAttrWarpSize);
	prop->memPitch = EMULATOR_MAX_PITCH;
	prop->maxThreadsPerBlock = EMULATOR_BLOCK_THREADS;
	for (int i = 0; i < 3; i++) {
		prop->maxThreadsDim[i] = attribute(cudaDevAttrMaxBlockDimX + i);
		prop->maxGridSize[i] = attribute(cudaDevAttrMaxGridDimX + i);
	}
	prop->totalConstMem = (size_t)attribute(cudaDevAttrTotalConstantMemory);
	prop->major = EMULATOR_MAJOR;
	prop->minor = EMULATOR_MINOR;
	prop->textureAlignment = 512;
	prop->texturePitchAlignment = 32;
	prop->surfaceAlignment = 512;
	prop->maxTexture1D = attribute(21);
	prop->maxTexture1DMipmap = attribute(77);
	prop->maxTexture2D[0] = attribute(22);
	prop->maxTexture2D[1] = attribute(23);
	for (int i = 0; i < 2; i++) {
		prop->maxTexture2DMipmap[i] = attribute(73 + i);
		prop->maxTexture2DGather[i] = attribute(45 + i);
		prop->maxTexture1DLayered[i] = attribute(42 + i);
		prop->maxTextureCubemapLayered[i] = attribute(53 + i);
		prop->maxSurface2D[i] = attribute(56 + i);
		prop->maxSurface1DLayered[i] = attribute(61 + i);
		prop->maxSurfaceCubemapLayered[i] = attribute(67 + i);
	}
	for (int i = 0; i < 3; i++) {
		prop->maxTexture2DLinear[i] = attribute(70 + i);
		prop->maxTexture3D[i] = attribute(24 + i);
		prop->maxTexture3DAlt[i] = attribute(47 + i);
		prop->maxTexture2DLayered[i] = attribute(27 + i);
		prop->maxSurface3D[i] = attribute(58 + i);
		prop->maxSurface2DLayered[i] = attribute(63 + i);
	}
	prop->maxTextureCubemap = attribute(52);
	prop->maxSurface1D = attribute(55);
	prop->maxSurfaceCubemap = attribute(66);
	prop->persistingL2CacheMaxSize = attribute(108);
	prop->accessPolicyMaxWindowSize = attribute(109);
	prop->canUseHostPointerForRegisteredMem = attribute(91);
	prop->cooperativeLaunch = 1;
	prop->concurrentManagedAccess = 1;
	prop->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
	prop->canMapHostMemory = 1;
	prop->concurrentKernels = 1;
	prop->asyncEngineCount = 1;
	prop->unifiedAddressing = 1;
	prop->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
	prop->l2CacheSize = attribute(cudaDevAttrL2CacheSize);
	prop->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
	prop->streamPrioritiesSupported = 1;
	prop->globalL1CacheSupported = 1;
	prop->localL1CacheSupported = 1;
	prop->sharedMemPerMultiprocessor =
		(size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
	prop->regsPerMultiprocessor = attribute(82);
	prop->managedMemory = 1;
	prop->sharedMemPerBlockOptin = EMULATOR_SHARED_OPTIN_BYTES;
	prop->maxBlocksPerMultiProcessor = attribute(106);
	prop->reservedSharedMemPerBlock = (size_t)attribute(111);
#if CUDART_MAJOR >= 12
	prop->memoryPoolsSupported = 1;
	prop->hostRegisterSupported = attribute(99);
	prop->clusterLaunch = attribute(120);
#endif
#if CUDART_MAJOR < 13
	prop->maxTexture1DLinear = attribute(69);
	prop->clockRate = attribute(cudaDevAttrClockRate);
	prop->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
	prop->deviceOverlap = 1;
	prop->singleToDoublePrecisionPerfRatio = 2;
#endif
}

#if CUDART_MAJOR == 12
/* Programs built with CUDA 12 call _v2; the plain name keeps the layout of CUDA 11. */
#define LAYOUT_11_BYTES 728
EXPORT cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device);
#define CURRENT_PROPERTIES cudaGetDeviceProperties_v2
#else
#define CURRENT_PROPERTIES cudaGetDeviceProperties
#endif

cudaError_t CURRENT_PROPERTIES(struct cudaDeviceProp *prop, int device)
{
	uint64_t free, total;
	int error;

	ATTACH();
	if (!prop || device)
		return runtime_result(prop ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	error = vflow_emulator_memory_info(&free, &total);
	if (!error)
		describe(prop, total);
	return runtime_result(error);
}

#if CUDART_MAJOR == 12
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	struct cudaDeviceProp current;
	cudaError_t error = cudaGetDeviceProperties_v2(prop ? &current : NULL, device);

	if (!error)
		memcpy(prop, &current, LAYOUT_11_BYTES);
	return error;
}
#endif

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	ATTACH();
	if (!value || device)
		return runtime_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	return runtime_result(vflow_emulator_attribute(attr, value));
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
	ATTACH();
	if (!pciBusId || len < 13 || device)
		return runtime_result(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	snprintf(pciBusId, (size_t)len, "0000:00:00.0");
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
	ATTACH();
	if (!canAccessPeer)
		return runtime_result(cudaErrorInvalidValue);
	*canAccessPeer = 0;
	return runtime_result(device || peerDevice ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
	(void)peerDevice;
	(void)flags;
	ATTACH();
	return runtime_result(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
	return DELEGATE(cudaDeviceEnablePeerAccess(peerDevice, 0));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
	uint64_t value;
	int error;

	ATTACH();
	error = pValue ? vflow_emulator_limit((int)limit, &value, false)
		       : (int)cudaErrorInvalidValue;
	if (!error)
		*pValue = value;
	return runtime_result(error);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	uint64_t wanted = value;

	ATTACH();
	return runtime_result(vflow_emulator_limit((int)limit, &wanted, true));
}

static enum cudaFuncCache cache_config;

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cacheConfig)
{
	ATTACH();
	if (!cacheConfig)
		return runtime_result(cudaErrorInvalidValue);
	*cacheConfig = cache_config;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
	ATTACH();
	cache_config = cacheConfig;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	ATTACH();
	if (leastPriority)
		*leastPriority = 0;
	if (greatestPriority)
		*greatestPriority = -5;
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	ATTACH();
	return runtime_result(vflow_emulator_synchronize_device("cudaDeviceSynchronize"));
}

cudaError_t cudaDeviceReset(void)
{
	ATTACH();
	return runtime_result(vflow_emulator_reset("cudaDeviceReset"));
}

cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

/* Hints about where memory should be and how it is cached; their arguments differ by major. */
#define HINT(entry)                                                                                \
	EXPORT cudaError_t entry(void);                                                            \
	cudaError_t entry(void)                                                                    \
	{                                                                                          \
		ATTACH();                                                                          \
		return cudaSuccess;                                                                \
	}

HINT(cudaMemAdvise)
HINT(cudaMemPrefetchAsync)
HINT(cudaMemPrefetchAsync_ptsz)
HINT(cudaMemPrefetchBatchAsync)
HINT(cudaStreamAttachMemAsync)
HINT(cudaStreamAttachMemAsync_ptsz)
HINT(cudaStreamSetAttribute)
HINT(cudaStreamSetAttribute_ptsz)
HINT(cudaStreamCopyAttributes)
HINT(cudaStreamCopyAttributes_ptsz)
HINT(cudaGraphKernelNodeSetAttribute)
HINT(cudaGraphKernelNodeCopyAttributes)
HINT(cudaCtxResetPersistingL2Cache)
HINT(cudaDeviceSetSharedMemConfig)
HINT(cudaFuncSetSharedMemConfig)
#if CUDART_MAJOR == 12
HINT(cudaMemAdvise_v2)
HINT(cudaMemPrefetchAsync_v2)
#endif
