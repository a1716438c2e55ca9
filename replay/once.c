/* replay/once.c: see replay/once.h. */
#include "replay/once.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/intern.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum {
	LATER_MOST = 1000, /* calls of a function that its median is of */
	USUAL_NS = 5000,   /* of a call, where the run has no other of its kind */
};

/* The calls of a function on a device of a process. */
struct function {
	uint32_t first, kind; /* call; number */
	uint32_t later;       /* how many came after the first one, at most LATER_MOST */
};

struct sample { /* a later call */
	uint32_t function, kind;
	uint64_t ns;
};

struct finder {
	const struct profile *profile;
	uint64_t *own;           /* by call: its time without its waits */
	uint32_t *names, *kinds; /* by api */
	struct function *functions;
	uint32_t function_count, function_capacity;
	struct sample *samples;
	uint32_t sample_count, sample_capacity;
};

static bool is_emulated(const struct profile *profile, uint32_t process)
{
	return process < profile->process_count && profile->processes[process].provider &&
	       !strcmp(profile->processes[process].provider, "emulated");
}

static uint64_t *own_times(const struct profile *profile)
{
	uint64_t *own = xcalloc(profile->timeline_count + (size_t)1, sizeof(*own));

	for (uint32_t c = 0; c < profile->timeline_count; c++)
		if (profile->timeline[c].end_ns > profile->timeline[c].start_ns)
			own[c] = profile->timeline[c].end_ns - profile->timeline[c].start_ns;
	for (uint32_t w = 0; w < profile->wait_count; w++) {
		const struct profile_wait *wait = &profile->waits[w];

		if (wait->call < profile->timeline_count)
			own[wait->call] -=
				wait->wait_ns < own[wait->call] ? wait->wait_ns : own[wait->call];
	}
	return own;
}

static void number_apis(struct finder *finder)
{
	const struct profile *profile = finder->profile;
	struct intern names = {0}, kinds = {0};

	finder->names = xcalloc(profile->api_count + (size_t)1, sizeof(*finder->names));
	finder->kinds = xcalloc(profile->api_count + (size_t)1, sizeof(*finder->kinds));
	for (uint32_t i = 0; i < profile->api_count; i++) {
		const struct profile_api *api = &profile->apis[i];
		/* a kernel may have the name of a function */
		char *name = xasprintf("%s %s", api->kind, api->name);

		intern_text(&names, name, &finder->names[i]);
		intern_text(&kinds, api->kind, &finder->kinds[i]);
		free(name);
	}
	intern_release(&names);
	intern_release(&kinds);
}

static void take_call(struct finder *finder, uint32_t call, uint32_t index, uint32_t kind)
{
	struct function *function;

	if (index == finder->function_count) {
		ARRAY_RESERVE(finder->functions, finder->function_count, finder->function_capacity);
		finder->functions[finder->function_count++] =
			(struct function){.first = call, .kind = kind};
		return;
	}
	function = &finder->functions[index];
	if (function->later == LATER_MOST)
		return;
	function->later++;
	ARRAY_RESERVE(finder->samples, finder->sample_count, finder->sample_capacity);
	finder->samples[finder->sample_count++] = (struct sample){index, kind, finder->own[call]};
}

static void take_calls(struct finder *finder)
{
	const struct profile *profile = finder->profile;
	struct pair_map devices = {0}, functions = {0}, kinds = {0};
	uint32_t device_count = 0, kind_count = 0;

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];
		uint32_t device, index, kind;

		if (is_emulated(profile, call->process))
			continue;
		device_count += !pair_map_find(&devices, call->process, call->device, device_count,
					       &device);
		kind_count +=
			!pair_map_find(&kinds, device, finder->kinds[call->api], kind_count, &kind);
		pair_map_find(&functions, device, finder->names[call->api], finder->function_count,
			      &index);
		take_call(finder, c, index, kind);
	}
	pair_map_release(&devices);
	pair_map_release(&functions);
	pair_map_release(&kinds);
}

/* -- what they take later -- */

static int by_function(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_kind(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static uint32_t kind_of(const struct sample *sample)
{
	return sample->kind;
}

static uint32_t function_of(const struct sample *sample)
{
	return sample->function;
}

/* By function or by kind, of which there are at most `count`.  Caller frees. */
static uint64_t *medians(struct finder *finder, uint32_t count,
			 uint32_t (*of)(const struct sample *),
			 int (*order)(const void *, const void *))
{
	struct sample *samples = finder->samples;
	uint64_t *found = xcalloc(count + (size_t)1, sizeof(*found));

	for (uint32_t i = 0; i < count; i++)
		found[i] = USUAL_NS;
	if (finder->sample_count)
		qsort(samples, finder->sample_count, sizeof(*samples), order);
	for (uint32_t i = 0, end; i < finder->sample_count; i = end) {
		for (end = i; end < finder->sample_count && of(&samples[end]) == of(&samples[i]);)
			end++;
		found[of(&samples[i])] = samples[i + (end - i) / 2].ns;
	}
	return found;
}

static bool is_copy(const struct profile *profile, uint32_t call)
{
	return !strcmp(profile->apis[profile->timeline[call].api].kind, "memcpy");
}

/*
 * The time of a copy grows with its bytes, so that a long first one proves nothing after its
 * operation has begun, for which all must be there; nor where no operation tells that, unless it is
 * the first call of all.  A first launch or set goes on with such work when its operation has
 * begun.
 */
static void end_at_copies(const struct profile *profile, uint64_t *once)
{
	bool *operates = xcalloc(profile->timeline_count + (size_t)1, sizeof(*operates));

	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		uint64_t start, before;

		if (time->call >= profile->timeline_count)
			continue;
		operates[time->call] = true;
		if (!is_copy(profile, time->call))
			continue;
		start = profile->timeline[time->call].start_ns;
		before = time->start_ns > start ? time->start_ns - start : 0;
		if (once[time->call] > before)
			once[time->call] = before;
	}
	for (uint32_t c = 1; c < profile->timeline_count; c++)
		if (!operates[c] && is_copy(profile, c) &&
		    profile->timeline[c].process == profile->timeline[c - 1].process)
			once[c] = 0;
	free(operates);
}

uint64_t *replay_once(const struct profile *profile)
{
	struct finder finder = {.profile = profile, .own = own_times(profile)};
	uint64_t *once = xcalloc(profile->timeline_count + (size_t)1, sizeof(*once));
	uint64_t *of_functions, *of_kinds;

	number_apis(&finder);
	take_calls(&finder);
	of_functions = medians(&finder, finder.function_count, function_of, by_function);
	of_kinds = medians(&finder, finder.function_count, kind_of, by_kind);
	for (uint32_t i = 0; i < finder.function_count; i++) {
		const struct function *function = &finder.functions[i];
		uint64_t own = finder.own[function->first];
		uint64_t later = function->later ? of_functions[i] : of_kinds[function->kind];

		once[function->first] = own > later ? own - later : 0;
	}
	end_at_copies(profile, once);
	free(finder.own);
	free(finder.names);
	free(finder.kinds);
	free(finder.functions);
	free(finder.samples);
	free(of_functions);
	free(of_kinds);
	return once;
}
