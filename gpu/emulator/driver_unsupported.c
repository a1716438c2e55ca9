/*
 * gpu/emulator/driver_unsupported.c: driver API: entries that programs use and the emulator
 * lacks.  They are here so that the program starts, says what it misses and gets an error.
 */
#include "gpu/emulator/core.h"

#define UNSUPPORTED(entry, name)                                                                   \
	int entry(void);                                                                           \
	__attribute__((visibility("default"))) int entry(void)                                     \
	{                                                                                          \
		return vflow_emulator_unsupported(name);                                           \
	}

UNSUPPORTED(cuGraphCreate, "cuGraphCreate")
UNSUPPORTED(cuGraphDestroy, "cuGraphDestroy")
UNSUPPORTED(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")
UNSUPPORTED(cuGraphLaunch, "cuGraphLaunch")
UNSUPPORTED(cuGraphExecDestroy, "cuGraphExecDestroy")
UNSUPPORTED(cuStreamBeginCapture_v2, "cuStreamBeginCapture")
UNSUPPORTED(cuStreamEndCapture, "cuStreamEndCapture")
UNSUPPORTED(cuStreamIsCapturing, "cuStreamIsCapturing")
UNSUPPORTED(cuMemPoolCreate, "cuMemPoolCreate")
UNSUPPORTED(cuMemPoolDestroy, "cuMemPoolDestroy")
UNSUPPORTED(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool")
UNSUPPORTED(cuDeviceGetMemPool, "cuDeviceGetMemPool")
UNSUPPORTED(cuDeviceSetMemPool, "cuDeviceSetMemPool")
UNSUPPORTED(cuIpcGetMemHandle, "cuIpcGetMemHandle")
UNSUPPORTED(cuIpcOpenMemHandle_v2, "cuIpcOpenMemHandle")
UNSUPPORTED(cuIpcCloseMemHandle, "cuIpcCloseMemHandle")
UNSUPPORTED(cuIpcGetEventHandle, "cuIpcGetEventHandle")
UNSUPPORTED(cuIpcOpenEventHandle, "cuIpcOpenEventHandle")
UNSUPPORTED(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess")
UNSUPPORTED(cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess")
UNSUPPORTED(cuMemAdvise_v2, "cuMemAdvise")
UNSUPPORTED(cuMemPrefetchAsync_v2, "cuMemPrefetchAsync")
UNSUPPORTED(cuStreamGetCtx, "cuStreamGetCtx")
UNSUPPORTED(cuPointerGetAttributes, "cuPointerGetAttributes")
UNSUPPORTED(cuStreamWriteValue64_v2, "cuStreamWriteValue64")
UNSUPPORTED(cuStreamWaitValue32_v2, "cuStreamWaitValue32")
UNSUPPORTED(cuStreamWaitValue64_v2, "cuStreamWaitValue64")
UNSUPPORTED(cuStreamBatchMemOp_v2, "cuStreamBatchMemOp")
