#include "graph/build/merge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/frames.h"
#include "graph/context_hash.h"
#include "graph/fields.h"
#include "graph/profile/file.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/text.h"

/*
 * Frames are shared by the paths of a trace, but not in a profile: vertices times depth.  Paths
 * after this many bytes (FRAME_BYTES for a frame, and the text) are short ones.
 */
#define PATH_BYTES (UINT64_C(32) << 20)
#define FRAME_BYTES 16
#define SHORT_PATH 16   /* frames */
#define SHORT_TEXT 1024 /* bytes, but for the last frame */

#define RUNTIME_FRAMES 16 /* at most, of a CUDA runtime that is linked in */

/* In place of modules, in frames that stand for no place in one. */
#define MODULE_REPLAY (UINT32_MAX - 1) /* TRACE_FRAME_REPLAY */
#define MODULE_ORDINAL UINT32_MAX      /* innermost: `offset` is a graph's node's ordinal, not 0 */

struct module {
	char *identity; /* build id in hex, else base name: the key */
	char *path;
	char *build_id; /* NULL: none */
	uint32_t index;
	UT_hash_handle hh;
};

struct frame_key {
	uint32_t parent, module;
	uint64_t offset;
};

struct frame {
	struct frame_key key;
	uint32_t index;
	bool of_node;                             /* inside of a replay */
	unsigned char digest[CONTEXT_HASH_FRAME]; /* of the path down to here */
	UT_hash_handle hh;
};

struct replay { /* how the profile shows MODULE_REPLAY */
	uint64_t ordinal;
	uint32_t frame; /* index into profile->frames */
	UT_hash_handle hh;
};

struct context_key { /* followed by the name, and hashed with it */
	uint32_t kind, frame;
	char name[];
};

struct context {
	struct context_key *key;
	uint32_t index, vertex;
	UT_hash_handle hh;
};

struct edge_key {
	uint32_t from, to, site, access;
};

struct merge {
	struct profile *profile;
	struct symbols *symbols;
	struct module *modules, **module_list;
	struct frame *frames, **frame_list;
	struct replay *replays;
	struct context_hash *hash;
	struct context *contexts, **context_list;
	uint32_t module_count, module_capacity;
	uint32_t frame_count, frame_capacity;
	uint32_t context_count, context_capacity;
	uint32_t *context_of; /* by vertex: index of its context; NO_FRAME: host or unknown */
	uint64_t *site_bytes; /* by vertex: its largest object */
	uint32_t vertex_capacity;
	uint32_t unknown;
	uint32_t *edge_slots; /* open addressing: index of the edge + 1 */
	uint32_t edge_slot_count;
	uint64_t *last_event; /* by edge */
	uint32_t last_event_capacity;
	uint64_t path_bytes;
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
	merge->hash = context_hash_new();
	merge->symbols = symbols_new(profile);
	merge->unknown = NO_VERTEX;
	add_vertex(merge, "host", xstrdup("host"), NO_FRAME);
	return merge;
}

void merge_free(struct merge *merge)
{
	struct replay *replay, *next;

	HASH_ITER(hh, merge->replays, replay, next)
	{
		HASH_DEL(merge->replays, replay);
		free(replay);
	}
	HASH_CLEAR(hh, merge->modules);
	HASH_CLEAR(hh, merge->frames);
	HASH_CLEAR(hh, merge->contexts);
	for (uint32_t i = 0; i < merge->module_count; i++) {
		free(merge->module_list[i]->identity);
		free(merge->module_list[i]->path);
		free(merge->module_list[i]->build_id);
		free(merge->module_list[i]);
	}
	for (uint32_t i = 0; i < merge->frame_count; i++)
		free(merge->frame_list[i]);
	for (uint32_t i = 0; i < merge->context_count; i++) {
		free(merge->context_list[i]->key);
		free(merge->context_list[i]);
	}
	free(merge->module_list);
	free(merge->frame_list);
	free(merge->context_list);
	free(merge->context_of);
	free(merge->site_bytes);
	free(merge->edge_slots);
	free(merge->last_event);
	context_hash_free(merge->hash);
	symbols_free(merge->symbols);
	free(merge);
}

/* -- call paths -- */

uint32_t merge_module(struct merge *merge, const char *path, const uint8_t *build_id,
		      uint32_t build_id_size)
{
	const char *slash = strrchr(path, '/');
	char *identity, *hex = NULL;
	struct module *module;

	if (build_id_size) {
		hex = xmalloc(2 * (size_t)build_id_size + 1);
		for (uint32_t i = 0; i < build_id_size; i++)
			snprintf(hex + 2 * (size_t)i, 3, "%02x", build_id[i]);
		identity = xasprintf("id:%s", hex);
	} else {
		/* longer names are of no file; all frames hash it */
		identity = xasprintf("name:%.*s", NAME_MAX, slash ? slash + 1 : path);
	}
	HASH_FIND_STR(merge->modules, identity, module);
	if (module) {
		free(identity);
		free(hex);
		return module->index;
	}
	module = xcalloc(1, sizeof(*module));
	*module = (struct module){.identity = identity,
				  .path = xstrdup(path),
				  .build_id = hex,
				  .index = merge->module_count};
	ARRAY_RESERVE(merge->module_list, merge->module_count, merge->module_capacity);
	merge->module_list[merge->module_count++] = module;
	HASH_ADD_KEYPTR(hh, merge->modules, module->identity, strlen(module->identity), module);
	return module->index;
}

static const unsigned char *digest_of(const struct merge *merge, uint32_t frame)
{
	return frame == NO_FRAME ? NULL : merge->frame_list[frame]->digest;
}

static bool is_place(const struct frame_key *key)
{
	return key->module < MODULE_REPLAY;
}

uint32_t merge_frame(struct merge *merge, uint32_t parent, uint32_t module, uint64_t offset)
{
	struct frame_key key = {.parent = parent, .module = module, .offset = offset};
	struct frame *frame;

	HASH_FIND(hh, merge->frames, &key, sizeof(key), frame);
	if (frame)
		return frame->index;
	frame = xcalloc(1, sizeof(*frame));
	frame->key = key;
	frame->index = merge->frame_count;
	ARRAY_RESERVE(merge->frame_list, merge->frame_count, merge->frame_capacity);
	merge->frame_list[merge->frame_count++] = frame;
	frame->of_node = module == MODULE_REPLAY ||
			 (parent != NO_FRAME && merge->frame_list[parent]->of_node);
	context_hash_frame(merge->hash,
			   is_place(&key)            ? merge->module_list[module]->identity
			   : module == MODULE_REPLAY ? "replay"
						     : "ordinal",
			   offset, digest_of(merge, parent), frame->digest);
	HASH_ADD(hh, merge->frames, key, sizeof(frame->key), frame);
	return frame->index;
}

static struct symbols_module *symbols_of(const struct merge *merge, uint32_t module)
{
	return symbols_module(merge->symbols, merge->module_list[module]->path,
			      merge->module_list[module]->build_id);
}

/*
 * The path without the frames of a statically linked CUDA runtime, which end with the function that
 * the program called: what it does inside is not the program's, and not the same each time.
 */
static uint32_t without_runtime(const struct merge *merge, enum trace_kind kind, const char *call,
				uint32_t innermost)
{
	bool of_node = innermost != NO_FRAME && merge->frame_list[innermost]->of_node;
	uint32_t frame = innermost;

	for (unsigned i = 0; i < RUNTIME_FRAMES && frame != NO_FRAME; i++) {
		const struct frame_key *key = &merge->frame_list[frame]->key;
		const char *name;

		if (!is_place(key) || key->module != merge->frame_list[innermost]->key.module)
			break;
		name = symbols_name(symbols_of(merge, key->module), key->offset);
		if (name && (of_node ? frames_add_node(name)
				     : frames_are_called(name, kind == TRACE_KERNEL, call)))
			return key->parent == NO_FRAME ? innermost : key->parent;
		frame = key->parent;
	}
	return innermost;
}

uint32_t merge_replay(struct merge *merge, uint32_t parent)
{
	parent = without_runtime(merge, TRACE_COPY, "cudaGraphLaunch", parent);
	return merge_frame(merge, parent, MODULE_REPLAY, 0);
}

uint32_t merge_context(struct merge *merge, enum trace_kind kind, const char *name, uint32_t frame,
		       uint32_t ordinal)
{
	size_t size = sizeof(struct context_key) + strlen(name);
	struct context_key *key = xmalloc(size + 1);
	struct context *context;

	key->kind = kind;
	key->frame = without_runtime(merge, kind, name, frame);
	if (ordinal)
		key->frame = merge_frame(merge, key->frame, MODULE_ORDINAL, ordinal);
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

static uint64_t hash_edge(const struct edge_key *key)
{
	uint64_t hash = ((uint64_t)key->from << 32 | key->to) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 29 ^ ((uint64_t)key->site << 2 | key->access)) *
	       UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

/* While the graph is built, an edge's object is an index of a vertex, which is its id as well. */
static uint32_t *edge_slot(struct merge *merge, const struct edge_key *key)
{
	const struct graph_edge *edges = merge->profile->graph->edges;
	uint32_t mask = merge->edge_slot_count - 1;

	for (uint32_t i = (uint32_t)hash_edge(key) & mask;; i = (i + 1) & mask) {
		const struct graph_edge *edge;

		if (!merge->edge_slots[i])
			return &merge->edge_slots[i];
		edge = &edges[merge->edge_slots[i] - 1];
		if (edge->from == key->from && edge->to == key->to && edge->object == key->site &&
		    edge->access == key->access)
			return &merge->edge_slots[i];
	}
}

static void grow_edge_slots(struct merge *merge)
{
	const struct graph *graph = merge->profile->graph;

	if (merge->edge_slot_count > 2 * (size_t)graph->edge_count)
		return;
	free(merge->edge_slots);
	merge->edge_slot_count = merge->edge_slot_count ? 2 * merge->edge_slot_count : 256;
	merge->edge_slots = xcalloc(merge->edge_slot_count, sizeof(*merge->edge_slots));
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		*edge_slot(merge, &(struct edge_key){edge->from, edge->to, edge->object,
						     edge->access}) = e + 1;
	}
}

#define EDGE_METRIC(member, FLAG, access) | EDGE_##FLAG
#define ROW_METRIC(member, FLAG, access, aggregate)
enum {
	METRIC_FIELDS = 0
#include "gpu/rows.def"
};

static uint32_t add_edge(struct merge *merge, const struct edge_key *key)
{
	struct graph *graph = merge->profile->graph;
	struct graph_edge *edge = graph_add_edge(graph, key->from, key->to);

	edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_COUNT | EDGE_OBJECT_BYTES |
		       METRIC_FIELDS;
	edge->object = key->site;
	edge->access = (enum graph_access)key->access;
	if (merge->last_event_capacity < graph->edge_capacity) {
		merge->last_event_capacity = graph->edge_capacity;
		merge->last_event = xreallocarray(merge->last_event, merge->last_event_capacity,
						  sizeof(*merge->last_event));
	}
	merge->last_event[graph->edge_count - 1] = UINT64_MAX;
	return graph->edge_count - 1;
}

/* A sum over rows some of which lack the metric would be less than it seems: there is none. */
static void add_metrics(struct graph_edge *edge, const struct build_row *row)
{
#define ROW_METRIC(member, FLAG, of, aggregate)
#define EDGE_METRIC(member, FLAG, of)                                                              \
	if (!build_row_has(row, TRACE_METRIC_##FLAG))                                              \
		edge->fields &= ~(uint32_t)EDGE_##FLAG;                                            \
	if (edge->fields & EDGE_##FLAG)                                                            \
		profile_add(&edge->member, row->member);                                           \
	else                                                                                       \
		edge->member = 0;
#include "gpu/rows.def"
}

void merge_flow(struct merge *merge, const struct build_event *event, const struct build_row *row)
{
	bool reads = row->access == TRACE_READ || row->access == TRACE_FROM_HOST;
	const struct edge_key key = {
		.from = row->writer,
		.to = row->access == TRACE_TO_HOST ? merge_host(merge) : event->vertex,
		.site = merge->profile->objects[row->object].site,
		.access = reads ? GRAPH_READ : GRAPH_WRITE,
	};
	struct graph_edge *edge;
	uint32_t *slot, index;

	grow_edge_slots(merge);
	slot = edge_slot(merge, &key);
	if (!*slot)
		*slot = add_edge(merge, &key) + 1;
	index = *slot - 1;
	edge = &merge->profile->graph->edges[index];
	profile_add(&edge->bytes, row->bytes);
	add_metrics(edge, row);
	/* several objects of one site may add to it in one invocation */
	edge->count += merge->last_event[index] != event->number;
	merge->last_event[index] = event->number;
}

/* -- the end -- */

/*
 * The frame that stands for the launch of a graph, as people read paths: "main a.cu:24 <
 * [replayed#2] < main a.cu:34", the second of equal nodes.
 */
static uint32_t replay_frame(struct merge *merge, uint64_t ordinal)
{
	struct profile *profile = merge->profile;
	struct replay *replay;

	HASH_FIND(hh, merge->replays, &ordinal, sizeof(ordinal), replay);
	if (replay)
		return replay->frame;
	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count] = (struct profile_frame){
		.function = ordinal ? xasprintf("[replayed#%llu]", (unsigned long long)ordinal + 1)
				    : xstrdup("[replayed]"),
		.module = xstrdup(PROFILE_GRAPH_MODULE),
		.offset = ordinal};
	replay = xcalloc(1, sizeof(*replay));
	*replay = (struct replay){.ordinal = ordinal, .frame = profile->frame_count++};
	HASH_ADD(hh, merge->replays, ordinal, sizeof(replay->ordinal), replay);
	return replay->frame;
}

/*
 * Adds the frames that the profile shows for this one, innermost first.  *ordinal: of the node
 * whose path it is, as far as it is known.
 */
static void add_frames(struct merge *merge, const struct frame_key *key, uint64_t *ordinal,
		       struct profile_callpath *path, uint32_t *capacity)
{
	uint32_t replay, count = 1;
	const uint32_t *frames = &replay;

	if (key->module == MODULE_ORDINAL) {
		*ordinal = key->offset;
		return;
	}
	if (key->module == MODULE_REPLAY)
		replay = replay_frame(merge, *ordinal);
	else
		count = symbols_at(merge->symbols, symbols_of(merge, key->module), key->offset,
				   &frames);
	for (uint32_t i = 0; i < count; i++) {
		ARRAY_RESERVE(path->frames, path->count, *capacity);
		path->frames[path->count++] = frames[i];
	}
}

/* Adds the frames from this one outwards, all or only so many.  Returns the first left out. */
static uint32_t add_path(struct merge *merge, uint32_t frame, bool whole,
			 struct profile_callpath *path)
{
	uint32_t capacity = 0;
	uint64_t ordinal = 0;

	for (; frame != NO_FRAME && (whole || path->count < SHORT_PATH);
	     frame = merge->frame_list[frame]->key.parent)
		add_frames(merge, &merge->frame_list[frame]->key, &ordinal, path, &capacity);
	return frame;
}

/* Without those of nvcc, which launch the kernel. */
static void drop_launch(const struct profile *profile, struct profile_callpath *path,
			const char *kernel)
{
	uint32_t drop = frames_of_launch(profile, path, kernel);

	path->count -= drop;
	memmove(path->frames, path->frames + drop, path->count * sizeof(*path->frames));
}

void merge_path(struct merge *merge, const char *function, uint32_t frame,
		struct profile_callpath *path)
{
	frame = without_runtime(merge, TRACE_COPY, function, frame);
	add_path(merge, frame, false, path);
	if (path->count)
		drop_launch(merge->profile, path, "");
}

/* The frames of the path, inlined ones too; the program's own joined as the vertex's callpath. */
static void set_callpath(struct merge *merge, uint32_t vertex, uint32_t frame)
{
	struct profile *profile = merge->profile;
	struct profile_callpath *path = &profile->callpaths[vertex];
	const struct profile_frame **own;
	uint32_t count, printed = 0;
	bool whole = merge->path_bytes < PATH_BYTES;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	frame = add_path(merge, frame, whole, path);
	if (!path->count)
		return;
	drop_launch(profile, path, profile->graph->vertices[vertex].name);
	out = open_memstream(&text, &size);
	if (!out)
		abort(); /* out of memory */
	own = profile_path(profile, vertex, &count);
	for (; printed < count && (whole || ftell(out) < SHORT_TEXT); printed++) {
		char *part = profile_frame_text(own[printed]);

		fprintf(out, "%s%s", printed ? " < " : "", part);
		free(part);
	}
	free(own);
	fclose(out);
	if (frame != NO_FRAME || printed < count)
		profile_add_coverage(profile, COVERAGE_PATHS_TOO_MANY, NULL, 1, 0);
	merge->path_bytes += FRAME_BYTES * (uint64_t)path->count + size;
	/* the base name of a path is clean when the path is */
	profile->graph->vertices[vertex].callpath = text;
	profile->graph->vertices[vertex].fields |= VERTEX_CALLPATH;
}

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
		vertex->context = context_hash_hex(merge->hash, vertex->kind,
						   context ? context->key->name : vertex->name,
						   digest_of(merge, frame));
		vertex->fields |= VERTEX_CONTEXT;
		set_callpath(merge, v, frame);
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
