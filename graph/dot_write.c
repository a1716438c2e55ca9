/*
 * graph/dot_write.c: a graph as DOT.
 *
 * Written without cgraph: its writer loses backslashes, wraps lines and declares every attribute
 * for every object.
 */
#include "graph/dot.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_list.h"
#include "graph/dot_names.h"
#include "graph/dot_values.h"
#include "util/memory.h"

static void write_vertex(const struct graph_vertex *vertex, FILE *file)
{
	struct dot_list list = {.file = file};

	putc_unlocked('\t', file);
	dot_put_text(file, vertex->node, false);
	dot_list_fields(&list, graph_vertex_fields, vertex, FIELD_ALL);
	dot_list_attributes(&list, &vertex->attributes);
	dot_list_close(&list);
}

/* The names of vertices, for edges: those that are "v<id>" without a look at the vertex. */
static void put_node(FILE *file, const struct graph *graph, const uint32_t *ids, uint32_t vertex)
{
	if (ids[vertex] == UINT32_MAX) {
		dot_put_text(file, graph->vertices[vertex].node, false);
		return;
	}
	putc_unlocked('v', file);
	dot_put_number(file, ids[vertex]);
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
	struct dot_list list = {.file = file};
	char key[GRAPH_KEY_SIZE];

	putc_unlocked('\t', file);
	put_node(file, graph, ids, edge->from);
	fputs_unlocked(" -> ", file);
	put_node(file, graph, ids, edge->to);
	dot_list_text(&list, DOT_KEY, graph_edge_key(edge, key));
	dot_list_fields(&list, graph_edge_fields, edge, FIELD_ALL);
	dot_list_attributes(&list, &edge->attributes);
	dot_list_close(&list);
}

int dot_write(const struct graph *graph, FILE *file, struct error *error)
{
	struct dot_list list = {.file = file};
	uint32_t *ids = find_ids(graph);

	fputs_unlocked("digraph ", file);
	if (graph->name && *graph->name) {
		dot_put_text(file, graph->name, false);
		putc_unlocked(' ', file);
	}
	/* linelength: stock tools must not break lines inside names */
	fputs_unlocked("{\n\tgraph", file);
	dot_list_number(&list, DOT_LINELENGTH, 0);
	dot_list_number(&list, DOT_VERSION, DOT_VERSION_NUMBER);
	dot_list_attributes(&list, &graph->attributes);
	dot_list_close(&list);
	for (uint32_t d = 0; d < graph->default_count; d++) {
		const struct graph_default *declaration = &graph->defaults[d];

		list = (struct dot_list){.file = file};
		fputs_unlocked(declaration->of == DEFAULT_VERTEX ? "\tnode" : "\tedge", file);
		dot_list_attribute(&list, declaration->name, declaration->value, declaration->raw);
		dot_list_close(&list);
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
