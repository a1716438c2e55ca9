/* graph/dot_values.c: values of DOT attributes as the graph holds them. */
#include "graph/dot_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool dot_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

int dot_set_field(const struct graph_field *field, void *of, const char *value, bool html,
		  const char **wanted)
{
	enum graph_access access;
	double fraction;
	uint64_t number;
	char *end;

	switch (field->type) {
	case FIELD_TEXT:
		field_set_text(field, of, dot_text(value, html));
		return 0;
	case FIELD_COUNT:
	case FIELD_ID:
		*wanted = field->type == FIELD_ID ? "a vertex number" : "a number";
		if (!dot_number(value, field->type == FIELD_ID ? UINT32_MAX : UINT64_MAX, &number))
			return -1;
		field_set_number(field, of, number);
		return 0;
	case FIELD_FRACTION:
		*wanted = "a number";
		fraction = strtod(value, &end);
		if (end == value || *end || !isfinite(fraction))
			return -1;
		field_set_fraction(field, of, fraction);
		return 0;
	case FIELD_ACCESS:
		*wanted = "READ or WRITE";
		for (access = GRAPH_READ; strcmp(value, graph_access_name(access)) != 0; access++)
			if (access == GRAPH_WRITE)
				return -1;
		field_set_access(field, of, access);
		return 0;
	case FIELD_ALL:
		break;
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
