/*
 * render/perfetto_gpu.c: when the device was at which operation, by the run of the pass `time`: a
 * process of its own beside the one of the graph's run, whose times are others.
 */
#include "render/perfetto.h"

#include <stdlib.h>

#include <uthash.h>

#include "util/memory.h"

/* Above the numbers of processes and tracks of calls. */
enum { FIRST_PROCESS = 1000000, FIRST_TRACK = 2000000 };

struct track {
	struct {
		uint32_t process, device, number; /* of a stream, or of a thread of the host */
		uint32_t host;                    /* 1: a thread's calls */
	} key;
	uint32_t id;
	UT_hash_handle hh;
};

static char *name_of(const struct track *track)
{
	char *stream, *name;

	if (track->key.host)
		return xasprintf("calls of thread %u", track->key.number);
	stream = perfetto_stream(track->key.device, track->key.number);
	name = xasprintf("GPU: %s", stream);
	free(stream);
	return name;
}

/* The track's number; names it when it is new. */
static uint32_t track_of(struct json *json, struct track **tracks, const struct track *wanted)
{
	struct track *track;
	char *name;

	HASH_FIND(hh, *tracks, &wanted->key, sizeof(wanted->key), track);
	if (track)
		return track->id;
	track = xcalloc(1, sizeof(*track));
	track->key = wanted->key;
	track->id = FIRST_TRACK + HASH_COUNT(*tracks);
	HASH_ADD(hh, *tracks, key, sizeof(track->key), track);
	name = name_of(track);
	perfetto_name_track(json, FIRST_PROCESS + track->key.process, track->id, name);
	free(name);
	return track->id;
}

static void put_slice(struct json *json, const struct picture *picture,
		      const struct profile_gpu_time *time, bool call, uint32_t track)
{
	const struct profile *profile = picture->profile;
	const struct picture_vertex *vertex = perfetto_vertex(picture, time->vertex);
	const char *name = vertex ? vertex->lines[0] : "?";
	uint64_t start = call ? time->call_ns : time->start_ns;
	uint64_t end = call ? time->return_ns : time->end_ns;

	perfetto_event(json, "X");
	json_named_count(json, "pid", FIRST_PROCESS + time->process);
	json_named_count(json, "tid", track);
	perfetto_time(json, "ts", start);
	perfetto_time(json, "dur", end > start ? end - start : 1);
	json_named_text(json, "cat", call ? "call" : "gpu");
	if (!vertex && time->call != PROFILE_NO_ROW)
		name = profile->apis[profile->timeline[time->call].api].name;
	json_named_text(json, "name", name);
	json_name(json, "args");
	json_begin(json, '{');
	if (vertex)
		json_named_count(json, "vertex", time->vertex);
	json_named_count(json, "invocation", time->invocation);
	json_named_text(json, "where", vertex ? vertex->place : NULL);
	json_named_text(json, "findings", vertex ? vertex->vertex->patterns : NULL);
	perfetto_end(json);
}

/* An arrow from the call to what the device did for it. */
static void put_arrow(struct json *json, const struct profile_gpu_time *time, uint64_t id,
		      uint32_t from, uint32_t to)
{
	for (int end = 0; end < 2; end++) {
		perfetto_event(json, end ? "f" : "s");
		if (end)
			json_named_text(json, "bp", "e");
		json_named_text(json, "cat", "launch");
		json_named_text(json, "name", "launch");
		json_named_count(json, "id", id);
		json_named_count(json, "pid", FIRST_PROCESS + time->process);
		json_named_count(json, "tid", end ? to : from);
		perfetto_time(json, "ts", end ? time->start_ns : time->call_ns);
		json_end(json, '}');
	}
}

static void put_processes(struct json *json, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->process_count; i++) {
		const struct profile_process *process = &profile->processes[i];
		char *name =
			xasprintf("GPU times, of the run for pass time: %s",
				  process->arguments ? process->arguments : process->executable);

		perfetto_name_process(json, FIRST_PROCESS + i, name, FIRST_PROCESS + i);
		free(name);
	}
}

/* Operations of one call follow each other. */
static bool same_call(const struct profile_gpu_time *a, const struct profile_gpu_time *b)
{
	return a->process == b->process && a->thread == b->thread && a->call_ns == b->call_ns &&
	       a->vertex == b->vertex && a->invocation == b->invocation;
}

void perfetto_put_gpu(struct json *json, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	struct track *tracks = NULL, *track, *next;

	if (profile->gpu_time_count)
		put_processes(json, profile);
	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		const struct track host = {.key = {time->process, 0, time->thread, 1}};
		const struct track stream = {.key = {time->process, time->device, time->stream, 0}};
		uint32_t call = track_of(json, &tracks, &host);
		uint32_t gpu = track_of(json, &tracks, &stream);

		if (!i || !same_call(time, time - 1))
			put_slice(json, picture, time, true, call);
		put_slice(json, picture, time, false, gpu);
		put_arrow(json, time, i + UINT64_C(1), call, gpu);
	}
	HASH_ITER(hh, tracks, track, next)
	{
		HASH_DEL(tracks, track);
		free(track);
	}
}
