/* query/filter/ignore.c: without the flows that go through some operations. */
#include <stdlib.h>

#include "query/filter/flow.h"
#include "query/filter/query.h"
#include "util/memory.h"

void query_ignore(struct engine *engine, const bool *of, struct selection *keep)
{
	size_t vertices = (size_t)engine->vertex_count + 1;
	bool *closed = xcalloc(vertices, sizeof(*closed)), *end = xcalloc(vertices, sizeof(*end));
	bool *forth = xcalloc(vertices, sizeof(*forth)), *back = xcalloc(vertices, sizeof(*back));
	struct flows *flows = flows_begin(engine, NULL);
	const struct flow *flow;

	/* what has no edges is in no flow that could be ignored */
	for (uint32_t v = 0; v < engine->vertex_count; v++)
		if (engine->out_first[v] == engine->out_first[v + 1] &&
		    engine->in_first[v] == engine->in_first[v + 1])
			keep->vertex[v] |= !of[v];
	while ((flow = flows_next(flows)) != NULL) {
		for (uint32_t v = 0; v < flow->vertex_count; v++)
			closed[v] = of[flow->vertices[v]];
		flow_ends(flow, true, end);
		flow_reach(flow, true, end, closed, UINT32_MAX, forth);
		flow_ends(flow, false, end);
		flow_reach(flow, false, end, closed, UINT32_MAX, back);
		for (uint32_t e = 0; e < flow->edge_count; e++) {
			if (!forth[flow->from[e]] || !back[flow->to[e]])
				continue;
			keep->edge[flow->edges[e]] = true;
			keep->vertex[flow->vertices[flow->from[e]]] = true;
			keep->vertex[flow->vertices[flow->to[e]]] = true;
		}
	}
	flows_end(flows);
	free(closed);
	free(end);
	free(forth);
	free(back);
}
