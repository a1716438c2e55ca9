/*
 * graph/build/pairs/calls.h: how often a process called what, by which processes are told apart.
 * Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_PAIRS_CALLS_H
#define VFLOW_GRAPH_BUILD_PAIRS_CALLS_H

#include <stdint.h>

#include "graph/build/merge.h"

/* The calls of a context, a number of the merge. */
struct called {
	uint32_t context;
	uint64_t calls;
};

struct calls {
	struct called *contexts; /* sorted by context, each once */
	uint32_t count;
};

/* Of the trace, as far as it can be read.  calls_release() frees what is in it. */
void calls_read(struct merge *merge, const char *path, struct calls *calls);
void calls_sort(struct calls *calls);
void calls_release(struct calls *calls);

/* How many calls one of the two has and the other has not. */
uint64_t calls_apart(const struct calls *left, const struct calls *right);

#endif
