/* advice/touches.h: what the operations of a run touch, as the graph says. */
#ifndef VFLOW_ADVICE_TOUCHES_H
#define VFLOW_ADVICE_TOUCHES_H

#include "advice/run.h"

struct touch {
	uint32_t site; /* index of the vertex */
	bool writes;
};

/* Of all calls of a vertex. */
struct effects {
	uint32_t first, end; /* rows of struct touches */
	bool unknown;        /* it may touch anything else */
	bool downloads;      /* it copies to the host */
	bool uploads;        /* ... from the host, and may still read there when the call returns */
	/* The host can see what else it does, or the memory of the host that it reads. */
	bool guarded;
};

struct touches {
	struct effects *effects; /* per vertex of the graph */
	struct touch *rows;
};

struct touches *touches_new(const struct run *run);
void touches_free(struct touches *touches);

#endif
