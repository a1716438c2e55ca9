/*
 * gpu/emulator/runtime/graph.h: what the runtime API's files about graphs share.
 */
#ifndef VFLOW_GPU_EMULATOR_RUNTIME_GRAPH_H
#define VFLOW_GPU_EMULATOR_RUNTIME_GRAPH_H

#include "gpu/emulator/runtime/runtime.h"

/* Parameters of a node as an operation.  An error, or 0. */
int runtime_kernel_node(const struct cudaKernelNodeParams *p, struct emulator_node *node);
int runtime_copy_node(const struct cudaMemcpy3DParms *p, struct emulator_node *node);
int runtime_fill_node(const struct cudaMemsetParams *p, struct emulator_node *node);
int runtime_host_node(const struct cudaHostNodeParams *p, struct emulator_node *node);

#endif
