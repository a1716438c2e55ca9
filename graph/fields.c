#include "graph/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define JOINED_MAX 2000 /* bytes of a joined text after which no more is added */

#define SUM_OF(EDGE, ACCESS)                                                                       \
	.sum_of = &graph_edge_fields[EDGE_INDEX_##EDGE], .sum_access = GRAPH_##ACCESS

/* clang-format off */
const struct graph_field graph_edge_fields[] = {
#define EDGE_FIELD(FLAG, member, TYPE, UNIT, MERGE, STORE, words, ...)                             \
	{.name = #member, .type = FIELD_##TYPE, .flag = EDGE_##FLAG,                               \
	 .at = offsetof(struct graph_edge, member),                                                \
	 .fields_at = offsetof(struct graph_edge, fields), .title = words, .unit = UNIT_##UNIT,    \
	 .merge = MERGE_##MERGE, .store = STORE_##STORE, __VA_ARGS__},
#include "graph/fields.def"
	{0},
};

const struct graph_field graph_vertex_fields[] = {
#define VERTEX_FIELD(FLAG, member, TYPE, UNIT, MERGE, STORE, words, ...)                           \
	{.name = #member, .type = FIELD_##TYPE, .flag = VERTEX_##FLAG,                             \
	 .at = offsetof(struct graph_vertex, member),                                              \
	 .fields_at = offsetof(struct graph_vertex, fields), .title = words, .unit = UNIT_##UNIT,  \
	 .merge = MERGE_##MERGE, .store = STORE_##STORE, __VA_ARGS__},
#include "graph/fields.def"
	{0},
};
/* clang-format on */

const struct graph_field *field_find(const struct graph_field *list, const char *name)
{
	for (; list->name; list++)
		if (!list->profile_only && !strcmp(list->name, name))
			return list;
	return NULL;
}

char *fields_names(const struct graph_field *list, unsigned types, const char *separator,
		   char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (; list->name; list++) {
		const char *before = used ? separator : "";

		if (list->profile_only || !(list->type & types) ||
		    used + strlen(before) + strlen(list->name) >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", before, list->name);
	}
	return text;
}

/* -- one field -- */

static void *value_of(const struct graph_field *field, void *of)
{
	return (char *)of + field->at;
}

static void set_flag(const struct graph_field *field, void *of, bool there)
{
	uint32_t *fields = (uint32_t *)((char *)of + field->fields_at);

	*fields = there ? *fields | field->flag : *fields & ~field->flag;
}

void field_set_text(const struct graph_field *field, void *of, char *text)
{
	char **at = value_of(field, of);

	free(*at);
	*at = text;
	set_flag(field, of, true);
}

void field_set_number(const struct graph_field *field, void *of, uint64_t value)
{
	if (field->type == FIELD_ID)
		*(uint32_t *)value_of(field, of) = (uint32_t)value;
	else
		*(uint64_t *)value_of(field, of) = value;
	set_flag(field, of, true);
}

void field_set_fraction(const struct graph_field *field, void *of, double value)
{
	*(double *)value_of(field, of) = value;
	set_flag(field, of, true);
}

void field_set_access(const struct graph_field *field, void *of, enum graph_access access)
{
	*(enum graph_access *)value_of(field, of) = access;
	set_flag(field, of, true);
}

static void clear(const struct graph_field *field, void *of)
{
	if (field->type == FIELD_TEXT) {
		free(*(char **)value_of(field, of));
		*(char **)value_of(field, of) = NULL;
	}
	set_flag(field, of, false);
}

static void add(const struct graph_field *field, void *of, uint64_t value, uint64_t most)
{
	uint64_t *sum = value_of(field, of);

	*sum = value > most || *sum > most - value ? most : *sum + value;
}

/* -- all of them -- */

void fields_free(const struct graph_field *list, void *of)
{
	for (; list->name; list++)
		if (list->type == FIELD_TEXT)
			free(*(char **)value_of(list, of));
}

static size_t size_of(enum field_type type)
{
	return type == FIELD_ID       ? sizeof(uint32_t)
	       : type == FIELD_ACCESS ? sizeof(enum graph_access)
	       : type == FIELD_TEXT   ? sizeof(char *)
	       : type == FIELD_COUNT  ? sizeof(uint64_t)
				      : sizeof(double);
}

void fields_copy(const struct graph_field *list, void *to, const void *from)
{
	for (; list->name; list++) {
		if (!field_is_there(list, from))
			continue;
		if (list->type == FIELD_TEXT)
			*(char **)value_of(list, to) = xstrdup(field_text(list, from));
		else
			memcpy(value_of(list, to), (const char *)from + list->at,
			       size_of(list->type));
		set_flag(list, to, true);
	}
}

/* Of counts, ids and accesses. */
static bool is_same(const struct graph_field *field, const void *a, const void *b)
{
	if (!field_is_there(field, a) || !field_is_there(field, b))
		return false;
	if (field->type == FIELD_ACCESS)
		return field_access(field, a) == field_access(field, b);
	return field_number(field, a) == field_number(field, b);
}

/* Appends the parts of `more` that are not in the text yet. */
static void join(const struct graph_field *field, void *into, const char *more)
{
	char **list = value_of(field, into);

	while (more && *more) {
		const char *end = strstr(more, field->separator);
		char *item = end ? xstrndup(more, (size_t)(end - more)) : xstrdup(more);

		if (!*list) {
			field_set_text(field, into, xstrdup(item));
		} else if (!strstr(*list, item) && strlen(*list) < JOINED_MAX) {
			field_set_text(field, into,
				       xasprintf("%s%s%s", *list, field->separator, item));
		}
		free(item);
		more = end ? end + strlen(field->separator) : NULL;
	}
}

void fields_merge(const struct graph_field *list, void *into, const void *more)
{
	for (; list->name; list++) {
		uint64_t number;

		switch (list->merge) {
		case MERGE_NONE:
			clear(list, into);
			break;
		case MERGE_FIRST:
			break;
		case MERGE_SAME:
			if (!is_same(list, into, more))
				clear(list, into);
			break;
		case MERGE_SUM:
		case MERGE_MAX:
			if (!field_is_there(list, more))
				break;
			number = field_number(list, more);
			if (list->merge == MERGE_SUM)
				add(list, into, number, UINT64_MAX);
			else if (number > field_number(list, into))
				field_set_number(list, into, number);
			set_flag(list, into, true);
			break;
		case MERGE_JOIN:
			join(list, into, field_text(list, more));
			break;
		}
	}
}

/* -- sums over edges -- */

void fields_add_edge(struct graph_vertex *to, const struct graph_edge *edge, uint64_t most)
{
	for (const struct graph_field *field = graph_vertex_fields; field->name; field++)
		if (field->sum_of && field->sum_access == edge->access)
			add(field, to, field_number(field->sum_of, edge), most);
}

/* Flags of the sums, if they need not be there, of what `edge` has (`there`) or lacks. */
static uint32_t sums_of(const struct graph_edge *edge, bool there)
{
	uint32_t flags = 0;

	for (const struct graph_field *field = graph_vertex_fields; field->name; field++)
		if (field->sum_of && field->sum_access == edge->access &&
		    field->store != STORE_ALWAYS && field_is_there(field->sum_of, edge) == there)
			flags |= field->flag;
	return flags;
}

/* The flags of sums that need not be there. */
static uint32_t nullable_sums(void)
{
	uint32_t flags = 0;

	for (const struct graph_field *field = graph_vertex_fields; field->name; field++)
		if (field->sum_of && field->store != STORE_ALWAYS)
			flags |= field->flag;
	return flags;
}

void fields_sum_edges(struct graph *graph, uint64_t most)
{
	uint32_t nowhere = nullable_sums();

	for (uint32_t e = 0; e < graph->edge_count; e++)
		nowhere &= ~sums_of(&graph->edges[e], true);
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		for (const struct graph_field *field = graph_vertex_fields; field->name; field++)
			if (field->sum_of)
				field_set_number(field, &graph->vertices[v], 0);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		fields_add_edge(&graph->vertices[graph->edges[e].to], &graph->edges[e], most);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		graph->vertices[graph->edges[e].to].fields &= ~sums_of(&graph->edges[e], false);
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		graph->vertices[v].fields &= ~nowhere;
}
