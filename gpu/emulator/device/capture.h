/*
 * gpu/emulator/device/capture.h: captures of streams into graphs, and what they forbid meanwhile.
 *
 * By CUDA's rules (cudaThreadExchangeStreamCaptureMode) and what an H200 returns.  A call that is
 * forbidden fails and invalidates the captures that forbid it: their streams take nothing more, and
 * to end them fails.  All with the lock held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_CAPTURE_H
#define VFLOW_GPU_EMULATOR_DEVICE_CAPTURE_H

#include "gpu/emulator/device/graph.h"

struct capture; /* of a stream, and those that were drawn in, into one graph */

/* A stream or an event in it: the operations of the capture that come before what is next there. */
struct capture_point {
	struct capture
		*capture; /* NULL: of none; else the words are of its operations, a bit each */
	uint64_t *words;
	size_t count;
};

/*
 * Begins one by the calling thread.  graph: the program's, or NULL: a new one; mode: 0 global,
 * 1 local to the thread, 2 relaxed.  NULL: no memory.
 */
struct capture *capture_begin(void *graph, int mode);
/*
 * What its end gives to the stream that it began in; then capture_free().  The graph is the
 * caller's without an error, else one that the capture made has gone.
 */
int capture_end(struct capture *capture, const struct capture_point *origin, void **graph);
/* No point has it any more. */
void capture_free(struct capture *capture);

void *capture_graph(const struct capture *capture);
bool capture_is_valid(const struct capture *capture);
/* A stream is in it that the legacy default stream waits for. */
void capture_is_blocking(struct capture *capture);
/* Returns `error`. */
int capture_invalidate(struct capture *capture, int error);

/* An operation has come at the point.  Returns an error or 0. */
int capture_add(struct capture_point *point);
/* `to`, which is of the same capture or of none, comes after all that `from` does, too. */
int capture_follow(struct capture_point *to, const struct capture_point *from);
/* Makes it one of no capture. */
void capture_leave(struct capture_point *point);

/*
 * Whether a call is forbidden, by captures of any stream: 0 or the error.
 * - what may be unsafe, like to allocate, or to wait for what is not captured;
 * - what the legacy default stream is given;
 * - what waits for all streams.
 */
int capture_forbids_unsafe(void);
int capture_forbids_legacy(void);
int capture_forbids_all(void);
/* Whether the legacy default stream may not be used: invalidates nothing. */
bool capture_blocks_legacy(void);

#endif
