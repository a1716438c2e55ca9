#include "query/kept.h"

#include <inttypes.h>
#include <stdio.h>

#include "query/query.h"
#include "util/size.h"

struct kept kept_of(const struct graph *graph)
{
	struct kept kept = {.vertices = graph->vertex_count, .edges = graph->edge_count};

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		if (graph_attribute(&graph->edges[e].attributes, QUERY_BRIDGED))
			kept.bridged++;
		if (__builtin_add_overflow(kept.bytes, graph->edges[e].bytes, &kept.bytes))
			kept.bytes = UINT64_MAX; /* only in DOT that was made up */
	}
	kept.edges -= kept.bridged;
	return kept;
}

void kept_say(const char *command, struct kept before, const struct graph *graph)
{
	struct kept after = kept_of(graph);
	uint32_t vertices = before.vertices - after.vertices, edges = before.edges - after.edges;
	char kept[16], all[16], dropped[16];

	fprintf(stderr,
		"vflow %s: kept %" PRIu32 " of %" PRIu32 " vertices, %" PRIu32 " of %" PRIu32
		" edges, %s of %s bytes; dropped %" PRIu32 " %s, %" PRIu32 " edge%s, %s bytes",
		command, after.vertices, before.vertices, after.edges, before.edges,
		size_format(after.bytes, kept), size_format(before.bytes, all), vertices,
		vertices == 1 ? "vertex" : "vertices", edges, edges == 1 ? "" : "s",
		size_format(before.bytes - after.bytes, dropped));
	if (after.bridged)
		fprintf(stderr, "; %" PRIu32 " bridged", after.bridged);
	fputc('\n', stderr);
}
