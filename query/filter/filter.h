/*
 * query/filter/filter.h: what slice, prune and path have in common: a stream of graphs in, one DOT
 * graph out for each, and a line on stderr that says what was kept.
 */
#ifndef VFLOW_QUERY_FILTER_FILTER_H
#define VFLOW_QUERY_FILTER_FILTER_H

#include <stdint.h>

#include "graph/graph.h"
#include "query/filter/query.h"
#include "util/error.h"

struct filter {
	const char *command; /* for messages */
	const char *file;    /* operand of the command, may be NULL */
	const char *output;  /* -o, may be NULL */
	/* Filters one graph in place; -1 ends the run. */
	int (*apply)(struct graph *graph, void *data, struct error *error);
	void *data;
};

/* Leaves what was selected on the engine of this graph, and frees both. */
void filter_keep(struct graph *graph, struct engine *engine, struct selection *keep);

/* Returns the exit code. */
int filter_run(const struct filter *filter);

#endif
