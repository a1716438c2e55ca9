/*
 * gpu/emulator/driver/question.c: driver API: what programs ask of memory, kernels and modules, and
 * hints and switches that change nothing here.
 *
 * What an entry with Get in its name returns need not go through RESULT(): it is not reported.
 */
#include <string.h>

#include "gpu/emulator/driver/driver.h"

#define DRIVER_API(...)                                                                            \
	__attribute__((visibility("default"))) CUresult __VA_ARGS__;                               \
	CUresult __VA_ARGS__

/* -- hints ----------------------------------------------------------------------------------- */

#define HINT(entry)                                                                                \
	DRIVER_API(entry(void))                                                                    \
	{                                                                                          \
		return RESULT(vflow_emulator_check(true));                                         \
	}

HINT(cuMemAdvise)
HINT(cuMemAdvise_v2)
HINT(cuMemPrefetchAsync)
HINT(cuMemPrefetchAsync_ptsz)
HINT(cuMemPrefetchAsync_v2)
HINT(cuMemPrefetchAsync_v2_ptsz)
HINT(cuMemPrefetchBatchAsync)
HINT(cuStreamAttachMemAsync)
HINT(cuStreamAttachMemAsync_ptsz)
HINT(cuStreamSetAttribute)
HINT(cuStreamSetAttribute_ptsz)
HINT(cuStreamCopyAttributes)
HINT(cuStreamCopyAttributes_ptsz)
HINT(cuGraphKernelNodeSetAttribute)
HINT(cuGraphKernelNodeCopyAttributes)
HINT(cuCtxResetPersistingL2Cache)
HINT(cuCtxSetSharedMemConfig)
HINT(cuFuncSetSharedMemConfig)
HINT(cuKernelSetCacheConfig)
HINT(cuFlushGPUDirectRDMAWrites)
HINT(cuProfilerStart)
HINT(cuProfilerStop)
HINT(cuFuncLoad)
HINT(cuPointerSetAttribute)

/* -- devices and contexts -------------------------------------------------------------------- */

DRIVER_API(cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId))
{
	int error = vflow_emulator_check(false);

	if (error || !dev || !pciBusId)
		return error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
	if (strcmp(pciBusId, "0000:00:00.0") && strcmp(pciBusId, "00:00.0") &&
	    strcmp(pciBusId, "0000:00:00"))
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = 0;
	return CUDA_SUCCESS;
}

/* Peer access needs two devices, and there is one. */
DRIVER_API(cuDeviceGetP2PAttribute(int *value, int attrib, CUdevice source, CUdevice target))
{
	(void)attrib;
	(void)source;
	(void)target;
	return value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_API(cuCtxEnablePeerAccess(CUcontext peer, unsigned flags))
{
	int error = vflow_emulator_check(true);

	if (error || !peer || flags)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	return RESULT(217); /* peer access is not supported: the context is of this very device */
}

DRIVER_API(cuCtxDisablePeerAccess(CUcontext peer))
{
	int error = vflow_emulator_check(true);

	if (error || !peer)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	return RESULT(705); /* peer access is not enabled */
}

/* Functions of CUDA 2, kept for programs that look up all entry points. */
DRIVER_API(cuDeviceGetProperties(int *prop, CUdevice dev))
{
	/* threads, block, grid, shared and constant memory, warp, pitch, registers, clock, texture
	 */
	static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	int error = vflow_emulator_check(false);

	if (error || !prop || dev)
		return error ? (CUresult)error
		       : dev ? CUDA_ERROR_INVALID_DEVICE
			     : CUDA_ERROR_INVALID_VALUE;
	for (size_t n = 0; n < sizeof(attributes) / sizeof(*attributes); n++)
		vflow_emulator_attribute(attributes[n], &prop[n]);
	return CUDA_SUCCESS;
}

DRIVER_API(cuCtxGetSharedMemConfig(int *config))
{
	int error = vflow_emulator_check(true);

	if (error || !config)
		return error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
	*config = 1; /* shared memory has banks of four bytes */
	return CUDA_SUCCESS;
}

DRIVER_API(cuCtxGetCacheConfig(int *config))
{
	int error = vflow_emulator_check(true);

	if (error || !config)
		return error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
	*config = 0;
	return CUDA_SUCCESS;
}

DRIVER_API(cuCtxGetId(CUcontext ctx, unsigned long long *id))
{
	CUcontext current;
	CUresult result = ctx ? CUDA_SUCCESS : cuCtxGetCurrent(&current);

	if (result || !id)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	*id = (uintptr_t)(ctx ? ctx : current);
	return CUDA_SUCCESS;
}

DRIVER_API(cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode))
{
	if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*mode = (CUstreamCaptureMode)vflow_emulator_capture_mode((int)*mode);
	return CUDA_SUCCESS;
}

/* -- streams and events ----------------------------------------------------------------------- */

DRIVER_API(cuStreamGetCtx(CUstream stream, CUcontext *ctx))
{
	int error =
		ctx ? vflow_emulator_stream_check(stream, NULL, NULL) : CUDA_ERROR_INVALID_VALUE;

	return error ? (CUresult)error : cuCtxGetCurrent(ctx);
}
PER_THREAD(cuStreamGetCtx, cuStreamGetCtx_ptsz);

DRIVER_API(cuStreamGetDevice(CUstream stream, CUdevice *device))
{
	int error =
		device ? vflow_emulator_stream_check(stream, NULL, NULL) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*device = 0;
	return (CUresult)error;
}
PER_THREAD(cuStreamGetDevice, cuStreamGetDevice_ptsz);

DRIVER_API(cuStreamGetId(CUstream stream, unsigned long long *id))
{
	int error = id ? vflow_emulator_stream_check(stream, NULL, NULL) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*id = (uintptr_t)stream;
	return (CUresult)error;
}
PER_THREAD(cuStreamGetId, cuStreamGetId_ptsz);

DRIVER_API(cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags))
{
	return RESULT(vflow_emulator_event_record(event, stream, flags & CU_EVENT_RECORD_EXTERNAL));
}
PER_THREAD(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz);

/* -- memory ------------------------------------------------------------------------------------ */

static size_t attribute_bytes(CUpointer_attribute attribute)
{
	/* context, pointers, buffer, range, pool, mapping, block */
	const uint64_t long_ones = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 7 | 1 << 11 | 1 << 12 | 1 << 17 |
				   1 << 18 | 1 << 19 | 1 << 20;

	return (unsigned)attribute < 64 && long_ones >> attribute & 1 ? 8 : 4;
}

/* An unknown pointer is no error for this function: its attributes are zeros. */
DRIVER_API(cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
				  CUdeviceptr ptr))
{
	struct emulator_pointer pointer;
	int error = attributes && data ? vflow_emulator_check(false) : CUDA_ERROR_INVALID_VALUE;
	bool known = !error && !vflow_emulator_pointer(ptr, &pointer);

	for (unsigned n = 0; n < count && !error; n++) {
		if (!data[n])
			error = CUDA_ERROR_INVALID_VALUE;
		else if (!known || cuPointerGetAttribute(data[n], attributes[n], ptr))
			memset(data[n], 0, attribute_bytes(attributes[n]));
	}
	return (CUresult)error;
}

DRIVER_API(cuMemHostGetFlags(unsigned *flags, void *host))
{
	struct emulator_pointer pointer;
	int error = flags ? vflow_emulator_pointer((uintptr_t)host, &pointer)
			  : CUDA_ERROR_INVALID_VALUE;

	if (!error && pointer.kind != GPU_MEMORY_MAPPED_HOST)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		*flags = CU_MEMHOSTALLOC_DEVICEMAP;
	return (CUresult)error;
}

/* cuMemAdvise() has no effect here, so no advice is set. */
DRIVER_API(cuMemRangeGetAttribute(void *data, size_t size, int attribute, CUdeviceptr address,
				  size_t count))
{
	struct emulator_pointer pointer;
	int error = data && size && size % sizeof(int) == 0 && count
			    ? vflow_emulator_pointer(address, &pointer)
			    : CUDA_ERROR_INVALID_VALUE;

	if (!error && pointer.kind != GPU_MEMORY_MANAGED)
		error = CUDA_ERROR_INVALID_VALUE;
	for (size_t n = 0; n < size / sizeof(int) && !error; n++)
		((int *)data)[n] =
			attribute == 1 ? 0 : -2; /* not read-mostly; no preferred device */
	return (CUresult)error;
}

/* -- modules and kernels ----------------------------------------------------------------------- */

DRIVER_API(cuModuleGetFunctionCount(unsigned *count, CUmodule module))
{
	return count ? (CUresult)vflow_emulator_module_kernels((struct emulator_module *)module,
							       NULL, 0, count)
		     : CUDA_ERROR_INVALID_VALUE;
}
ALIAS(cuModuleGetFunctionCount, cuLibraryGetKernelCount);

DRIVER_API(cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module))
{
	unsigned count;

	return RESULT(functions ? vflow_emulator_module_kernels(
					  (struct emulator_module *)module,
					  (struct emulator_kernel **)functions, room, &count)
				: (int)CUDA_ERROR_INVALID_VALUE);
}
ALIAS(cuModuleEnumerateFunctions, cuLibraryEnumerateKernels);

DRIVER_API(cuModuleGetLoadingMode(int *mode))
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = 1; /* modules are loaded eagerly */
	return CUDA_SUCCESS;
}

DRIVER_API(cuLibraryLoadFromFile(CUlibrary *library, const char *path, void *jit, void **jit_values,
				 unsigned jit_count, void *options, void **values, unsigned count))
{
	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	return DELEGATE(cuModuleLoad((CUmodule *)library, path));
}

DRIVER_API(cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
			       const char *name))
{
	CUresult result = cuLibraryGetGlobal(address, bytes, library, name);

	if (!result && address)
		vflow_emulator_variable_shared(*address);
	return result;
}

DRIVER_API(cuFuncIsLoaded(int *state, CUfunction function))
{
	struct emulator_kernel_facts facts;
	int error = state ? vflow_emulator_kernel_facts((struct emulator_kernel *)function, &facts)
			  : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*state = 1;
	return RESULT(error);
}

DRIVER_API(cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size))
{
	uint64_t at, bytes;
	int error = offset ? vflow_emulator_kernel_parameter((struct emulator_kernel *)function,
							     index, &at, &bytes)
			   : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return (CUresult)error;
	*offset = at;
	if (size)
		*size = bytes;
	return CUDA_SUCCESS;
}
ALIAS(cuFuncGetParamInfo, cuKernelGetParamInfo);

DRIVER_API(cuKernelGetName(const char **name, CUkernel kernel))
{
	return DELEGATE(cuFuncGetName(name, (CUfunction)kernel));
}

DRIVER_API(cuKernelGetAttribute(int *value, CUfunction_attribute attrib, CUkernel kernel,
				CUdevice dev))
{
	return dev ? CUDA_ERROR_INVALID_DEVICE
		   : cuFuncGetAttribute(value, attrib, (CUfunction)kernel);
}

DRIVER_API(cuKernelSetAttribute(CUfunction_attribute attrib, int value, CUkernel kernel,
				CUdevice dev))
{
	return dev ? RESULT(CUDA_ERROR_INVALID_DEVICE)
		   : DELEGATE(cuFuncSetAttribute((CUfunction)kernel, attrib, value));
}
