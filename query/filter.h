/*
 * query/filter.h: what slice and prune have in common: a stream of graphs in, one DOT graph out
 * for each, and a line on stderr that says what was kept.
 */
#ifndef VFLOW_QUERY_FILTER_H
#define VFLOW_QUERY_FILTER_H

#include <stdint.h>

#include "graph/graph.h"
#include "util/error.h"

struct filter {
	const char *command; /* for messages */
	const char *file;    /* operand of the command, may be NULL */
	const char *output;  /* -o, may be NULL */
	/* Filters one graph in place; -1 ends the run. */
	int (*apply)(struct graph *graph, void *data, struct error *error);
	void *data;
};

/* Returns the exit code. */
int filter_run(const struct filter *filter);

#endif
