/*
 * graph/fields.h: what is known of each field of a vertex and an edge (graph/fields.def).
 *
 * `of` is a struct graph_vertex or graph_edge, whichever the field belongs to.
 */
#ifndef VFLOW_GRAPH_FIELDS_H
#define VFLOW_GRAPH_FIELDS_H

#include <stddef.h>

#include "graph/graph.h"

/* Bits, for those who want some of them. */
enum field_type {
	FIELD_TEXT = 1 << 0,     /* char *, owned, clean */
	FIELD_COUNT = 1 << 1,    /* uint64_t */
	FIELD_ID = 1 << 2,       /* uint32_t: of a vertex */
	FIELD_FRACTION = 1 << 3, /* double */
	FIELD_ACCESS = 1 << 4,   /* enum graph_access */
	FIELD_ALL = (1 << 5) - 1,
};

enum field_unit { UNIT_NONE, UNIT_BYTES, UNIT_CALLS, UNIT_NS };

/* What several vertices or edges that are drawn as one have. */
enum field_merge {
	MERGE_NONE,  /* nothing */
	MERGE_FIRST, /* what the first has */
	MERGE_SAME,  /* what all of them have, else nothing */
	MERGE_SUM,
	MERGE_MAX,
	MERGE_JOIN, /* the different parts of their texts, which `separator` separates */
};

/* The column of table vertex or edge. */
enum field_store {
	STORE_NEVER,    /* there is none */
	STORE_NULLABLE, /* null (of a text: empty) where the field is not there */
	STORE_ALWAYS, /* a profile never lacks the field: not for new ones, which old files lack */
};

struct graph_field {
	const char *name; /* in DOT, JSON and queries */
	enum field_type type;
	uint32_t flag;        /* in `fields` */
	size_t at, fields_at; /* offsets of the value and of `fields` */
	const char *title;    /* for people */
	enum field_unit unit;
	enum field_merge merge;
	const char *separator;
	const struct graph_field *sum_of; /* of edges into the vertex; NULL: no sum of theirs */
	enum graph_access sum_access;     /* which of these edges */
	enum field_store store;
	const char *column; /* NULL: as `name` */
	bool profile_only;  /* not in DOT, JSON, queries and pages */
	bool label;         /* what a query takes for label or type */
	bool part_of_bytes; /* never more than `bytes` of the edge */
};

/* In the order of DOT and JSON; end with a row without a name. */
extern const struct graph_field graph_vertex_fields[], graph_edge_fields[];

/* EDGE_NAME(BYTES) is "bytes". */
#define EDGE_NAME(FLAG) (graph_edge_fields[EDGE_INDEX_##FLAG].name)

/* NULL: no field that DOT, JSON and queries know has the name. */
const struct graph_field *field_find(const struct graph_field *list, const char *name);

/*
 * The names of the fields of these types that DOT, JSON and queries know, with `separator` between
 * them; as many as fit.  Returns `text`.
 */
char *fields_names(const struct graph_field *list, unsigned types, const char *separator,
		   char *text, size_t size);

static inline bool field_is_there(const struct graph_field *field, const void *of)
{
	return *(const uint32_t *)((const char *)of + field->fields_at) & field->flag;
}

/* NULL when it is not there. */
static inline const char *field_text(const struct graph_field *field, const void *of)
{
	return field_is_there(field, of) ? *(char *const *)((const char *)of + field->at) : NULL;
}

/* The value of a FIELD_COUNT or FIELD_ID; 0 when it is not there. */
static inline uint64_t field_number(const struct graph_field *field, const void *of)
{
	const char *at = (const char *)of + field->at;

	return field->type == FIELD_ID ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static inline double field_fraction(const struct graph_field *field, const void *of)
{
	return *(const double *)((const char *)of + field->at);
}

static inline enum graph_access field_access(const struct graph_field *field, const void *of)
{
	return *(const enum graph_access *)((const char *)of + field->at);
}

/* Set the field; it is there then.  The text becomes the vertex's or edge's.  An id must fit into
 * 32 bits. */
void field_set_text(const struct graph_field *field, void *of, char *text);
void field_set_number(const struct graph_field *field, void *of, uint64_t value);
void field_set_fraction(const struct graph_field *field, void *of, double value);
void field_set_access(const struct graph_field *field, void *of, enum graph_access access);

/* Frees the texts. */
void fields_free(const struct graph_field *list, void *of);
/* All fields as `from` has them; `to` has none. */
void fields_copy(const struct graph_field *list, void *to, const void *from);
/* Makes `into` stand for `more` as well; sums stop at UINT64_MAX. */
void fields_merge(const struct graph_field *list, void *into, const void *more);

/* Adds an edge to the vertex's sums over edges; they stop at `most`. */
void fields_add_edge(struct graph_vertex *to, const struct graph_edge *edge, uint64_t most);
/*
 * Sets the sums over edges of all vertices.  A sum is not there where an edge lacks what is summed,
 * and nowhere if all edges do, unless a profile never lacks the sum.
 */
void fields_sum_edges(struct graph *graph, uint64_t most);

#endif
