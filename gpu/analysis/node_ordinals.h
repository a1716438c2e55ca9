/*
 * gpu/analysis/node_ordinals.h: telling nodes of a CUDA graph apart that were added at one place.
 *
 * Nodes are equal that do the same kind of thing and have the same call path, and if they are
 * kernels the same name: in a loop that adds nodes all are.  Both providers number them here, so
 * that a node is the same operation on both.
 */
#ifndef VFLOW_GPU_ANALYSIS_NODE_ORDINALS_H
#define VFLOW_GPU_ANALYSIS_NODE_ORDINALS_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/provider.h"

struct graph_node {
	enum gpu_api api;
	uint32_t path; /* see struct gpu_node */
	uint64_t name; /* node_name() of a kernel's mangled name */
	uint32_t ordinal;
};

/* Tells names apart; NULL, for what is no kernel or has a name that is not known, is 0. */
uint64_t node_name(const char *name);

/*
 * Sets the ordinals of a graph's nodes, those of child graphs among them, in the order in which
 * they run one by one: how many equal ones come before each.  Returns 0, or -1: no memory.
 */
int node_ordinals(struct graph_node *nodes, size_t count);

#endif
