/*
 * graph/build/topology.h: topological time: the level of each GPU API call of a process in the
 * dependency graph (DrGPUM, Definition 5.1), found while the calls come by.
 *
 * Vertices are calls that allocate, free, copy, set or launch; other calls (waits) only order those
 * that come later.  A call comes after
 * - the one before it in its stream; in the legacy default stream (0), also after all before it in
 *   blocking streams of the device, and these after what was in stream 0 before them.  Allocations
 *   that are in no stream are in stream 0: CUDA lets no commands of different streams overlap
 *   around them, either;
 * - what had been put into another stream, maybe of another device, where an event says so
 *   (GPU_RECORD_ORDER);
 * - what the host thread that makes it has waited for (GPU_RECORD_WAIT, and ORDER of a call that
 *   only waits);
 * - the last writer of each object it reads (RAW), and the last writer and all readers since of
 * each that it writes (WAW, WAR).  To allocate or free is to write the whole object.
 *
 * Without such records (older traces) all streams count as blocking, and the other rules hold
 * alone.
 *
 * Kahn's algorithm gives the time T to the vertices that have no predecessors left once those of
 * times below T are deleted: a vertex goes in the round after its last predecessor, so its time is
 * 1 + the maximum of its predecessors', or 0.  Predecessors come earlier in a trace, so one pass in
 * the order of the trace finds it, and only maxima need to be kept: memory is that of live objects,
 * streams and threads, and of each stream's last TOPOLOGY_HISTORY calls, for events.
 */
#ifndef VFLOW_GRAPH_BUILD_TOPOLOGY_H
#define VFLOW_GRAPH_BUILD_TOPOLOGY_H

#include <stdint.h>

#include "graph/build/analysis.h"

#define TOPOLOGY_HISTORY 4096u

struct topology;

struct topology *topology_new(void);
void topology_free(struct topology *topology); /* or NULL */

/*
 * As the functions of struct build_analysis, and in their order: objects made by an event come
 * before it; what it freed, and records of it, after it.  Records of other kinds, and records that
 * are not of a call, change nothing; those of topology_record() are of the last event.
 */
void topology_object(struct topology *topology, const struct build_event *event, uint32_t object);
/* The level as far as it is known without what comes after the event. */
uint64_t topology_event(struct topology *topology, const struct build_event *event,
			const struct build_row *rows, uint32_t count);
void topology_freed(struct topology *topology, uint32_t object);
/* -1: the payload makes no sense. */
int topology_record(struct topology *topology, const struct build_record *record,
		    struct error *error);
/* The next process begins at level 0, with objects and streams of its own. */
void topology_process_end(struct topology *topology);

/* Of the last event, final once all that belongs to it has come; for a call that is no vertex, the
 * lowest level that it could have. */
uint64_t topology_level(const struct topology *topology);
/* Whether the last event is a vertex: it is one of the profile's graph, or has freed an object. */
bool topology_is_vertex(const struct topology *topology);
/* Events recorded so long ago that nobody knows what was in the stream: that order is left out. */
uint64_t topology_unknown_orders(const struct topology *topology);

#endif
