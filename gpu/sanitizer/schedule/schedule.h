/*
 * gpu/sanitizer/schedule/schedule.h: when passes over shadows are made: the states of calls, of
 * lanes and of passes, and who may move them.
 *
 * A call is a launch, copy or set of the program: what becomes an event with rows.  A lane is the
 * queue of a context's calls whose passes were put behind them on their stream; every context has
 * one.  A pass goes over what a call touched (shadow/pass.c); its ticket is its number in the
 * space.
 *
 * call       to         moved by                      when
 * noted      pending    finish_pending() events.c     its pass can follow it on its stream
 *            awaited    finish_one()     events.c     it cannot, but it is to be analysed
 *            skipped    finish_one()     events.c     it is not: its event has no rows
 *            dropped    events_drop()    events.c     the program's function failed: no event
 * pending    ended      deliver()        lane.c       its pass is written: its event has rows
 *            dropped    drop_pending()   lane.c       the device failed, or the process ends
 * awaited    ended      finish_in()      events.c     its stream is empty: pass, event with rows
 *            timed out  await_call()     events.c     that takes too long: event without rows
 *            dropped    await_call()     events.c     a kernel ended with an error: no event
 * timed out  ended      take_in()        timed_out.c  it is over: what it wrote is unknown
 *
 * lane       to         moved by                      when
 * idle       pending    lane_push()      lane.c       a call becomes pending
 * pending    idle       deliver()        lane.c       the last of them has ended
 *                       drop_pending()   lane.c       they are dropped
 * both       timed out  lane_time_out()  timed_out.c  its stream, or the awaited one, goes on
 * timed out  idle       lanes_recover()  timed_out.c  that is over after all
 * all        gone       lane_abandon()   lane.c       its context goes
 *
 * pass       to         moved by                      when
 * none       queued     space_pass()     pass.c       a call becomes pending
 *                       space_settle()   pass.c       an awaited call is over: waits for the pass
 * queued     written    passes.cu        (device)     it has run: its ticket is written last
 * written    taken      space_take()     pass.c       deliver() reads it, in the order of tickets
 *
 * At most one lane is timed out.  Meanwhile nothing is analysed, in no context: passes might wait
 * for what runs, and its marks could not be told from others'.  Memory that it may still mark is
 * kept (space_set_busy(), memory_hold_back()).
 *
 * Before a call is awaited, or becomes pending on another stream than those that are, the pending
 * calls of its context end; those of all contexts if kernels reach the memory of several
 * (events_is_dependent()).
 *
 * As in events.h, the lock of calls.c is held; functions other than lookups call the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_SCHEDULE_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_SCHEDULE_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/shadow/space.h"

/* What waiting for a call came to. */
enum call_state {
	CALL_ENDED,
	CALL_TIMED_OUT, /* or what ran before it */
	CALL_DROPPED,
};

enum lane_state {
	LANE_IDLE,
	LANE_PENDING,
	LANE_TIMED_OUT,
};

/* Bytes of an object that a copy gave to or took from the host. */
struct host_row {
	const struct object *object;
	enum gpu_access access;
	uint64_t bytes;
};

/* -- lane.c ------------------------------------------------------------------------------- */

/*
 * The call, whose event has begun, becomes pending: its pass goes to the same stream, and its event
 * ends later, with the host's row if there is one.  False: this cannot be done now.
 */
bool lane_push(const struct gpu_call *call, struct space *space, CUstream stream,
	       const struct host_row *host);
enum lane_state lane_state(const struct space *space);
/* Whether a call on this stream may follow what is pending. */
bool lane_accepts(const struct space *space, CUstream stream);
/* Ends calls until there is room for another.  False: the oldest does not end. */
bool lane_make_room(const struct space *space);
/*
 * Whether all that is pending is over; CUDA_ERROR_NOT_READY: not yet, or a captured stream may not
 * be asked.
 */
CUresult lane_query(const struct space *space);
/* Whether copies between objects are pending anywhere. */
bool lanes_hold_copies(void);
/*
 * Ends all that is pending in a space, or everywhere (NULL).  False: a lane was timed out, is now,
 * or failed.
 */
bool lanes_drain(const struct space *space);
/* The same while other threads may have the lock (see events_yield_by()).  False: it was lost. */
bool lanes_drain_yielding(const struct space *space);
/* Ends what is pending in a lane that was timed out. */
void lane_drain_recovered(const struct space *space);
/* The space is about to go.  Waits a second at most for what is pending in it. */
void lane_abandon(const struct space *space);
/* Whether the stream is captured into a graph, or the legacy one must not be asked meanwhile. */
bool stream_is_captured(CUstream stream);

/* -- wait.c ------------------------------------------------------------------------------- */

/*
 * How long something is waited for: 5 seconds when it seems to wait itself (for the host, or for
 * what comes after it): it has not begun, or looks again and again at a few words that it has
 * touched before.  1.5 if that may be another device's kernel and another thread wants our lock, 30
 * if it may be another process.  As long as a launch touches new memory, and for 120 seconds when
 * it touches nothing or very much of the old, it makes progress.
 */
struct patience {
	uint64_t moved, asked; /* when it touched new memory, when that was asked */
	uint64_t blocks;       /* that it touched since it moved: see struct progress */
	uint32_t first;
	bool begun;
};

struct patience patience_from(uint64_t now);
/*
 * Asks now and then what runs in the space (NULL: it cannot be known).  False: that was too long.
 */
bool patience_lasts(struct patience *patience, struct space *space, uint64_t now);
/* Waits until the stream, or the event, is over; CUDA_ERROR_NOT_READY: that took too long. */
CUresult await_stream(struct space *space, CUstream stream);
CUresult await_event(CUevent event);
/* Lets other threads have the lock for a moment, where that helps.  False: it did not come back. */
bool events_yield(void);

/* -- timed_out.c -------------------------------------------------------------------------- */

/* The lane's stream did not end in time.  `kernel`: what runs there, NULL: a copy or set. */
void lane_time_out(struct space *space, CUstream stream, const char *kernel);
/* Whose lane is timed out, or NULL. */
const struct space *timed_out_space(void);
bool lanes_timed_out(void);
/* Ends that if what runs there is over.  False: it is not. */
bool lanes_recover(void);
/* The space is about to go. */
void timed_out_abandon(const struct space *space);

/* -- skipped.c ---------------------------------------------------------------------------- */

/* A launch that is not analysed was put on the stream. */
void skipped_launched(struct space *space, CUstream stream);
/* Waits until no such launch runs.  False: one ran for too long. */
bool skipped_drain(void);
/* The space is about to go. */
void skipped_abandon(const struct space *space);

#endif
