/* query/filter/prune.c: the important graph of ValueExpert Def. 5.3, and the largest part of a
 * graph. */
#include <stdlib.h>

#include "graph/dot_names.h"
#include "graph/fields.h"
#include "query/filter/query.h"
#include "util/memory.h"
#include "util/text.h"

struct selection selection_new(const struct engine *engine)
{
	struct selection keep = {xcalloc((size_t)engine->vertex_count + 1, sizeof(bool)),
				 xcalloc((size_t)engine->edge_count + 1, sizeof(bool))};

	for (uint32_t v = 0; v < engine->vertex_count; v++)
		keep.vertex[v] = engine_id(engine, v) == GRAPH_HOST;
	return keep;
}

void selection_free(struct selection *selection)
{
	free(selection->vertex);
	free(selection->edge);
}

static bool is_bridge(const struct column *bridged, uint32_t edge)
{
	return bridged && bridged->present[edge];
}

/* -- thresholds -- */

static bool meets(const struct column *metric, uint32_t row, double least)
{
	if (!metric->present[row])
		return false;
	return (metric->type == VALUE_FLOAT ? metric->numbers[row]
					    : (double)metric->integers[row]) >= least;
}

/* NULL: there is none, and the message says which there are. */
static const struct column *metric_of(struct engine *engine, bool of_edge, const char *name,
				      struct error *error)
{
	const struct column *column = engine_column(engine, of_edge, name);
	const struct columns *columns;
	char list[400] = "";
	size_t used = 0;

	if (column && (column->type == VALUE_INTEGER || column->type == VALUE_FLOAT))
		return column;
	columns = engine_columns(engine, of_edge);
	for (uint32_t i = 0; i < columns->count && used < sizeof(list) - 100; i++) {
		const struct column *other = columns->items[i];

		if (other->hidden || (other->type != VALUE_INTEGER && other->type != VALUE_FLOAT))
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.60s",
					 used ? ", " : "", other->name);
	}
	error_set(error, "%s have no number '%.100s'%s; there are %s",
		  of_edge ? "edges" : "vertices", name,
		  column ? " (it is not a number, unless " DOT_TYPES " says so)" : "", list);
	return NULL;
}

int query_prune(struct engine *engine, const struct query_threshold *edge,
		const struct query_threshold *vertex, struct selection *keep, struct error *error)
{
	const struct column *of_edge = NULL, *of_vertex = NULL;
	const struct column *bridged = engine_column(engine, true, DOT_BRIDGED);

	if (edge->metric && !(of_edge = metric_of(engine, true, edge->metric, error)))
		return -1;
	if (vertex->metric && !(of_vertex = metric_of(engine, false, vertex->metric, error)))
		return -1;
	for (uint32_t v = 0; v < engine->vertex_count; v++)
		keep->vertex[v] |= of_vertex ? meets(of_vertex, v, vertex->least) : !of_edge;
	for (uint32_t e = 0; e < engine->edge_count; e++) {
		/* no edge threshold: the induced subgraph, where an edge goes with its ends */
		keep->edge[e] = !of_edge || is_bridge(bridged, e) || meets(of_edge, e, edge->least);
		if (of_edge && keep->edge[e] && !is_bridge(bridged, e))
			keep->vertex[engine->from[e]] = keep->vertex[engine->to[e]] = true;
	}
	return 0;
}

/* -- bytes -- */

static double bytes_of(const struct column *bytes, uint32_t edge)
{
	return bytes && bytes->present[edge] ? (double)bytes->integers[edge] : 0;
}

double query_bytes(struct engine *engine)
{
	const struct column *bytes = engine_column(engine, true, EDGE_NAME(BYTES));
	double sum = 0;

	for (uint32_t e = 0; e < engine->edge_count; e++)
		sum += bytes_of(bytes, e);
	return sum;
}

/* Sums of bytes over the edges at each vertex, a loop once; the caller frees the array. */
static double *vertex_bytes(struct engine *engine)
{
	const struct column *bytes = engine_column(engine, true, EDGE_NAME(BYTES));
	double *sums = xcalloc((size_t)engine->vertex_count + 1, sizeof(*sums));

	for (uint32_t e = 0; e < engine->edge_count; e++) {
		sums[engine->from[e]] += bytes_of(bytes, e);
		if (engine->from[e] != engine->to[e])
			sums[engine->to[e]] += bytes_of(bytes, e);
	}
	return sums;
}

static void keep_all_edges(const struct engine *engine, struct selection *keep)
{
	for (uint32_t e = 0; e < engine->edge_count; e++)
		keep->edge[e] = true;
}

void query_keep_large(struct engine *engine, double least, struct selection *keep)
{
	double *bytes = vertex_bytes(engine);

	for (uint32_t v = 0; v < engine->vertex_count; v++)
		keep->vertex[v] |= bytes[v] >= least;
	keep_all_edges(engine, keep);
	free(bytes);
}

struct ranked {
	double bytes;
	uint32_t id, vertex;
};

static int by_bytes(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

void query_keep_most(struct engine *engine, uint64_t count, struct selection *keep)
{
	double *bytes = vertex_bytes(engine);
	struct ranked *ranked = xcalloc((size_t)engine->vertex_count + 1, sizeof(*ranked));
	uint32_t ranks = 0;

	for (uint32_t v = 0; v < engine->vertex_count; v++)
		if (!keep->vertex[v]) /* host does not count */
			ranked[ranks++] = (struct ranked){bytes[v], engine_id(engine, v), v};
	qsort(ranked, ranks, sizeof(*ranked), by_bytes);
	for (uint32_t i = 0; i < ranks && i < count; i++)
		keep->vertex[ranked[i].vertex] = true;
	keep_all_edges(engine, keep);
	free(bytes);
	free(ranked);
}
