/*
 * graph/build/analysis.h: an analysis of the calls of a run: what it may know, and when.
 *
 * The builder reads the traces of a run once, one process after the other, and makes the graph's
 * vertices and edges.  Everything else that a profile says of calls and objects comes from
 * analyses: each is a file NAME.c in graph/build/analysis/ with a struct build_analysis build_NAME.
 * They see all calls of the run, but no trace: ids are those of the profile, and all has been
 * checked but the payloads of records.
 *
 * Of each process, in the order of its trace:
 *     [object ...] -> event -> [freed | record ...]      for each call
 *     lifetime -> process_end                            wherever its trace ends, maybe in between
 * and `begin` before the first process, `end` after the last.  An analysis does not see what others
 * have found.
 *
 * An analysis of a pass sees that pass's run.  Where that is another run than the one that makes
 * the graph, it comes after it, when the graph is whole, and is joined to it (build/join.h):
 * - Calls, and the records of them, are those that both runs have: processes, vertices and objects
 *   are the graph's.  The others are counted in coverage, like processes that only one run has, and
 *   left out unless the analysis asks for them: they have no vertex.
 * - Objects are joined because records are about them: the n-th that a context makes is the n-th
 *   there, if its size and kind of memory are the same.  Records about others are left out.
 * - Rows are left out: bytes and their writers are what the graph says already, and of two runs
 *   that differ nobody could say which is right.
 * - Times and threads are those of the pass's own run, and times count from its own start.
 * - What its run did not see is in coverage as that pass's, and hides nothing of the graph.
 */
#ifndef VFLOW_GRAPH_BUILD_ANALYSIS_H
#define VFLOW_GRAPH_BUILD_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
#include "graph/profile/profile.h"

/* A call that succeeded. */
struct build_event {
	uint64_t number;  /* 1, 2, ... in the run; `extra` ones have that of the one before */
	uint64_t call;    /* 1, 2, ... with these */
	uint32_t vertex;  /* id and index; PROFILE_NO_VERTEX: a release or a wait, or `extra` */
	uint32_t context; /* a number of (kind, name, call path), equal in all processes and runs */
	bool extra; /* the run that makes the graph does not have it: for analyses with all_calls */
	uint32_t process;                /* index into profile->processes */
	uint32_t thread, device, stream; /* thread: 0, 1, ... in order of first CUDA call */
	uint32_t range;      /* NVTX range, index into profile->ranges; PROFILE_NO_ROW: none */
	const char *name;    /* as in the trace, any bytes; valid until `end` has returned */
	uint64_t invocation; /* 0, 1, ... of the same context in this process, by its trace */
	uint64_t start_ns, end_ns; /* host time, since the start of the run */
};

/* Bytes of an object that a call touched, of one last writer. */
struct build_row {
	uint32_t object; /* index into profile->objects */
	uint32_t writer; /* vertex whose bytes they were; of TRACE_FROM_HOST the host, of
			    TRACE_TO_HOST the call's own */
	enum trace_access access;
	uint32_t metrics; /* bit 1 << enum trace_metric: those that the row has; others are 0 */
	uint64_t bytes;
#define ROW_METRIC(member, FLAG, access, aggregate) uint64_t member;
#include "gpu/rows.def"
};

static inline bool build_row_has(const struct build_row *row, enum trace_metric metric)
{
	return row->metrics >> metric & 1;
}

/* Bytes of a WRITE row that were there already: of whole values, where they are known. */
static inline uint64_t build_row_unchanged(const struct build_row *row)
{
	return build_row_has(row, TRACE_METRIC_REDUNDANT_VALUE_BYTES) ? row->redundant_value_bytes
								      : row->redundant_bytes;
}

#define BUILD_NO_OBJECT UINT32_MAX

/* A fact about a call, or about an object after it: gpu/records.def. */
struct build_record {
	uint32_t kind;
	uint32_t object; /* index into profile->objects, or BUILD_NO_OBJECT */
	bool freed;      /* the object: by this very call */
	bool of_call;    /* false: of no call, found out after it */
	/* What its ids are (gpu/records.def), if its kind has one of that type. */
	uint32_t context;    /* as in struct build_event */
	uint32_t frame;      /* of build/callpaths.h; UINT32_MAX: none */
	uint32_t range;      /* as in struct build_event */
	uint32_t writer;     /* as in struct build_row */
	const void *payload; /* aligned to 8, and as gpu/records.def says */
	uint32_t size;
};

/*
 * `state` is what begin() returned.  Events, rows, payloads and pointers into the profile's arrays
 * are valid during the call only.  Any function but `begin` may be NULL.
 */
struct build_analysis {
	const char *name;
	const char *pass;      /* whose run it sees; NULL: the run that makes the graph */
	const uint32_t *kinds; /* of records that it takes, ended by 0; NULL: none */
	bool all_calls; /* of a run that is joined: it sees the calls that only this run has, too */
	void *(*begin)(struct profile *profile);
	/* The event, which comes next, has made this object: an index into profile->objects. */
	void (*object)(void *state, const struct build_event *event, uint32_t object);
	void (*event)(void *state, const struct build_event *event, const struct build_row *rows,
		      uint32_t count);
	/* The event, which was the last, has freed the object. */
	void (*freed)(void *state, const struct build_event *event, uint32_t object);
	/*
	 * After its event, the last one; before the first of a process the event has the number
	 * of the one before and no vertex.  -1: the payload makes no sense; the trace ends there.
	 */
	int (*record)(void *state, const struct build_event *event,
		      const struct build_record *record, struct error *error);
	/* When the trace began and the process ended in order; PROFILE_UNKNOWN: it did not. */
	void (*lifetime)(void *state, uint32_t process, uint64_t start_ns, uint64_t end_ns);
	/* `last`: the last event of this process, as for `record`. */
	void (*process_end)(void *state, const struct build_event *last);
	/* The profile's graph is whole.  Frees the state. */
	void (*end)(void *state);
};

/* Those of graph/build/analysis/, by name; ends with NULL. */
extern const struct build_analysis *const build_analyses[];

/* ROW(name) of each, by the Makefile. */
#define ROW(name) extern const struct build_analysis build_##name;
#include "rows/graph/build/analysis.def"
#undef ROW

#endif
