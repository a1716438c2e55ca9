/*
 * graph/build/contexts.h: what a trace says once and then names by an id: modules, frames and
 * contexts, as numbers of the merge.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_CONTEXTS_H
#define VFLOW_GRAPH_BUILD_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
#include "graph/build/merge.h"
#include "util/error.h"
#include "util/pair_map.h"

struct context_use {
	uint32_t context; /* number of the merge */
	bool called;      /* it had an event in this process */
};

/* Zeroed but for the merge: nothing has been said yet.  Ids in the trace are indices, plus 1. */
struct contexts {
	struct merge *merge;
	uint32_t *modules, module_count, module_capacity;
	uint32_t *python, python_count, python_capacity; /* numbers of the call paths' lines */
	uint32_t *frames, *depths, frame_count, frame_capacity, depth_capacity;
	struct context_use *uses;
	uint32_t count, capacity;
	uint32_t *ranges, *range_depths; /* rows of the profile */
	uint32_t range_count, range_capacity, range_depth_capacity;
	struct pair_map thread_ranges; /* (thread, 0): id of its range */
};

/* Each takes a record; -1: it cannot be. */
int contexts_take_module(struct contexts *contexts, const struct trace_module *record,
			 struct error *error);
int contexts_take_python(struct contexts *contexts, const struct trace_python *record,
			 struct error *error);
int contexts_take_frame(struct contexts *contexts, const struct trace_frame *record,
			struct error *error);
int contexts_take(struct contexts *contexts, const struct trace_context *record,
		  struct error *error);
int contexts_take_range(struct contexts *contexts, const struct trace_range *record,
			struct error *error);
int contexts_take_thread_range(struct contexts *contexts, const struct trace_thread_range *record,
			       struct error *error);
/* The NVTX range, a row of the profile, that the thread is in; PROFILE_NO_ROW: none. */
uint32_t contexts_range(const struct contexts *contexts, uint32_t thread);
void contexts_release(struct contexts *contexts);

/* Whether the id is the one that comes after `count` of them; error: which was expected. */
int contexts_expect(const char *what, uint32_t id, uint32_t count, struct error *error);

#endif
