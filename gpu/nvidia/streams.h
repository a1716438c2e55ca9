/*
 * gpu/nvidia/streams.h: the program's streams and events: their numbers, which streams are ordered
 * with the default stream, and which wait for others.  Any thread may call.
 *
 * A stream is known by its handle, and by what 0 (the legacy default stream) and
 * STREAM_PER_THREAD stand for: each device has the former, and each thread has one of the latter on
 * each device.  `device`: the one that is current in the function of the driver, which names those;
 * other streams have the one that was when they were made.  A handle that is used again after
 * cuStreamDestroy() is of another stream; its number may be that of one that is gone, unless an
 * event stands for what was in that.
 */
#ifndef VFLOW_GPU_NVIDIA_STREAMS_H
#define VFLOW_GPU_NVIDIA_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#define STREAM_LEGACY ((uintptr_t)1)
#define STREAM_PER_THREAD ((uintptr_t)2)

/* The stream that a handle stands for in a function of this name, for the functions below. */
uintptr_t stream_handle(const char *function, uint64_t handle);

/* What had been put into a stream, known by its number, by then. */
struct stream_point {
	uint32_t device, stream;
	uint64_t ns; /* 0: nothing */
};

struct stream_points {
	struct stream_point *list;
	uint32_t count, capacity;
};

/*
 * A function of the driver has succeeded; `id`: that of its callback, `parameters` as CUPTI and the
 * Sanitizer lay them out.  Knows those of streams and events, of which the first function tells;
 * *stream: the one that is waited for or recorded in, or 0; captured: that one is.
 * streams_note(): false: it makes a node of a graph that records an event or waits for one, and no
 * order that comes of it will be known.
 */
bool streams_concern(uint32_t id, const char *function, const void *parameters, uintptr_t *stream);
bool streams_note(uint32_t id, const char *function, const void *parameters, uint32_t device,
		  bool captured);

struct stream_facts {
	uint32_t device, number; /* 0: the default stream of its device */
	bool nonblocking;        /* not ordered with that */
	bool known;              /* that is known, and else that it is not */
	bool first;              /* asked for the first time, and not for the default stream */
};

/* Of the stream that a call is in. */
struct stream_facts streams_of_call(uintptr_t stream, uint32_t device);
/* The provider has found out. */
void streams_tell(uintptr_t stream, uint32_t device, bool nonblocking);

/*
 * What the stream waits for since its last operation, one point of a stream, to *points, whose list
 * the caller frees.  operated_ns: for its next operation, whose call has returned then, and after
 * which the stream has nothing to wait for; 0: for a call that waits for the stream, or that gets
 * memory in its order: events that are recorded, and calls that wait, before the next operation
 * still stand for what the stream waits for.
 */
void streams_orders(uintptr_t stream, uint32_t device, uint64_t operated_ns,
		    struct stream_points *points);

/* What the event stands for; *before, as above: and what its stream waited for by then. */
struct stream_point streams_event(uintptr_t event, struct stream_points *before);

#endif
