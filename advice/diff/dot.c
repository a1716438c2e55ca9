/* advice/diff/dot.c: both graphs as one: what went, what came, what changed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/diff/diff.h"
#include "graph/dot_list.h"
#include "graph/dot_names.h"
#include "util/memory.h"

enum change { SAME, CHANGED, GONE, NEW };

static const struct {
	const char *name, *colour, *style;
} changes[] = {
	[SAME] = {"same", "gray50", ""},
	[CHANGED] = {"changed", "#b35900", "bold"},
	[GONE] = {"gone", "#b00020", "dashed"},
	[NEW] = {"new", "#00702e", "bold"},
};

/* Vertices of both graphs by one number: those of the second, then those that are gone. */
struct both {
	const struct diff *diff;
	uint32_t *number[2]; /* by vertex index of each graph */
	enum change *changes;
	uint32_t count;
};

static void put_vertex(FILE *out, const struct both *both, const struct graph *graph, uint32_t v,
		       uint32_t number)
{
	const struct graph_vertex *vertex = &graph->vertices[v];
	enum change change = both->changes[number];
	struct dot_list list = {.file = out};

	fprintf(out, "\tv%" PRIu32, number);
	dot_list_text(&list, DOT_CHANGE, changes[change].name);
	dot_list_fields(&list, graph_vertex_fields, vertex, FIELD_ALL);
	dot_list_text(&list, "color", changes[change].colour);
	dot_list_text(&list, "fontcolor", changes[change].colour);
	dot_list_text(&list, "style", changes[change].style);
	fputs(", label=\"", out);
	dot_put_label(out, vertex->name ? vertex->name : "");
	putc('"', out);
	dot_list_close(&list);
}

/* An edge as both graphs name it. */
struct named_edge {
	uint32_t from, to, of; /* of: the vertex of the object, by the common number */
	enum graph_access access;
	uint64_t bytes;
	bool after;
};

static int by_name(const void *a, const void *b)
{
	const struct named_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->access != y->access)
		return x->access < y->access ? -1 : 1;
	return x->after - y->after;
}

static void add_edges(const struct both *both, bool after, struct named_edge *to)
{
	const struct diff_join *join = both->diff->join;
	const struct graph *graph = (after ? join->after : join->before)->graph;
	const uint32_t *number = both->number[after];

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		uint32_t of = graph_find(graph, edge->object);

		to[e] = (struct named_edge){number[edge->from],
					    number[edge->to],
					    of == UINT32_MAX ? UINT32_MAX : number[of],
					    edge->access,
					    edge->bytes,
					    after};
	}
}

static void put_edge(FILE *out, const struct named_edge *edge, enum change change, uint64_t before)
{
	struct dot_list list = {.file = out};
	const char *access = graph_access_name(edge->access);

	fprintf(out, "\tv%" PRIu32 " -> v%" PRIu32, edge->from, edge->to);
	if (edge->of != UINT32_MAX) {
		char key[32];

		snprintf(key, sizeof(key), "%" PRIu32 ":%s", edge->of, access ? access : "");
		dot_list_text(&list, DOT_KEY, key);
		dot_list_number(&list, "object", edge->of);
	}
	dot_list_text(&list, "access", access);
	dot_list_number(&list, "bytes", edge->bytes);
	if (change == CHANGED)
		dot_list_number(&list, "bytes_before", before);
	dot_list_text(&list, DOT_CHANGE, changes[change].name);
	dot_list_text(&list, "color", changes[change].colour);
	dot_list_text(&list, "style", changes[change].style);
	dot_list_close(&list);
}

static void put_edges(const struct both *both, FILE *out)
{
	const struct diff_join *join = both->diff->join;
	const uint32_t before = join->before->graph->edge_count;
	const uint32_t count = before + join->after->graph->edge_count;
	struct named_edge *edges = xcalloc((size_t)count + 1, sizeof(*edges));

	add_edges(both, false, edges);
	add_edges(both, true, edges + before);
	qsort(edges, count, sizeof(*edges), by_name);
	for (uint32_t i = 0; i < count; i++) {
		const struct named_edge *next = i + 1 < count ? &edges[i + 1] : NULL;

		if (next && !edges[i].after && next->after && edges[i].from == next->from &&
		    edges[i].to == next->to && edges[i].of == next->of &&
		    edges[i].access == next->access) {
			put_edge(out, next, edges[i].bytes == next->bytes ? SAME : CHANGED,
				 edges[i].bytes);
			i++;
		} else {
			put_edge(out, &edges[i], edges[i].after ? NEW : GONE, 0);
		}
	}
	free(edges);
}

void diff_dot(const struct diff *diff, FILE *out)
{
	const struct diff_join *join = diff->join;
	const struct graph *before = join->before->graph, *after = join->after->graph;
	const uint32_t most = before->vertex_count + after->vertex_count;
	struct both both = {diff,
			    {xcalloc((size_t)before->vertex_count + 1, sizeof(uint32_t)),
			     xcalloc((size_t)after->vertex_count + 1, sizeof(uint32_t))},
			    xcalloc((size_t)most + 1, sizeof(enum change)),
			    after->vertex_count};
	uint32_t host = graph_find(before, GRAPH_HOST);

	/* the numbers are ids of the second run where that can be: the host has one there, too */
	for (uint32_t v = 0; v < after->vertex_count; v++)
		both.number[1][v] = v;
	for (uint32_t i = 0; i < join->operation_count; i++) {
		const struct diff_pair pair = join->operations[i];

		if (pair.after == DIFF_NONE) {
			both.changes[both.count] = GONE;
			both.number[0][pair.before] = both.count++;
		} else if (pair.before == DIFF_NONE) {
			both.changes[pair.after] = NEW;
		} else {
			both.number[0][pair.before] = pair.after;
		}
	}
	for (uint32_t i = 0; i < diff->change_count; i++)
		if (diff->changes[i].vertices.before != DIFF_NONE &&
		    diff->changes[i].vertices.after != DIFF_NONE)
			both.changes[diff->changes[i].vertices.after] = CHANGED;
	if (host != UINT32_MAX && graph_find(after, GRAPH_HOST) != UINT32_MAX)
		both.number[0][host] = graph_find(after, GRAPH_HOST);
	fputs("digraph {\n\tgraph [" DOT_LINELENGTH "=0, " DOT_VERSION "=1, " DOT_TYPES
	      "=\"bytes_before:num\"];\n",
	      out);
	for (uint32_t v = 0; v < after->vertex_count; v++)
		put_vertex(out, &both, after, v, v);
	for (uint32_t i = join->joined_operations; i < join->operation_count; i++)
		if (join->operations[i].after == DIFF_NONE)
			put_vertex(out, &both, before, join->operations[i].before,
				   both.number[0][join->operations[i].before]);
	put_edges(&both, out);
	fputs("}\n", out);
	free(both.number[0]);
	free(both.number[1]);
	free(both.changes);
}
