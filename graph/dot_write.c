/*
 * graph/dot_write.c: a graph as DOT.
 *
 * Written without cgraph: its writer loses backslashes, wraps lines and declares every attribute
 * for every object.  put_value() is the one place where text becomes DOT.
 */
#include "graph/dot.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "graph/dot_values.h"
#include "util/memory.h"

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

/* `raw`: as cgraph has read it, where a backslash never stands alone before a quote or the end. */
static void put_value(FILE *file, const char *text, bool raw)
{
	if (is_plain(text)) {
		fputs_unlocked(text, file);
		return;
	}
	putc_unlocked('"', file);
	while (*text) {
		size_t harmless = strcspn(text, raw ? "\"" : "\"\\");

		fwrite_unlocked(text, 1, harmless, file);
		text += harmless;
		if (!*text)
			break;
		putc_unlocked('\\', file);
		putc_unlocked(*text++, file);
	}
	putc_unlocked('"', file);
}

/* The list of one object's attributes: "[a=1, b=2]". */
struct list {
	FILE *file;
	bool open;
};

static void put_name(struct list *list, const char *name)
{
	fputs_unlocked(list->open ? ", " : " [", list->file);
	list->open = true;
	put_value(list->file, name, false);
	putc_unlocked('=', list->file);
}

static void put_text(struct list *list, bool present, const char *name, const char *value)
{
	if (!present || !value || !*value)
		return;
	put_name(list, name);
	put_value(list->file, value, false);
}

/* Millions of them: printf would take most of the time. */
static void put_digits(FILE *file, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	fwrite_unlocked(text + at, 1, sizeof(text) - at, file);
}

static void put_number(struct list *list, bool present, const char *name, uint64_t value)
{
	if (!present)
		return;
	put_name(list, name);
	put_digits(list->file, value);
}

/* Up to 6 significant digits, never an exponent. */
static void put_fraction(struct list *list, bool present, const char *name, double value)
{
	char text[400];
	int decimals;

	if (!present || !isfinite(value))
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

static void put_others(struct list *list, const struct graph_attributes *attributes)
{
	for (uint32_t i = 0; i < attributes->count; i++) {
		put_name(list, attributes->items[i].name);
		put_value(list->file, attributes->items[i].value, attributes->items[i].raw);
	}
}

static void close_list(struct list *list)
{
	fputs_unlocked(list->open ? "];\n" : ";\n", list->file);
}

static void write_vertex(const struct graph_vertex *vertex, FILE *file)
{
	struct list list = {.file = file};
	uint32_t fields = vertex->fields;

	putc_unlocked('\t', file);
	put_value(file, vertex->node, false);
	put_text(&list, fields & VERTEX_KIND, DOT_KIND, vertex->kind);
	put_text(&list, fields & VERTEX_NAME, DOT_NAME, vertex->name);
	put_number(&list, fields & VERTEX_INVOCATIONS, DOT_INVOCATIONS, vertex->invocations);
	put_number(&list, fields & VERTEX_READ_BYTES, DOT_READ_BYTES, vertex->read_bytes);
	put_number(&list, fields & VERTEX_WRITTEN_BYTES, DOT_WRITTEN_BYTES, vertex->written_bytes);
	put_number(&list, fields & VERTEX_REDUNDANT_BYTES, DOT_REDUNDANT_BYTES,
		   vertex->redundant_bytes);
	put_number(&list, fields & VERTEX_TIME_NS, DOT_TIME_NS, vertex->time_ns);
	put_text(&list, fields & VERTEX_CONTEXT, DOT_CONTEXT, vertex->context);
	put_text(&list, fields & VERTEX_CALLPATH, DOT_CALLPATH, vertex->callpath);
	put_text(&list, fields & VERTEX_PATTERNS, DOT_PATTERNS, vertex->patterns);
	put_text(&list, fields & VERTEX_ADVICE, DOT_ADVICE, vertex->advice);
	put_others(&list, &vertex->attributes);
	close_list(&list);
}

/* The names of vertices, for edges: those that are "v<id>" without a look at the vertex. */
static void put_node(FILE *file, const struct graph *graph, const uint32_t *ids, uint32_t vertex)
{
	if (ids[vertex] == UINT32_MAX) {
		put_value(file, graph->vertices[vertex].node, false);
		return;
	}
	putc_unlocked('v', file);
	put_digits(file, ids[vertex]);
}

static uint32_t *find_ids(const struct graph *graph)
{
	uint32_t *ids = xcalloc((size_t)graph->vertex_count + 1, sizeof(*ids));

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];

		ids[v] = dot_vertex_id(vertex->node, &ids[v]) && ids[v] == vertex->id ? vertex->id
										      : UINT32_MAX;
	}
	return ids;
}

static void write_edge(const struct graph *graph, const uint32_t *ids,
		       const struct graph_edge *edge, FILE *file)
{
	struct list list = {.file = file};
	uint32_t fields = edge->fields;
	char key[GRAPH_KEY_SIZE];
	const char *access = edge->access == GRAPH_READ    ? "READ"
			     : edge->access == GRAPH_WRITE ? "WRITE"
							   : NULL;

	putc_unlocked('\t', file);
	put_node(file, graph, ids, edge->from);
	fputs_unlocked(" -> ", file);
	put_node(file, graph, ids, edge->to);
	put_text(&list, true, DOT_KEY, graph_edge_key(edge, key));
	put_number(&list, fields & EDGE_OBJECT, DOT_OBJECT, edge->object);
	put_text(&list, fields & EDGE_ACCESS, DOT_ACCESS, access);
	put_number(&list, fields & EDGE_BYTES, DOT_BYTES, edge->bytes);
	put_number(&list, fields & EDGE_REDUNDANT_BYTES, DOT_REDUNDANT_BYTES,
		   edge->redundant_bytes);
	put_fraction(&list, fields & EDGE_REDUNDANCY, DOT_REDUNDANCY, edge->redundancy);
	put_number(&list, fields & EDGE_COUNT, DOT_COUNT, edge->count);
	put_number(&list, fields & EDGE_OBJECT_BYTES, DOT_OBJECT_BYTES, edge->object_bytes);
	put_others(&list, &edge->attributes);
	close_list(&list);
}

int dot_write(const struct graph *graph, FILE *file, struct error *error)
{
	struct list list = {.file = file};
	uint32_t *ids = find_ids(graph);

	fputs_unlocked("digraph ", file);
	if (graph->name && *graph->name) {
		put_value(file, graph->name, false);
		putc_unlocked(' ', file);
	}
	/* linelength: stock tools must not break lines inside names */
	fputs_unlocked("{\n\tgraph", file);
	put_number(&list, true, DOT_LINELENGTH, 0);
	put_number(&list, true, DOT_VERSION, DOT_VERSION_NUMBER);
	put_others(&list, &graph->attributes);
	close_list(&list);
	for (uint32_t d = 0; d < graph->default_count; d++) {
		const struct graph_default *declaration = &graph->defaults[d];

		list = (struct list){.file = file};
		fputs_unlocked(declaration->of == DEFAULT_VERTEX ? "\tnode" : "\tedge", file);
		put_name(&list, declaration->name);
		put_value(file, declaration->value, declaration->raw);
		close_list(&list);
	}
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		write_vertex(&graph->vertices[v], file);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		write_edge(graph, ids, &graph->edges[e], file);
	free(ids);
	fputs_unlocked("}\n", file);
	if (ferror(file))
		return error_set(error, "cannot write DOT: %s",
				 errno ? strerror(errno) : "the output is closed or full");
	return 0;
}
