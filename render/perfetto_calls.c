/*
 * render/perfetto_calls.c: API calls on the tracks of their streams, and the values between them.
 *
 * Slices of one track must nest, or they are dropped: calls of several threads on one stream may
 * overlap, and then take a second track of that stream, a third, and so on.
 */
#include "render/perfetto.h"

#include <stdlib.h>

#include <uthash.h>

#include "util/memory.h"

struct call {
	const struct profile_event *event;
	uint32_t track; /* the id that the trace knows it by */
};

static int by_track(const void *left, const void *right)
{
	const struct profile_event *a = ((const struct call *)left)->event;
	const struct profile_event *b = ((const struct call *)right)->event;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool same_stream(const struct profile_event *a, const struct profile_event *b)
{
	return a->process == b->process && a->device == b->device && a->stream == b->stream;
}

/* A call of no length takes a nanosecond: two at one time would cover each other. */
static uint64_t end_of(const struct profile_event *event)
{
	return event->end_ns > event->start_ns ? event->end_ns : event->start_ns + 1;
}

static void put_track(struct json *json, const struct profile_event *event, uint32_t track,
		      uint32_t lane)
{
	char *stream = perfetto_stream(event->device, event->stream);
	char *name = lane ? xasprintf("calls on %s (%u)", stream, lane + 1)
			  : xasprintf("calls on %s", stream);

	perfetto_name_track(json, event->process + 1, track, name);
	free(stream);
	free(name);
}

/* Names all tracks and gives each call the first one of its stream that is free at its start. */
static void assign_tracks(struct json *json, const struct profile *profile, struct call *calls)
{
	/* processes have the numbers below */
	uint32_t tracks = profile->process_count, lanes = 0, capacity = 0;
	uint64_t *free_at = NULL; /* of each lane of the stream */
	uint32_t first = 0;       /* track of its first lane */

	for (uint32_t i = 0; i < profile->event_rows; i++) {
		const struct profile_event *event = calls[i].event;
		uint32_t lane = 0;

		if (!i || !same_stream(event, calls[i - 1].event)) {
			first = tracks + 1;
			lanes = 0;
		}
		while (lane < lanes && free_at[lane] > event->start_ns)
			lane++;
		if (lane == lanes) {
			ARRAY_RESERVE(free_at, lanes, capacity);
			lanes++;
			put_track(json, event, ++tracks, lane);
		}
		free_at[lane] = end_of(event);
		calls[i].track = first + lane;
	}
	free(free_at);
}

/* Of whole values, where they are known; profiles of before know of bytes only. */
static uint64_t unchanged_of(const struct profile_access *access)
{
	if (access->redundant_value_bytes != PROFILE_UNKNOWN)
		return access->redundant_value_bytes;
	return access->redundant_bytes != PROFILE_UNKNOWN ? access->redundant_bytes : 0;
}

/* What the call touched. */
static void put_bytes(struct json *json, const struct profile *profile,
		      const struct profile_event *event)
{
	uint64_t read = 0, written = 0, unchanged = 0;

	for (uint32_t i = 0; i < event->access_count; i++) {
		const struct profile_access *access = &profile->accesses[event->first_access + i];

		*(access->access == GRAPH_READ ? &read : &written) += access->bytes;
		unchanged += unchanged_of(access);
	}
	if (read)
		json_named_count(json, "read_bytes", read);
	if (!written)
		return;
	json_named_count(json, "written_bytes", written);
	json_named_count(json, "unchanged_bytes", unchanged);
}

static void put_call(struct json *json, const struct picture *picture, const struct call *call)
{
	const struct profile_event *event = call->event;
	const struct picture_vertex *vertex = perfetto_vertex(picture, event->vertex);

	perfetto_event(json, "X");
	json_named_count(json, "pid", event->process + 1);
	json_named_count(json, "tid", call->track);
	perfetto_time(json, "ts", event->start_ns);
	perfetto_time(json, "dur", end_of(event) - event->start_ns);
	json_named_text(json, "cat",
			vertex && vertex->vertex->kind ? vertex->vertex->kind : "call");
	json_named_text(json, "name", event->name ? event->name : vertex ? vertex->lines[0] : "?");
	json_name(json, "args");
	json_begin(json, '{');
	json_named_count(json, "thread", event->thread);
	json_named_count(json, "invocation", event->invocation);
	if (vertex) {
		json_named_count(json, "vertex", event->vertex);
		json_named_text(json, "where", vertex->place);
		json_named_text(json, "findings", vertex->vertex->patterns);
	}
	put_bytes(json, picture->profile, event);
	perfetto_end(json);
}

/* Who wrote an object last, for each operation that did. */
struct writer {
	struct {
		uint32_t object, vertex;
	} key;
	uint32_t event;
	UT_hash_handle hh;
};

static void put_end_of_flow(struct json *json, const struct call *call, bool ends, uint64_t id)
{
	perfetto_event(json, ends ? "f" : "s");
	if (ends)
		json_named_text(json, "bp", "e");
	json_named_text(json, "cat", "values");
	json_named_text(json, "name", "values");
	json_named_count(json, "id", id);
	json_named_count(json, "pid", call->event->process + 1);
	json_named_count(json, "tid", call->track);
	perfetto_time(json, "ts", call->event->start_ns);
	json_end(json, '}');
}

/*
 * An arrow from the call whose values it read to each call that read some, one for each pair, with
 * an id of its own: flows cannot fork.  `calls` has the order of the events.
 */
static void put_flows(struct json *json, const struct profile *profile, const struct call *calls)
{
	struct writer *writers = NULL, *writer, *next;
	/* by event: the last one that an arrow leads to from there */
	uint32_t *led_to = xcalloc(profile->event_rows, sizeof(*led_to));
	uint64_t id = 0;

	for (uint32_t i = 0; i < profile->event_rows; i++) {
		const struct profile_event *event = calls[i].event;
		const struct profile_access *accesses = profile->accesses + event->first_access;

		for (uint32_t k = 0; k < event->access_count; k++) {
			const struct profile_access *access = &accesses[k];
			struct writer wanted = {.key = {access->object, access->writer}};

			if (access->access != GRAPH_READ)
				continue;
			HASH_FIND(hh, writers, &wanted.key, sizeof(wanted.key), writer);
			if (!writer || led_to[writer->event] == i ||
			    calls[writer->event].event->start_ns > event->start_ns)
				continue;
			led_to[writer->event] = i;
			put_end_of_flow(json, &calls[writer->event], false, ++id);
			put_end_of_flow(json, &calls[i], true, id);
		}
		/* what it read it had not written yet */
		for (uint32_t k = 0; k < event->access_count; k++) {
			struct writer wanted = {.key = {accesses[k].object, event->vertex}};

			if (accesses[k].access != GRAPH_WRITE)
				continue;
			HASH_FIND(hh, writers, &wanted.key, sizeof(wanted.key), writer);
			if (!writer) {
				writer = xcalloc(1, sizeof(*writer));
				writer->key = wanted.key;
				HASH_ADD(hh, writers, key, sizeof(writer->key), writer);
			}
			writer->event = i;
		}
	}
	HASH_ITER(hh, writers, writer, next)
	{
		HASH_DEL(writers, writer);
		free(writer);
	}
	free(led_to);
}

static int by_event(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return a->event < b->event ? -1 : a->event > b->event;
}

void perfetto_put_calls(struct json *json, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	struct call *calls = xcalloc(profile->event_rows, sizeof(*calls));

	for (uint32_t i = 0; i < profile->event_rows; i++)
		calls[i].event = &profile->events[i];
	qsort(calls, profile->event_rows, sizeof(*calls), by_track);
	assign_tracks(json, profile, calls);
	qsort(calls, profile->event_rows, sizeof(*calls), by_event);
	for (uint32_t i = 0; i < profile->event_rows; i++)
		put_call(json, picture, &calls[i]);
	put_flows(json, profile, calls);
	free(calls);
}
