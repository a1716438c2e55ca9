/*
 * gpu/emulator/runtime/unsupported.c: runtime API: entries that programs use and the emulator
 * lacks.  They are here so that the program starts, says what it misses and gets an error.
 */
#include "gpu/emulator/runtime/runtime.h"

#define UNSUPPORTED(entry)                                                                         \
	EXPORT cudaError_t entry(void);                                                            \
	cudaError_t entry(void)                                                                    \
	{                                                                                          \
		return runtime_result(vflow_emulator_unsupported(#entry));                         \
	}

UNSUPPORTED(cudaDeviceGetP2PAttribute)
UNSUPPORTED(cudaDeviceGetByPCIBusId)
UNSUPPORTED(cudaChooseDevice)
UNSUPPORTED(cudaFreeMipmappedArray)
UNSUPPORTED(cudaGetDriverEntryPoint)
UNSUPPORTED(cudaGetDriverEntryPointByVersion)
UNSUPPORTED(cudaGetExportTable)
UNSUPPORTED(cudaGetFuncBySymbol)
UNSUPPORTED(cudaGetKernel)
UNSUPPORTED(cudaGetMipmappedArrayLevel)
UNSUPPORTED(cudaGraphConditionalHandleCreate)
UNSUPPORTED(cudaGraphDebugDotPrint)
UNSUPPORTED(cudaGraphDestroyNode)
UNSUPPORTED(cudaGraphGetRootNodes)
UNSUPPORTED(cudaGraphInstantiateWithParams)
UNSUPPORTED(cudaGraphKernelNodeGetParams)
UNSUPPORTED(cudaGraphKernelNodeSetParams)
UNSUPPORTED(cudaHostGetFlags)
UNSUPPORTED(cudaImportExternalMemory)
UNSUPPORTED(cudaImportExternalSemaphore)
UNSUPPORTED(cudaIpcCloseMemHandle)
UNSUPPORTED(cudaIpcGetEventHandle)
UNSUPPORTED(cudaIpcGetMemHandle)
UNSUPPORTED(cudaIpcOpenEventHandle)
UNSUPPORTED(cudaIpcOpenMemHandle)
UNSUPPORTED(cudaLibraryGetKernel)
UNSUPPORTED(cudaLibraryLoadData)
UNSUPPORTED(cudaLibraryUnload)
UNSUPPORTED(cudaMallocMipmappedArray)
UNSUPPORTED(cudaMemRangeGetAttribute)
UNSUPPORTED(cudaMemcpy2DArrayToArray)
UNSUPPORTED(cudaMemcpy3DPeer)
UNSUPPORTED(cudaMemcpyArrayToArray)
UNSUPPORTED(cudaMemcpyBatchAsync)
UNSUPPORTED(cudaMemcpyToArrayAsync)
UNSUPPORTED(cudaOccupancyAvailableDynamicSMemPerBlock)
UNSUPPORTED(cudaOccupancyMaxActiveClusters)
UNSUPPORTED(cudaOccupancyMaxPotentialClusterSize)
UNSUPPORTED(cudaSetValidDevices)
UNSUPPORTED(cudaStreamGetAttribute)
UNSUPPORTED(cudaStreamGetId)
UNSUPPORTED(cudaThreadExchangeStreamCaptureMode)
UNSUPPORTED(cudaUserObjectCreate)
UNSUPPORTED(cudaUserObjectRelease)
UNSUPPORTED(__cudaRegisterTexture)
UNSUPPORTED(__cudaRegisterSurface)
