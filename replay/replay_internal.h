/*
 * replay/replay_internal.h: the measured run as replay/ works on it.
 *
 * Indices of calls, operations and waits are those of the profile's tables timeline, gpu_time and
 * wait.  Threads, streams and devices are counted over all processes.  Ranks order the calls of a
 * process by their starts: nothing depends on what has a higher rank.
 */
#ifndef VFLOW_REPLAY_REPLAY_INTERNAL_H
#define VFLOW_REPLAY_REPLAY_INTERNAL_H

#include "replay/replay.h"

#define NONE UINT32_MAX
/* No time is later; sums stop there.  Times of a profile that are later are not believed. */
#define TIME_MAX (UINT64_C(1) << 62)

/* What was in a stream at a moment: up to its operation `last`. */
struct position {
	uint32_t last;     /* NONE: nothing */
	uint32_t default_; /* of a stream that is ordered with the default one: its last; or NONE */
	bool all_blocking; /* of the default stream: what is ordered with it counts, too */
};

enum bound { BOUND_ISSUE, BOUND_READY, BOUND_DEVICE };

struct operation {
	uint64_t start, end; /* measured */
	int64_t lag;         /* from the moment that held it up to its start */
	uint64_t lead;       /* the median lags of the others are too large by this */
	uint32_t call, stream;
	uint32_t follows; /* of `parallel`: what it comes after in its stream, or NONE */
	uint32_t before;  /* the last of its class on its device that had ended by then, or NONE */
	uint8_t bound;    /* what held it up */
	bool parallel;    /* overlaps earlier ones of its stream */
	bool kernel;      /* its class: kernels, or copies and sets */
	bool blocking;    /* its stream is ordered with the default stream, or is it */
};

struct wait {
	uint64_t own_ns;       /* of the call's own time, since its start or the wait before */
	uint64_t fixed_ns;     /* that it waited for nothing that is known */
	int64_t lag;           /* from the end of what it waits for to its own */
	struct position event; /* of an event; of room in a queue: the operation that made it */
	uint32_t stream, device;
	uint8_t scope; /* enum gpu_wait_scope */
	bool own;
};

/*
 * What comes into the call's stream from then on begins after this; or a call that only waits waits
 * for it, too.
 */
struct order {
	uint32_t stream;
	struct position position;
};

struct call {
	uint64_t start, end, rest; /* rest: own time after its last wait */
	uint64_t gap;              /* own time of the thread before it; see `joined` */
	uint64_t overhead;         /* part of the gap that is the profiler's own work */
	uint64_t base;             /* its start in the run without that */
	uint64_t once;             /* own time that stays without it: see replay/once.h */
	uint64_t prepares;         /* of what takes long: own time before it is issued */
	uint32_t thread, stream, device, rank;
	uint32_t operation, wait, order; /* its first; those up to the next call's are its own */
	uint32_t spawned; /* the first thread that begins after it, or NONE; then next_spawned */
	uint32_t joined;  /* the first thread that it comes after, `gap` after the last of these */
	bool nonblocking;
	bool only_waits;
	bool copies;
};

struct thread {
	uint32_t process, number;
	uint32_t first, count; /* in run.thread_calls */
	uint32_t next_spawned, next_joined;
	uint32_t parent; /* call; NONE: it begins with its process */
	bool is_main;    /* the first of its process */
};

struct stream {
	uint32_t process, number, device;
	bool blocking; /* at its first call; of streams without any, the default one */
};

struct device {
	uint32_t process, number;
	uint32_t default_stream; /* or NONE */
};

/* Medians of the run, or of the model. */
struct lags {
	int64_t latency[2]; /* from the call to its operation on an idle stream, if it is a copy or
			       set, or a kernel: pageable memory is staged first */
	int64_t own;        /* of the host, for a call with an operation that waits for nothing */
	int64_t gap;        /* between operations of a stream */
	int64_t wake;       /* from the end of what a call waits for to its own */
	int64_t own_wake;   /* ... for its own operation */
};

struct process {
	uint32_t first_call, call_count, first_thread, thread_count;
	uint64_t start, end;
	uint64_t base_end; /* in the run without the profiler's own work */
	uint64_t tail;     /* own time after the last call that it comes after */
	uint32_t
		joined; /* the first thread that this comes after, or NONE: the first thread only */
	struct lags lags;
	/* Calls at whose start the device was quiet; only with one thread. */
	uint32_t *quiet;
	uint32_t quiet_count;
	bool left_out; /* it is not known when it ended */
};

struct replay {
	const struct profile *profile;
	uint32_t call_count, operation_count, wait_count, order_count;
	struct call *calls; /* call_count + 1: where the rows of the last end */
	struct operation *operations;
	struct wait *waits;
	struct order *orders;
	struct thread *threads;
	uint32_t thread_count, thread_capacity;
	uint32_t *thread_calls; /* by thread */
	uint32_t *ranked;       /* calls of each process by rank, from its first_call on */
	struct stream *streams;
	uint32_t stream_count, stream_capacity;
	struct device *devices;
	uint32_t device_count, device_capacity;
	struct process *processes;       /* profile->process_count */
	uint32_t *api_first, *api_calls; /* calls by api */
	bool truncated;
	uint64_t span_start, span_end; /* see replay_times.span_ns; equal: there is none */
};

static inline uint64_t time_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t time_add(uint64_t time, uint64_t more)
{
	return more > TIME_MAX - time ? TIME_MAX : time + more;
}

static inline uint64_t time_sub(uint64_t time, uint64_t less)
{
	return less > time ? 0 : time - less;
}

/* `lag` may be negative. */
static inline uint64_t time_shift(uint64_t time, int64_t lag)
{
	return lag < 0 ? time_sub(time, -(uint64_t)lag) : time_add(time, (uint64_t)lag);
}

static inline int64_t time_lag(uint64_t from, uint64_t to)
{
	return (int64_t)(to - from); /* both <= TIME_MAX */
}

/* From the profile's tables; -1: there are none that can be replayed. */
int timeline_take(struct replay *replay, struct error *error);

/* What held which operation and wait up, and for how long. */
void lags_learn(struct replay *replay);

/* -- state of streams -- */

struct stream_state {
	uint64_t end;   /* of its operations */
	uint64_t order; /* of what other streams' events make it wait for */
	bool blocking;
};

struct device_state {
	uint64_t all, blocking, default_;
};

struct state {
	const struct replay *replay;
	struct stream_state *streams;
	struct device_state *devices;
	uint64_t all; /* of the process's devices */
	/* Per operation: its end; its stream's and all blocking streams' after it; 0: not yet. */
	uint64_t *ends, *stream_ends, *blocking_ends;
};

void state_new(struct state *state, const struct replay *replay);
void state_release(struct state *state);
/*
 * When all before it in its stream, and in those that this one is ordered with, is done.  Where
 * `stream` is not the operation's own, here and in the next one: as if it were in that one.
 */
uint64_t state_ready(const struct state *state, uint32_t operation, uint32_t stream);
/* It is over at `end`; or, removed, it is not there. */
void state_place(struct state *state, uint32_t operation, uint32_t stream, uint64_t end,
		 bool removed);
/* 0: the operations have not been placed. */
uint64_t state_position(const struct state *state, const struct position *position);
bool state_has(const struct state *state, const struct position *position);
/*
 * What the call's events say, for its stream and for this one: of a call that only waits they hold
 * up the host alone.
 */
void state_take_orders(struct state *state, const struct call *call, uint32_t stream);
/*
 * When what the call's wait is for is done, but for the call's own operation.  only: of all streams
 * that it waits for this one; or NONE.
 */
uint64_t state_target(const struct state *state, const struct call *call, const struct wait *wait,
		      uint32_t only);
/* What is over by then holds nothing up that comes later. */
bool state_is_quiet(const struct state *state, const struct process *process, uint64_t time);
/* When the call's own operations are done. */
uint64_t state_own(const struct state *state, uint32_t call);

/* -- changes -- */

enum {
	EDIT_REMOVE = 1,
	EDIT_NO_WAIT = 2,
	EDIT_MOVE = 4,
	EDIT_SHORTEN = 8,
	EDIT_ASYNC = 16, /* with EDIT_NO_WAIT: nor does it copy pageable memory on the host */
	EDIT_NARROW = 32,
};

struct edit {
	uint8_t flags;
	uint32_t move, shorten; /* the changes that say how */
	uint32_t narrow;        /* index of a stream */
};

struct edits {
	const struct replay_change *changes;
	struct edit *of;   /* by call */
	uint32_t *changed; /* calls, in order, without repetitions */
	uint32_t changed_count, changed_capacity;
};

int edits_make(struct edits *edits, const struct replay *replay,
	       const struct replay_change *changes, uint32_t count, struct error *error);
void edits_release(struct edits *edits);

/* -- the walk -- */

struct walk_start;

struct walk_options {
	const struct edits *edits;    /* NULL: none */
	bool no_overlap;              /* see replay_times.after_most_ns */
	bool medians;                 /* as if nothing were known but the medians */
	bool skip;                    /* where nothing changes; then no result */
	struct replay_result *result; /* its spans, and `after` of its lanes; NULL: not wanted */
	uint64_t *process_ends;       /* by process; NULL: not wanted */
	/* By call: its start, and whether the device was quiet then; NULL: not wanted. */
	struct walk_start *starts;
	uint64_t *last;  /* the end of the last operation or wait; NULL: not wanted */
	bool *entangled; /* too many threads wait for each other; NULL: not wanted */
	bool *beside; /* by operation: it began before its `before` had ended; NULL: not wanted */
};

struct walk_start {
	uint64_t time;
	bool quiet;
};

/* Returns the end of the run.  *overlaps: no_overlap would make a difference; may be NULL. */
uint64_t replay_walk(const struct replay *replay, const struct walk_options *options,
		     bool *overlaps);

#endif
