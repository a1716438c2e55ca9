/*
 * graph/dot_list.h: the list of attributes of a graph, a vertex or an edge in DOT: " [a=1, b=2]".
 *
 * The one place where text becomes DOT.
 */
#ifndef VFLOW_GRAPH_DOT_LIST_H
#define VFLOW_GRAPH_DOT_LIST_H

#include <stdio.h>

#include "graph/fields.h"

struct dot_list {
	FILE *file;
	bool open;   /* it has an attribute */
	bool inside; /* brackets are the caller's, blanks separate attributes, texts have quotes */
};

/* The text as a word of DOT; `raw`: as in struct graph_attribute. */
void dot_put_text(FILE *file, const char *text, bool raw);
void dot_put_number(FILE *file, uint64_t value);
/* A part of a label, inside its quotes: Graphviz draws it as it is. */
void dot_put_label(FILE *file, const char *text);

/* An attribute each; a text that is NULL or empty and a fraction that is not finite make none. */
void dot_list_text(struct dot_list *list, const char *name, const char *text);
void dot_list_number(struct dot_list *list, const char *name, uint64_t value);
void dot_list_fraction(struct dot_list *list, const char *name, double value);
/* Writes the fields of these types (enum field_type) that are there, in their order. */
void dot_list_fields(struct dot_list *list, const struct graph_field *fields, const void *of,
		     unsigned types);
/* An attribute that vflow does not know, empty or not; `raw` as in struct graph_attribute. */
void dot_list_attribute(struct dot_list *list, const char *name, const char *value, bool raw);
void dot_list_attributes(struct dot_list *list, const struct graph_attributes *attributes);
/* Ends the statement as well. */
void dot_list_close(struct dot_list *list);

#endif
