/*
 * query/engine.h: the graph as the query language works on it: edges sorted by either end,
 * interned labels and types, and a typed column per attribute, made when it is first asked for.
 *
 * Made from a struct graph, whose texts it refers to: the graph stays unchanged as long as the
 * engine is there.  Or built by hand, for tests.
 */
#ifndef VFLOW_QUERY_ENGINE_H
#define VFLOW_QUERY_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "query/arena.h"
#include "query/value.h"

struct column {
	const char *name;
	bool hidden;          /* not among properties(): id, kind, access */
	enum value_type type; /* boolean, integer, float, string; VALUE_NULL: any, in `values` */
	uint32_t capacity;
	bool *present;
	union {
		bool *booleans;
		int64_t *integers;
		double *numbers;
		const char **texts;
		struct value *values;
	};
};

struct columns {
	struct column **items;
	uint32_t count, capacity;
	bool complete; /* every attribute has its column */
};

struct engine_labels {
	uint32_t count;
	const char *names[]; /* interned */
};

struct engine_name;
struct profile;

struct engine {
	uint32_t vertex_count, vertex_capacity, edge_count, edge_capacity;
	uint32_t *from, *to;                 /* per edge */
	const char **types;                  /* per edge, interned; NULL: none */
	const struct engine_labels **labels; /* per vertex */
	/* vertex v has the edges out[out_first[v]] ... out[out_first[v + 1] - 1], by number */
	uint32_t *out_first, *out, *in_first, *in;
	const struct graph *graph; /* NULL when built by hand */
	/* query/calls.h: what comes after those of the graph is of its profile; NULL: nothing is */
	const struct profile *profile;
	uint32_t flow_vertices, flow_edges; /* of the graph itself */
	struct columns vertex_columns, edge_columns;
	struct engine_name *names;
	struct arena arena;
};

struct engine *engine_from_graph(const struct graph *graph);
void engine_free(struct engine *engine);

/* For engines that are filled by hand: indices are given in order; engine_finish() comes before the
 * first query. */
struct engine *engine_new(void);
uint32_t engine_add_vertex(struct engine *engine, const char *const *labels, uint32_t count);
uint32_t engine_add_edge(struct engine *engine, uint32_t from, uint32_t to, const char *type);
void engine_set(struct engine *engine, bool of_edge, uint32_t index, const char *name,
		struct value value);
void engine_finish(struct engine *engine); /* again, when more has been added */

/* The label or type as the engine has it, NULL: nothing has it. */
const char *engine_find_name(const struct engine *engine, const char *text);
/* All labels and types; the caller frees the array.  Without order. */
const char **engine_names(const struct engine *engine, uint32_t *count);
const char *engine_intern(struct engine *engine, const char *text, size_t length);

/* NULL: no vertex (edge) has the attribute. */
const struct column *engine_column(struct engine *engine, bool of_edge, const char *name);
/* An empty one. */
struct column *engine_add_column(struct engine *engine, bool of_edge, const char *name,
				 enum value_type type);
struct value engine_value(const struct column *column, uint32_t index);
/* Makes all columns, in the order of the DOT attributes. */
const struct columns *engine_columns(struct engine *engine, bool of_edge);

/* What users call the vertex, and the index of what they call so (UINT32_MAX: none). */
uint32_t engine_id(const struct engine *engine, uint32_t vertex);
uint32_t engine_find(const struct engine *engine, int64_t id);

bool engine_has_label(const struct engine *engine, uint32_t vertex, const char *interned);

#endif
