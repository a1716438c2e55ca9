/*
 * advice/pattern/unwritten_reads.c: reads of memory that nobody has written: what launches surely
 * loaded, and operations that read nothing else of an object.  An error, which saves nothing to
 * mend.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"
#include "util/text.h"

/* What one operation reads of the objects of one site, of which it is told that nobody wrote it. */
struct reads {
	uint32_t vertex, site; /* ids */
	uint64_t bytes, invocations;
	bool other; /* it reads what somebody wrote there, too, or writes what it reads */
	bool known; /* of a launch the device says how much it loaded before anybody wrote it */
};

struct list {
	struct reads *items;
	uint32_t count, capacity;
	struct pair_map index; /* by vertex and site */
};

static struct reads *reads_of(struct list *list, uint32_t vertex, uint32_t site)
{
	uint32_t index;

	if (pair_map_find(&list->index, vertex, site, list->count, &index))
		return &list->items[index];
	ARRAY_RESERVE(list->items, list->count, list->capacity);
	list->items[list->count] = (struct reads){.vertex = vertex, .site = site};
	return &list->items[list->count++];
}

/* Whether nobody but operations that are seen writes to what the vertex allocates. */
static bool is_followed(const struct run *run, uint32_t site)
{
	const uint32_t v = graph_find(run->profile->graph, site);

	return v != UINT32_MAX && !run->host_writes[v] &&
	       graph_vertex_is(&run->profile->graph->vertices[v], "alloc");
}

/*
 * Edges count what an operation reads by the writers before it, also what it wrote itself first:
 * of one that writes to the same bytes they do not tell.
 */
static void take_edges(const struct run *run, struct list *list)
{
	const struct graph *graph = run->profile->graph;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		const bool unwritten = graph->vertices[edge->from].id == edge->object;
		const enum operation operation = run->operations[edge->to];
		struct reads *reads;

		if (operation == OPERATION_OTHER || !is_followed(run, edge->object) ||
		    (edge->access == GRAPH_WRITE && (!unwritten || operation != OPERATION_KERNEL)))
			continue;
		reads = reads_of(list, graph->vertices[edge->to].id, edge->object);
		if (edge->access == GRAPH_READ && unwritten) {
			profile_add(&reads->bytes, edge->bytes);
			profile_add(&reads->invocations, edge->count);
		} else {
			reads->other = true;
		}
	}
}

static void take_loads(const struct run *run, struct list *list)
{
	const struct profile *profile = run->profile;

	for (uint32_t i = 0; i < profile->unwritten_count; i++) {
		const struct profile_unwritten *row = &profile->unwritten[i];
		struct reads *reads;

		if (!is_followed(run, row->object))
			continue;
		reads = reads_of(list, row->vertex, row->object);
		reads->bytes = row->bytes;
		reads->invocations = row->invocations;
		reads->known = true;
	}
}

static void add_finding(const struct run *run, const struct reads *reads)
{
	const struct graph *graph = run->profile->graph;
	const struct graph_vertex *vertex = &graph->vertices[graph_find(graph, reads->vertex)];
	const bool kernel = run_operation(run, reads->vertex) == OPERATION_KERNEL;
	struct profile_finding *finding =
		run_add(run, "uninitialised_read", kernel ? "write_first" : "initialise",
			reads->vertex, reads->site, reads->bytes, 0);
	char *bytes = words_bytes(reads->bytes);
	char *object = words_object(run->profile, run->sites, reads->site);

	finding->access = GRAPH_READ;
	finding->evidence = xasprintf("%" PRIu64 " of its %" PRIu64
				      " invocation%s read %s of %s that nobody had written.",
				      reads->invocations, vertex->invocations,
				      text_plural(vertex->invocations, "", "s"), bytes, object);
	finding->advice = xstrdup(
		kernel ? "Write the memory before (a set, a copy, a kernel), or do not read it: "
			 "what "
			 "it holds is left from before, and another one each time."
		       : "Copy it when something has been written there, or do not copy it.");
	finding->limits =
		xstrdup("one run, one input; what is read may have no part in any result");
	free(bytes);
	free(object);
}

static void detect_unwritten_reads(const struct run *run)
{
	struct list list = {0};

	if (run->writes_unseen)
		return;
	take_edges(run, &list);
	take_loads(run, &list);
	for (uint32_t i = 0; i < list.count; i++)
		if (list.items[i].known || (list.items[i].bytes && !list.items[i].other))
			add_finding(run, &list.items[i]);
	pair_map_release(&list.index);
	free(list.items);
}

const struct pattern pattern_unwritten_reads = {
	.detect = detect_unwritten_reads,
	.names = (const struct pattern_name[]){{"uninitialised_read", "uninitialised read"},
					       {NULL, NULL}},
};
