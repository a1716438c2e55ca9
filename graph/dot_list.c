#include "graph/dot_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Decides for itself whether quotes are needed, so that numbers and words stay readable. */
static bool is_plain(const char *text)
{
	static const char *const keywords[] = {"node",    "edge",     "graph",
					       "digraph", "subgraph", "strict"};
	size_t length = strlen(text);

	if (!length || length > 64)
		return false;
	if (strspn(text, "0123456789") == length)
		return true;
	if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
		    length ||
	    strchr("0123456789", text[0]))
		return false;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (!strcasecmp(text, keywords[i]))
			return false;
	return true;
}

/* What stands between quotes; `special`: the characters that cannot be written as they are. */
static void put_escaped(FILE *file, const char *text, const char *special)
{
	for (;;) {
		size_t harmless = strcspn(text, special);

		fwrite_unlocked(text, 1, harmless, file);
		text += harmless;
		if (!*text)
			return;
		if (*text == '&') {
			fputs_unlocked("&amp;", file);
		} else {
			putc_unlocked('\\', file);
			putc_unlocked(*text == '\n' ? 'n' : *text, file);
		}
		text++;
	}
}

/* `raw`: as cgraph has read it, where a backslash never stands alone before a quote or the end. */
static void put_quoted(FILE *file, const char *text, bool raw)
{
	putc_unlocked('"', file);
	put_escaped(file, text, raw ? "\"" : "\"\\");
	putc_unlocked('"', file);
}

/* Graphviz decodes entities in labels. */
void dot_put_label(FILE *file, const char *text)
{
	put_escaped(file, text, "\"\\\n&");
}

void dot_put_text(FILE *file, const char *text, bool raw)
{
	if (is_plain(text))
		fputs_unlocked(text, file);
	else
		put_quoted(file, text, raw);
}

/* There are millions of numbers: printf would take most of the time. */
void dot_put_number(FILE *file, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	fwrite_unlocked(text + at, 1, sizeof(text) - at, file);
}

static void start_attribute(struct dot_list *list)
{
	fputs_unlocked(list->inside ? " " : list->open ? ", " : " [", list->file);
	list->open = true;
}

/* Writes one of vflow's own names, which need no quotes. */
static void put_name(struct dot_list *list, const char *name)
{
	start_attribute(list);
	fputs_unlocked(name, list->file);
	putc_unlocked('=', list->file);
}

void dot_list_text(struct dot_list *list, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	put_name(list, name);
	if (list->inside)
		put_quoted(list->file, text, false);
	else
		dot_put_text(list->file, text, false);
}

void dot_list_number(struct dot_list *list, const char *name, uint64_t value)
{
	put_name(list, name);
	dot_put_number(list->file, value);
}

/* Up to 6 significant digits, never an exponent: DOT's numbers have none. */
void dot_list_fraction(struct dot_list *list, const char *name, double value)
{
	char text[400];
	int decimals;

	if (!isfinite(value))
		return;
	decimals = value == 0 ? 0 : 5 - (int)floor(log10(fabs(value)));
	decimals = decimals < 0 ? 0 : decimals > 300 ? 300 : decimals;
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	if (strchr(text, '.')) {
		size_t length = strlen(text);

		while (text[length - 1] == '0')
			length--;
		text[text[length - 1] == '.' ? length - 1 : length] = '\0';
	}
	put_name(list, name);
	fputs_unlocked(text, list->file);
}

static void put_field(struct dot_list *list, const struct graph_field *field, const void *of)
{
	switch (field->type) {
	case FIELD_TEXT:
		dot_list_text(list, field->name, field_text(field, of));
		break;
	case FIELD_COUNT:
	case FIELD_ID:
		dot_list_number(list, field->name, field_number(field, of));
		break;
	case FIELD_FRACTION:
		dot_list_fraction(list, field->name, field_fraction(field, of));
		break;
	case FIELD_ACCESS:
		dot_list_text(list, field->name, graph_access_name(field_access(field, of)));
		break;
	case FIELD_ALL:
		break;
	}
}

void dot_list_fields(struct dot_list *list, const struct graph_field *fields, const void *of,
		     unsigned types)
{
	for (; fields->name; fields++)
		if (fields->type & types && !fields->profile_only && field_is_there(fields, of))
			put_field(list, fields, of);
}

void dot_list_attribute(struct dot_list *list, const char *name, const char *value, bool raw)
{
	start_attribute(list);
	dot_put_text(list->file, name, false);
	putc_unlocked('=', list->file);
	dot_put_text(list->file, value, raw);
}

void dot_list_attributes(struct dot_list *list, const struct graph_attributes *attributes)
{
	for (uint32_t i = 0; i < attributes->count; i++)
		dot_list_attribute(list, attributes->items[i].name, attributes->items[i].value,
				   attributes->items[i].raw);
}

void dot_list_close(struct dot_list *list)
{
	fputs_unlocked(list->open ? "];\n" : ";\n", list->file);
}
