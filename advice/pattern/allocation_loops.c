/*
 * advice/pattern/allocation_loops.c: memory that is released and allocated again and again, where
 * that takes a part of the run's time.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "util/memory.h"
#include "util/pair_map.h"
#include "util/text.h"

enum { LOOP = 3 }; /* times that make a loop */

/* Objects of a site that calls of a function from one call path have released. */
struct pair {
	uint32_t site, api; /* vertex id; index */
	uint64_t objects;
};

struct pairs {
	struct pair_map map;
	struct pair *rows;
	uint32_t count, capacity;
};

static int by_end(const void *left, const void *right)
{
	const struct profile_object *const *a = left, *const *b = right;

	if ((*a)->process != (*b)->process)
		return (*a)->process < (*b)->process ? -1 : 1;
	return ((*a)->end_ns > (*b)->end_ns) - ((*a)->end_ns < (*b)->end_ns);
}

/* The object that the event has released; NULL: none. */
static const struct profile_object *released_by(const struct profile_object *const *objects,
						uint32_t count, const struct profile_event *event)
{
	const struct profile_object key = {.process = event->process, .end_ns = event->end_ns};
	const struct profile_object *wanted = &key, *const *found = NULL;

	if (count)
		found = bsearch(&wanted, objects, count, sizeof(*objects), by_end);
	return found ? *found : NULL;
}

static void add_pair(struct pairs *pairs, uint32_t site, uint32_t api)
{
	uint32_t index;

	if (!pair_map_find(&pairs->map, site, api, pairs->count, &index)) {
		ARRAY_RESERVE(pairs->rows, pairs->count, pairs->capacity);
		pairs->rows[pairs->count++] = (struct pair){.site = site, .api = api};
	}
	pairs->rows[index].objects++;
}

static bool is_release(const struct profile_api *api)
{
	return !strcmp(api->kind, "free");
}

/*
 * The releases of a process in the run that made the graph, which says of what, are those of the
 * timeline, one after the other, as long as their names and threads are.
 */
static void pair_process(const struct run *run, const struct profile_object *const *objects,
			 uint32_t count, uint32_t *event, uint32_t *call, struct pairs *pairs)
{
	const struct profile *profile = run->profile;
	const uint32_t process = profile->timeline[*call].process;
	bool same = true;

	while (*event < profile->event_rows && profile->events[*event].process < process)
		(*event)++;
	for (; *call < profile->timeline_count && profile->timeline[*call].process == process;
	     (*call)++) {
		const struct profile_timed_call *timed = &profile->timeline[*call];
		const struct profile_api *api = &profile->apis[timed->api];
		const struct profile_object *object;
		const struct profile_event *released;

		if (!is_release(api) || !same)
			continue;
		while (*event < profile->event_rows && profile->events[*event].process == process &&
		       (!profile->events[*event].name ||
			strcmp(profile->events[*event].name, api->name) != 0))
			(*event)++;
		released = &profile->events[*event];
		same = *event < profile->event_rows && released->process == process &&
		       released->thread == timed->thread;
		if (!same)
			continue;
		(*event)++;
		object = released_by(objects, count, released);
		if (object)
			add_pair(pairs, object->site, timed->api);
	}
}

static void find_pairs(const struct run *run, struct pairs *pairs)
{
	const struct profile *profile = run->profile;
	const struct profile_object **objects = xcalloc(profile->object_count, sizeof(*objects));
	uint32_t count = 0, event = 0, call = 0;

	for (uint32_t i = 0; i < profile->object_count; i++)
		if (profile->objects[i].end_ns)
			objects[count++] = &profile->objects[i];
	if (count)
		qsort(objects, count, sizeof(*objects), by_end);
	while (call < profile->timeline_count)
		pair_process(run, objects, count, &event, &call, pairs);
	free(objects);
}

/* The calls of each vertex, index into profile->apis; PROFILE_NO_ROW: none.  Caller frees. */
static uint32_t *find_apis(const struct profile *profile)
{
	uint32_t *apis = xcalloc(profile->graph->vertex_count, sizeof(*apis));

	memset(apis, 0xff, profile->graph->vertex_count * sizeof(*apis));
	for (uint32_t i = 0; i < profile->api_count; i++)
		if (profile->apis[i].vertex != PROFILE_NO_VERTEX)
			apis[graph_find(profile->graph, profile->apis[i].vertex)] = i;
	return apis;
}

/* Of each vertex, whether it allocates again what has been released.  Caller frees. */
static bool *find_repeated(const struct profile *profile)
{
	bool *repeated = xcalloc(profile->graph->vertex_count, sizeof(*repeated));

	for (uint32_t i = 0; i < profile->site_count; i++)
		if (profile->sites[i].repeated >= LOOP - 1)
			repeated[graph_find(profile->graph, profile->sites[i].site)] = true;
	return repeated;
}

static int by_release(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->api != b->api)
		return a->api < b->api ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

static void add_finding(const struct run *run, const uint32_t *apis, const struct pair *pairs,
			uint32_t count)
{
	const struct profile *profile = run->profile;
	const struct timing_api *release = &run->timing->apis[pairs->api];
	uint64_t ns = release->host_ns, allocate_ns = 0;
	struct profile_finding *finding;
	char *free_time, *wait_time, *allocate_time, *site;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t api = apis[graph_find(profile->graph, pairs[i].site)];

		if (api != PROFILE_NO_ROW)
			profile_add(&allocate_ns, run->timing->apis[api].host_ns);
	}
	profile_add(&ns, allocate_ns);
	if (!ns)
		return;
	finding = run_add_calls(run, "free_in_loop", "allocate_once", pairs->api, ns);
	finding->invocations = release->calls;
	for (uint32_t i = 0; i < count; i++)
		finding_add_other(finding, pairs[i].site);
	free_time = words_ns(release->host_ns);
	wait_time = words_ns(release->wait_ns);
	allocate_time = words_ns(allocate_ns);
	site = words_object(profile, run->sites, pairs->site);
	finding->evidence = xasprintf(
		"%" PRIu64
		" time%s it released what %s%s had allocated: the releases took %s, of which "
		"%s waiting for the device, the allocations %s.",
		release->calls, text_plural(release->calls, "", "s"), site,
		count > 1 ? " and others" : "", free_time, wait_time, allocate_time);
	finding->advice = xstrdup("Allocate once before the loop and release after it, or take the "
				  "memory from a pool (cudaMallocAsync and cudaFreeAsync), which "
				  "waits for nothing.");
	finding->limits = xstrdup("one run, one input");
	free(free_time);
	free(wait_time);
	free(allocate_time);
	free(site);
}

static void detect_allocation_loops(const struct run *run)
{
	const struct graph *graph = run->profile->graph;
	struct pairs pairs = {0};
	uint32_t kept = 0, *apis;
	bool *repeated;

	if (!run->timing)
		return;
	apis = find_apis(run->profile);
	repeated = find_repeated(run->profile);
	find_pairs(run, &pairs);
	for (uint32_t i = 0; i < pairs.count; i++)
		if (pairs.rows[i].objects >= LOOP &&
		    repeated[graph_find(graph, pairs.rows[i].site)] &&
		    !api_is_asynchronous(run->profile->apis[pairs.rows[i].api].name))
			pairs.rows[kept++] = pairs.rows[i];
	if (kept)
		qsort(pairs.rows, kept, sizeof(*pairs.rows), by_release);
	for (uint32_t i = 0, end; i < kept; i = end) {
		for (end = i; end < kept && pairs.rows[end].api == pairs.rows[i].api;)
			end++;
		add_finding(run, apis, &pairs.rows[i], end - i);
	}
	pair_map_release(&pairs.map);
	free(pairs.rows);
	free(apis);
	free(repeated);
}

const struct pattern pattern_allocation_loops = {
	.detect = detect_allocation_loops,
	.names = (const struct pattern_name[]){{"free_in_loop", "allocation in a loop"},
					       {NULL, NULL}},
};
