/* graph/build/merge.c: see build/merge.h. */
#include "graph/build/merge.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/edges.h"
#include "graph/fields.h"
#include "graph/profile/file.h"
#include "graph/symbols.h"
#include "util/memory.h"

struct context_key { /* followed by the name, and hashed with it */
	uint32_t kind, frame;
	char name[];
};

struct context {
	struct context_key *key;
	uint32_t index, vertex;
	UT_hash_handle hh;
};

struct merge {
	struct profile *profile;
	struct callpaths *paths;
	struct ranges *ranges;
	struct edges *edges;
	struct context *contexts, **context_list;
	uint32_t context_count, context_capacity;
	uint32_t *context_of; /* by vertex: index of its context; NO_FRAME: host or unknown */
	uint64_t *site_bytes; /* by vertex: its largest object */
	uint32_t vertex_capacity;
	uint32_t unknown;
};

static uint32_t add_vertex(struct merge *merge, const char *kind, char *name, uint32_t context)
{
	struct graph *graph = merge->profile->graph;
	struct graph_vertex *vertex;
	uint32_t index = graph->vertex_count;

	if (index == merge->vertex_capacity) {
		merge->vertex_capacity = index ? 2 * index : 64;
		merge->context_of = xreallocarray(merge->context_of, merge->vertex_capacity,
						  sizeof(*merge->context_of));
		merge->site_bytes = xreallocarray(merge->site_bytes, merge->vertex_capacity,
						  sizeof(*merge->site_bytes));
	}
	merge->context_of[index] = context;
	merge->site_bytes[index] = 0;
	vertex = graph_add_vertex(graph, index);
	vertex->fields = VERTEX_KIND | VERTEX_NAME;
	vertex->kind = xstrdup(kind);
	vertex->name = name;
	return index;
}

struct merge *merge_new(struct profile *profile)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));

	merge->profile = profile;
	merge->paths = callpaths_new(profile);
	merge->ranges = ranges_new(profile);
	merge->edges = edges_new(profile->graph);
	merge->unknown = NO_VERTEX;
	add_vertex(merge, "host", xstrdup("host"), NO_FRAME);
	return merge;
}

void merge_free(struct merge *merge)
{
	HASH_CLEAR(hh, merge->contexts);
	for (uint32_t i = 0; i < merge->context_count; i++) {
		free(merge->context_list[i]->key);
		free(merge->context_list[i]);
	}
	free(merge->context_list);
	free(merge->context_of);
	free(merge->site_bytes);
	edges_free(merge->edges);
	callpaths_free(merge->paths);
	ranges_free(merge->ranges);
	free(merge);
}

struct callpaths *merge_paths(const struct merge *merge)
{
	return merge->paths;
}

struct ranges *merge_ranges(const struct merge *merge)
{
	return merge->ranges;
}

uint32_t merge_context(struct merge *merge, enum trace_kind kind, const char *name, uint32_t frame,
		       uint32_t ordinal)
{
	size_t size = sizeof(struct context_key) + strlen(name);
	struct context_key *key = xmalloc(size + 1);
	struct context *context;

	key->kind = kind;
	key->frame = callpaths_innermost(merge->paths, kind, name, frame, ordinal);
	strcpy(key->name, name);
	HASH_FIND(hh, merge->contexts, key, size, context);
	if (context) {
		free(key);
		return context->index;
	}
	context = xcalloc(1, sizeof(*context));
	context->key = key;
	context->index = merge->context_count;
	context->vertex = NO_VERTEX;
	ARRAY_RESERVE(merge->context_list, merge->context_count, merge->context_capacity);
	merge->context_list[merge->context_count++] = context;
	HASH_ADD_KEYPTR(hh, merge->contexts, key, size, context);
	return context->index;
}

/* -- vertices and edges -- */

static const char *vertex_kind(uint32_t kind)
{
	switch ((enum trace_kind)kind) {
	case TRACE_ALLOC:
		return "alloc";
	case TRACE_COPY:
		return "memcpy";
	case TRACE_SET:
		return "memset";
	case TRACE_KERNEL:
		return "kernel";
	case TRACE_RELEASE:
	case TRACE_SYNC:
		break;
	}
	return NULL;
}

const char *merge_context_name(const struct merge *merge, uint32_t context)
{
	return merge->context_list[context]->key->name;
}

const char *merge_context_kind(const struct merge *merge, uint32_t context)
{
	uint32_t kind = merge->context_list[context]->key->kind;

	return kind == TRACE_RELEASE ? "free" : kind == TRACE_SYNC ? "sync" : vertex_kind(kind);
}

uint32_t merge_context_frame(const struct merge *merge, uint32_t context)
{
	return merge->context_list[context]->key->frame;
}

enum merge_origin merge_origin(const struct merge *merge, uint32_t context)
{
	const struct context_key *key = merge->context_list[context]->key;

	if (key->kind == TRACE_SYNC)
		return MERGE_WAIT;
	if (key->frame == NO_FRAME)
		return key->kind == TRACE_ALLOC ? MERGE_VARIABLE : MERGE_CALL;
	return callpaths_is_of_node(merge->paths, key->frame) ? MERGE_NODE : MERGE_CALL;
}

uint32_t merge_vertex(const struct merge *merge, uint32_t context)
{
	return merge->context_list[context]->vertex;
}

uint32_t merge_invoke(struct merge *merge, uint32_t context, uint64_t host_ns)
{
	struct context *of = merge->context_list[context];
	const char *kind = vertex_kind(of->key->kind);
	struct graph_vertex *vertex;

	if (!kind)
		return NO_VERTEX;
	if (of->vertex == NO_VERTEX)
		of->vertex = add_vertex(merge, kind, symbols_demangle(of->key->name), context);
	vertex = &merge->profile->graph->vertices[of->vertex];
	vertex->fields |= VERTEX_INVOCATIONS | VERTEX_HOST_NS;
	vertex->invocations++;
	profile_add(&vertex->host_ns, host_ns);
	return of->vertex;
}

uint32_t merge_host(const struct merge *merge)
{
	(void)merge;
	return 0;
}

uint32_t merge_unknown(struct merge *merge)
{
	if (merge->unknown == NO_VERTEX)
		merge->unknown = add_vertex(merge, "unknown", xstrdup("unknown"), NO_FRAME);
	return merge->unknown;
}

void merge_object_size(struct merge *merge, uint32_t site, uint64_t size)
{
	if (merge->site_bytes[site] < size)
		merge->site_bytes[site] = size;
}

void merge_flow(struct merge *merge, const struct build_event *event, const struct build_row *row)
{
	edges_add(merge->edges, row->writer,
		  row->access == TRACE_TO_HOST ? merge_host(merge) : event->vertex,
		  merge->profile->objects[row->object].site, event->number, row);
}

/* -- the end -- */

static void finish_vertices(struct merge *merge)
{
	struct profile *profile = merge->profile;
	struct graph *graph = profile->graph;

	profile->vertices = xcalloc(graph->vertex_count, sizeof(*profile->vertices));
	profile->callpaths = xcalloc(graph->vertex_count, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = graph->vertex_count;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		struct graph_vertex *vertex = &graph->vertices[v];
		const struct context *context = merge->context_of[v] == NO_FRAME
							? NULL
							: merge->context_list[merge->context_of[v]];
		uint32_t frame = context ? context->key->frame : NO_FRAME;

		profile->vertices[v].callpath = v;
		vertex->context =
			callpaths_context(merge->paths, vertex->kind,
					  context ? context->key->name : vertex->name, frame);
		vertex->fields |= VERTEX_CONTEXT;
		callpaths_set(merge->paths, v, frame);
	}
}

void merge_finish(struct merge *merge)
{
	struct graph *graph = merge->profile->graph;

	finish_vertices(merge);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct graph_edge *edge = &graph->edges[e];

		edge->object_bytes = merge->site_bytes[edge->object];
		profile_finish_edge(edge);
	}
	fields_sum_edges(graph, PROFILE_NUMBER_MAX);
}
