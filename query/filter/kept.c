#include "graph/dot_names.h"
#include "query/filter/kept.h"

#include <inttypes.h>
#include <stdio.h>

#include "query/filter/query.h"
#include "util/size.h"
#include "util/text.h"

struct kept kept_of(const struct graph *graph)
{
	struct kept kept = {.vertices = graph->vertex_count, .edges = graph->edge_count};

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		if (graph_attribute(&graph->edges[e].attributes, DOT_BRIDGED))
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
		"vflow %s: kept %" PRIu32 " of %" PRIu32 " %s, %" PRIu32 " of %" PRIu32
		" edge%s, %s of %s byte%s; dropped %" PRIu32 " %s, %" PRIu32 " edge%s, %s byte%s",
		command, after.vertices, before.vertices,
		text_plural(before.vertices, "vertex", "vertices"), after.edges, before.edges,
		text_plural(before.edges, "", "s"), size_format(after.bytes, kept),
		size_format(before.bytes, all), text_plural(before.bytes, "", "s"), vertices,
		text_plural(vertices, "vertex", "vertices"), edges, text_plural(edges, "", "s"),
		size_format(before.bytes - after.bytes, dropped),
		text_plural(before.bytes - after.bytes, "", "s"));
	if (after.bridged)
		fprintf(stderr, "; %" PRIu32 " bridged", after.bridged);
	fputc('\n', stderr);
}
