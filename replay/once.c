/*
 * replay/once.c: what the first call of a kind pays for those after it: the context, a module, a
 * pool.  Without that call the next one pays.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "util/memory.h"
#include "util/pair_map.h"

/* A first call that takes at least so much more of its thread's own time than the others, and so
 * many times as much, has done something for them. */
enum { LEAST_NS = 50000, LEAST_TIMES = 10 };

/* The calls of a function in a process. */
struct kind {
	uint32_t first;  /* call */
	uint64_t *later; /* own times of those after it; only where the first one may be dear */
	uint32_t count, capacity;
};

static uint64_t own_of(const struct replay *replay, uint32_t index)
{
	const struct call *call = &replay->calls[index];
	uint64_t own = call->rest;

	for (uint32_t i = call->wait; i < call[1].wait; i++)
		own = time_add(own, replay->waits[i].own_ns);
	return own;
}

static int by_name(const void *left, const void *right)
{
	const struct profile_api *const *a = left, *const *b = right;
	int kinds = strcmp((*a)->kind, (*b)->kind);

	return kinds ? kinds : strcmp((*a)->name, (*b)->name);
}

/* Of each row of table api the number of its function: call paths are not told apart. */
static uint32_t *number_functions(const struct profile *profile)
{
	const struct profile_api **sorted = xcalloc(profile->api_count, sizeof(*sorted));
	uint32_t *numbers = xcalloc(profile->api_count, sizeof(*numbers));
	uint32_t number = 0;

	for (uint32_t i = 0; i < profile->api_count; i++)
		sorted[i] = &profile->apis[i];
	if (profile->api_count)
		qsort(sorted, profile->api_count, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < profile->api_count; i++) {
		number += i && by_name(&sorted[i - 1], &sorted[i]) != 0;
		numbers[sorted[i] - profile->apis] = number;
	}
	free(sorted);
	return numbers;
}

/*
 * The time of a copy grows with its bytes, so that a long first one proves nothing; but the first
 * call of all makes the context, whatever it is.
 */
static bool may_be_dear(const struct replay *replay, uint32_t index, uint32_t process)
{
	const struct profile *profile = replay->profile;

	return own_of(replay, index) >= LEAST_NS &&
	       (strcmp(profile->apis[profile->timeline[index].api].kind, "memcpy") != 0 ||
		index == replay->processes[process].first_call);
}

static int by_size(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void set_once(struct replay *replay, struct kind *kind, uint32_t process)
{
	uint64_t own = own_of(replay, kind->first);
	uint64_t usual = (uint64_t)replay->processes[process].lags.own;

	if (kind->count) {
		qsort(kind->later, kind->count, sizeof(*kind->later), by_size);
		usual = kind->later[kind->count / 2];
	}
	if (own / LEAST_TIMES >= usual && own - usual >= LEAST_NS)
		replay->calls[kind->first].once = own - usual;
}

void once_find(struct replay *replay)
{
	uint32_t *functions = number_functions(replay->profile);
	struct pair_map map = {0};
	struct kind *kinds = NULL;
	uint32_t count = 0, capacity = 0;

	for (uint32_t c = 0; c < replay->call_count; c++) {
		const struct profile_timed_call *call = &replay->profile->timeline[c];
		struct kind *kind;
		uint32_t index;

		if (!pair_map_find(&map, call->process, functions[call->api], count, &index)) {
			ARRAY_RESERVE(kinds, count, capacity);
			kinds[count++] = (struct kind){.first = c};
			continue;
		}
		kind = &kinds[index];
		if (!may_be_dear(replay, kind->first, call->process))
			continue;
		ARRAY_RESERVE(kind->later, kind->count, kind->capacity);
		kind->later[kind->count++] = own_of(replay, c);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t process = replay->profile->timeline[kinds[i].first].process;

		if (may_be_dear(replay, kinds[i].first, process))
			set_once(replay, &kinds[i], process);
		free(kinds[i].later);
	}
	free(kinds);
	free(functions);
	pair_map_release(&map);
}
