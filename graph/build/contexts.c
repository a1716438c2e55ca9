/* graph/build/contexts.c: see build/contexts.h. */
#include "graph/build/contexts.h"

#include <stdlib.h>

#include "util/memory.h"

/* The guest records 1024, 1536 of Python, and 1024 more of nodes of CUDA graphs. */
#define FRAME_DEPTH_MAX 4096

int contexts_expect(const char *what, uint32_t id, uint32_t count, struct error *error)
{
	if (id == count + 1 && id)
		return 0;
	return error_set(error, "%s %u: expected %u", what, id, count + 1);
}

int contexts_take_module(struct contexts *contexts, const struct trace_module *record,
			 struct error *error)
{
	if (contexts_expect("module", record->id, contexts->module_count, error) != 0)
		return -1;
	ARRAY_RESERVE(contexts->modules, contexts->module_count, contexts->module_capacity);
	contexts->modules[contexts->module_count++] =
		callpaths_module(merge_paths(contexts->merge), record->text, record->build_id,
				 record->build_id_size);
	return 0;
}

int contexts_take_python(struct contexts *contexts, const struct trace_python *record,
			 struct error *error)
{
	if (contexts_expect("line of Python", record->id, contexts->python_count, error) != 0)
		return -1;
	ARRAY_RESERVE(contexts->python, contexts->python_count, contexts->python_capacity);
	contexts->python[contexts->python_count++] =
		callpaths_python(merge_paths(contexts->merge), record->text,
				 trace_text(&record->record, record->text, 1), record->line);
	return 0;
}

/* Whether module, kind and offset are of such a frame. */
static bool can_be(const struct contexts *contexts, const struct trace_frame *record)
{
	switch (record->kind) {
	case TRACE_FRAME_NATIVE:
		return record->module && record->module <= contexts->module_count &&
		       record->offset <= PROFILE_NUMBER_MAX;
	case TRACE_FRAME_REPLAY:
		return !record->module && !record->offset;
	case TRACE_FRAME_PYTHON:
		return !record->module && record->offset &&
		       record->offset <= contexts->python_count;
	}
	return false;
}

static uint32_t take_frame(const struct contexts *contexts, const struct trace_frame *record,
			   uint32_t outer)
{
	struct callpaths *paths = merge_paths(contexts->merge);

	if (record->kind == TRACE_FRAME_REPLAY)
		return callpaths_replay(paths, outer);
	if (record->kind == TRACE_FRAME_PYTHON)
		return callpaths_python_frame(paths, outer, contexts->python[record->offset - 1]);
	return callpaths_frame(paths, outer, contexts->modules[record->module - 1], record->offset);
}

int contexts_take_frame(struct contexts *contexts, const struct trace_frame *record,
			struct error *error)
{
	uint32_t parent = record->parent ? record->parent - 1 : NO_FRAME;
	uint32_t depth, outer;

	if (contexts_expect("frame", record->id, contexts->frame_count, error) != 0)
		return -1;
	if (record->parent >= record->id || !can_be(contexts, record))
		return error_set(error, "frame %u: its parent, module, kind or offset cannot be",
				 record->id);
	depth = record->parent ? contexts->depths[parent] + 1 : 1;
	if (depth > FRAME_DEPTH_MAX)
		return error_set(error, "frame %u: deeper than %d", record->id, FRAME_DEPTH_MAX);
	ARRAY_RESERVE(contexts->depths, contexts->frame_count, contexts->depth_capacity);
	contexts->depths[contexts->frame_count] = depth;
	ARRAY_RESERVE(contexts->frames, contexts->frame_count, contexts->frame_capacity);
	outer = record->parent ? contexts->frames[parent] : NO_FRAME;
	contexts->frames[contexts->frame_count++] = take_frame(contexts, record, outer);
	return 0;
}

int contexts_take(struct contexts *contexts, const struct trace_context *record,
		  struct error *error)
{
	if (contexts_expect("context", record->id, contexts->count, error) != 0)
		return -1;
	if (record->frame > contexts->frame_count || record->kind < TRACE_ALLOC ||
	    record->kind > TRACE_SYNC || record->id == TRACE_WRITER_UNKNOWN)
		return error_set(error, "context %u: its frame or kind cannot be", record->id);
	ARRAY_RESERVE(contexts->uses, contexts->count, contexts->capacity);
	contexts->uses[contexts->count++] = (struct context_use){
		.context = merge_context(
			contexts->merge, (enum trace_kind)record->kind, record->text,
			record->frame ? contexts->frames[record->frame - 1] : NO_FRAME,
			record->ordinal)};
	return 0;
}

int contexts_take_range(struct contexts *contexts, const struct trace_range *record,
			struct error *error)
{
	uint32_t depth = 1, outer = PROFILE_NO_ROW;

	if (contexts_expect("NVTX range", record->id, contexts->range_count, error) != 0)
		return -1;
	if (record->parent >= record->id)
		return error_set(error, "NVTX range %u: inside of %u", record->id, record->parent);
	if (record->parent) {
		depth = contexts->range_depths[record->parent - 1] + 1;
		outer = contexts->ranges[record->parent - 1];
	}
	if (depth > TRACE_RANGE_DEPTH)
		return error_set(error, "NVTX range %u: deeper than %d", record->id,
				 TRACE_RANGE_DEPTH);
	ARRAY_RESERVE(contexts->range_depths, contexts->range_count,
		      contexts->range_depth_capacity);
	contexts->range_depths[contexts->range_count] = depth;
	ARRAY_RESERVE(contexts->ranges, contexts->range_count, contexts->range_capacity);
	contexts->ranges[contexts->range_count++] =
		ranges_find(merge_ranges(contexts->merge), outer, record->text);
	return 0;
}

int contexts_take_thread_range(struct contexts *contexts, const struct trace_thread_range *record,
			       struct error *error)
{
	uint32_t value;

	if (record->range > contexts->range_count)
		return error_set(error, "a thread in NVTX range %u: expected 0 to %u",
				 record->range, contexts->range_count);
	pair_map_remove(&contexts->thread_ranges, record->thread, 0);
	if (record->range)
		pair_map_find(&contexts->thread_ranges, record->thread, 0, record->range, &value);
	return 0;
}

uint32_t contexts_range(const struct contexts *contexts, uint32_t thread)
{
	uint32_t id = pair_map_get(&contexts->thread_ranges, thread, 0);

	return id == UINT32_MAX ? PROFILE_NO_ROW : contexts->ranges[id - 1];
}

void contexts_release(struct contexts *contexts)
{
	free(contexts->ranges);
	free(contexts->range_depths);
	pair_map_release(&contexts->thread_ranges);
	free(contexts->modules);
	free(contexts->python);
	free(contexts->frames);
	free(contexts->depths);
	free(contexts->uses);
}
