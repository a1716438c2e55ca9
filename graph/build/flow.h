/*
 * graph/build/flow.h: the role of the traces that make the graph: their processes and objects are
 * those of the profile, their calls its vertices, their rows its edges.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_FLOW_H
#define VFLOW_GRAPH_BUILD_FLOW_H

#include "graph/build/process.h"

extern const struct process_role flow_role;

#endif
