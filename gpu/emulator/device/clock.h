/*
 * gpu/emulator/device/clock.h: the emulated device's clock, the machine's or a model's.
 *
 * The device does everything before a call returns.  Under VFLOW_CLOCK=virtual the clock says how
 * long it would take on a GPU with asynchronous streams instead: by costs per call, byte and
 * instruction (clock.c), the streams' order, events, and which calls wait for what.  Such times
 * depend on the program alone.  Each thread of the host has its own time; a thread begins when it
 * was created (thread.c), or, not by pthread_create(), at the latest of all.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_CLOCK_H
#define VFLOW_GPU_EMULATOR_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/provider.h"

/* What an operation moves, and so what its call waits for. */
enum clock_way {
	CLOCK_ON_DEVICE,
	CLOCK_PINNED,   /* between the device and memory of the host that it reaches by itself */
	CLOCK_TO_GPU,   /* pageable memory, which the driver copies to memory of its own */
	CLOCK_FROM_GPU, /* ... and back */
	CLOCK_ON_HOST,  /* no operation of the device: the host copies it */
};

/* An operation of the device: bytes of a copy or set, instructions of warps of a kernel. */
struct clock_work {
	enum clock_way way;
	bool shared; /* a set of memory that the host sees */
	uint64_t amount;
};

/* When the device was at it: on the clock's time. */
struct clock_span {
	uint64_t start_ns, end_ns;
};

/* What had been put into a stream by some time, on the host's clock; and when that is done. */
struct clock_point {
	uint64_t recorded_ns, done_ns; /* recorded_ns 0: nothing was recorded */
	uint32_t stream;
};

struct clock_points {
	struct clock_point *list; /* at most one of each stream */
	uint32_t count, capacity;
};

/* What an event stands for. */
struct clock_event {
	struct clock_point at;
	struct clock_points before; /* that the stream waited for, with nothing put into it since */
};

/* A call, as records tell of it. */
struct clock_call {
	bool has_operation;
	bool in_stream; /* and so comes after what its stream waits for: an operation, or memory */
	struct clock_span operation; /* if the clock is virtual */
	enum gpu_wait_scope scope;   /* what it waits for; 0: for nothing */
	bool own;                    /* and for its operation */
	uint32_t stream;             /* of GPU_WAIT_STREAM and GPU_WAIT_EVENT */
	uint64_t wait_ns;            /* from its start on */
	uint64_t recorded_ns;        /* of GPU_WAIT_EVENT */
	bool first;                  /* in a stream that was made */
	bool nonblocking;            /* then: the stream is not ordered with the default stream */
	const struct clock_points *orders; /* that its operation, or what it waits for, comes after;
					      NULL: none; until the next of these functions */
};

/* Once, before the first of the other functions. */
void clock_start(void);
bool clock_is_virtual(void);
/* ns: CLOCK_MONOTONIC, or the calling thread's model time. */
uint64_t clock_now(void);
/* The model time of all threads, as gpu_provider's common_clock(): 0 once several have their own.
 */
uint64_t clock_common(void);

/*
 * A thread creates another one, which begins at clock_of_child() of the first: clock_thread().  At
 * its end it has clock_own(), 0: it has asked for no time; who joins it goes on then or later.
 */
uint64_t clock_of_child(void);
void clock_thread(uint64_t begin_ns);
uint64_t clock_own(void);
void clock_joined(uint64_t end_ns);

/*
 * The device lock is held.  Streams are known by their numbers; 0 is the default stream.  What
 * comes after what is known on either clock; on the machine's no call takes time of the device, or
 * waits.
 */
void clock_stream(uint32_t stream, bool blocking);
void clock_stream_gone(uint32_t stream);
/* The event is recorded in the stream. */
void clock_record(uint32_t stream, struct clock_event *event);
void clock_event_release(struct clock_event *event); /* nothing is recorded any more */
/* What comes into the stream from now on starts when the event is done, or later. */
void clock_wait_event(uint32_t stream, const struct clock_event *event);
/* A call has told that its operation in the stream comes after these. */
void clock_told(uint32_t stream);

/*
 * The calling thread makes the call: its own time passes, and what it waits for.  `work`: NULL: the
 * device has nothing to do.
 */
struct clock_call clock_call(const struct gpu_call *call, const struct clock_work *work);
/*
 * From now on it is the device that makes the thread's calls, a graph or a kernel, and the host
 * spends no time; or, false, no longer.  Needs no lock.
 */
void clock_by_device(bool by_device);
/* A graph is launched: the call of its first operation takes the host's time. */
void clock_graph(void);
/* ... which passes now, if there was none. */
void clock_graph_launched(void);
/* The running call waits for this event: before its clock_call(). */
void clock_synchronize_event(const struct clock_event *event);
/*
 * The running call does not wait: GPU_WAIT_NEEDS of this event, or, NULL, of all that is in its
 * stream, or GPU_WAIT_HOST.  Before its clock_call().
 */
void clock_does_not_wait(enum gpu_wait_scope scope, const struct clock_event *event);

#endif
