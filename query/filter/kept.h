/*
 * query/filter/kept.h: the line on stderr that says what a filter kept and dropped.
 */
#ifndef VFLOW_QUERY_FILTER_KEPT_H
#define VFLOW_QUERY_FILTER_KEPT_H

#include <stdint.h>

#include "graph/graph.h"

struct kept {
	uint32_t vertices;
	uint32_t edges, bridged; /* those that query_bridge() made are not among the edges */
	uint64_t bytes;
};

struct kept kept_of(const struct graph *graph);

/* `graph` is what remained. */
void kept_say(const char *command, struct kept before, const struct graph *graph);

#endif
