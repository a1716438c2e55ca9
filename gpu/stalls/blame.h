/*
 * gpu/stalls/blame.h: which instruction makes warps wait, from where they were seen waiting.
 *
 * A sample says at which instruction a warp could not go on and why.  The control bits of the
 * machine code say whom it waited for: see enum stall_rule.  No table of latencies is used, so that
 * nothing here depends on a guess about one.  Where several instructions may be the cause, they
 * share the samples as in GPA's equation 1: by how often each was seen issuing (once, if never),
 * and inversely by the number of instructions on the longest path from it.
 */
#ifndef VFLOW_GPU_STALLS_BLAME_H
#define VFLOW_GPU_STALLS_BLAME_H

#include "gpu/sass/flow.h"
#include "gpu/stalls/reasons.h"

/* Samples at one instruction for one reason. */
struct stall_count {
	uint32_t instruction;
	enum stall_reason reason;
	uint64_t samples;
	uint64_t latency; /* of these: the scheduler issued nothing in that cycle */
};

enum stall_dependency {
	STALL_NO_DEPENDENCY, /* throttles, fetches: of itself */
	STALL_AFTER_WRITE,   /* it reads what the source writes */
	STALL_AFTER_READ,    /* it writes what the source still reads */
	STALL_ORDER,         /* it comes after the source: fixed latency, barriers, exits */
};

struct stall_blame {
	uint32_t stalled, source; /* instructions */
	enum stall_reason reason;
	enum stall_dependency dependency;
	double samples, latency; /* its share */
	/* instructions on the longest path between them, of drains to the exit; 0: itself */
	uint32_t distance;
};

struct stall_blames {
	struct stall_blame *all; /* by stalled, reason, source */
	size_t count;
	/* Nodes: pairs of an instruction and a reason to wait for another one; those of which the
	 * cause is one instruction; and those of which none was found, blamed on themselves. */
	uint64_t nodes, single, unknown;
	double node_samples, single_samples;
};

/* The counts may be in any order, each pair once. The caller frees `all`. */
struct stall_blames stall_blame(const struct flow *flow, const struct stall_count *counts,
				size_t count);

/* The first one of the stalled instruction, or where it would be. */
size_t stall_blames_of(const struct stall_blames *blames, uint32_t stalled);

/*
 * From a source to what it waited for itself before it could issue, directly or by instructions of
 * fixed latency that make its operands: whom most samples blame.  SASS_NONE: nobody.
 */
uint32_t stall_cause_before(const struct flow *flow, const struct stall_blames *blames,
			    uint32_t source);

/* Instructions on the longest path from one to the other that takes no block twice. */
uint32_t stall_distance(const struct flow *flow, uint32_t from, uint32_t to);

#endif
