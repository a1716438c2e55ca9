/*
 * graph/build/analysis/lifetimes.c: the analysis that says when objects of the device's memory were
 * made, accessed and freed, and how long they lay idle in between (DrGPUM, 5.1).  Arrays are such
 * memory, too.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "graph/build/topology.h"
#include "util/memory.h"

enum { NO_LIFETIME = UINT32_MAX };

struct place {            /* of an object */
	uint32_t row;     /* of profile->lifetimes, or NO_LIFETIME */
	uint64_t touched; /* number of the last event that accessed it; of all processes */
	bool read;        /* ... and did so reading */
	bool written;     /* the access before was a copy or set that did not read it */
};

struct lifetimes {
	struct profile *profile;
	struct topology *topology;
	struct place *places; /* by index of the object */
	uint32_t place_count;
	uint64_t events;
	uint32_t *live; /* rows of this process's objects, maybe with some that were freed */
	uint32_t live_count, live_capacity;

	/* Of this process; after_all: a level that no call of it has, nor one above. */
	uint64_t calls, kernels, after_all;

	/* The last event: where it was is known when all that belongs to it has come. */
	bool pending, is_kernel, is_transfer;
	uint32_t vertex;
	uint32_t *touched, *made, *freed; /* rows */
	uint32_t touched_count, touched_capacity, made_count, made_capacity, freed_count,
		freed_capacity;
};

static void *begin(struct profile *profile)
{
	struct lifetimes *lifetimes = xcalloc(1, sizeof(*lifetimes));

	lifetimes->profile = profile;
	lifetimes->topology = topology_new();
	return lifetimes;
}

static struct profile_lifetime *row_of(const struct lifetimes *lifetimes, uint32_t object)
{
	uint32_t row =
		object < lifetimes->place_count ? lifetimes->places[object].row : NO_LIFETIME;

	return row == NO_LIFETIME ? NULL : &lifetimes->profile->lifetimes[row];
}

/* -- the last event ----------------------------------------------------------------------- */

static uint64_t distance(const struct profile_moment *from, const struct profile_moment *to)
{
	return to->time > from->time ? to->time - from->time : 0;
}

static void access_object(struct profile_lifetime *life, const struct profile_moment *now,
			  uint32_t vertex)
{
	if (!life->accesses++) {
		life->first = *now;
		life->first_vertex = vertex;
	} else if (life->idle_from.call == PROFILE_UNKNOWN ||
		   distance(&life->last, now) > distance(&life->idle_from, &life->idle_to)) {
		life->idle_from = life->last;
		life->idle_from_vertex = life->last_vertex;
		life->idle_to = *now;
		life->idle_to_vertex = vertex;
	}
	life->last = *now;
	life->last_vertex = vertex;
}

/* Before access_object(): counts the last access if nobody can have needed it. */
static void note_write(const struct lifetimes *lifetimes, struct profile_lifetime *life)
{
	struct place *place = &lifetimes->places[life->object];
	const bool writes = lifetimes->is_transfer && !place->read;

	if (writes && place->written && !life->dead_writes++) {
		life->dead_vertex = life->last_vertex;
		life->dead_next_vertex = lifetimes->vertex;
	}
	place->written = writes;
}

/* All that belongs to the last event has come. */
static void settle(struct lifetimes *lifetimes)
{
	struct profile_lifetime *rows = lifetimes->profile->lifetimes;
	const struct profile_moment now = {lifetimes->calls, topology_level(lifetimes->topology),
					   lifetimes->kernels};

	if (!lifetimes->pending)
		return;
	lifetimes->pending = false;
	for (uint32_t i = 0; i < lifetimes->made_count; i++)
		rows[lifetimes->made[i]].made = now;
	for (uint32_t i = 0; i < lifetimes->touched_count; i++) {
		note_write(lifetimes, &rows[lifetimes->touched[i]]);
		access_object(&rows[lifetimes->touched[i]], &now, lifetimes->vertex);
	}
	for (uint32_t i = 0; i < lifetimes->freed_count; i++)
		rows[lifetimes->freed[i]].freed = now;
	lifetimes->made_count = lifetimes->touched_count = lifetimes->freed_count = 0;
	if (topology_is_vertex(lifetimes->topology)) {
		lifetimes->calls++;
		if (now.time >= lifetimes->after_all)
			lifetimes->after_all = now.time + 1;
	}
	lifetimes->kernels += lifetimes->is_kernel;
}

static void put(uint32_t **rows, uint32_t *count, uint32_t *capacity, uint32_t row)
{
	if (*count == *capacity) {
		*capacity = 2 * *capacity + 16;
		*rows = xreallocarray(*rows, *capacity, sizeof(**rows));
	}
	(*rows)[(*count)++] = row;
}

/* -- what comes of it --------------------------------------------------------------------- */

static void make_object(void *state, const struct build_event *event, uint32_t index)
{
	struct lifetimes *lifetimes = state;
	struct profile *profile = lifetimes->profile;
	bool is_array;

	settle(lifetimes);
	topology_object(lifetimes->topology, event, index);
	if (index >= lifetimes->place_count) {
		uint32_t count = 2 * index + 64;

		lifetimes->places =
			xreallocarray(lifetimes->places, count, sizeof(*lifetimes->places));
		while (lifetimes->place_count < count)
			lifetimes->places[lifetimes->place_count++] =
				(struct place){.row = NO_LIFETIME};
	}
	is_array = profile->objects[index].memory == TRACE_MEMORY_ARRAY;
	if (!is_array && !profile_is_device_memory(&profile->objects[index]))
		return;
	ARRAY_RESERVE(profile->lifetimes, profile->lifetime_count, profile->lifetime_capacity);
	lifetimes->places[index].row = profile->lifetime_count;
	put(&lifetimes->made, &lifetimes->made_count, &lifetimes->made_capacity,
	    profile->lifetime_count);
	put(&lifetimes->live, &lifetimes->live_count, &lifetimes->live_capacity,
	    profile->lifetime_count);
	profile->lifetimes[profile->lifetime_count++] = (struct profile_lifetime){
		.object = index,
		.made = PROFILE_NOWHERE,
		.first = PROFILE_NOWHERE,
		.last = PROFILE_NOWHERE,
		.freed = PROFILE_NOWHERE,
		.idle_from = PROFILE_NOWHERE,
		.idle_to = PROFILE_NOWHERE,
		.first_vertex = PROFILE_NO_VERTEX,
		.last_vertex = PROFILE_NO_VERTEX,
		.idle_from_vertex = PROFILE_NO_VERTEX,
		.idle_to_vertex = PROFILE_NO_VERTEX,
		.dead_vertex = PROFILE_NO_VERTEX,
		.dead_next_vertex = PROFILE_NO_VERTEX,
		.unseen = is_array, /* textures and surfaces access it */
	};
}

static void take_event(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	struct lifetimes *lifetimes = state;
	const struct profile *profile = lifetimes->profile;
	uint32_t v = event->vertex;

	/* the objects that it has made have come before it */
	if (lifetimes->pending)
		settle(lifetimes);
	topology_event(lifetimes->topology, event, rows, count);
	lifetimes->pending = true;
	lifetimes->vertex = v;
	lifetimes->events++;
	lifetimes->is_kernel =
		v != PROFILE_NO_VERTEX && graph_vertex_is(&profile->graph->vertices[v], "kernel");
	lifetimes->is_transfer = v != PROFILE_NO_VERTEX &&
				 (graph_vertex_is(&profile->graph->vertices[v], "memcpy") ||
				  graph_vertex_is(&profile->graph->vertices[v], "memset"));
	for (uint32_t i = 0; i < count; i++) {
		struct place *place = &lifetimes->places[rows[i].object];
		const bool reads = rows[i].access == TRACE_READ || rows[i].access == TRACE_TO_HOST;

		if (!row_of(lifetimes, rows[i].object))
			continue;
		if (place->touched == lifetimes->events) {
			place->read |= reads;
			continue;
		}
		place->touched = lifetimes->events;
		place->read = reads;
		put(&lifetimes->touched, &lifetimes->touched_count, &lifetimes->touched_capacity,
		    place->row);
	}
}

static void free_object(void *state, const struct build_event *event, uint32_t index)
{
	struct lifetimes *lifetimes = state;
	struct profile_lifetime *life = row_of(lifetimes, index);

	(void)event;
	topology_freed(lifetimes->topology, index);
	if (life)
		put(&lifetimes->freed, &lifetimes->freed_count, &lifetimes->freed_capacity,
		    (uint32_t)(life - lifetimes->profile->lifetimes));
}

/* Something may have accessed all objects that live. */
static void note_unseen(struct lifetimes *lifetimes)
{
	struct profile_lifetime *rows = lifetimes->profile->lifetimes;
	uint32_t kept = 0;

	/* each once: objects that are made later are not meant */
	for (uint32_t i = 0; i < lifetimes->live_count; i++) {
		struct profile_lifetime *life = &rows[lifetimes->live[i]];

		if (life->made.call == PROFILE_UNKNOWN)
			lifetimes->live[kept++] = lifetimes->live[i];
		else if (life->freed.call == PROFILE_UNKNOWN)
			life->unseen = true;
	}
	lifetimes->live_count = kept;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct lifetimes *lifetimes = state;
	struct profile_lifetime *life;

	(void)event;
	if (record->kind != GPU_RECORD_READ_UNSEEN)
		return topology_record(lifetimes->topology, record, error);
	life = row_of(lifetimes, record->object);
	if (life)
		life->unseen = true;
	else if (record->object == BUILD_NO_OBJECT)
		note_unseen(lifetimes);
	return 0;
}

static void end_process(void *state, const struct build_event *last)
{
	struct lifetimes *lifetimes = state;

	settle(lifetimes);
	if (last->process < lifetimes->profile->process_count)
		lifetimes->profile->processes[last->process].end = (struct profile_moment){
			lifetimes->calls, lifetimes->after_all, lifetimes->kernels};
	topology_process_end(lifetimes->topology);
	lifetimes->live_count = lifetimes->made_count = 0;
	lifetimes->calls = lifetimes->kernels = lifetimes->after_all = 0;
}

/* An object whose allocation was not the last thing that the trace has was made somewhere. */
static void drop_unmade(struct profile *profile)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < profile->lifetime_count; i++)
		if (profile->lifetimes[i].made.call != PROFILE_UNKNOWN)
			profile->lifetimes[kept++] = profile->lifetimes[i];
	profile->lifetime_count = kept;
}

static void end(void *state)
{
	struct lifetimes *lifetimes = state;

	drop_unmade(lifetimes->profile);
	topology_free(lifetimes->topology);
	free(lifetimes->places);
	free(lifetimes->live);
	free(lifetimes->touched);
	free(lifetimes->made);
	free(lifetimes->freed);
	free(lifetimes);
}

const struct build_analysis build_lifetimes = {
	.name = "lifetimes",
	.kinds = (const uint32_t[]){GPU_RECORD_READ_UNSEEN, GPU_RECORD_ORDER, GPU_RECORD_STREAM,
				    GPU_RECORD_WAIT, 0},
	.begin = begin,
	.object = make_object,
	.event = take_event,
	.freed = free_object,
	.record = take_record,
	.process_end = end_process,
	.end = end,
};
