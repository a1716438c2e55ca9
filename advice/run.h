/*
 * advice/run.h: what patterns ask of a run: what its operations are, and which rows of its profile
 * are about them.
 *
 * Vertices and sites are ids, unless they are said to be indices.
 */
#ifndef VFLOW_ADVICE_RUN_H
#define VFLOW_ADVICE_RUN_H

#include "advice/advice.h"
#include "advice/timing.h"
#include "advice/words.h"

enum operation {
	OPERATION_OTHER,
	OPERATION_SET,
	OPERATION_UPLOAD,      /* from the host */
	OPERATION_DEVICE_COPY, /* from device to device */
	OPERATION_DOWNLOAD,    /* to the host */
	OPERATION_KERNEL,
	OPERATIONS
};

struct run_index;

struct run {
	struct profile *profile;
	const struct advice_options *options;
	enum operation *operations; /* per vertex of the graph */
	bool *reads;                /* per vertex: it reads memory of the device */
	bool *copies_results; /* per vertex: it copies what a kernel has computed several times */
	bool *host_writes;    /* per vertex: it allocates what the host can write unseen */
	bool *is_read;        /* per vertex: somebody reads some of what it writes */
	struct words_site *sites;         /* per vertex */
	uint32_t *writers;                /* per vertex: how many write to what it allocates */
	bool reads_unseen, writes_unseen; /* elsewhere, as the coverage says */
	bool launches_unseen;             /* some were not analysed */
	uint64_t *unseen;                 /* per vertex: invocations that were not */
	struct timing *timing;            /* NULL: the profile has no timeline */
	uint64_t least_ns;                /* of the timeline: what saves less is not worth a word */
	struct order *order;              /* of advice/order/order.h; NULL: not known */
	unsigned char *wait_needs;        /* likewise, by call */
	struct wait_breadth *wait_breadths; /* likewise, by row of table api */
	struct run_index *index;
};

/* Indices of edges, in their order; valid as long as the run. */
struct run_edges {
	const uint32_t *items;
	uint32_t count;
};

/* Freed with run_release(); the profile's findings may change, nothing else of it. */
struct run run_of(struct profile *profile, const struct advice_options *options);
void run_release(struct run *run);

enum operation run_operation(const struct run *run, uint32_t vertex);
/* Invocations of the vertex that were not analysed: nothing else is about them. */
uint64_t run_unseen(const struct run *run, uint32_t vertex);
bool run_copies_results(const struct run *run, uint32_t vertex);
/* "set", "copy", "launch"; of more than one "sets", "copies", "launches" */
const char *operation_verb(enum operation operation, uint64_t count);

/* What the vertex wrote to objects of the site, and what became of it; NULL: nothing is known. */
const struct profile_write *run_write(const struct run *run, uint32_t vertex, uint32_t site);
const struct profile_fate *run_fate(const struct run *run, uint32_t vertex, uint32_t site);
/*
 * Whether its vertex left fewer objects of some other site as they were: it changed them in more
 * invocations, or again after the first one.
 */
bool run_changes_others(const struct run *run, const struct profile_write *write);
/*
 * WRITE edges of the site's objects: of the vertex, which writes over what others had written, and
 * of those that write over what the vertex had written.
 */
struct run_edges run_edges_to(const struct run *run, uint32_t vertex, uint32_t site);
struct run_edges run_edges_from(const struct run *run, uint32_t vertex, uint32_t site);

/* The shortest time from the calls' ends to the host's first use; PROFILE_UNKNOWN: none is known.
 */
uint64_t run_first_use_ns(const struct run *run, uint32_t api);
/* Whether the pass `use` watches this invocation of a wait. */
bool run_is_watched(uint64_t invocation);

#endif
