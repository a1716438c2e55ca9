/* query/filter/slice.c: the vertex slice graph of ValueExpert Def. 5.2, one object after the other.
 */
#include <stdlib.h>

#include "query/filter/flow.h"
#include "query/filter/query.h"
#include "util/memory.h"

struct slice {
	const struct query_part *part;
	const bool *of;
	bool *start, *forth, *back; /* of the flow's vertices */
};

bool query_objects_have(const struct query_objects *objects, uint64_t object)
{
	for (uint32_t i = 0; i < objects->count; i++)
		if (objects->ids[i] == object)
			return true;
	return !objects->count;
}

static void slice_flow(const struct slice *slice, const struct flow *flow, struct selection *keep)
{
	const struct query_part *part = slice->part;
	uint32_t steps = part->depth ? part->depth - 1 : UINT32_MAX;

	for (uint32_t v = 0; v < flow->vertex_count; v++) {
		slice->start[v] = slice->of[flow->vertices[v]];
		slice->forth[v] = slice->back[v] = false;
	}
	if (!query_objects_have(&part->objects, flow->object))
		return;
	if (!part->up)
		flow_reach(flow, true, slice->start, NULL, steps, slice->forth);
	if (!part->down)
		flow_reach(flow, false, slice->start, NULL, steps, slice->back);
	for (uint32_t e = 0; e < flow->edge_count; e++) {
		if (!slice->back[flow->to[e]] && !slice->forth[flow->from[e]])
			continue;
		keep->edge[flow->edges[e]] = true;
		keep->vertex[flow->vertices[flow->from[e]]] = true;
		keep->vertex[flow->vertices[flow->to[e]]] = true;
	}
}

void query_slice(struct engine *engine, const bool *of, const struct query_part *part,
		 struct selection *keep)
{
	size_t vertices = (size_t)engine->vertex_count + 1;
	struct slice slice = {
		.part = part,
		.of = of,
		.start = xcalloc(vertices, sizeof(bool)),
		.forth = xcalloc(vertices, sizeof(bool)),
		.back = xcalloc(vertices, sizeof(bool)),
	};
	struct flows *flows = flows_begin(engine, of);
	const struct flow *flow;

	while ((flow = flows_next(flows)) != NULL)
		slice_flow(&slice, flow, keep);
	flows_end(flows);
	free(slice.start);
	free(slice.forth);
	free(slice.back);
}
