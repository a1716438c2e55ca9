/*
 * query/language/run.h: a checked query on an engine.
 */
#ifndef VFLOW_QUERY_LANGUAGE_RUN_H
#define VFLOW_QUERY_LANGUAGE_RUN_H

#include <signal.h>

#include "query/language/syntax.h"

struct query_limits {
	uint64_t max_rows;                        /* of the result, 0: any number */
	uint64_t timeout_seconds;                 /* 0: none */
	const volatile sig_atomic_t *interrupted; /* ends the query when it becomes true; or NULL */
};

struct query_result {
	/* a table: count rows of `width` values ... */
	const char **names;
	uint32_t width;
	uint64_t count, capacity;
	struct value *rows;
	struct arena arena;
	/* ... or RETURN GRAPH: what stays; one per vertex and edge */
	bool is_graph;
	bool *keep_vertex, *keep_edge;
};

/* Once for each query.  The result when 0; -1: the message says which limit was met or what was
 * wrong with a value. */
int query_run(struct query *query, struct engine *engine, const struct query_limits *limits,
	      struct query_result *result, struct error *error);
void query_result_free(struct query_result *result);

#endif
