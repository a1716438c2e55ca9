/* graph/build/join.c: see build/join.h. */
#include "graph/build/join.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/text.h"

/* A context in the process that is read. */
struct tally {
	uint64_t there, here; /* calls in the run that makes the graph, and in this one */
	uint32_t objects;     /* that it has made in this one */
};

enum difference { MISSING, EXTRA, FEWER, MORE, DIFFERENCES };

struct sum {
	uint64_t contexts, there, here;
};

struct join {
	const struct profile *profile;
	const struct merge *merge;
	struct calls *processes; /* of the run that makes the graph, as in the profile */
	uint32_t process_count, process_capacity;
	uint32_t process;      /* the one that is read stands for this */
	struct tally *tallies; /* by context */
	uint32_t tally_count;
	uint32_t *touched; /* contexts whose tally is not all 0 */
	uint32_t touched_count, touched_capacity;
	uint32_t
		*objects; /* indices into profile->objects by process, site, order; NULL: not yet */
	/* of the run */
	struct sum sums[DIFFERENCES];
	uint64_t objects_left, facts_left;
};

struct join *join_new(const struct profile *profile, const struct merge *merge)
{
	struct join *join = xcalloc(1, sizeof(*join));

	join->profile = profile;
	join->merge = merge;
	return join;
}

void join_free(struct join *join)
{
	if (!join)
		return;
	for (uint32_t i = 0; i < join->process_count; i++)
		calls_release(&join->processes[i]);
	free(join->processes);
	free(join->tallies);
	free(join->touched);
	free(join->objects);
	free(join);
}

/* The tally of the context, which will not be all 0 any more. */
static struct tally *touch(struct join *join, uint32_t context)
{
	struct tally *tally;

	if (context >= join->tally_count) {
		uint32_t count = join->tally_count ? join->tally_count : 64;

		while (count <= context)
			count *= 2;
		join->tallies = xreallocarray(join->tallies, count, sizeof(*join->tallies));
		memset(join->tallies + join->tally_count, 0,
		       (count - join->tally_count) * sizeof(*join->tallies));
		join->tally_count = count;
	}
	tally = &join->tallies[context];
	if (!tally->there && !tally->here && !tally->objects) {
		ARRAY_RESERVE(join->touched, join->touched_count, join->touched_capacity);
		join->touched[join->touched_count++] = context;
	}
	return tally;
}

static void forget_tallies(struct join *join)
{
	for (uint32_t i = 0; i < join->touched_count; i++)
		join->tallies[join->touched[i]] = (struct tally){0};
	join->touched_count = 0;
}

/* -- the run that makes the graph -- */

void join_count_call(struct join *join, uint32_t context)
{
	touch(join, context)->here++;
}

void join_keep_process(struct join *join, uint32_t process)
{
	struct calls *to;

	while (join->process_count <= process) {
		ARRAY_RESERVE(join->processes, join->process_count, join->process_capacity);
		join->processes[join->process_count++] = (struct calls){0};
	}
	to = &join->processes[process];
	to->contexts = xcalloc(join->touched_count + 1, sizeof(*to->contexts));
	to->count = join->touched_count;
	for (uint32_t i = 0; i < to->count; i++)
		to->contexts[i] = (struct called){
			.context = join->touched[i],
			.calls = join->tallies[join->touched[i]].here,
		};
	calls_sort(to);
	forget_tallies(join);
}

struct calls join_calls(const struct join *join, uint32_t process)
{
	return process < join->process_count ? join->processes[process] : (struct calls){0};
}

/* -- objects -- */

static int by_process_and_site(const void *left, const void *right, void *profile)
{
	const struct profile_object *objects = ((const struct profile *)profile)->objects;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct profile_object *a = &objects[i], *b = &objects[k];

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return i < k ? -1 : i > k;
}

static void sort_objects(struct join *join)
{
	uint32_t count = join->profile->object_count;

	join->objects = xcalloc(count + 1, sizeof(*join->objects));
	for (uint32_t i = 0; i < count; i++)
		join->objects[i] = i;
	qsort_r(join->objects, count, sizeof(*join->objects), by_process_and_site,
		(void *)join->profile);
}

/* The n-th object, from 0, of the site in the process that is read; NULL: there are not so many. */
static const struct profile_object *find_object(const struct join *join, uint32_t site, uint32_t n)
{
	const struct profile_object *objects = join->profile->objects, *found;
	uint32_t low = 0, high = join->profile->object_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct profile_object *object = &objects[join->objects[middle]];

		if (object->process < join->process ||
		    (object->process == join->process && object->site < site))
			low = middle + 1;
		else
			high = middle;
	}
	if (n >= join->profile->object_count - low)
		return NULL;
	found = &objects[join->objects[low + n]];
	return found->process == join->process && found->site == site ? found : NULL;
}

uint32_t join_object(struct join *join, uint32_t context, uint64_t size, uint32_t memory)
{
	uint32_t site = merge_vertex(join->merge, context), n = touch(join, context)->objects++;
	const struct profile_object *object = site == NO_VERTEX ? NULL : find_object(join, site, n);

	if (!object || object->size != size || object->memory != memory)
		return BUILD_NO_OBJECT;
	return (uint32_t)(object - join->profile->objects);
}

void join_drop_object(struct join *join)
{
	join->objects_left++;
}

void join_drop_record(struct join *join)
{
	join->facts_left++;
}

/* -- another run -- */

void join_begin_process(struct join *join, uint32_t process)
{
	if (!join->objects)
		sort_objects(join);
	join->process = process;
	if (process >= join->process_count)
		return;
	for (uint32_t i = 0; i < join->processes[process].count; i++) {
		const struct called *called = &join->processes[process].contexts[i];

		touch(join, called->context)->there = called->calls;
	}
}

bool join_call(struct join *join, uint32_t context)
{
	struct tally *tally = touch(join, context);

	return tally->here++ < tally->there;
}

void join_end_process(struct join *join)
{
	bool seen[MERGE_ORIGINS] = {[MERGE_CALL] = true};

	for (uint32_t i = 0; i < join->touched_count; i++)
		if (join->tallies[join->touched[i]].here)
			seen[merge_origin(join->merge, join->touched[i])] = true;
	for (uint32_t i = 0; i < join->touched_count; i++) {
		const struct tally *tally = &join->tallies[join->touched[i]];
		enum merge_origin origin = merge_origin(join->merge, join->touched[i]);
		struct sum *sum = &join->sums[!tally->here                 ? MISSING
					      : !tally->there              ? EXTRA
					      : tally->here < tally->there ? FEWER
									   : MORE];

		if (tally->here == tally->there || !seen[origin] || origin == MERGE_WAIT)
			continue;
		sum->contexts++;
		sum->there += tally->there;
		sum->here += tally->here;
	}
	forget_tallies(join);
}

static void say_difference(const struct sum *sum, enum difference which, struct profile *profile,
			   const char *passes)
{
	static const enum coverage_id ids[] = {
		[MISSING] = COVERAGE_PASS_CALLS_MISSING,
		[EXTRA] = COVERAGE_PASS_CALLS_EXTRA,
		[FEWER] = COVERAGE_PASS_CALLS_FEWER,
		[MORE] = COVERAGE_PASS_CALLS_MORE,
	};
	unsigned long long there = sum->there, calls = which == MISSING ? there : sum->here;
	char *detail =
		which == FEWER || which == MORE
			? xasprintf("%s: %llu call%s instead of %llu", passes, calls,
				    text_plural(calls, "", "s"), there)
			: xasprintf("%s: %llu call%s", passes, calls, text_plural(calls, "", "s"));

	profile_add_coverage(profile, ids[which], detail, sum->contexts, 0);
	free(detail);
}

void join_end_run(struct join *join, struct profile *profile, const char *passes)
{
	for (unsigned i = 0; i < DIFFERENCES; i++) {
		if (join->sums[i].contexts)
			say_difference(&join->sums[i], i, profile, passes);
		join->sums[i] = (struct sum){0};
	}
	if (join->objects_left)
		profile_add_coverage(profile, COVERAGE_PASS_OBJECTS_DIFFER, passes,
				     join->objects_left, 0);
	if (join->facts_left)
		profile_add_coverage(profile, COVERAGE_PASS_FACTS_LEFT_OUT, passes,
				     join->facts_left, 0);
	join->objects_left = join->facts_left = 0;
}
