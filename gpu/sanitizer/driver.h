/*
 * gpu/sanitizer/driver.h: the functions of the CUDA driver that the provider calls.
 *
 * They are looked up in the libcuda.so.1 of this process, which loaded us, so that building needs
 * no driver.
 */
#ifndef VFLOW_GPU_SANITIZER_DRIVER_H
#define VFLOW_GPU_SANITIZER_DRIVER_H

#include <stdbool.h>

#include <cuda.h>

#define DRIVER_FUNCTIONS(X)                                                                        \
	X(cuArray3DGetDescriptor)                                                                  \
	X(cuCtxGetDevice)                                                                          \
	X(cuCtxPopCurrent)                                                                         \
	X(cuCtxGetCurrent)                                                                         \
	X(cuCtxPushCurrent)                                                                        \
	X(cuDeviceGetAttribute)                                                                    \
	X(cuDeviceGetP2PAttribute)                                                                 \
	X(cuEventCreate)                                                                           \
	X(cuEventDestroy)                                                                          \
	X(cuEventQuery)                                                                            \
	X(cuEventRecord)                                                                           \
	X(cuFuncGetAttribute)                                                                      \
	X(cuGraphAddKernelNode)                                                                    \
	X(cuGraphAddMemcpyNode)                                                                    \
	X(cuGraphAddMemsetNode)                                                                    \
	X(cuGraphChildGraphNodeGetGraph)                                                           \
	X(cuGraphCreate)                                                                           \
	X(cuGraphDestroy)                                                                          \
	X(cuGraphDestroyNode)                                                                      \
	X(cuGraphEventRecordNodeGetEvent)                                                          \
	X(cuGraphExecDestroy)                                                                      \
	X(cuGraphExecEventRecordNodeSetEvent)                                                      \
	X(cuGraphExecHostNodeSetParams)                                                            \
	X(cuGraphExecKernelNodeSetParams)                                                          \
	X(cuGraphExecMemcpyNodeSetParams)                                                          \
	X(cuGraphExecMemsetNodeSetParams)                                                          \
	X(cuGraphGetEdges)                                                                         \
	X(cuGraphGetNodes)                                                                         \
	X(cuGraphHostNodeGetParams)                                                                \
	X(cuGraphInstantiateWithFlags)                                                             \
	X(cuGraphKernelNodeCopyAttributes)                                                         \
	X(cuGraphKernelNodeGetAttribute)                                                           \
	X(cuGraphKernelNodeGetParams)                                                              \
	X(cuGraphLaunch)                                                                           \
	X(cuGraphMemAllocNodeGetParams)                                                            \
	X(cuGraphMemcpyNodeGetParams)                                                              \
	X(cuGraphMemFreeNodeGetParams)                                                             \
	X(cuGraphMemsetNodeGetParams)                                                              \
	X(cuGraphNodeFindInClone)                                                                  \
	X(cuGraphNodeGetEnabled)                                                                   \
	X(cuGraphNodeGetType)                                                                      \
	X(cuGraphNodeSetEnabled)                                                                   \
	X(cuGraphRetainUserObject)                                                                 \
	X(cuLaunchKernel)                                                                          \
	X(cuMemAlloc)                                                                              \
	X(cuMemcpy3DAsync)                                                                         \
	X(cuMemcpyDtoDAsync)                                                                       \
	X(cuMemcpyDtoHAsync)                                                                       \
	X(cuMemcpyHtoDAsync)                                                                       \
	X(cuMemFree)                                                                               \
	X(cuMemFreeAsync)                                                                          \
	X(cuMemFreeHost)                                                                           \
	X(cuMemGetInfo)                                                                            \
	X(cuMemHostAlloc)                                                                          \
	X(cuMemHostGetDevicePointer)                                                               \
	X(cuMemHostRegister)                                                                       \
	X(cuMemHostUnregister)                                                                     \
	X(cuMemsetD8Async)                                                                         \
	X(cuModuleGetFunction)                                                                     \
	X(cuModuleGetGlobal)                                                                       \
	X(cuModuleLoadData)                                                                        \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                             \
	X(cuPointerGetAttribute)                                                                   \
	X(cuStreamCreate)                                                                          \
	X(cuStreamGetCaptureInfo)                                                                  \
	X(cuStreamIsCapturing)                                                                     \
	X(cuStreamQuery)                                                                           \
	X(cuStreamSynchronize)                                                                     \
	X(cuThreadExchangeStreamCaptureMode)                                                       \
	X(cuUserObjectCreate)

/* Since CUDA 11.7, 12.0, 12.3 and 12.4; NULL in an older driver. */
/* clang-format off */
#define DRIVER_NEWER_FUNCTIONS(X)                                                                  \
	X(cuModuleGetLoadingMode, (CUmoduleLoadingMode *))                                         \
	X(cuKernelGetFunction, (CUfunction *, void *kernel))                                       \
	X(cuKernelGetName, (const char **, void *kernel))                                          \
	X(cuFuncGetModule, (CUmodule *, CUfunction))                                               \
	X(cuFuncGetName, (const char **, CUfunction))                                              \
	X(cuFuncGetParamInfo, (CUfunction, size_t index, size_t *offset, size_t *size))
/* clang-format on */

#define DRIVER_FIELD(name) __typeof__(&name) name;
struct driver {
	DRIVER_FUNCTIONS(DRIVER_FIELD)
#define DRIVER_NEWER_FIELD(name, parameters) CUresult(*name) parameters;
	DRIVER_NEWER_FUNCTIONS(DRIVER_NEWER_FIELD)
};
#undef DRIVER_FIELD
#undef DRIVER_NEWER_FIELD

extern struct driver driver;

/*
 * Whether the result is the error of a kernel, which all calls in its context return from then on.
 */
static inline bool driver_is_fault(CUresult result)
{
	return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
	       result == CUDA_ERROR_ASSERT ||
	       (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

/* Returns 0, or -1: this libcuda.so.1 lacks a function. */
int driver_load(void);

#endif
