/*
 * graph/graph.h: the value-flow graph in memory (ValueExpert Def. 5.1, doc/definitions.md).
 *
 * Plain arrays; vertices and edges are referred to by index, users see ids.  Read from a profile
 * (graph/profile/profile.h) or from DOT (graph/dot.h).  All strings are owned by the graph and are
 * clean (util/text.h).  Attributes that vflow does not know travel along untouched.
 */
#ifndef VFLOW_GRAPH_GRAPH_H
#define VFLOW_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_HOST 0u /* id of the host vertex */

enum graph_access { GRAPH_ACCESS_NONE, GRAPH_READ, GRAPH_WRITE };

/* An attribute of foreign DOT, or one that another filter added. */
struct graph_attribute {
	char *name, *value;
	bool raw; /* the value has DOT's own escapes (\n, \l, \N) and is written as it is */
};

struct graph_attributes {
	struct graph_attribute *items; /* in the order of their names */
	uint32_t count, capacity;
};

/* The fields of graph/fields.def as members of a struct. */
#define GRAPH_MEMBER_TEXT char *
#define GRAPH_MEMBER_COUNT uint64_t
#define GRAPH_MEMBER_ID uint32_t
#define GRAPH_MEMBER_FRACTION double
#define GRAPH_MEMBER_ACCESS enum graph_access

/* By number, in their order. */
enum {
#define VERTEX_FIELD(FLAG, ...) VERTEX_INDEX_##FLAG,
#include "graph/fields.def"
	VERTEX_FIELD_COUNT
};
enum {
#define EDGE_FIELD(FLAG, ...) EDGE_INDEX_##FLAG,
#include "graph/fields.def"
	EDGE_FIELD_COUNT
};

/* Which fields are there: DOT made by others may lack any of them. */
enum graph_vertex_field {
#define VERTEX_FIELD(FLAG, ...) VERTEX_##FLAG = 1 << VERTEX_INDEX_##FLAG,
#include "graph/fields.def"
};

struct graph_vertex {
	uint32_t id;
	uint32_t fields; /* enum graph_vertex_field */
	char *node;      /* name in DOT: "v<id>", or what a foreign file says */
#define VERTEX_FIELD(FLAG, member, TYPE, ...) GRAPH_MEMBER_##TYPE member;
#include "graph/fields.def"
	struct graph_attributes attributes;
};

enum graph_edge_field {
#define EDGE_FIELD(FLAG, ...) EDGE_##FLAG = 1 << EDGE_INDEX_##FLAG,
#include "graph/fields.def"
	/* key is "<object>:<access>"; the string is made when it is needed */
	EDGE_KEY = 1 << EDGE_FIELD_COUNT,
};

struct graph_edge {
	uint32_t from, to; /* indices of vertices */
	uint32_t fields;   /* enum graph_edge_field */
#define EDGE_FIELD(FLAG, member, TYPE, ...) GRAPH_MEMBER_##TYPE member;
#include "graph/fields.def"
	char *key; /* what a foreign file says; NULL: none, or EDGE_KEY */
	struct graph_attributes attributes;
};

_Static_assert(VERTEX_FIELD_COUNT <= 31 && EDGE_FIELD_COUNT <= 30, "flags fit into `fields`");

/* A declaration `node [x=default]` of an attribute that vflow does not know. */
struct graph_default {
	char *name, *value;
	bool raw; /* as in struct graph_attribute */
	enum { DEFAULT_VERTEX, DEFAULT_EDGE } of;
};

struct graph {
	char *name;
	struct graph_vertex *vertices;
	uint32_t vertex_count, vertex_capacity;
	struct graph_edge *edges;
	uint32_t edge_count, edge_capacity;
	struct graph_attributes attributes; /* of the graph itself, without vflow_version */
	struct graph_default *defaults;
	uint32_t default_count, default_capacity;
	/* belong to graph_find() */
	uint32_t *by_id, by_id_size;
	bool sparse; /* some vertex has an id that is not its index */
};

struct graph *graph_new(void);
void graph_free(struct graph *graph);

/*
 * Adds a vertex (its id is new; its node is "v<id>") or edge with no fields and no strings; the
 * pointer is valid until the next one is added.
 */
struct graph_vertex *graph_add_vertex(struct graph *graph, uint32_t id);
struct graph_edge *graph_add_edge(struct graph *graph, uint32_t from, uint32_t to);

/* Index of the vertex with this id, or UINT32_MAX. */
uint32_t graph_find(const struct graph *graph, uint32_t id);

/* "READ" or "WRITE"; NULL: neither. */
const char *graph_access_name(enum graph_access access);

/* Written bytes that were there already: of whole values, where they are known. */
uint64_t graph_edge_unchanged(const struct graph_edge *edge);

/* The edge's key in DOT; NULL: none.  `buffer` may hold it. */
enum { GRAPH_KEY_SIZE = 24 };
const char *graph_edge_key(const struct graph_edge *edge, char buffer[GRAPH_KEY_SIZE]);

/*
 * How the frame of a call path begins that stands between those that made a node of a CUDA graph
 * and those that launched the graph; graph/build/merge.c writes it.
 */
#define GRAPH_REPLAYED "[replayed"

/* Whether `kind` has the label (kinds may hold several, "A:B"). */
bool graph_vertex_is(const struct graph_vertex *vertex, const char *label);

void graph_set_attribute(struct graph_attributes *attributes, const char *name, const char *value);
const char *graph_attribute(const struct graph_attributes *attributes, const char *name);

/* Deletes in place what is not kept, order unchanged; both arrays have one entry per vertex / edge.
 * An edge whose end goes, goes. */
void graph_filter(struct graph *graph, const bool *keep_vertex, const bool *keep_edge);

#endif
