/*
 * gpu/cupti/pending.h: calls of the program that are over on the host, until CUPTI's records of
 * what the device did for them have come.
 *
 * Calls end in the order in which they began, each with its times.  At most PENDING_MAX are kept:
 * the oldest one then ends without its times, and so do all at the end of the process.  What is
 * told of a call that is not there is counted in coverage.  Any thread may call; there is one lock,
 * with which only the sink is called.
 */
#ifndef VFLOW_GPU_CUPTI_PENDING_H
#define VFLOW_GPU_CUPTI_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/cupti/hooks.h"
#include "gpu/cupti/named_memory.h"
#include "gpu/cupti/waits.h"
#include "gpu/nvidia/streams.h"
#include "gpu/provider.h"

enum { PENDING_MAX = 1 << 16 };

struct pending_call {
	enum gpu_api api;
	const char *name; /* of the event: struct gpu_call */
	uint32_t device;
	uint32_t stream;           /* number */
	uint64_t start_ns, end_ns; /* of the call */
	/* The ids that CUPTI's records of it have: that of the outermost call and that of the
	 * driver's; either may be 0. */
	uint32_t correlation[2];
	uint32_t records; /* so many will come */
	/* of allocations and frees; a free of what was not allocated is no event */
	uint64_t address, size; /* size 0: not known; then the object is not described */
	enum gpu_memory memory;
	bool may_be_known; /* the allocation is none if it was seen before */
	/* of a copy: struct gpu_call */
	uint64_t host_address, host_bytes, source_address, source_bytes;
	bool waited; /* the device is through with it: see returned() of gpu_sink */
	enum wait_kind wait;
	struct looks looks;
	struct stream_point event; /* of WAIT_EVENT and WAIT_QUESTION */
	bool first, nonblocking;   /* of its stream */
	uint64_t overhead_ns;      /* struct gpu_overhead */
	/* of the pass `calls` */
	const struct touch *touches;
	uint32_t touch_count;
	bool pageable; /* a copy whose side on the host is not pinned */
	/* that its operation comes after, or it waits for; the array is pending.c's from now on */
	struct stream_point *orders;
	uint32_t order_count;
};

/* Returns 0, or -1: there is no memory. */
int pending_start(const struct gpu_sink *sink);

/* The calling thread's call begins and ends, for the program. */
void pending_add(const struct pending_call *call);

/* Kernels can read this memory as a texture from now on (pass `calls`). */
void pending_expose(uint64_t address);

/*
 * A record of CUPTI: the device was at an operation from start_ns to end_ns (0: not known).
 * memory: bits of waits.h.
 */
void pending_time(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, unsigned memory);

/* Ends those calls whose records have come, up to the first whose have not. */
void pending_deliver(void);

/*
 * Whether CUPTI should be asked for its records: there is much, or something since long.  True only
 * once for a while.
 */
bool pending_wants_records(uint64_t now_ns);

/* Ends all calls; from now on each ends at once, as no records will come. */
void pending_finish(void);

#endif
