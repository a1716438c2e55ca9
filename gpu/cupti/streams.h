/*
 * gpu/cupti/streams.h: the program's streams and events: their numbers, which streams are ordered
 * with the default stream, and which wait for others.  Any thread may call.
 */
#ifndef VFLOW_GPU_CUPTI_STREAMS_H
#define VFLOW_GPU_CUPTI_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

/* What had been put into a stream, known by its number, by then. */
struct stream_point {
	uint32_t device, stream;
	uint64_t ns; /* 0: nothing */
};

/*
 * A stream is known by its handle, and by what 0, the default stream, and CU_STREAM_PER_THREAD
 * stand for: each device has a default stream, and each thread has one of its own on each device.
 */

/* The number of a stream; 0: the default stream of its device. */
uint32_t streams_number(uintptr_t stream, uint32_t device);

/*
 * A function of the driver has succeeded; `id`: that of its callback, `parameters` as CUPTI lays
 * them out.  Knows those of streams and events.
 */
void streams_note(uint32_t id, const char *function, const void *parameters, uint32_t device);

/* A stream is captured, from now on some may be; whether this one is. */
void streams_begin_capture(void);
bool streams_is_captured(uintptr_t stream);

/* What the event stands for. */
struct stream_point streams_event(uintptr_t event);

/*
 * What the stream waits for since it was asked last, in *points, which the caller frees: for the
 * call with its next operation.  Returns how many.
 */
uint32_t streams_take_orders(uintptr_t stream, uint32_t device, struct stream_point **points);

/* Whether it is not ordered with the default stream.  *first: asked once for each that was made. */
bool streams_is_nonblocking(uintptr_t stream, uint32_t device, bool *first);

#endif
