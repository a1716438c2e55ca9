/*
 * graph/build/joined.h: the role of the traces that join a graph: what they say of its calls and
 * objects reaches analyses, the rest is counted.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_JOINED_H
#define VFLOW_GRAPH_BUILD_JOINED_H

#include "graph/build/process.h"

/* run->partner: index of the graph's process that the next trace's stands for; UINT32_MAX: none. */
extern const struct process_role joined_role;

#endif
