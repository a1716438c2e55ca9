/*
 * collect/guest/paths.c: call paths as a tree of frames, and contexts.
 *
 * Frames and contexts are described in the trace when they are first seen, so ids there are in
 * order.  A call that fails afterwards leaves a context without events, which nobody sees.
 */
#include "collect/guest/guest.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 1024
#define NAME_MAX_BYTES (64 << 10) /* of a kernel: longer names are cut */
#define PYTHON_MAX 1536           /* frames of Python, and calls of its interpreter */
#define MODULE_PYTHON UINT32_MAX
#define HASH_START UINT32_C(0x811c9dc5)

struct frame { /* id = index + 1 */
	uint32_t parent;
	uint32_t module; /* 0: TRACE_FRAME_REPLAY; MODULE_PYTHON */
	uint64_t offset; /* MODULE_PYTHON: id of the place */
};
static struct frame *frames;
static uint32_t frame_count, frame_capacity;
static struct table frame_table;

/* Call paths of nodes of CUDA graphs, id = index + 1. */
struct node_path {
	uint32_t path, launch_path; /* see struct gpu_node */
	uint32_t frame;             /* the innermost */
};
static struct node_path *node_paths;
static uint32_t node_path_count, node_path_capacity;
static struct table node_path_table;

struct context { /* id = index + 1 */
	char *name;
	uint32_t kind, frame, ordinal;
	uint64_t invocations;
	uint64_t begun;    /* see paths_begin() */
	uint64_t launches; /* see paths_launch() */
};
static struct context *contexts;
static uint32_t context_count, context_capacity;
static struct table context_table;

static int write_frame(const struct frame *frame, uint32_t id)
{
	bool python = frame->module == MODULE_PYTHON;
	struct trace_frame record = {
		.record = {.type = TRACE_FRAME},
		.id = id,
		.parent = frame->parent,
		.module = python ? 0 : frame->module,
		.kind = python          ? TRACE_FRAME_PYTHON
			: frame->module ? TRACE_FRAME_NATIVE
					: TRACE_FRAME_REPLAY,
		.offset = frame->offset,
	};

	return guest_append(&record.record, sizeof(record));
}

/* The id of the frame below `parent`; 0 on failure. */
static uint32_t intern_frame(uint32_t parent, uint32_t module, uint64_t offset)
{
	const struct frame frame = {parent, module, offset};
	uint64_t mixed = offset * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)parent << 32 ^ module;
	uint32_t hash, id, position = 0;
	void *moved;

	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	hash = (uint32_t)(mixed >> 32);
	while ((id = table_find(&frame_table, hash, &position))) {
		const struct frame *other = &frames[id - 1];

		if (other->parent == parent && other->module == module && other->offset == offset)
			return id;
	}
	moved = guest_reserve(frames, frame_count, &frame_capacity, sizeof(*frames));
	if (moved)
		frames = moved;
	if (!moved || table_add(&frame_table, hash, frame_count + 1) != 0) {
		guest_give_up("no memory");
		return 0;
	}
	frames[frame_count++] = frame;
	return write_frame(&frame, frame_count) == 0 ? frame_count : 0;
}

/* Of places of Python from python_frames(), of which *left are not taken yet. */
static int add_python(const uint32_t *places, uint32_t *left, struct found_path *path)
{
	--*left; /* PYTHON_CALL */
	while (*left && places[*left - 1] != PYTHON_CALL) {
		path->node = intern_frame(path->node, MODULE_PYTHON, places[--*left]);
		if (!path->node)
			return -1;
	}
	return 0;
}

/*
 * Looks up the frames of return addresses, innermost first, and puts those of Python in place of
 * the interpreter's.  Returns 0, or -1: no memory.
 */
static int find_path(void *const *addresses, uint32_t depth, const uint32_t *python,
		     uint32_t python_count, struct found_path *path)
{
	bool merges = python_count;

	*path = (struct found_path){0};
	while (depth-- > 0) {
		/* of the call, not of the instruction after it, which may be another function's */
		uintptr_t address = (uintptr_t)addresses[depth] - 1;
		struct module_range *range = modules_find(address);
		uint32_t module;

		if (modules_is_entry(address) || (range && range->runtime)) {
			path->whole = true;
			continue;
		}
		path->outside += !range;
		if (!range || range->hidden)
			continue;
		if (merges && python_is_interpreter(range)) {
			if (python_is_eval(address) && python_count &&
			    add_python(python, &python_count, path) != 0)
				return -1;
			continue;
		}
		module = modules_id(range);
		if (!module)
			return -1;
		path->node = intern_frame(path->node, module, address - range->bias);
		if (!path->node)
			return -1;
	}
	return 0;
}

/*
 * Appends the places of Python's frames to the addresses, so that the path is found by both.
 * Returns how many.
 */
static uint32_t append_python(void **addresses, uint32_t depth, uint32_t *places)
{
	uint32_t calls = 0, count;

	if (!python_runs())
		return 0;
	for (uint32_t i = 0; i < depth; i++)
		calls += python_is_eval((uintptr_t)addresses[i] - 1);
	count = python_frames(places, PYTHON_MAX, calls);
	for (uint32_t i = 0; i < count; i++)
		addresses[depth + i] = (void *)(uintptr_t)places[i];
	return count;
}

uint32_t paths_here(const struct gpu_provider *provider)
{
	/* the lock is held; the caller's stack may be small */
	static void *addresses[FRAMES_MAX + PYTHON_MAX];
	static uint32_t places[PYTHON_MAX];
	const struct found_path *kept;
	struct found_path path;
	uint32_t python;
	int count;

	if (modules_refresh(provider) != 0) {
		guest_give_up("no memory");
		return UINT32_MAX;
	}
	count = unw_backtrace(addresses, FRAMES_MAX);
	python = append_python(addresses, (uint32_t)count, places);
	kept = path_cache_find(addresses, (uint32_t)count + python);
	if (kept) {
		path = *kept;
	} else {
		if (find_path(addresses, (uint32_t)count, places, python, &path) != 0)
			return UINT32_MAX;
		path_cache_keep(addresses, (uint32_t)count + python, &path);
	}
	if (path.outside)
		coverage_add(COVERAGE_PATH_OUTSIDE_OF_FILES, NULL, path.outside, 0);
	if (count >= FRAMES_MAX)
		coverage_add(COVERAGE_PATH_TOO_DEEP, NULL, 1, 0);
	else if (!path.whole)
		coverage_add(COVERAGE_PATH_INTERRUPTED, NULL, 1, 0);
	return path.node;
}

uint32_t paths_of(const struct gpu_provider *provider, const uintptr_t *code, uint32_t count,
		  bool *cuda)
{
	static void *addresses[FRAMES_MAX]; /* the lock is held; the caller's stack may be small */
	const struct module_range *range;
	struct found_path path;
	uint32_t inner = 0;

	*cuda = false;
	if (count > FRAMES_MAX)
		count = FRAMES_MAX;
	if (modules_refresh(provider) != 0) {
		guest_give_up("no memory");
		return UINT32_MAX;
	}
	while (inner < count && (range = modules_find(code[inner])) && range->runtime)
		inner++;
	if (inner < count && (range = modules_find(code[inner])))
		*cuda = range->hidden;
	for (uint32_t i = 0; i < count; i++)
		addresses[i] = (void *)(code[i] + 1);
	return find_path(addresses, count, NULL, 0, &path) == 0 ? path.node : UINT32_MAX;
}

/* Puts the frames of a path, which has no replay, inside of another path. */
static uint32_t put_inside(uint32_t outer, uint32_t path)
{
	static uint32_t inner[FRAMES_MAX]; /* the lock is held; the caller's stack may be small */
	uint32_t count = 0;

	for (; path && path <= frame_count && count < FRAMES_MAX; path = frames[path - 1].parent)
		inner[count++] = path;
	while (outer && count) {
		const struct frame frame = frames[inner[--count] - 1];

		outer = intern_frame(outer, frame.module, frame.offset);
	}
	return outer;
}

uint32_t paths_node(const struct gpu_node *node)
{
	struct node_path made = {node->path, node->launch_path, 0};
	uint32_t hash =
		(node->path * UINT32_C(0x9e3779b1) ^ node->launch_path) * UINT32_C(0x85ebca6b);
	uint32_t id, position = 0;
	void *moved;

	while ((id = table_find(&node_path_table, hash, &position))) {
		const struct node_path *other = &node_paths[id - 1];

		if (other->path == node->path && other->launch_path == node->launch_path)
			return other->frame;
	}
	made.frame = put_inside(intern_frame(node->launch_path, 0, 0), node->path);
	if (!made.frame)
		return UINT32_MAX;
	moved = guest_reserve(node_paths, node_path_count, &node_path_capacity,
			      sizeof(*node_paths));
	if (moved)
		node_paths = moved;
	if (!moved || table_add(&node_path_table, hash, node_path_count + 1) != 0) {
		guest_give_up("no memory");
		return UINT32_MAX;
	}
	node_paths[node_path_count++] = made;
	return made.frame;
}

static int write_context(const struct context *context, uint32_t id, size_t name_size)
{
	size_t start = offsetof(struct trace_context, text);
	struct trace_context *record = calloc(1, sizeof(*record) + name_size + 1);
	int result;

	if (!record) {
		guest_give_up("no memory");
		return -1;
	}
	record->record.type = TRACE_CONTEXT;
	record->id = id;
	record->frame = context->frame;
	record->kind = context->kind;
	record->ordinal = context->ordinal;
	memcpy((char *)record + start, context->name, name_size);
	result = guest_append(&record->record, start + name_size + 1);
	free(record);
	return result;
}

uint32_t paths_context(enum gpu_api kind, const char *name, uint32_t frame, uint32_t ordinal)
{
	size_t size = strnlen(name, NAME_MAX_BYTES);
	uint32_t hash = table_hash((HASH_START ^ frame * UINT32_C(0x9e3779b1) ^ kind) +
					   ordinal * UINT32_C(0x85ebca6b),
				   name, size);
	uint32_t id, position = 0;
	struct context context = {.kind = kind, .frame = frame, .ordinal = ordinal};
	void *moved;

	while ((id = table_find(&context_table, hash, &position))) {
		const struct context *other = &contexts[id - 1];

		if (other->frame == frame && other->kind == (uint32_t)kind &&
		    other->ordinal == ordinal && !strncmp(other->name, name, size) &&
		    !other->name[size])
			return id;
	}
	moved = guest_reserve(contexts, context_count, &context_capacity, sizeof(*contexts));
	if (moved)
		contexts = moved;
	if (!moved || !(context.name = strndup(name, size)) ||
	    table_add(&context_table, hash, context_count + 1) != 0) {
		free(context.name);
		guest_give_up("no memory");
		return 0;
	}
	contexts[context_count++] = context;
	return write_context(&context, context_count, size) == 0 ? context_count : 0;
}

uint64_t paths_invocation(uint32_t context)
{
	return contexts[context - 1].invocations++;
}

uint64_t paths_begin(uint32_t context)
{
	return contexts[context - 1].begun++;
}

void paths_abandon(uint32_t context)
{
	contexts[context - 1].begun--;
}

uint64_t paths_launch(uint32_t context)
{
	return contexts[context - 1].launches++;
}
