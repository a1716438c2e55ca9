/*
 * graph/dot_values.h: values of DOT attributes as the graph holds them, for both readers.
 *
 * A value comes as cgraph has it: \" is a quote already, other backslashes are as in the file.
 * Strings that are returned are clean (util/text.h) and the caller's.
 */
#ifndef VFLOW_GRAPH_DOT_VALUES_H
#define VFLOW_GRAPH_DOT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/fields.h"

#define DOT_BYTES_MAX (UINT64_C(256) << 20) /* of one graph */
#define DOT_NODES_MAX 1000000
#define DOT_EDGES_MAX 4000000
#define DOT_ATTRIBUTES_MAX                                                                         \
	256 /* names per kind of object: each costs cgraph a slot in every object */
#define DOT_ID_MAX (UINT32_MAX - 1)

/* -1: the value is not what the field takes; *wanted says what it takes. */
int dot_set_field(const struct graph_field *field, void *of, const char *value, bool html,
		  const char **wanted);

/* The text of a known attribute or of a name. */
char *dot_text(const char *value, bool html);
/* The value of an attribute that vflow does not know; *raw as in struct graph_attribute. */
char *dot_value(const char *value, bool html, bool *raw);
void dot_set_foreign(struct graph_attributes *attributes, const char *name, const char *value,
		     bool html);

bool dot_number(const char *text, uint64_t max, uint64_t *value);
/* "v12" -> 12; names such as "v012" are not ours. */
bool dot_vertex_id(const char *name, uint32_t *id);
/* After the attributes of the edge; keys that start with '%' are cgraph's own, none. */
void dot_set_key(struct graph_edge *edge, const char *key);

#endif
