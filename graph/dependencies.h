/* graph/dependencies.h: the dependency graph of a profile's events (DrGPUM, Definition 5.1). */
#ifndef VFLOW_GRAPH_DEPENDENCIES_H
#define VFLOW_GRAPH_DEPENDENCIES_H

#include "graph/profile/profile.h"

#define NO_LEVEL UINT64_MAX /* of an event that is no vertex of that graph */

/*
 * Kahn's topological time of the first `calls` events, by event; *edges: how many rows of
 * profile->dependencies lead into these.  The caller frees.
 */
uint64_t *dependency_levels(const struct profile *profile, uint32_t calls, uint32_t *edges);

/* "stream", "RAW" of an enum profile_dependency_why; "unknown". */
const char *dependency_why(uint32_t why);

#endif
