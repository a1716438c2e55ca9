/* graph/json_fields.h: the fields of a vertex or an edge as members of a JSON object. */
#ifndef VFLOW_GRAPH_JSON_FIELDS_H
#define VFLOW_GRAPH_JSON_FIELDS_H

#include "graph/fields.h"
#include "util/json.h"

/* Writes the fields of these types (enum field_type) that are there, in their order. */
void json_fields(struct json *json, const struct graph_field *fields, const void *of,
		 unsigned types);
/* The value of one; null when it is not there. */
void json_field(struct json *json, const struct graph_field *field, const void *of);

#endif
