/*
 * gpu/emulator/runtime/legacy.c: runtime API: entries that CUDA 13 dropped.
 */
#include "gpu/emulator/runtime/runtime.h"

#if CUDART_MAJOR < 13

EXPORT cudaError_t cudaThreadSynchronize(void);
EXPORT cudaError_t cudaThreadExit(void);
EXPORT cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
EXPORT cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
EXPORT cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
EXPORT cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
EXPORT cudaError_t cudaProfilerInitialize(const char *config, const char *output, int mode);

cudaError_t cudaThreadSynchronize(void)
{
	ATTACH();
	return runtime_result(vflow_emulator_synchronize_device("cudaThreadSynchronize"));
}

cudaError_t cudaThreadExit(void)
{
	ATTACH();
	return runtime_result(vflow_emulator_reset("cudaThreadExit"));
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return DELEGATE(cudaDeviceGetLimit(value, limit));
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return DELEGATE(cudaDeviceSetLimit(limit, value));
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return DELEGATE(cudaDeviceGetCacheConfig(config));
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return DELEGATE(cudaDeviceSetCacheConfig(config));
}

cudaError_t cudaProfilerInitialize(const char *config, const char *output, int mode)
{
	(void)config;
	(void)output;
	(void)mode;
	return cudaSuccess;
}

#endif
