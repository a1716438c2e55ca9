/*
 * gpu/stalls/stride.h: how far apart threads that are neighbours (threadIdx.x) access memory, as
 * far as the machine code says.
 */
#ifndef VFLOW_GPU_STALLS_STRIDE_H
#define VFLOW_GPU_STALLS_STRIDE_H

#include "gpu/sass/flow.h"

enum stride_kind {
	STRIDE_UNKNOWN,
	STRIDE_KNOWN,   /* `bytes`; 0: all threads of a row access the same */
	STRIDE_RUNTIME, /* a multiple of what the launch says, or of what is computed from that */
	STRIDE_DATA,    /* of what was loaded */
};

struct stride {
	enum stride_kind kind;
	int64_t bytes;
	unsigned size; /* of one thread's access */
};

struct stride stride_find(const struct flow *flow, uint32_t instruction);

/* Of shared memory: how many threads of a warp are served one after the other, 1 to 32. */
unsigned stride_conflicts(const struct stride *stride);

#endif
