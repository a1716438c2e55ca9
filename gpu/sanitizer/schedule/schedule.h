/*
 * gpu/sanitizer/schedule/schedule.h: when passes over shadows are made: the states of calls, of
 * queues and of passes, and who may move them.
 *
 * A call is a launch, copy or set of the program: what becomes an event with rows.  Every context
 * has one queue of calls whose passes were put behind them on their stream.  A pass goes over what
 * a call touched (shadow/pass.c); its ticket is its number in the space.
 *
 * call       to         moved by                           when
 * noted      pending    finish_pending()      events.c     its pass can follow it on its stream
 *                       finish_by_command()   events.c     the host has its bytes: see commands.c
 *                       finish_pending()      events.c     its pass may be made later: see queue.c
 *            awaited    finish_one()          events.c     it cannot, but it is to be analysed
 *            skipped    finish_one()          events.c     it is not: its event has no rows
 *            dropped    events_drop()         events.c     the program's function failed: no event
 * pending    ended      deliver()             queue.c      its pass is written: its event has rows
 *            dropped    drop_pending()        queue.c      the device failed, or the process ends
 * awaited    ended      finish_operation()    events.c     it is over: pass, then event with rows
 *            timed out  await_call()          events.c     that takes too long: event without rows
 *            dropped    await_call()          events.c     a kernel ended with an error: no event
 * timed out  ended      take_in()             timed_out.c  it is over: what it wrote is unknown
 *
 * queue      to         moved by                           when
 * idle       pending    queue_push()          queue.c      a call becomes pending
 * pending    idle       deliver()             queue.c      the last of them has ended
 *                       drop_pending()        queue.c      they are dropped
 * both       timed out  queue_time_out()      timed_out.c  its stream, or the awaited one, goes on
 * timed out  idle       queues_recover()      timed_out.c  that is over after all
 * all        gone       queue_abandon()       queue.c      its context goes
 *
 * pass       to         moved by                           when
 * none       queued     space_enqueue_pass()  pass.c       a call becomes pending
 *                       space_command()       commands.c   the same, without a stream
 *            held       space_hold_copy()     commands.c   the same, of one of several copies
 *                       space_settle()        pass.c       an awaited call is over: waits for it
 * held       queued     space_pass_held()     commands.c   anything else is about to be done
 * queued     written    passes.cu             (device)     it has run: its ticket is written last
 * written    taken      space_take_results()  pass.c       deliver() reads it, in order of tickets
 *
 * At most one queue is timed out.  Meanwhile nothing is analysed, in no context: passes might wait
 * for what runs, and its marks could not be told from others'.  Memory that it may still mark is
 * kept (space_set_busy(), memory_defer_all()).
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

/* The result of waiting for a call. */
enum call_state {
	CALL_ENDED,
	CALL_TIMED_OUT, /* it, or what ran before it on its stream */
	CALL_DROPPED,
};

enum queue_state {
	QUEUE_IDLE,
	QUEUE_PENDING,
	QUEUE_TIMED_OUT,
};

/* Bytes of an object that a copy gave to or took from the host. */
struct host_row {
	const struct object *object;
	enum gpu_access access;
	uint64_t bytes;
	uint32_t transfer; /* number of their digest (space.h); 0: it is not made */
	bool summed;       /* ... or the host has it: */
	struct transfer_sum sum;
	bool in_rows;    /* they do not lie side by side */
	uint64_t offset; /* where they begin in the object */
	uint64_t host;   /* ... and in the memory of the host; 0: not known */
	/* of a copy to the host: the digest of what its memory held before, if that is known */
	bool destination_known;
	uint8_t destination[DIGEST_BYTES];
};

/* -- queue.c ------------------------------------------------------------------------------- */

/*
 * Makes a call pending whose event has begun: puts its pass on the same stream; its event ends
 * later, with the host's row if there is one.  `reads_unseen`: the call may read anything unseen.
 * False: the pass could not be put there.
 */
bool queue_push(const struct gpu_call *call, struct space *space, CUstream stream,
		const struct host_row *host, bool reads_unseen);
/*
 * Makes a call pending whose event has begun, and whose bytes the host has: its pass is a command.
 * queue_takes_commands(): whether no other passes are pending.  False: it cannot be done.
 */
struct host_bytes {
	uint64_t offset, width; /* of the object */
	uint32_t marks;
	const void *bytes; /* what was written there */
};
bool queue_takes_commands(const struct space *space);
bool queue_push_command(const struct gpu_call *call, struct object *object,
			const struct host_bytes *bytes, const struct host_row *host);
/*
 * The same of a copy between the host and the object, or a set (`host` is NULL), on this stream,
 * which is held back: see events_pass_held().  host->transfer says whether the digest of what it
 * moves is wanted.
 */
bool queue_hold(const struct gpu_call *call, struct object *object, CUstream stream,
		const struct host_bytes *bytes, struct host_row *host);
/* All of the space is seen once the calls that are pending by now have ended. */
void queue_seen(const struct space *space);
enum queue_state queue_state(const struct space *space);
/* Whether a call on this stream may follow what is pending. */
bool queue_accepts(const struct space *space, CUstream stream);
/* Ends calls until there is room for another and its results.  False: the oldest does not end. */
bool queue_reserve(const struct space *space);
/*
 * Whether all calls of the queue are over; CUDA_ERROR_NOT_READY: not yet, or their stream is
 * captured and may not be asked.
 */
CUresult queue_query(const struct space *space);
/* Whether copies between objects are pending in any queue. */
bool queues_hold_copies(void);
/*
 * Ends all pending calls of a space, or of all (NULL).  False: a queue was timed out, is now, or
 * failed.
 */
bool queues_drain(const struct space *space);
/* The same, yielding (see events_yield_by()).  False: the lock was lost. */
bool queues_drain_yielding(const struct space *space);
/* Ends what is pending in a queue that was timed out. */
void queue_drain_recovered(const struct space *space);
/* The space is about to go.  Waits a second at most for its pending calls. */
void queue_abandon(const struct space *space);
/* Whether the stream is captured into a graph, or the legacy one must not be asked meanwhile. */
bool stream_is_captured(CUstream stream);

/* -- wait.c ------------------------------------------------------------------------------- */

/*
 * Decides how long a launch is awaited, by its heartbeat: 5 seconds when it seems to wait itself
 * (for the host, or for what comes after it), that is when it has not begun, or loads again and
 * again a few words that it has touched before; 1.5 if that may be another device's kernel and
 * another thread wants our lock, 30 if it may be another process's.  A launch makes progress as
 * long as it touches new memory, and for 120 seconds when it touches nothing or very much of the
 * old.
 */
struct watchdog {
	uint64_t progressed_ns,
		checked_ns; /* when it last touched new memory, and when that was last asked */
	uint64_t blocks;    /* bits of blocks that it touched since then: see struct progress */
	uint32_t first;
	bool begun;
};

struct watchdog watchdog_start(uint64_t now);
/*
 * Checks the heartbeat of what runs in the space (NULL: it has none) now and then.  False: time is
 * up.
 */
bool watchdog_allows(struct watchdog *watchdog, struct space *space, uint64_t now);
/* Wait until the stream, or the event, is over; CUDA_ERROR_NOT_READY: that took too long. */
CUresult await_stream(struct space *space, CUstream stream);
CUresult await_event(CUevent event);
/* Releases the lock for a moment where other threads may have use for it.  False: it was lost. */
bool events_yield(void);

/* -- timed_out.c -------------------------------------------------------------------------- */

/* The queue's stream did not end in time.  `kernel`: what runs there, NULL: a copy or set. */
void queue_time_out(struct space *space, CUstream stream, const char *kernel);
/* The space whose queue is timed out, or NULL. */
const struct space *timed_out_space(void);
bool queues_timed_out(void);
/* Ends the time-out if what runs there is over.  False: it is not. */
bool queues_recover(void);
/* The space is about to go. */
void timed_out_abandon(const struct space *space);

/* -- skipped.c ---------------------------------------------------------------------------- */

/* A launch that is not analysed was put on the stream. */
void skipped_launched(struct space *space, CUstream stream);
/* Waits until no skipped launch runs.  False: one ran for too long. */
bool skipped_drain(void);
/* Whether one may run that is not on this stream.  Calls the driver. */
bool skipped_beside(const struct space *space, CUstream stream);
/* Whether one runs on it.  Calls the driver. */
bool skipped_on(const struct space *space, CUstream stream);
/* The space is about to go. */
void skipped_abandon(const struct space *space);

#endif
