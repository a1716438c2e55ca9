/*
 * gpu/cupti/driver.h: what the provider asks the CUDA driver: functions of the libcuda.so.1 of this
 * process, which loaded us, so that building needs no driver.
 */
#ifndef VFLOW_GPU_CUPTI_DRIVER_H
#define VFLOW_GPU_CUPTI_DRIVER_H

#include <cuda.h>

struct driver {
	CUresult (*cuPointerGetAttribute)(void *value, CUpointer_attribute attribute, CUdeviceptr);
	CUresult (*cuGraphGetNodes)(CUgraph graph, CUgraphNode *nodes, size_t *count);
	CUresult (*cuGraphNodeGetType)(CUgraphNode node, CUgraphNodeType *type);
	CUresult (*cuGraphChildGraphNodeGetGraph)(CUgraphNode node, CUgraph *graph);
	CUresult (*cuStreamGetFlags)(CUstream stream, unsigned *flags);
	CUresult (*cuStreamIsCapturing)(CUstream stream, CUstreamCaptureStatus *status);
	/* not needed */
	CUresult (*cuDeviceGetAttribute)(int *value, CUdevice_attribute attribute, CUdevice device);
	/* since CUDA 12.3; NULL in an older driver */
	CUresult (*cuFuncGetName)(const char **name, CUfunction function);
	CUresult (*cuKernelGetName)(const char **name, void *kernel);
};

extern struct driver driver;

/* Returns 0, or -1: this libcuda.so.1 lacks a function. */
int driver_load(void);

#endif
