/*
 * replay/replay.h: how long the run would have taken, had its calls been others.
 *
 * The timeline of pass `time` becomes a graph of host threads, streams and waits with measured
 * durations, and is walked again with calls removed, moved, made asynchronous or shortened:
 *
 *   An operation begins when its call has been issued (and has waited for what it waits for before
 *   that), plus a latency; and when what is before it in its stream, in the streams that its stream
 *   is ordered with, or before an event that its stream waits for has ended, plus a gap.  It takes
 *   as long as it took.  Operations of a stream that overlapped in the run are not ordered.
 *   A call takes its own host time, and waits for what its scope says, plus a wake-up.  What is
 *   between calls is the host's own time, and stays.
 *
 * What held an operation or a wait up in the run keeps the delay that it had there; what did not
 * has the median of the run (on the emulated device: the model's).  An operation that began just
 * when another stream's ended, long after it could have, is taken as held up by that one.
 *
 * Threads: each has its calls in their order.  A thread begins after the call of the first thread,
 * or of a thread that was over by then, that had ended last.  A thread all of whose calls lie
 * between two calls of the first thread, or that ends after the last of that, is taken as waited
 * for there (pthread_join).  Other dependencies between threads on the host are not known, nor are
 * those between processes: each process begins when it did.
 *
 * What the first call of a kind pays for all (replay/once.h) stays when that call is removed.
 *
 * The profiler's own work between calls, as far as it was measured, is left out once the run has
 * been found to be as it was with it.
 *
 * A process ends its own time after its last call, and not before its operations.  The run ends
 * with its last process.  Of a run of which only the first calls are kept, only these count.
 */
#ifndef VFLOW_REPLAY_REPLAY_H
#define VFLOW_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/profile/profile.h"
#include "util/error.h"

/* The measured run, ready to be replayed.  It refers to the profile, which must outlive it. */
struct replay;

/*
 * The profile's events have been read (profile_read_events()).  NULL: it has no timeline or no
 * waits, or they explain the run so little that nothing can be said of another.
 */
struct replay *replay_new(const struct profile *profile, struct error *error);
void replay_free(struct replay *replay);

enum replay_change_kind {
	REPLAY_REMOVE,  /* the calls, their operations and their host time */
	REPLAY_NO_WAIT, /* they return at once: later waits wait for it, as their scopes say */
	REPLAY_ASYNC,   /* copies do not wait, as from pinned memory, which the host does not copy;
			   the   device takes as long as before */
	REPLAY_MOVE,    /* they wait later; calls that do nothing else are made later */
	REPLAY_SHORTEN, /* their operations take less; without any: their own host time */
	REPLAY_HOIST,   /* only the first of each process stays; of releases the last */
	REPLAY_NARROW,  /* of all streams that they wait for only one stays; what they do in the
			   default stream they do in that one */
};

enum replay_subject { REPLAY_VERTEX, REPLAY_API, REPLAY_CALL };

struct replay_change {
	enum replay_change_kind kind;
	enum replay_subject subject;
	uint32_t index; /* id of a vertex; index into profile->apis, profile->timeline */
	/* Of a vertex or an api: only the invocations from `first` to `last`, of each process. */
	bool some;
	uint64_t first, last;
	/* SHORTEN: what an invocation takes, ns; MOVE: so much of the thread's own time later. */
	uint64_t ns;
	bool scaled;     /* SHORTEN: `fraction` of what it took, instead of ns */
	double fraction; /* 0 to 1 */
	bool at_call;    /* MOVE: before `call`, a later one of the same thread, instead of ns */
	uint32_t call;   /* index into profile->timeline */
	uint32_t stream; /* NARROW: its number on the call's device */
};

struct replay_times {
	/* Of the whole run: as it was measured, and without the profiler's own work between calls;
	 * after the changes, likewise without. */
	uint64_t measured_ns, before_ns, after_ns;
	/*
	 * Of before_ns, the part from the first operation to the last one: from the start of the
	 * call that issues it, but for what that call pays for all, to the end of the last one or
	 * of the last wait.  And what comes before that.  Without operations all of it, and 0.
	 */
	uint64_t span_ns, startup_ns;
	/*
	 * >= after_ns: if no kernel of a device may run beside a kernel, and no copy beside a copy,
	 * that had ended before it began in the run: such can slow each other down.
	 */
	uint64_t after_most_ns;
	uint64_t changed; /* calls */
};

/*
 * How long the run would take with all the changes.  The cost grows with the calls that change, and
 * those up to the next moment at which the device has nothing to do; with all calls of processes
 * that have several threads.  -1: a change is about what is not there.
 */
int replay_estimate(const struct replay *replay, const struct replay_change *changes,
		    uint32_t count, struct replay_times *times, struct error *error);

/* ns of the process's time; they add up to it. */
struct replay_use {
	uint64_t busy; /* of a thread: in calls; of a stream: at operations */
	uint64_t wait; /* of a thread: for the device */
	uint64_t idle; /* of a thread: its own work, outside of calls */
};

/* A thread of the host, or a stream of a device. */
struct replay_lane {
	bool is_stream;
	uint32_t process;        /* index into profile->processes */
	uint32_t thread;         /* as of calls */
	uint32_t device, stream; /* as of operations */
	struct replay_use before, after;
};

struct replay_span {
	uint64_t start_ns, end_ns; /* PROFILE_UNKNOWN, both: it is not there any more */
};

/* Indices as of the profile's tables; all of the first `calls` calls, and theirs. */
struct replay_result {
	struct replay_times times;
	uint64_t start_ns; /* of the run */
	struct replay_lane *lanes;
	uint32_t lane_count;
	uint32_t call_count, operation_count, wait_count;
	struct replay_span *calls, *operations, *waits;
	uint32_t *operation_lanes; /* index into lanes */
};

/* The same with all that became of it.  NULL: as -1 of replay_estimate(). */
struct replay_result *replay_run(const struct replay *replay, const struct replay_change *changes,
				 uint32_t count, struct error *error);
void replay_result_free(struct replay_result *result);

/* Calls of the timeline are left out: only its first ones count. */
bool replay_is_truncated(const struct replay *replay);

#endif
