/*
 * render/perfetto/calls.c: API calls on the tracks of their streams, and the values between them.
 */
#include "render/perfetto/perfetto.h"

#include <stdlib.h>

#include <uthash.h>

#include "render/perfetto/timeline.h"
#include "util/memory.h"

/*
 * A click follows all arrows that can be reached, and in a program that goes on with what it has
 * computed these are most of them.
 */
enum { VALUES_MOST = 10000 };

/* Of whole values, where they are known; profiles of before know of bytes only. */
static uint64_t unchanged_of(const struct profile_access *access)
{
	if (access->redundant_value_bytes != PROFILE_UNKNOWN)
		return access->redundant_value_bytes;
	return access->redundant_bytes != PROFILE_UNKNOWN ? access->redundant_bytes : 0;
}

/* What the call touched. */
static void add_bytes(struct perfetto_event *slice, const struct profile *profile,
		      const struct profile_event *event)
{
	uint64_t read = 0, written = 0, unchanged = 0;

	for (uint32_t i = 0; i < event->access_count; i++) {
		const struct profile_access *access = &profile->accesses[event->first_access + i];

		*(access->access == GRAPH_READ ? &read : &written) += access->bytes;
		unchanged += unchanged_of(access);
	}
	if (read)
		perfetto_number(slice, "read_bytes", read);
	if (!written)
		return;
	perfetto_number(slice, "written_bytes", written);
	perfetto_number(slice, "unchanged_bytes", unchanged);
}

static void put_call(struct perfetto *trace, const struct picture *picture,
		     const struct timeline *calls, const struct timeline_slice *slice)
{
	const struct profile_event *event = &picture->profile->events[slice->row];
	const struct picture_vertex *vertex = perfetto_vertex(picture, event->vertex);
	struct perfetto_event out = {
		.type = PERFETTO_SLICE,
		.category = vertex && vertex->vertex->kind ? vertex->vertex->kind : "call",
		.name = event->name ? event->name
			: vertex    ? vertex->lines[0]
				    : "?",
		.process = slice->process,
		.track = slice->track,
		.start_ns = slice->start_ns,
		.end_ns = slice->end_ns,
		.arrows = "values",
	};

	timeline_starts(calls, slice->row, &out);
	timeline_ends(calls, slice->row, &out);
	perfetto_number(&out, "thread", event->thread);
	perfetto_number(&out, "invocation", event->invocation);
	if (vertex) {
		perfetto_number(&out, "vertex", event->vertex);
		perfetto_text(&out, "where", vertex->place);
		perfetto_text(&out, "findings", vertex->vertex->patterns);
	}
	add_bytes(&out, picture->profile, event);
	trace->writer->event(trace, &out);
}

/* Who wrote an object last, for each operation that did. */
struct writer {
	struct {
		uint32_t object, vertex;
	} key;
	uint32_t event;
	UT_hash_handle hh;
};

static struct writer *find_writer(struct writer *writers, uint32_t object, uint32_t vertex)
{
	struct writer wanted = {.key = {object, vertex}}, *writer;

	HASH_FIND(hh, writers, &wanted.key, sizeof(wanted.key), writer);
	return writer;
}

/* What the call read came from the last calls that had written it. */
static void add_arrows(struct timeline *calls, const struct profile *profile,
		       struct writer *writers, const bool *drawn, uint32_t *led_to, uint32_t row)
{
	const struct profile_event *event = &profile->events[row];

	for (uint32_t k = 0; k < event->access_count && drawn[row]; k++) {
		const struct profile_access *access = &profile->accesses[event->first_access + k];
		const struct writer *writer;

		if (access->access != GRAPH_READ)
			continue;
		writer = find_writer(writers, access->object, access->writer);
		if (!writer || led_to[writer->event] == row || !drawn[writer->event] ||
		    profile->events[writer->event].start_ns > event->start_ns)
			continue;
		led_to[writer->event] = row;
		timeline_arrow(calls, writer->event, row, access->writer, event->vertex);
	}
}

static void note_writes(struct writer **writers, const struct profile *profile, uint32_t row)
{
	const struct profile_event *event = &profile->events[row];

	for (uint32_t k = 0; k < event->access_count; k++) {
		const struct profile_access *access = &profile->accesses[event->first_access + k];
		struct writer *writer;

		if (access->access != GRAPH_WRITE)
			continue;
		writer = find_writer(*writers, access->object, event->vertex);
		if (!writer) {
			writer = xcalloc(1, sizeof(*writer));
			writer->key.object = access->object;
			writer->key.vertex = event->vertex;
			HASH_ADD(hh, *writers, key, sizeof(writer->key), writer);
		}
		writer->event = row;
	}
}

/*
 * An arrow from the call whose values it read to each call that read some, one for each pair of
 * calls: flows cannot fork.
 */
static void find_arrows(struct timeline *calls, const struct profile *profile)
{
	struct writer *writers = NULL, *writer, *next;
	/* by event: the last one that an arrow leads to from there */
	uint32_t *led_to = xcalloc((size_t)profile->event_rows + 1, sizeof(*led_to));
	bool *drawn = xcalloc((size_t)profile->event_rows + 1, sizeof(*drawn));

	for (uint32_t i = 0; i < calls->slice_count; i++)
		drawn[calls->slices[i].row] = calls->slices[i].track;
	for (uint32_t row = 0; row < profile->event_rows; row++) {
		add_arrows(calls, profile, writers, drawn, led_to, row);
		/* what it read it had not written yet */
		note_writes(&writers, profile, row);
	}
	HASH_ITER(hh, writers, writer, next)
	{
		HASH_DEL(writers, writer);
		free(writer);
	}
	free(led_to);
	free(drawn);
}

struct timeline *perfetto_calls(const struct profile *profile, uint32_t arrow,
				struct perfetto_about *about)
{
	struct timeline *calls = xcalloc(1, sizeof(*calls));

	for (uint32_t row = 0; row < profile->event_rows; row++) {
		const struct profile_event *event = &profile->events[row];

		timeline_add(calls, (struct timeline_slice){.row = row,
							    .process = event->process + 1,
							    .device = event->device,
							    .number = event->stream,
							    .start_ns = event->start_ns,
							    .end_ns = event->end_ns});
	}
	/* processes have the numbers below */
	timeline_assign(calls, profile->process_count + 1, "overlapping_calls", about);
	find_arrows(calls, profile);
	timeline_thin(calls, profile->event_rows, VALUES_MOST, arrow, "values", about);
	return calls;
}

static void put_track(struct perfetto *trace, const struct timeline_track *track, uint32_t id)
{
	char *stream = perfetto_stream(track->first.device, track->first.number);
	char *name = track->lane ? xasprintf("calls on %s (%u)", stream, track->lane + 1)
				 : xasprintf("calls on %s", stream);

	trace->writer->track(trace, track->first.process, id, name);
	free(stream);
	free(name);
}

void perfetto_put_calls(struct perfetto *trace, const struct picture *picture,
			const struct timeline *calls)
{
	for (uint32_t i = 0; i < calls->track_count; i++)
		put_track(trace, &calls->tracks[i], calls->first_track + i);
	for (uint32_t i = 0; i < calls->slice_count; i++)
		if (calls->slices[i].track)
			put_call(trace, picture, calls, &calls->slices[i]);
}
