/*
 * query/ask.h: a query put to the graphs of an input, the answer written: vflow query, and the
 * commands that are a query by another name.
 */
#ifndef VFLOW_QUERY_ASK_H
#define VFLOW_QUERY_ASK_H

#include "query/run.h"
#include "util/options.h"

struct ask {
	const char *command; /* for messages */
	const char *query;
	struct option_list parameters; /* NAME=VALUE */
	const char *type;              /* -T, may be NULL */
	const char *file, *output;     /* may be NULL */
	struct query_limits limits;
};

/* Returns the exit code. */
int query_ask(const struct ask *ask);

#endif
