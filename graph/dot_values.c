/* graph/dot_values.c: values of DOT attributes as the graph holds them. */
#include "graph/dot_values.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "util/memory.h"
#include "util/text.h"

/* Whether the value has escapes of DOT's own, and can be written back as it is. */
static bool has_escapes(const char *value)
{
	bool found = false;

	for (const char *c = value; *c; c++) {
		if (*c != '\\')
			continue;
		c++;
		if (!*c || *c == '"')
			return false; /* would end the string too early or not at all */
		found |= *c != '\\';
	}
	return found;
}

static void undouble(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] == '\\')
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/* Foreign text may have lines and tabs, anything else that is not clean is made visible. */
static bool is_harmless(const char *text)
{
	char *copy = xstrdup(text);
	bool clean;

	for (char *c = copy; *c; c++)
		if (*c == '\n' || *c == '\t' || *c == '\r')
			*c = ' ';
	clean = text_is_clean(copy, strlen(copy));
	free(copy);
	return clean;
}

static void clean_in_place(char **text)
{
	char *clean;

	if (text_is_clean(*text, strlen(*text)))
		return;
	clean = text_clean(*text, strlen(*text), 0);
	free(*text);
	*text = clean;
}

char *dot_text(const char *value, bool html)
{
	char *text = xstrdup(value);

	if (!html)
		undouble(text);
	clean_in_place(&text);
	return text;
}

char *dot_value(const char *value, bool html, bool *raw)
{
	char *text = xstrdup(value);

	*raw = !html && has_escapes(value);
	if (!html && !*raw)
		undouble(text);
	if (!is_harmless(text))
		clean_in_place(&text);
	return text;
}

void dot_set_foreign(struct graph_attributes *attributes, const char *name, const char *value,
		     bool html)
{
	char *clean = dot_text(name, false);
	bool raw;
	char *text = dot_value(value, html, &raw);

	graph_set_attribute(attributes, clean, text);
	if (raw)
		for (uint32_t i = 0; i < attributes->count; i++)
			if (!strcmp(attributes->items[i].name, clean))
				attributes->items[i].raw = true;
	free(clean);
	free(text);
}

/* -- known attributes -- */

/* clang-format off */
#define VERTEX(name, type, field, member)                                                          \
	{                                                                                          \
		name, type, field, offsetof(struct graph_vertex, member)                           \
	}
#define EDGE(name, type, field, member)                                                            \
	{                                                                                          \
		name, type, field, offsetof(struct graph_edge, member)                             \
	}

/* clang-format on */
const struct dot_known dot_known_vertex[] = {
	VERTEX(DOT_KIND, TEXT, VERTEX_KIND, kind),
	VERTEX(DOT_NAME, TEXT, VERTEX_NAME, name),
	VERTEX(DOT_INVOCATIONS, NUMBER, VERTEX_INVOCATIONS, invocations),
	VERTEX(DOT_READ_BYTES, NUMBER, VERTEX_READ_BYTES, read_bytes),
	VERTEX(DOT_WRITTEN_BYTES, NUMBER, VERTEX_WRITTEN_BYTES, written_bytes),
	VERTEX(DOT_REDUNDANT_BYTES, NUMBER, VERTEX_REDUNDANT_BYTES, redundant_bytes),
	VERTEX(DOT_TIME_NS, NUMBER, VERTEX_TIME_NS, time_ns),
	VERTEX(DOT_CONTEXT, TEXT, VERTEX_CONTEXT, context),
	VERTEX(DOT_CALLPATH, TEXT, VERTEX_CALLPATH, callpath),
	VERTEX(DOT_PATTERNS, TEXT, VERTEX_PATTERNS, patterns),
	VERTEX(DOT_ADVICE, TEXT, VERTEX_ADVICE, advice),
	{0},
};

const struct dot_known dot_known_edge[] = {
	EDGE(DOT_OBJECT, NUMBER32, EDGE_OBJECT, object),
	EDGE(DOT_ACCESS, ACCESS, EDGE_ACCESS, access),
	EDGE(DOT_BYTES, NUMBER, EDGE_BYTES, bytes),
	EDGE(DOT_REDUNDANT_BYTES, NUMBER, EDGE_REDUNDANT_BYTES, redundant_bytes),
	EDGE(DOT_REDUNDANCY, FRACTION, EDGE_REDUNDANCY, redundancy),
	EDGE(DOT_COUNT, NUMBER, EDGE_COUNT, count),
	EDGE(DOT_OBJECT_BYTES, NUMBER, EDGE_OBJECT_BYTES, object_bytes),
	{0},
};

const struct dot_known *dot_find_known(const struct dot_known *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

bool dot_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

int dot_set_known(const struct dot_known *known, void *object, const char *value, bool html,
		  const char **wanted)
{
	char *at = (char *)object + known->offset;
	uint64_t number;
	char *end;

	switch (known->type) {
	case TEXT:
		free(*(char **)at);
		*(char **)at = dot_text(value, html);
		return 0;
	case NUMBER:
		*wanted = "a number";
		return dot_number(value, UINT64_MAX, (uint64_t *)at) ? 0 : -1;
	case NUMBER32:
		*wanted = "a vertex number";
		if (!dot_number(value, UINT32_MAX, &number))
			return -1;
		*(uint32_t *)at = (uint32_t)number;
		return 0;
	case FRACTION:
		*wanted = "a number";
		*(double *)at = strtod(value, &end);
		return end != value && !*end && isfinite(*(double *)at) ? 0 : -1;
	case ACCESS:
		*wanted = "READ or WRITE";
		*(enum graph_access *)at = !strcmp(value, "READ")    ? GRAPH_READ
					   : !strcmp(value, "WRITE") ? GRAPH_WRITE
								     : GRAPH_ACCESS_NONE;
		return *(enum graph_access *)at == GRAPH_ACCESS_NONE ? -1 : 0;
	}
	return -1;
}

bool dot_vertex_id(const char *name, uint32_t *id)
{
	uint64_t value;

	if (name[0] != 'v' || (name[1] == '0' && name[2]) ||
	    !dot_number(name + 1, DOT_ID_MAX, &value))
		return false;
	*id = (uint32_t)value;
	return true;
}

void dot_set_key(struct graph_edge *edge, const char *key)
{
	char ours[GRAPH_KEY_SIZE];

	if (!key || !*key || *key == '%')
		return;
	if (edge->fields & EDGE_OBJECT && edge->fields & EDGE_ACCESS) {
		edge->fields |= EDGE_KEY;
		if (!strcmp(key, graph_edge_key(edge, ours)))
			return;
		edge->fields &= ~(uint32_t)EDGE_KEY;
	}
	edge->key = dot_text(key, false);
}
