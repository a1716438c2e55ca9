/*
 * graph/build/join.h: which calls and objects of one run are those of the run that makes the graph.
 * Internal to the builder.
 *
 * A process of one run stands for a process of the other (build/pairs/pairs.h).  In it the n-th
 * call of a context is the n-th call of that context there, and the n-th object that it makes the
 * n-th there: runs of one program on one input do the same, and where they do not, coverage says
 * how far. A run none of whose events are of nodes of CUDA graphs, or of variables of modules, is
 * one whose provider does not see them; what it says of that itself is enough. Memory: O(contexts
 * of every process + objects), not O(events).
 */
#ifndef VFLOW_GRAPH_BUILD_JOIN_H
#define VFLOW_GRAPH_BUILD_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/build/merge.h"
#include "graph/build/pairs/calls.h"
#include "graph/profile/profile.h"

struct join;

/* The profile and the merge must outlive the join. */
struct join *join_new(const struct profile *profile, const struct merge *merge);
void join_free(struct join *join);

/* -- the run that makes the graph; contexts are numbers of the merge -- */

void join_count_call(struct join *join, uint32_t context);
/* The calls since the last one were this process's, an index into profile->processes. */
void join_keep_process(struct join *join, uint32_t process);

/* Of such a process; what it points to is the join's. */
struct calls join_calls(const struct join *join, uint32_t process);

/* -- another run, when the graph is whole: process after process -- */

/* `process`: index of the one that it stands for. */
void join_begin_process(struct join *join, uint32_t process);
/* Counts a call of the context.  Returns whether the graph's run has it. */
bool join_call(struct join *join, uint32_t context);
/*
 * Counts an object of the context.  Returns the index of its equal in the profile, or
 * BUILD_NO_OBJECT: there is none.
 */
uint32_t join_object(struct join *join, uint32_t context, uint64_t size, uint32_t memory);
/* Counts an object, or a record, that is left out. */
void join_drop_object(struct join *join);
void join_drop_record(struct join *join);
void join_end_process(struct join *join);

/* Adds to the profile's coverage in what the run, for passes of these names, was another. */
void join_end_run(struct join *join, struct profile *profile, const char *passes);

#endif
