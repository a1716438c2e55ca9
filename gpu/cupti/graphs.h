/*
 * gpu/cupti/graphs.h: how many operations of the device a launch of a CUDA graph is.  Any thread
 * may call.
 */
#ifndef VFLOW_GPU_CUPTI_GRAPHS_H
#define VFLOW_GPU_CUPTI_GRAPHS_H

#include <stdint.h>

/* A function of the driver of this name has succeeded, with these parameters; asks the driver. */
void graphs_note(const char *function, const void *parameters);

/* Kernels, copies and sets of the graph (CUgraphExec); 0: none, or it is not known. */
uint32_t graphs_operations(uintptr_t exec);

#endif
