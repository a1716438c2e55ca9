/*
 * graph/build/analysis/accesses.c: the analysis that says how much of objects was accessed, and of
 * which each launch of a kernel has accessed a slice of its own (DrGPUM, 5.2).
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

enum { NONE = UINT32_MAX, SPANS_LEAST = 64 };

struct span {
	uint64_t from, to;
};

/* The launches of a kernel on an object. */
struct user {
	uint32_t object, vertex;
	uint32_t next; /* of the object; or NONE */
	uint64_t launches, largest_bytes;
	/* What they have accessed, in order but for those that came since they were last sorted:
	 * that is done when there are twice as many. */
	struct span *spans;
	uint32_t span_count, span_capacity;
};

struct object {            /* by index */
	uint32_t first;    /* user, or NONE */
	uint32_t accessed; /* row of profile->accessed, or NONE */
	bool overlap;      /* two launches of a kernel have accessed the same: no spans are kept */
};

struct accesses {
	struct profile *profile;
	struct object *objects;
	uint32_t object_count;
	struct user *users;
	uint32_t user_count, user_capacity;
	struct pair_map pairs; /* (object, vertex): user */
};

static void *begin(struct profile *profile)
{
	struct accesses *accesses = xcalloc(1, sizeof(*accesses));

	accesses->profile = profile;
	return accesses;
}

static struct object *object_of(struct accesses *accesses, uint32_t index)
{
	if (index >= accesses->object_count) {
		uint32_t count = 2 * index + 64;

		accesses->objects =
			xreallocarray(accesses->objects, count, sizeof(*accesses->objects));
		while (accesses->object_count < count)
			accesses->objects[accesses->object_count++] =
				(struct object){.first = NONE, .accessed = NONE};
	}
	return &accesses->objects[index];
}

/* -- slices ------------------------------------------------------------------------------- */

static int by_from(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* Sorts the spans and joins those that meet.  False: some overlap. */
static bool sort_spans(struct user *user)
{
	struct span *spans = user->spans;
	uint32_t kept = 0;

	if (user->span_count)
		qsort(spans, user->span_count, sizeof(*spans), by_from);
	for (uint32_t i = 0; i < user->span_count; i++) {
		if (kept && spans[i].from < spans[kept - 1].to)
			return false;
		if (kept && spans[i].from == spans[kept - 1].to)
			spans[kept - 1].to = spans[i].to;
		else
			spans[kept++] = spans[i];
	}
	user->span_count = kept;
	return true;
}

static void give_up(struct accesses *accesses, struct object *object)
{
	object->overlap = true;
	for (uint32_t i = object->first; i != NONE; i = accesses->users[i].next) {
		struct user *user = &accesses->users[i];

		free(user->spans);
		user->spans = NULL;
		user->span_count = user->span_capacity = 0;
	}
}

static struct user *user_of(struct accesses *accesses, struct object *object, uint32_t index,
			    uint32_t vertex)
{
	uint32_t row;

	if (!pair_map_find(&accesses->pairs, index, vertex, accesses->user_count, &row)) {
		ARRAY_RESERVE(accesses->users, accesses->user_count, accesses->user_capacity);
		accesses->users[accesses->user_count] =
			(struct user){.object = index, .vertex = vertex, .next = object->first};
		object->first = accesses->user_count++;
	}
	return &accesses->users[row];
}

static void add_span(struct accesses *accesses, struct object *object, struct user *user,
		     const struct gpu_slice *slice)
{
	if (user->span_count == user->span_capacity) {
		uint32_t capacity;

		if (!sort_spans(user)) {
			give_up(accesses, object);
			return;
		}
		capacity = 2 * user->span_count > SPANS_LEAST ? 2 * user->span_count : SPANS_LEAST;
		user->spans = xreallocarray(user->spans, capacity, sizeof(*user->spans));
		user->span_capacity = capacity;
	}
	user->spans[user->span_count++] = (struct span){slice->offset, slice->end};
	user->launches++;
	if (slice->end - slice->offset > user->largest_bytes)
		user->largest_bytes = slice->end - slice->offset;
}

static int take_slice(struct accesses *accesses, const struct build_event *event, uint32_t index,
		      const struct gpu_slice *slice, struct error *error)
{
	struct object *object = object_of(accesses, index);

	if (slice->offset >= slice->end || slice->end > accesses->profile->objects[index].size)
		return error_set(error, "a slice that is not in its object");
	if (event->vertex != PROFILE_NO_VERTEX && !object->overlap)
		add_span(accesses, object, user_of(accesses, object, index, event->vertex), slice);
	return 0;
}

/* -- what was accessed at all ------------------------------------------------------------- */

static bool makes_sense(const struct gpu_accessed *accessed, uint64_t size)
{
	const uint64_t left = size - accessed->bytes;

	if (accessed->bytes > size || accessed->largest_bytes > left || accessed->chunks > left ||
	    accessed->largest_offset > size - accessed->largest_bytes)
		return false;
	return accessed->chunks == 1
		       ? accessed->largest_bytes == left
		       : !left == !accessed->chunks && !left == !accessed->largest_bytes;
}

static int take_accessed(struct accesses *accesses, uint32_t index,
			 const struct gpu_accessed *accessed, struct error *error)
{
	struct profile *profile = accesses->profile;
	struct object *object = object_of(accesses, index);

	if (!makes_sense(accessed, profile->objects[index].size))
		return error_set(error, "accessed bytes that are not in their object");
	if (object->accessed == NONE) {
		ARRAY_RESERVE(profile->accessed, profile->accessed_count,
			      profile->accessed_capacity);
		object->accessed = profile->accessed_count++;
	}
	profile->accessed[object->accessed] =
		(struct profile_accessed){.object = index,
					  .bytes = accessed->bytes,
					  .chunks = accessed->chunks,
					  .largest_bytes = accessed->largest_bytes,
					  .largest_offset = accessed->largest_offset};
	return 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct accesses *accesses = state;

	if (record->kind == GPU_RECORD_ACCESSED)
		return take_accessed(accesses, record->object, record->payload, error);
	return record->of_call ? take_slice(accesses, event, record->object, record->payload, error)
			       : 0;
}

/* -- the end ------------------------------------------------------------------------------ */

static int by_object(const void *left, const void *right)
{
	const struct profile_accessed *a = left, *b = right;

	return (a->object > b->object) - (a->object < b->object);
}

/* The rows of an object, if its launches do not overlap and there are two of a kernel. */
static void add_slices(struct accesses *accesses, uint32_t index)
{
	struct object *object = &accesses->objects[index];
	struct profile *profile = accesses->profile;
	bool several = false;

	for (uint32_t i = object->first; i != NONE && !object->overlap;
	     i = accesses->users[i].next) {
		several |= accesses->users[i].launches > 1;
		object->overlap = !sort_spans(&accesses->users[i]);
	}
	if (object->overlap || !several)
		return;
	for (uint32_t i = object->first; i != NONE; i = accesses->users[i].next) {
		const struct user *user = &accesses->users[i];

		ARRAY_RESERVE(profile->slices, profile->slice_count, profile->slice_capacity);
		profile->slices[profile->slice_count++] =
			(struct profile_slices){.object = index,
						.vertex = user->vertex,
						.launches = user->launches,
						.largest_bytes = user->largest_bytes};
	}
}

static void end(void *state)
{
	struct accesses *accesses = state;
	struct profile *profile = accesses->profile;

	if (profile->accessed_count)
		qsort(profile->accessed, profile->accessed_count, sizeof(*profile->accessed),
		      by_object);
	for (uint32_t i = 0; i < accesses->object_count; i++)
		add_slices(accesses, i);
	for (uint32_t i = 0; i < accesses->user_count; i++)
		free(accesses->users[i].spans);
	pair_map_release(&accesses->pairs);
	free(accesses->users);
	free(accesses->objects);
	free(accesses);
}

const struct build_analysis build_accesses = {
	.name = "accesses",
	.pass = "access",
	.kinds = (const uint32_t[]){GPU_RECORD_ACCESSED, GPU_RECORD_SLICE, 0},
	.begin = begin,
	.record = take_record,
	.end = end,
};
