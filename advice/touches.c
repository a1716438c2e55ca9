#include "advice/touches.h"

#include <stdlib.h>

#include "gpu/nvidia/apis.h"
#include "util/memory.h"

static int by_vertex(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The edges that are accesses to memory of the device, in order of who accesses it. */
static void look_at_edges(struct touches *touches, const struct run *run)
{
	const struct graph *graph = run->profile->graph;
	struct keyed {
		uint32_t vertex;
		struct touch touch;
	} *keyed = xcalloc(graph->edge_count, sizeof(*keyed));
	uint32_t count = 0;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		uint32_t site = graph_find(graph, edge->object);
		bool from_host = graph->vertices[edge->from].id == GRAPH_HOST;

		if (graph->vertices[edge->to].id == GRAPH_HOST) {
			touches->effects[edge->from].downloads = true;
			continue;
		}
		if (from_host && graph_vertex_is(&graph->vertices[edge->to], "memcpy"))
			continue; /* its other side is the memory of the host */
		if (site == UINT32_MAX) {
			touches->effects[edge->to].unknown = true;
			continue;
		}
		touches->effects[edge->to].guarded |= run->host_writes[site] || from_host;
		keyed[count++] = (struct keyed){edge->to, {site, edge->access != GRAPH_READ}};
	}
	if (count)
		qsort(keyed, count, sizeof(*keyed), by_vertex);
	touches->rows = xcalloc(count, sizeof(*touches->rows));
	for (uint32_t i = 0; i < count; i++) {
		struct effects *effects = &touches->effects[keyed[i].vertex];

		if (!effects->end)
			effects->first = i;
		effects->end = i + 1;
		touches->rows[i] = keyed[i].touch;
	}
	free(keyed);
}

struct touches *touches_new(const struct run *run)
{
	const struct graph *graph = run->profile->graph;
	struct touches *touches = xcalloc(1, sizeof(*touches));

	touches->effects = xcalloc(graph->vertex_count, sizeof(*touches->effects));
	look_at_edges(touches, run);
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];
		struct effects *effects = &touches->effects[v];

		effects->unknown |=
			run_unseen(run, vertex->id) > 0 || run->operations[v] == OPERATION_OTHER;
		/* the host may write to the source of an asynchronous copy after a wait */
		effects->uploads = run->operations[v] == OPERATION_UPLOAD &&
				   !api_is_synchronous_copy(vertex->name);
		effects->guarded |= effects->uploads || effects->unknown;
	}
	return touches;
}

void touches_free(struct touches *touches)
{
	free(touches->effects);
	free(touches->rows);
	free(touches);
}
