/*
 * graph/graph.h: the value-flow graph in memory (ValueExpert Def. 5.1, DESIGN 4).
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

/* Which known attributes are there: DOT made by others may lack any of them. */
enum graph_vertex_field {
	VERTEX_KIND = 1 << 0,
	VERTEX_NAME = 1 << 1,
	VERTEX_INVOCATIONS = 1 << 2,
	VERTEX_READ_BYTES = 1 << 3,
	VERTEX_WRITTEN_BYTES = 1 << 4,
	VERTEX_REDUNDANT_BYTES = 1 << 5,
	VERTEX_TIME_NS = 1 << 6,
	VERTEX_CONTEXT = 1 << 7,
	VERTEX_CALLPATH = 1 << 8,
	VERTEX_PATTERNS = 1 << 9,
	VERTEX_ADVICE = 1 << 10,
	VERTEX_HOST_NS = 1 << 11,
};

struct graph_vertex {
	uint32_t id;
	uint32_t fields; /* enum graph_vertex_field */
	char *node;      /* name in DOT: "v<id>", or what a foreign file says */
	char *kind;      /* host alloc memcpy memset kernel unknown; may be "A:B" */
	char *name;      /* demangled kernel, or the public entry that was called */
	char *context;   /* 16 hex digits: hash of kind, name and frames */
	char *callpath;  /* frames joined by " < ", innermost first */
	char *patterns;  /* snake_case names joined by "," */
	char *advice;
	uint64_t invocations;
	uint64_t read_bytes, written_bytes, redundant_bytes; /* sums over the edges into it */
	uint64_t time_ns;
	uint64_t host_ns; /* host time of its calls: from profiles only, never in DOT */
	struct graph_attributes attributes;
};

enum graph_edge_field {
	EDGE_OBJECT = 1 << 0,
	EDGE_ACCESS = 1 << 1,
	EDGE_BYTES = 1 << 2,
	EDGE_REDUNDANT_BYTES = 1 << 3,
	EDGE_REDUNDANCY = 1 << 4,
	EDGE_COUNT = 1 << 5,
	EDGE_OBJECT_BYTES = 1 << 6,
	EDGE_KEY = 1 << 7, /* key is "<object>:<access>"; the string is made when it is needed */
};

struct graph_edge {
	uint32_t from, to; /* indices of vertices */
	uint32_t fields;   /* enum graph_edge_field */
	uint32_t object;   /* the site's vertex id */
	enum graph_access access;
	uint64_t bytes;           /* distinct bytes per invocation, summed over invocations */
	uint64_t redundant_bytes; /* WRITE only */
	double redundancy;        /* WRITE only: redundant_bytes / bytes */
	uint64_t count;           /* invocations */
	uint64_t object_bytes;    /* the site's largest object */
	char *key;                /* what a foreign file says; NULL: none, or EDGE_KEY */
	struct graph_attributes attributes;
};

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

/* The edge's key in DOT; NULL: none.  `buffer` may hold it. */
enum { GRAPH_KEY_SIZE = 24 };
const char *graph_edge_key(const struct graph_edge *edge, char buffer[GRAPH_KEY_SIZE]);

/* Whether `kind` has the label (kinds may hold several, "A:B"). */
bool graph_vertex_is(const struct graph_vertex *vertex, const char *label);

void graph_set_attribute(struct graph_attributes *attributes, const char *name, const char *value);
const char *graph_attribute(const struct graph_attributes *attributes, const char *name);

/* Deletes in place what is not kept, order unchanged; both arrays have one entry per vertex / edge.
 * An edge whose end goes, goes. */
void graph_filter(struct graph *graph, const bool *keep_vertex, const bool *keep_edge);

#endif
