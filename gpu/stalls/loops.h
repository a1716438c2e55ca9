/* gpu/stalls/loops.h: the natural loops of a function's machine code. */
#ifndef VFLOW_GPU_STALLS_LOOPS_H
#define VFLOW_GPU_STALLS_LOOPS_H

#include "gpu/sass/flow.h"

struct stall_loop {
	uint32_t header; /* the block that all ways into the loop come through */
	uint32_t parent; /* the loop around it, or SASS_NONE */
	uint32_t blocks; /* with those of loops inside */
};

/* Jumps into the middle of a loop make none of it. */
struct stall_loops {
	struct stall_loop *all; /* outer ones before those inside */
	uint32_t count;
	uint32_t *innermost; /* by block; SASS_NONE: in no loop */
};

struct stall_loops stall_loops_find(const struct flow *flow);
void stall_loops_free(struct stall_loops *loops);

/* The innermost loop that both instructions are in, or SASS_NONE. */
uint32_t stall_loops_common(const struct stall_loops *loops, const struct flow *flow, uint32_t a,
			    uint32_t b);

#endif
