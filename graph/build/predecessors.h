/*
 * graph/build/predecessors.h: the edges of the dependency graph (DrGPUM, Definition 5.1): the calls
 * that each call of a process comes after, and why, found while the calls come by.
 *
 * The rules are those of topology.h, which finds levels in less memory; the level of a call is 1 +
 * the maximum of its predecessors', or 0.  Orders that follow from others are left out as far as
 * that is cheap: of a stream only the last call before, or before the event or the wait, and none
 * of that stream that the call's own stream comes after already; of the readers of an object only
 * the last one of each stream.  Memory is that of the calls: for the first calls of a run.
 */
#ifndef VFLOW_GRAPH_BUILD_PREDECESSORS_H
#define VFLOW_GRAPH_BUILD_PREDECESSORS_H

#include <stdint.h>

#include "graph/build/analysis.h"

struct predecessor {
	uint32_t call; /* number of its event, from 0 */
	enum profile_dependency_why why;
	uint32_t object; /* index into profile->objects; PROFILE_NO_ROW: of RAW, WAR and WAW only */
};

struct predecessors;

struct predecessors *predecessors_new(void);
void predecessors_free(struct predecessors *predecessors); /* or NULL */

/*
 * As the functions of struct build_analysis, and in their order.  -1: the payload of a record makes
 * no sense.
 */
void predecessors_object(struct predecessors *predecessors, uint32_t object);
void predecessors_event(struct predecessors *predecessors, const struct build_event *event,
			const struct build_row *rows, uint32_t count);
void predecessors_freed(struct predecessors *predecessors, uint32_t object);
int predecessors_record(struct predecessors *predecessors, const struct build_record *record,
			struct error *error);
/*
 * Once, when all that belongs to the last event has come, before what belongs to the next one: its
 * predecessors, in *list until the next call of a function.  Returns how many; 0, too, if there is
 * no event that was not asked for.  *call: the number of the event, from 0.
 */
uint32_t predecessors_take(struct predecessors *predecessors, uint32_t *call,
			   const struct predecessor **list);
/* The next process has streams, threads and objects of its own. */
void predecessors_process_end(struct predecessors *predecessors);
/* Calls in streams of which nobody has said how they are ordered (GPU_RECORD_STREAM). */
uint64_t predecessors_unordered(const struct predecessors *predecessors);

#endif
