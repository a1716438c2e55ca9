/*
 * gpu/emulator/device/clock.h: the emulated device's clock, the machine's or a model's.
 *
 * The device does everything before a call returns.  Under VFLOW_CLOCK=virtual the clock says how
 * long it would take on a GPU with asynchronous streams instead: by costs per call, byte and
 * instruction (clock.c), the streams' order, events, and which calls wait for what.  Such times
 * depend on the program alone.  Each thread of the host has its own time; a thread begins at the
 * latest of all.
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

/* Once, before the first of the other functions. */
void clock_start(void);
bool clock_is_virtual(void);
/* ns: CLOCK_MONOTONIC, or the calling thread's model time. */
uint64_t clock_now(void);

/*
 * The rest does nothing unless the clock is virtual.  The device lock is held.  Streams are known
 * by their numbers; 0 is the default stream.
 */
void clock_stream(uint32_t stream, bool blocking);
/* When all that is in the stream by now will be done; for an event that is recorded there. */
uint64_t clock_record(uint32_t stream);
/* What comes into the stream from now on starts then or later. */
void clock_wait_event(uint32_t stream, uint64_t time);

/*
 * The calling thread makes the call: its own time passes, and what it waits for.  `work`: NULL: the
 * device has nothing to do.  Returns whether *span was set.
 */
bool clock_call(const struct gpu_call *call, const struct clock_work *work,
		struct clock_span *span);
/*
 * From now on it is the device that makes the thread's calls, a graph or a kernel, and the host
 * spends no time; or, false, no longer.  Needs no lock.
 */
void clock_by_device(bool by_device);
/* A graph is launched. */
void clock_graph(void);
/* The calling thread waits for an event that stands for this time. */
void clock_synchronize_event(uint64_t time);
/* A copy from memory of the host to memory of the host, which is no call of a sink. */
void clock_host_copy(uint64_t bytes);

#endif
