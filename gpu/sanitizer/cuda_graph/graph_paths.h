/*
 * gpu/sanitizer/cuda_graph/graph_paths.h: the call paths where the nodes of the program's graphs
 * were captured or added.
 *
 * Executable graphs take them over from the graphs that they are made from.  A node whose making
 * was not seen has path 0.  All functions want the lock of calls.c and call the driver, but for
 * graph_path_set() and graph_path_of().
 */
#ifndef VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPH_PATHS_H
#define VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPH_PATHS_H

#include <stdint.h>

#include <cuda.h>

/* `path`: as gpu_sink.path() gave it; 0: the node is gone. */
void graph_path_set(CUgraphNode node, uint32_t path);
uint32_t graph_path_of(CUgraphNode node);
/* Gives the nodes of a graph the paths of those that they are copies of, in child graphs, too. */
void graph_paths_copy(CUgraph copy, CUgraph original);
/* The graph is about to be destroyed, and its child graphs. */
void graph_paths_gone(CUgraph graph);

#endif
