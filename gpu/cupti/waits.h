/*
 * gpu/cupti/waits.h: whether a call waits for the device, for what, and for how long.
 *
 * For what follows from the function and the memory that it copies, as measured on an H200 (driver
 * 580); for how long, from the looks of libcuda (hooks.h).  Where these are missing, or miss waits
 * of calls that do nothing else, what the device did during the call tells instead: a call that
 * waits returns after the last operation that it waits for.  The lock of pending.c is held.
 */
#ifndef VFLOW_GPU_CUPTI_WAITS_H
#define VFLOW_GPU_CUPTI_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/cupti/hooks.h"
#include "gpu/nvidia/streams.h"
#include "gpu/provider.h"

/* What kind of function it is. */
enum wait_kind {
	WAIT_UNKNOWN, /* not expected to wait */
	WAIT_QUEUED,  /* only for room in its stream's queue */
	WAIT_COPY,    /* a copy or set that is not asynchronous */
	WAIT_COPY_ASYNC,
	WAIT_HOST_COPY, /* from the host to the host */
	WAIT_FREE,
	WAIT_STREAM,
	WAIT_EVENT,
	WAIT_DEVICE,
	/* these do not wait */
	WAIT_QUESTION, /* whether an event is done, or when it was */
	WAIT_HOST_FUNCTION,
};

/* Memory of an operation, as CUPTI's record has it: bits. */
enum {
	WAIT_MEMORY_HOST = 1, /* pinned, managed or pageable */
	WAIT_MEMORY_PAGEABLE = 2,
};

struct wait_call {
	enum wait_kind kind;
	struct looks looks;
	struct stream_point event; /* of WAIT_EVENT and WAIT_QUESTION */
	uint32_t device, stream;   /* numbers */
	uint64_t start_ns, end_ns;
	uint64_t operation_end_ns; /* of its own; 0: it has none, or it is not known */
	unsigned memory;
};

/* From now on waits are looked for; hooked: libcuda's looks are seen. */
void waits_start(const struct gpu_sink *sink, bool hooked);
/* Whether they are. */
bool waits_wanted(void);

/* False: it does not wait.  wait->wait_ns 0: it would, but all was done. */
bool waits_find(const struct wait_call *call, struct gpu_wait *wait);

/*
 * The call, which was the last, has had an operation that ended then.  nonblocking: its stream is
 * not ordered with the default stream.
 */
void waits_operation(const struct wait_call *call, bool nonblocking, uint64_t end_ns);

#endif
