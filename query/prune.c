/* query/prune.c: the important graph of ValueExpert Def. 5.3. */
#include "query/query.h"

#include <math.h>
#include <stdlib.h>

#include "util/memory.h"

/* NAN for null: it meets no threshold. */
static double edge_metric(const struct graph_edge *edge, enum query_edge_metric metric)
{
	switch (metric) {
	case EDGE_METRIC_BYTES:
		return edge->fields & EDGE_BYTES ? (double)edge->bytes : NAN;
	case EDGE_METRIC_REDUNDANT_BYTES:
		return edge->fields & EDGE_REDUNDANT_BYTES ? (double)edge->redundant_bytes : NAN;
	case EDGE_METRIC_REDUNDANCY:
		return edge->fields & EDGE_REDUNDANCY ? edge->redundancy : NAN;
	case EDGE_METRIC_COUNT:
		return edge->fields & EDGE_COUNT ? (double)edge->count : NAN;
	case EDGE_METRIC_OBJECT_BYTES:
		return edge->fields & EDGE_OBJECT_BYTES ? (double)edge->object_bytes : NAN;
	case EDGE_METRIC_NONE:
		break;
	}
	return NAN;
}

static double vertex_metric(const struct graph_vertex *vertex, enum query_vertex_metric metric)
{
	switch (metric) {
	case VERTEX_METRIC_INVOCATIONS:
		return vertex->fields & VERTEX_INVOCATIONS ? (double)vertex->invocations : NAN;
	case VERTEX_METRIC_READ_BYTES:
		return vertex->fields & VERTEX_READ_BYTES ? (double)vertex->read_bytes : NAN;
	case VERTEX_METRIC_WRITTEN_BYTES:
		return vertex->fields & VERTEX_WRITTEN_BYTES ? (double)vertex->written_bytes : NAN;
	case VERTEX_METRIC_REDUNDANT_BYTES:
		return vertex->fields & VERTEX_REDUNDANT_BYTES ? (double)vertex->redundant_bytes
							       : NAN;
	case VERTEX_METRIC_TIME_NS:
		return vertex->fields & VERTEX_TIME_NS ? (double)vertex->time_ns : NAN;
	case VERTEX_METRIC_NONE:
		break;
	}
	return NAN;
}

void query_prune(struct graph *graph, const struct query_importance *importance)
{
	bool by_edge = importance->edge_metric != EDGE_METRIC_NONE;
	bool by_vertex = importance->vertex_metric != VERTEX_METRIC_NONE;
	bool *keep_vertex = xcalloc(graph->vertex_count, sizeof(*keep_vertex));
	bool *keep_edge = xcalloc(graph->edge_count, sizeof(*keep_edge));

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];

		keep_vertex[v] = vertex->id == GRAPH_HOST || (!by_vertex && !by_edge) ||
				 (by_vertex && vertex_metric(vertex, importance->vertex_metric) >=
						       importance->vertex_threshold);
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		/* no edge threshold: the induced subgraph, where an edge goes with its ends */
		keep_edge[e] = !by_edge || edge_metric(edge, importance->edge_metric) >=
						   importance->edge_threshold;
		if (by_edge && keep_edge[e])
			keep_vertex[edge->from] = keep_vertex[edge->to] = true;
	}
	graph_filter(graph, keep_vertex, keep_edge);
	free(keep_vertex);
	free(keep_edge);
}
