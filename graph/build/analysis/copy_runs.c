/*
 * graph/build/analysis/copy_runs.c: the analysis of small copies between the host and the device
 * that come one after the other, and that one copy could make.
 *
 * A run ends with the first call that one copy in place of the run would have to come before or
 * after: one that touches what the run has written, or writes what it has read.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "graph/build/live.h"
#include "util/memory.h"

enum {
	SMALL = 16384, /* bytes; of larger ones the transfer takes longer than what each call costs
			*/
	LEAST = 4,     /* copies of a run */
};

/* Of a vertex: its copies since the last one that did not continue them. */
struct copy_run {
	struct profile_copy_run row; /* its shape is what `adjoins` and `rows` say */
	uint64_t serial;             /* of the run; 0: there is none */
	bool adjoins, rows;          /* all of them, so far */
	uint32_t thread, device, stream;
	uint64_t seen, copied; /* numbers of events: its vertex's last, and that of its last copy */
	uint32_t object;       /* of the last copy, as what follows */
	uint64_t offset, bytes, host;
};

struct holder { /* an object that a run copies to or from */
	struct live_object live;
	uint32_t vertex; /* the run */
	uint64_t serial;
	uint64_t first, end; /* the run's copies lie there */
	bool unseen;         /* others may read it without being seen */
};

struct copy_runs {
	struct profile *profile;
	struct copy_run *runs; /* by vertex */
	uint32_t run_count;
	struct live holders; /* of the process */
	uint64_t serials;
	uint64_t left_out; /* runs */
};

static void *begin(struct profile *profile)
{
	struct copy_runs *all = xcalloc(1, sizeof(*all));

	all->profile = profile;
	all->holders.object_size = sizeof(struct holder);
	return all;
}

/* -- runs -- */

static struct copy_run *run_of(struct copy_runs *all, uint32_t vertex)
{
	if (vertex >= all->run_count) {
		uint32_t count = 2 * vertex + 64;

		all->runs = xreallocarray(all->runs, count, sizeof(*all->runs));
		memset(all->runs + all->run_count, 0,
		       (count - all->run_count) * sizeof(*all->runs));
		all->run_count = count;
	}
	return &all->runs[vertex];
}

/* The run that the object belongs to; NULL: to none that goes on. */
static struct copy_run *run_of_holder(const struct copy_runs *all, const struct holder *holder)
{
	struct copy_run *run = holder && holder->serial ? &all->runs[holder->vertex] : NULL;

	return run && run->serial == holder->serial ? run : NULL;
}

static void end_run(struct copy_runs *all, struct copy_run *run)
{
	struct profile *profile = all->profile;
	struct profile_copy_run row = run->row;

	run->serial = 0;
	if (row.copies < LEAST)
		return;
	if (profile->copy_run_count == PROFILE_COPY_RUNS_MAX) {
		all->left_out++;
		return;
	}
	row.shape = run->adjoins ? PROFILE_COPY_RUN_ADJOINING
		    : run->rows  ? PROFILE_COPY_RUN_ROWS
				 : PROFILE_COPY_RUN_SCATTERED;
	if (row.shape != PROFILE_COPY_RUN_ROWS)
		row.device_stride = row.host_stride = 0;
	ARRAY_RESERVE(profile->copy_runs, profile->copy_run_count, profile->copy_run_capacity);
	profile->copy_runs[profile->copy_run_count++] = row;
}

static void end_all(struct copy_runs *all)
{
	for (uint32_t v = 0; v < all->run_count; v++)
		if (all->runs[v].serial)
			end_run(all, &all->runs[v]);
}

/* -- copies -- */

struct copy {
	const struct build_event *event;
	uint32_t object;
	uint64_t offset, bytes, host;
	bool from_host;
};

static bool is_next_call(const struct copy_run *run, const struct copy *copy)
{
	const struct build_event *event = copy->event;

	return run->row.process == event->process && run->thread == event->thread &&
	       run->device == event->device && run->stream == event->stream &&
	       run->row.from_host == copy->from_host &&
	       run->row.first + run->row.copies == event->invocation;
}

static bool adjoins(const struct copy_run *run, const struct copy *copy)
{
	return run->object == copy->object && run->offset + run->bytes == copy->offset &&
	       run->host && run->host + run->bytes == copy->host;
}

/* Whether it is the next row; of the second copy of a run the strides follow. */
static bool is_row(const struct copy_run *run, const struct copy *copy)
{
	return run->object == copy->object && run->bytes == copy->bytes && run->host &&
	       copy->offset > run->offset && copy->host > run->host &&
	       copy->offset - run->offset >= copy->bytes && copy->host - run->host >= copy->bytes &&
	       copy->host - run->host <= PROFILE_NUMBER_MAX &&
	       (run->row.copies == 1 || (copy->offset - run->offset == run->row.device_stride &&
					 copy->host - run->host == run->row.host_stride));
}

/* Whether the copy lies where copies of the run do. */
static bool overlaps(const struct copy_runs *all, const struct copy_run *run,
		     const struct copy *copy)
{
	const struct holder *holder = live_find(&all->holders, copy->object);

	return run_of_holder(all, holder) == run && copy->offset < holder->end &&
	       holder->first < copy->offset + copy->bytes;
}

/* Adds it to the run, or returns false. */
static bool continue_run(const struct copy_runs *all, struct copy_run *run, const struct copy *copy)
{
	const bool regular = run->adjoins || run->rows;
	const bool next_adjoins = run->adjoins && adjoins(run, copy);
	const bool next_row = run->rows && is_row(run, copy);

	if (!run->serial || !is_next_call(run, copy) || overlaps(all, run, copy))
		return false;
	/* what is regular so far is worth more than a longer run that is not */
	if (!next_adjoins && !next_row &&
	    (!copy->from_host || (regular && run->row.copies >= LEAST)))
		return false;
	if (run->row.copies == 1 && next_row) {
		run->row.device_stride = copy->offset - run->offset;
		run->row.host_stride = copy->host - run->host;
	}
	run->adjoins = next_adjoins;
	run->rows = next_row;
	return true;
}

static void start_run(struct copy_runs *all, struct copy_run *run, const struct copy *copy)
{
	const struct build_event *event = copy->event;

	if (run->serial)
		end_run(all, run);
	*run = (struct copy_run){
		.row = {.vertex = event->vertex,
			.site = all->profile->objects[copy->object].site,
			.process = event->process,
			.first = event->invocation,
			.from_host = copy->from_host},
		.serial = ++all->serials,
		.adjoins = true,
		.rows = true,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
	};
}

static void hold(struct copy_runs *all, const struct copy_run *run, const struct copy *copy)
{
	struct holder *holder = live_object(&all->holders, copy->object);
	struct copy_run *other = run_of_holder(all, holder);
	const uint64_t end = copy->offset + copy->bytes;

	if (other && other != run)
		end_run(all, other);
	if (other != run) {
		holder->vertex = run->row.vertex;
		holder->serial = run->serial;
		holder->first = copy->offset;
		holder->end = end;
	}
	if (copy->offset < holder->first)
		holder->first = copy->offset;
	if (end > holder->end)
		holder->end = end;
}

static void take_copy(struct copy_runs *all, const struct copy *copy)
{
	struct copy_run *run = run_of(all, copy->event->vertex);

	if (!continue_run(all, run, copy))
		start_run(all, run, copy);
	run->row.copies++;
	profile_add(&run->row.bytes, copy->bytes);
	run->seen = run->copied = copy->event->number;
	run->object = copy->object;
	run->offset = copy->offset;
	run->bytes = copy->bytes;
	run->host = copy->host;
	hold(all, run, copy);
}

/* Others may have read the object, and can from now on. */
static void take_unseen(struct copy_runs *all, uint32_t object)
{
	struct holder *holder = live_object(&all->holders, object);
	struct copy_run *run = run_of_holder(all, holder);

	if (run)
		end_run(all, run);
	holder->unseen = true;
}

/* -- what it is told -- */

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct copy_runs *all = state;

	if (event->vertex != PROFILE_NO_VERTEX && event->vertex < all->run_count) {
		struct copy_run *run = &all->runs[event->vertex];

		/* of the call before this one it is not known what it copied */
		if (run->serial && run->seen != run->copied)
			end_run(all, run);
		run->seen = event->number;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct copy_run *run = run_of_holder(all, live_find(&all->holders, rows[i].object));

		if (run && run->row.vertex != event->vertex &&
		    (run->row.from_host || rows[i].access == TRACE_WRITE))
			end_run(all, run);
	}
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct copy_runs *all = state;
	const struct gpu_transfer *transfer = record->payload;
	struct copy copy = {.event = event, .object = record->object};
	const struct profile_object *object;
	const struct holder *holder;

	(void)error; /* transfers.c says what makes no sense */
	if (record->kind == GPU_RECORD_READ_UNSEEN) {
		if (record->object == BUILD_NO_OBJECT)
			end_all(all);
		else if (!record->freed)
			take_unseen(all, record->object);
		return 0;
	}
	holder = live_find(&all->holders, record->object);
	object = &all->profile->objects[record->object];
	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX || record->freed ||
	    (holder && holder->unseen) || !profile_is_device_memory(object) || !transfer->bytes ||
	    transfer->bytes > SMALL || transfer->offset > object->size ||
	    transfer->bytes > object->size - transfer->offset)
		return 0;
	copy.offset = transfer->offset;
	copy.bytes = transfer->bytes;
	copy.from_host = transfer->from_host;
	copy.host = record->size >= sizeof(*transfer) ? transfer->host : 0;
	take_copy(all, &copy);
	return 0;
}

static void freed(void *state, const struct build_event *event, uint32_t object)
{
	struct copy_runs *all = state;
	struct holder *holder = live_find(&all->holders, object);
	struct copy_run *run = run_of_holder(all, holder);

	(void)event;
	if (run)
		end_run(all, run);
	if (holder)
		live_drop(&all->holders, holder);
}

static void process_end(void *state, const struct build_event *last)
{
	struct copy_runs *all = state;

	(void)last;
	end_all(all);
	live_release(&all->holders);
}

static void end(void *state)
{
	struct copy_runs *all = state;

	if (all->left_out)
		profile_add_coverage(all->profile, COVERAGE_COPY_RUNS_FIRST_ONLY, NULL,
				     all->left_out, 0);
	live_release(&all->holders);
	free(all->runs);
	free(all);
}

const struct build_analysis build_copy_runs = {
	.name = "copy_runs",
	.kinds = (const uint32_t[]){GPU_RECORD_TRANSFER, GPU_RECORD_READ_UNSEEN, 0},
	.begin = begin,
	.event = take,
	.freed = freed,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
