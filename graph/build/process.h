/*
 * graph/build/process.h: reads the trace of one process.  Internal to the builder.
 *
 * The reader of traces has checked the form of each record; here it is checked that they make
 * sense together.  What does not ends the trace at that offset, like a cut.
 */
#ifndef VFLOW_GRAPH_BUILD_PROCESS_H
#define VFLOW_GRAPH_BUILD_PROCESS_H

#include "graph/build/analyses.h"
#include "graph/build/contexts.h"
#include "graph/build/coverage.h"
#include "graph/build/failed_calls.h"
#include "graph/build/join.h"
#include "graph/build/merge.h"

struct process;

/* What the processes of one run have in common. */
struct run {
	const struct process_role *role;
	struct profile *profile;
	struct merge *merge;
	struct analyses *analyses;
	struct failed_calls *failed_calls; /* of the run that makes the graph */
	struct join *join;                 /* NULL: there is no other run */
	const char *passes; /* names of those that coverage is said of; NULL: the graph's own */
	uint64_t start_ns;  /* of its first process */
	uint64_t events;    /* so far, but for those that the graph lacks */
	uint64_t calls;     /* with these */
	uint32_t partner;   /* see joined.h */
};

struct process_object {
	uint32_t context; /* of the allocation, as number of the merge */
	uint32_t profile; /* index into profile->objects, or BUILD_NO_OBJECT */
	uint64_t freed;   /* number of the call that freed it; 0: none has */
};

/* Ids in the trace are indices here, less 1. */
struct process {
	struct run *run;
	uint32_t index; /* in profile->processes; UINT32_MAX: not yet */
	uint32_t pid;
	bool ended;                /* in order */
	uint64_t start_ns, end_ns; /* since the start of the run; PROFILE_UNKNOWN: it did not end */
	struct contexts contexts;
	struct process_object *objects;
	uint32_t object_count, object_capacity;
	uint32_t placed; /* objects before it have had their event */
	struct coverage *coverage;
	uint64_t calls;           /* events so far */
	uint32_t last_context;    /* id of the last event's; 0: no event yet */
	bool matched;             /* the graph has the last call */
	struct build_event event; /* the last one */
	struct build_row *rows;   /* of an event */
	uint32_t row_capacity;
	uint64_t unknown_records, unknown_bytes;
};

/* What is made of the records of a trace, in their order, after process.c has checked them. */
struct process_role {
	/* The first one: sets process->index; UINT32_MAX: nothing more can be taken. */
	void (*start)(struct process *process, const struct trace_process *record);
	/* Returns the object's index in the profile.  Its event comes later, or never. */
	uint32_t (*object)(struct process *process, const struct trace_object *record);
	/* Makes it process->event, and sets process->matched. */
	void (*call)(struct process *process, const struct trace_event *event, uint32_t context);
	/* The last call has made the object.  -1: it cannot have. */
	int (*place)(struct process *process, struct process_object *object);
	/* Makes process->rows of the event's.  NULL: analyses see none. */
	int (*rows)(struct process *process, const struct trace_event *event, struct error *error);
	/* The last call has freed the object.  May be NULL. */
	void (*freed)(struct process *process, const struct process_object *object);
	/* No more records; objects from process->placed on have no event. */
	void (*end)(struct process *process);
};

void process_read(struct run *run, struct trace_reader *reader);

/* What the profile says of a process; the texts are the caller's, to be released or given away. */
void process_describe(const struct trace_process *record, struct profile_process *process);
void process_release_description(struct profile_process *process);

/* Text of the trace as a name in the profile; the caller frees. */
char *process_clean_name(const char *text);

/* Sets process->event to the next one, but for its vertex.  `extra`: the graph does not have it. */
void process_set_event(struct process *process, const struct trace_event *event, uint32_t context,
		       bool extra);

/* Whether the object (its id) can be touched now. */
bool process_is_live(const struct process *process, uint32_t object);

#endif
