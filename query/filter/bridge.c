/* query/filter/bridge.c: operations taken out of the graph, and their neighbours joined. */
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "query/filter/flow.h"
#include "query/filter/query.h"
#include "util/memory.h"

enum {
	BRIDGES_MAX = 1000000,
	STEPS_MAX = 1000000000, /* edges that are looked at: seconds */
};

struct bridging {
	struct graph *graph;
	const struct engine *engine;
	bool *hidden;                      /* of the flow's vertices */
	uint32_t *queue;                   /* room for them */
	uint32_t *seen;                    /* hidden ones: by which search */
	uint32_t *joined[GRAPH_WRITE + 1]; /* visible ones, per access: by which search */
	uint32_t search;                   /* its number, from 1 */
	uint32_t added;
	uint64_t steps;
};

static bool is_bridge(const struct graph_edge *edge)
{
	return graph_attribute(&edge->attributes, DOT_BRIDGED) != NULL;
}

static void add_bridge(struct bridging *bridging, uint32_t from, uint32_t to, uint32_t last)
{
	struct graph_edge *edge = graph_add_edge(bridging->graph, from, to);
	const struct graph_edge *like = &bridging->graph->edges[last];

	edge->fields = like->fields & (EDGE_OBJECT | EDGE_ACCESS | EDGE_OBJECT_BYTES);
	edge->object = like->object;
	edge->access = like->access;
	edge->object_bytes = like->object_bytes;
	if (edge->fields & EDGE_OBJECT && edge->fields & EDGE_ACCESS)
		edge->key =
			xasprintf("%u:%s:bridged", edge->object, graph_access_name(edge->access));
	graph_set_attribute(&edge->attributes, DOT_BRIDGED, "true");
	bridging->added++;
}

/* Bridges from one visible vertex. */
static void bridge_from(struct bridging *bridging, const struct flow *flow, uint32_t start)
{
	uint32_t tail = 0;

	bridging->search++;
	bridging->queue[tail++] = start;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t vertex = bridging->queue[head];

		for (uint32_t i = flow->out_first[vertex]; i < flow->out_first[vertex + 1]; i++) {
			uint32_t edge = flow->edges[flow->out[i]], next = flow->to[flow->out[i]];
			enum graph_access access = bridging->graph->edges[edge].access;

			bridging->steps++;
			if (bridging->hidden[next]) {
				if (bridging->seen[next] != bridging->search)
					bridging->queue[tail++] = next;
				bridging->seen[next] = bridging->search;
			} else if (!head) { /* nothing is between; a bridge from before will do */
				if (is_bridge(&bridging->graph->edges[edge]))
					bridging->joined[access][next] = bridging->search;
			} else if (bridging->joined[access][next] != bridging->search) {
				bridging->joined[access][next] = bridging->search;
				add_bridge(bridging, flow->vertices[start], flow->vertices[next],
					   edge);
			}
		}
	}
}

static bool bridge_flow(struct bridging *bridging, const struct flow *flow, const bool *hidden)
{
	bridging->search = 0;
	for (uint32_t v = 0; v < flow->vertex_count; v++) {
		bridging->hidden[v] = hidden[flow->vertices[v]];
		bridging->seen[v] = 0;
		for (int access = 0; access <= GRAPH_WRITE; access++)
			bridging->joined[access][v] = 0;
	}
	for (uint32_t v = 0; v < flow->vertex_count; v++) {
		if (!bridging->hidden[v])
			bridge_from(bridging, flow, v);
		if (bridging->added > BRIDGES_MAX || bridging->steps > STEPS_MAX)
			return false;
	}
	return true;
}

/* Whether the list "num:int,ok:bool" has this declaration. */
static bool has_type(const char *types, const char *declaration)
{
	for (size_t length; *types; types += length + (types[length] == ',')) {
		length = strcspn(types, ",");
		if (length == strlen(declaration) && !memcmp(types, declaration, length))
			return true;
	}
	return false;
}

/* Queries see a boolean. */
static void declare_type(struct graph *graph)
{
	const char *types = graph_attribute(&graph->attributes, DOT_TYPES);
	char *all;

	if (types && has_type(types, DOT_BRIDGED ":bool"))
		return;
	all = xasprintf("%s%s" DOT_BRIDGED ":bool", types ? types : "", types && *types ? "," : "");
	graph_set_attribute(&graph->attributes, DOT_TYPES, all);
	free(all);
}

int query_bridge(struct graph *graph, const bool *hidden, struct error *error)
{
	struct engine *engine = engine_from_graph(graph);
	size_t vertices = (size_t)graph->vertex_count + 1;
	struct bridging bridging = {
		.graph = graph,
		.engine = engine,
		.hidden = xcalloc(vertices, sizeof(bool)),
		.queue = xcalloc(vertices, sizeof(uint32_t)),
		.seen = xcalloc(vertices, sizeof(uint32_t)),
	};
	struct flows *flows = flows_begin(engine, hidden);
	const struct flow *flow;
	bool *keep_vertex, *keep_edge;
	bool good = true;

	for (int access = 0; access <= GRAPH_WRITE; access++)
		bridging.joined[access] = xcalloc(vertices, sizeof(uint32_t));
	while (good && (flow = flows_next(flows)) != NULL)
		good = bridge_flow(&bridging, flow, hidden);
	flows_end(flows);
	engine_free(engine);
	if (bridging.added)
		declare_type(graph);
	keep_vertex = xcalloc(vertices, sizeof(*keep_vertex));
	keep_edge = xcalloc((size_t)graph->edge_count + 1, sizeof(*keep_edge));
	memset(keep_edge, true, graph->edge_count);
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		keep_vertex[v] = !hidden[v];
	graph_filter(graph, keep_vertex, keep_edge);
	free(keep_vertex);
	free(keep_edge);
	free(bridging.hidden);
	free(bridging.queue);
	free(bridging.seen);
	for (int access = 0; access <= GRAPH_WRITE; access++)
		free(bridging.joined[access]);
	return good ? 0
		    : error_set(
			      error,
			      "too much is hidden: there are too many paths through it (more than "
			      "%d bridges or 10^9 edges looked at); --focus and --ignore first",
			      BRIDGES_MAX);
}
