#include "advice/mends.h"

#include <stdlib.h>
#include <string.h>

#include "advice/order/order.h"
#include "util/memory.h"

struct numbered_call { /* of a vertex */
	uint32_t vertex, process, call;
	uint64_t invocation;
};

struct mend_index {
	const struct run *run;
	struct numbered_call *calls; /* in order of vertices, processes, invocations */
	uint32_t call_count;
	uint32_t *events; /* indices, in order of vertices, then as they are */
	uint32_t event_count;
	/* The calls of row a of table api are api_calls[api_first[a]] to [api_first[a + 1] - 1]. */
	uint32_t *api_first, *api_calls;
	struct times *times;  /* per vertex */
	uint64_t shortest_ns; /* of all operations: of one that has next to nothing to do */
	uint32_t *seen;       /* per object: the number of the finding that has met it */
	uint32_t number;      /* of the finding that is looked at */
};

struct times { /* of the operations of a vertex */
	uint64_t count, sum_ns;
};

/* Which of the calls of an operation on the objects of a site. */
enum choice {
	CHOOSE_ALL,
	CHOOSE_FIRST, /* to each object */
	CHOOSE_LATER, /* all but those */
	CHOOSE_UNCHANGED,
};

/* -- the index -- */

static int by_invocation(const void *left, const void *right)
{
	const struct numbered_call *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->invocation > b->invocation) - (a->invocation < b->invocation);
}

struct keyed_event {
	uint32_t vertex, event;
};

static int by_vertex(const void *left, const void *right)
{
	const struct keyed_event *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

static void index_events(struct mend_index *index)
{
	const struct profile *profile = index->run->profile;
	struct keyed_event *keyed = xcalloc(profile->event_rows, sizeof(*keyed));

	for (uint32_t e = 0; e < profile->event_rows; e++)
		if (profile->events[e].vertex != PROFILE_NO_VERTEX)
			keyed[index->event_count++] =
				(struct keyed_event){profile->events[e].vertex, e};
	if (index->event_count)
		qsort(keyed, index->event_count, sizeof(*keyed), by_vertex);
	index->events = xcalloc(index->event_count, sizeof(*index->events));
	for (uint32_t i = 0; i < index->event_count; i++)
		index->events[i] = keyed[i].event;
	free(keyed);
}

static void index_apis(struct mend_index *index)
{
	const struct profile *profile = index->run->profile;
	uint32_t *next = xcalloc(profile->api_count + (size_t)1, sizeof(*next));

	index->api_first = xcalloc(profile->api_count + (size_t)1, sizeof(*index->api_first));
	index->api_calls = xcalloc(profile->timeline_count, sizeof(*index->api_calls));
	for (uint32_t c = 0; c < profile->timeline_count; c++)
		index->api_first[profile->timeline[c].api + 1]++;
	for (uint32_t a = 0; a < profile->api_count; a++) {
		index->api_first[a + 1] += index->api_first[a];
		next[a] = index->api_first[a];
	}
	for (uint32_t c = 0; c < profile->timeline_count; c++)
		index->api_calls[next[profile->timeline[c].api]++] = c;
	free(next);
}

static void index_times(struct mend_index *index)
{
	const struct profile *profile = index->run->profile;

	index->times = xcalloc(profile->graph->vertex_count, sizeof(*index->times));
	index->shortest_ns = UINT64_MAX;
	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		uint64_t ns = time->end_ns - time->start_ns;
		struct times *times;

		if (ns < index->shortest_ns)
			index->shortest_ns = ns;
		if (time->vertex == PROFILE_NO_VERTEX)
			continue;
		times = &index->times[graph_find(profile->graph, time->vertex)];
		times->count++;
		profile_add(&times->sum_ns, ns);
	}
}

struct mend_index *mend_index_new(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct mend_index *index = xcalloc(1, sizeof(*index));

	index->run = run;
	index->calls = xcalloc(profile->timeline_count, sizeof(*index->calls));
	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];
		uint32_t vertex = profile->apis[call->api].vertex;

		if (vertex != PROFILE_NO_VERTEX)
			index->calls[index->call_count++] =
				(struct numbered_call){vertex, call->process, c, call->invocation};
	}
	if (index->call_count)
		qsort(index->calls, index->call_count, sizeof(*index->calls), by_invocation);
	index_events(index);
	index_apis(index);
	index_times(index);
	index->seen = xcalloc(profile->object_count, sizeof(*index->seen));
	return index;
}

void mend_index_free(struct mend_index *index)
{
	free(index->calls);
	free(index->events);
	free(index->api_first);
	free(index->api_calls);
	free(index->times);
	free(index->seen);
	free(index);
}

/* -- changes -- */

static struct replay_change *add(struct mend *mend, enum replay_change_kind kind,
				 enum replay_subject subject, uint32_t of)
{
	struct replay_change *change;

	ARRAY_RESERVE(mend->changes, mend->count, mend->capacity);
	change = &mend->changes[mend->count++];
	*change = (struct replay_change){.kind = kind, .subject = subject, .index = of};
	mend->sure = mend->count;
	return change;
}

/* The call of the timeline that is this invocation; PROFILE_NO_ROW: there is none. */
static uint32_t call_of_invocation(const struct mend_index *index, uint32_t vertex,
				   uint32_t process, uint64_t invocation)
{
	const struct numbered_call key = {.vertex = vertex,
					  .process = process,
					  .invocation = invocation},
				   *found = NULL;

	if (index->call_count)
		found = bsearch(&key, index->calls, index->call_count, sizeof(key), by_invocation);
	return found ? found->call : PROFILE_NO_ROW;
}

/* The call of the timeline that the event is; PROFILE_NO_ROW: it has none. */
static uint32_t call_of(const struct mend_index *index, const struct profile_event *event)
{
	return call_of_invocation(index, event->vertex, event->process, event->invocation);
}

/* What an event did to objects of the site. */
struct effect {
	bool touches, first; /* first: the first of the vertex to one of the objects */
	uint64_t bytes, unchanged;
};

static struct effect effect_of(struct mend_index *index, const struct profile_event *event,
			       uint32_t site)
{
	const struct profile *profile = index->run->profile;
	struct effect effect = {false};

	for (uint32_t i = 0; i < event->access_count; i++) {
		const struct profile_access *access = &profile->accesses[event->first_access + i];

		if (profile->objects[access->object].site != site)
			continue;
		effect.touches = true;
		effect.first |= index->seen[access->object] != index->number;
		index->seen[access->object] = index->number;
		if (access->access != GRAPH_WRITE)
			continue;
		effect.bytes += access->bytes;
		if (access->redundant_value_bytes != PROFILE_UNKNOWN)
			effect.unchanged += access->redundant_value_bytes;
	}
	return effect;
}

static bool is_chosen(const struct effect *effect, enum choice choice)
{
	switch (choice) {
	case CHOOSE_FIRST:
		return effect->first;
	case CHOOSE_LATER:
		return !effect->first;
	case CHOOSE_UNCHANGED:
		return effect->bytes && effect->unchanged == effect->bytes;
	default:
		return true;
	}
}

/* The first of the vertex's events. */
static uint32_t first_event(const struct mend_index *index, uint32_t vertex)
{
	uint32_t low = 0, high = index->event_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (index->run->profile->events[index->events[middle]].vertex < vertex)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Removes calls of the finding's operation on its objects, as far as it is known which they are. */
static void remove_calls(struct mend_index *index, struct mend *mend,
			 const struct profile_finding *finding, enum choice choice)
{
	const struct profile *profile = index->run->profile;
	const struct graph_vertex *vertex =
		&profile->graph->vertices[graph_find(profile->graph, finding->vertex)];
	uint64_t known = 0;

	/* all that it does is about this object */
	if (choice == CHOOSE_ALL && finding->invocations >= vertex->invocations) {
		add(mend, REPLAY_REMOVE, REPLAY_VERTEX, finding->vertex);
		return;
	}
	for (uint32_t i = first_event(index, finding->vertex); i < index->event_count; i++) {
		const struct profile_event *event = &profile->events[index->events[i]];
		struct effect effect;
		uint32_t call;

		if (event->vertex != finding->vertex)
			break;
		known++;
		effect = effect_of(index, event, finding->object);
		if (!effect.touches || !is_chosen(&effect, choice))
			continue;
		call = call_of(index, event);
		if (call != PROFILE_NO_ROW)
			add(mend, REPLAY_REMOVE, REPLAY_CALL, call);
	}
	/* of a long run the profile has the first calls only */
	mend->at_least |= known < vertex->invocations;
}

/*
 * Copies and sets less: the part of their time that grows with the bytes shrinks with them.  For
 * sure that is what they take more than the shortest operation, and at most all of it.
 */
static void shorten(const struct mend_index *index, struct mend *mend,
		    const struct profile_finding *finding)
{
	const struct graph *graph = index->run->profile->graph;
	const struct times *times = &index->times[graph_find(graph, finding->vertex)];
	const double part = finding->fraction < 1 ? finding->fraction : 1;
	const double sum = (double)times->sum_ns;
	const double fixed = (double)index->shortest_ns * (double)times->count;
	struct replay_change *change = add(mend, REPLAY_SHORTEN, REPLAY_VERTEX, finding->vertex);
	uint32_t sure;

	change->scaled = true;
	change->fraction = sum > fixed ? 1 - part * (1 - fixed / sum) : 1;
	sure = mend->sure;
	change = add(mend, REPLAY_SHORTEN, REPLAY_VERTEX, finding->vertex);
	change->scaled = true;
	change->fraction = 1 - part;
	mend->sure = sure;
}

/* Of the waits of the finding's calls, those that are needed for this. */
static void change_waits(const struct mend_index *index, struct mend *mend,
			 const struct profile_finding *finding, enum replay_change_kind kind,
			 unsigned needs)
{
	const unsigned char *of = index->run->wait_needs;

	for (uint32_t i = index->api_first[finding->api];
	     of && i < index->api_first[finding->api + 1]; i++)
		if (needs >> of[index->api_calls[i]] & 1)
			add(mend, kind, REPLAY_CALL, index->api_calls[i]);
}

/* From the call's return on, so much of the thread's own time passes in `ns`. */
static uint64_t own_within(const struct mend_index *index, uint32_t call, uint64_t ns)
{
	enum { CALLS_MOST = 1000 }; /* then less is said */
	const struct profile *profile = index->run->profile;
	const struct profile_timed_call *timed = &profile->timeline[call];
	uint64_t at = timed->end_ns, until = at + ns, own = 0;

	for (uint32_t c = call + 1; c < profile->timeline_count && c - call <= CALLS_MOST; c++) {
		const struct profile_timed_call *next = &profile->timeline[c];
		uint64_t busy, waited = timing_wait_ns(index->run->timing, c);

		if (next->process != timed->process || next->start_ns >= until)
			return own + (until - at);
		if (next->thread != timed->thread || next->start_ns < at)
			continue;
		busy = next->end_ns - next->start_ns;
		busy -= waited < busy ? waited : busy;
		own += next->start_ns - at;
		if (next->end_ns >= until)
			return own +
			       (busy < until - next->start_ns ? busy : until - next->start_ns);
		own += busy;
		at = next->end_ns;
	}
	return own;
}

/* They wait when the host first uses what they protect: those that the pass `use` watches. */
static void move_waits(const struct mend_index *index, struct mend *mend,
		       const struct profile_finding *finding)
{
	const struct timing *timing = index->run->timing;
	const uint64_t after_ns = run_first_use_ns(index->run, finding->api);

	for (uint32_t i = index->api_first[finding->api]; i < index->api_first[finding->api + 1];
	     i++) {
		const uint32_t call = index->api_calls[i];
		const struct profile_timed_call *timed = &index->run->profile->timeline[call];
		struct replay_change *change;

		if (!run_is_watched(timed->invocation)) {
			mend->at_least = true;
			continue;
		}
		change = add(mend, REPLAY_MOVE, REPLAY_CALL, call);
		change->ns = own_within(index, call, after_ns);
		if (timing->operations[call] < timing->operations[call + 1]) {
			/* the rest of the copy's own time comes first */
			change->ns +=
				timed->end_ns - timed->start_ns - timing_wait_ns(timing, call);
			mend->at_least = true; /* pinned memory is copied faster */
		}
	}
}

static bool is(const char *text, const char *word)
{
	return text && !strcmp(text, word);
}

/* -- by action -- */

static void mend_wait(const struct mend_index *index, struct mend *mend,
		      const struct profile_finding *finding)
{
	const unsigned unneeded = 1u << WAIT_UNNEEDED;

	if (is(finding->action, "make_async")) {
		/* something has to keep the host from changing the source meanwhile */
		change_waits(index, mend, finding, REPLAY_ASYNC, unneeded);
		mend->at_most = true;
	} else if (is(finding->action, "copy_on_host") || is(finding->action, "free_async") ||
		   is(finding->action, "free_later")) {
		change_waits(index, mend, finding, REPLAY_NO_WAIT, unneeded);
		mend->at_least = true; /* their own work, too */
	} else if (is(finding->action, "order_on_device")) {
		/* the device waits instead */
		change_waits(index, mend, finding, REPLAY_REMOVE, unneeded | 1u << WAIT_ORDERS);
		mend->at_most = true;
	} else {
		change_waits(index, mend, finding, REPLAY_REMOVE, unneeded);
	}
}

static void mend_round_trip(struct mend_index *index, struct mend *mend,
			    const struct profile_finding *finding)
{
	remove_calls(index, mend, finding, CHOOSE_ALL);
	/* some of its copies brought something else */
	mend->at_most |= mend->count > 1 && mend->count > finding->invocations;
	for (uint32_t i = 0; i < finding->other_count; i++) {
		uint32_t sure = mend->sure;

		/* the host may need what it fetched */
		add(mend, REPLAY_REMOVE, REPLAY_VERTEX, finding->others[i]);
		mend->sure = sure;
	}
}

static void mend_loop(struct mend *mend, const struct profile_finding *finding)
{
	add(mend, REPLAY_HOIST, REPLAY_API, finding->api);
	for (uint32_t i = 0; i < finding->other_count; i++)
		add(mend, REPLAY_HOIST, REPLAY_VERTEX, finding->others[i]);
}

/* What the device spends on the call's operations. */
static uint64_t operations_ns(const struct timing *timing, uint32_t call)
{
	uint64_t ns = 0;

	for (uint32_t o = timing->operations[call]; o < timing->operations[call + 1]; o++)
		profile_add(&ns, timing->profile->gpu_times[o].end_ns -
					 timing->profile->gpu_times[o].start_ns);
	return ns;
}

/* One of the run's copies stays: of those to the device the last, when the host has all bytes. */
static uint32_t remove_run(const struct mend_index *index, struct mend *mend,
			   const struct profile_copy_run *run, uint64_t *sum_ns)
{
	const uint64_t stays = run->from_host ? run->first + run->copies - 1 : run->first;
	uint32_t kept = PROFILE_NO_ROW;

	for (uint64_t i = run->first; i < run->first + run->copies; i++) {
		const uint32_t call = call_of_invocation(index, run->vertex, run->process, i);

		if (call == PROFILE_NO_ROW) {
			mend->at_least = true; /* the timeline has the first calls only */
			break;
		}
		profile_add(sum_ns, operations_ns(index->run->timing, call));
		if (i == stays)
			kept = call;
		else
			add(mend, REPLAY_REMOVE, REPLAY_CALL, call);
	}
	return kept;
}

static void set_ns(struct mend *mend, uint32_t call, uint64_t ns)
{
	if (call != PROFILE_NO_ROW)
		add(mend, REPLAY_SHORTEN, REPLAY_CALL, call)->ns = ns;
}

/*
 * One copy in place of each run.  For sure it takes no longer than all of them together, and at
 * least that without what the shortest operation takes, for each that has gone.
 */
static void mend_small_copies(const struct mend_index *index, struct mend *mend,
			      const struct profile_finding *finding)
{
	const struct profile *profile = index->run->profile;
	const uint32_t shape = is(finding->action, "copy_together") ? PROFILE_COPY_RUN_ADJOINING
			       : is(finding->action, "copy_2d")     ? PROFILE_COPY_RUN_ROWS
								    : PROFILE_COPY_RUN_SCATTERED;
	struct {
		uint32_t call;
		uint64_t ns;
	} *kept = xcalloc((size_t)profile->copy_run_count + 1, sizeof(*kept));
	uint32_t count = 0, sure;

	for (uint32_t i = 0; i < profile->copy_run_count; i++) {
		const struct profile_copy_run *run = &profile->copy_runs[i];
		uint64_t ns = 0, fixed = (run->copies - 1) * index->shortest_ns;

		if (run->vertex != finding->vertex || run->shape != shape)
			continue;
		kept[count].call = remove_run(index, mend, run, &ns);
		set_ns(mend, kept[count].call, ns);
		kept[count++].ns = fixed < ns ? ns - fixed : index->shortest_ns;
	}
	sure = mend->sure;
	for (uint32_t i = 0; i < count; i++)
		set_ns(mend, kept[i].call, kept[i].ns);
	mend->sure = sure;
	/* the host has to put it together, or the kernels have to look elsewhere */
	mend->at_most |= shape == PROFILE_COPY_RUN_SCATTERED;
	free(kept);
}

static const struct {
	const char *action;
	enum choice choice;
	bool at_least, at_most;
} removals[] = {
	{"delete", CHOOSE_ALL, false, false},
	{"delete_one", CHOOSE_ALL, false, false},
	{"delete_first", CHOOSE_FIRST, false, false},
	{"copy_once", CHOOSE_LATER, false, false},
	{"set_once", CHOOSE_LATER, false, false},
	{"launch_once", CHOOSE_LATER, false, false},
	{"copy_when_changed", CHOOSE_UNCHANGED, false, false},
	{"store_instead", CHOOSE_ALL, true, false}, /* and the kernel reads less */
	{"share", CHOOSE_ALL, true, false},         /* and no object is needed */
	{"set_instead", CHOOSE_ALL, false, true},
	{"copy_on_host", CHOOSE_ALL, false, true}, /* and maybe not all of them */
};

static void mend_operation(struct mend_index *index, struct mend *mend,
			   const struct profile_finding *finding)
{
	for (size_t i = 0; i < sizeof(removals) / sizeof(*removals); i++) {
		if (!is(finding->action, removals[i].action))
			continue;
		remove_calls(index, mend, finding, removals[i].choice);
		mend->at_least |= removals[i].at_least;
		mend->at_most |= removals[i].at_most;
		return;
	}
	if (is(finding->action, "copy_range") || is(finding->action, "set_range"))
		shorten(index, mend, finding);
	else if (is(finding->action, "keep_on_device")) /* what is kept may have to be copied */
		remove_calls(index, mend, finding, CHOOSE_LATER), mend->at_most = true;
	else if (is(finding->action, "allocate_once"))
		add(mend, REPLAY_HOIST, REPLAY_VERTEX, finding->vertex), mend->at_least = true;
}

/* They wait for one stream only, or are in it. */
static void narrow_waits(const struct mend_index *index, struct mend *mend,
			 const struct profile_finding *finding)
{
	struct replay_change *change = add(mend, REPLAY_NARROW, REPLAY_API, finding->api);

	change->stream = index->run->wait_breadths[finding->api].stream;
}

struct mend mend_of(struct mend_index *index, const struct profile_finding *finding)
{
	struct mend mend = {0};

	index->number++;

	if (is(finding->pattern, "unnecessary_wait"))
		mend_wait(index, &mend, finding);
	else if (is(finding->pattern, "misplaced_wait"))
		move_waits(index, &mend, finding);
	else if (is(finding->pattern, "broad_wait"))
		narrow_waits(index, &mend, finding);
	else if (is(finding->pattern, "consecutive_waits"))
		change_waits(index, &mend, finding, REPLAY_REMOVE, 1u << WAIT_REPEATED);
	else if (is(finding->pattern, "pageable_copy"))
		add(&mend, REPLAY_ASYNC, REPLAY_API, finding->api), mend.at_least = true;
	else if (is(finding->pattern, "many_small_copies"))
		mend_small_copies(index, &mend, finding);
	else if (is(finding->pattern, "free_in_loop"))
		mend_loop(&mend, finding);
	else if (is(finding->pattern, "round_trip"))
		mend_round_trip(index, &mend, finding);
	else if (finding->vertex != GRAPH_HOST)
		mend_operation(index, &mend, finding);
	if (is(finding->pattern, "unused_allocation"))
		mend.at_least = true; /* nobody has to free it */
	return mend;
}

void mend_release(struct mend *mend)
{
	free(mend->changes);
	*mend = (struct mend){0};
}

static void copy_change(struct mend *mend, const struct replay_change *change)
{
	ARRAY_RESERVE(mend->changes, mend->count, mend->capacity);
	mend->changes[mend->count++] = *change;
}

void mend_add(struct mend *mend, const struct mend *other)
{
	const uint32_t maybe = mend->count - mend->sure;
	struct replay_change *changes = xcalloc(maybe, sizeof(*changes));

	if (maybe)
		memcpy(changes, mend->changes + mend->sure, maybe * sizeof(*changes));
	mend->count = mend->sure;
	for (uint32_t i = 0; i < other->sure; i++)
		copy_change(mend, &other->changes[i]);
	mend->sure = mend->count;
	for (uint32_t i = 0; i < maybe; i++)
		copy_change(mend, &changes[i]);
	for (uint32_t i = other->sure; i < other->count; i++)
		copy_change(mend, &other->changes[i]);
	mend->at_least |= other->at_least;
	mend->at_most |= other->at_most;
	free(changes);
}
