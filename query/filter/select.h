/*
 * query/filter/select.h: the vertices that a user means: an ID, or a regular expression over names
 * and call paths.
 */
#ifndef VFLOW_QUERY_FILTER_SELECT_H
#define VFLOW_QUERY_FILTER_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "query/filter/query.h"
#include "util/error.h"
#include "util/options.h"

struct selector;

/*
 * "5" and "v5" are IDs; anything else is a PCRE2 expression, found anywhere in a vertex's name or
 * call path.  NULL when the expression is not valid.
 */
struct selector *selector_new(const char *text, struct error *error);

/*
 * Sets of[index] for every vertex that is meant; host only by its ID.  Returns how many are meant;
 * 0: none, and the message names the nearest ones; -1: the expression is too costly.
 */
int64_t selector_mark(const struct selector *selector, const struct graph *graph, bool *of,
		      struct error *error);
void selector_free(struct selector *selector);

/* Those of an option that may be given several times: their union is meant. */
struct selectors {
	struct selector **items;
	uint32_t count;
};

/* -1: an expression is not valid. */
int selectors_new(struct selectors *selectors, const struct option_list *texts,
		  struct error *error);
void selectors_free(struct selectors *selectors);

/* Ids of objects, none: any object.  -1: a text is no number. */
int objects_new(struct query_objects *objects, const struct option_list *texts,
		struct error *error);

/* What the vertex is called: its name, or that of its node where foreign DOT gives it none. */
const char *selector_name(const struct graph_vertex *vertex);

#endif
