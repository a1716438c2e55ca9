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
	/* since CUDA 12.4 */
	CUresult (*cuFuncGetParamInfo)(void *function, size_t index, size_t *offset, size_t *bytes);
	CUresult (*cuKernelGetParamInfo)(void *kernel, size_t index, size_t *offset, size_t *bytes);
	/* of the pass `calls`; NULL: sizes that they would tell are not known */
	CUresult (*cuMemGetAddressRange)(CUdeviceptr *start, size_t *bytes, CUdeviceptr address);
	CUresult (*cuArray3DGetDescriptor)(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array);
};

extern struct driver driver;

/* Returns 0, or -1: this libcuda.so.1 lacks a function. */
int driver_load(void);

#endif
