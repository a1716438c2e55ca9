/*
 * render/perfetto.c: a trace for ui.perfetto.dev, in Chrome's JSON: when each object lived, how
 * much memory was in use, the calls of perfetto_calls.c, and the device's times of perfetto_gpu.c.
 */
#include "render/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/format.h"
#include "util/memory.h"

/* A change of the memory in use. */
struct change {
	uint64_t time;
	uint32_t process;
	bool frees; /* before what is allocated at the same time */
	uint64_t size;
};

static int compare(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return b->frees - a->frees;
}

/* Objects that are never freed live until the last thing that is known to happen. */
static uint64_t last_time(const struct profile *profile)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];

		last = object->start_ns > last ? object->start_ns : last;
		last = object->end_ns > last ? object->end_ns : last;
	}
	for (uint32_t i = 0; i < profile->event_rows; i++)
		last = profile->events[i].end_ns > last ? profile->events[i].end_ns : last;
	return last + 1000;
}

static void put_process(struct json *json, const struct profile *profile, uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];

	perfetto_name_process(json, index + 1,
			      process->arguments ? process->arguments : process->executable, index);
}

const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id)
{
	uint32_t index = graph_find(picture->graph, id);

	/* the format takes everything: indices are those of the graph */
	return index < picture->vertex_count ? &picture->vertices[index] : NULL;
}

static void put_arguments(struct json *json, const struct profile_object *object,
			  const struct picture_vertex *site)
{
	json_name(json, "args");
	json_begin(json, '{');
	json_named_count(json, "bytes", object->size);
	json_named_count(json, "site", object->site);
	json_name(json, "freed");
	json_raw(json, object->end_ns ? "true" : "false");
	json_name(json, "callpath");
	json_text(json, site ? site->vertex->callpath : NULL);
	json_name(json, "findings");
	json_text(json, site ? site->vertex->patterns : NULL);
	json_end(json, '}');
}

static void put_object(struct json *json, const struct picture *picture, uint32_t index,
		       uint64_t last)
{
	const struct profile_object *object = &picture->profile->objects[index];
	const struct picture_vertex *site = perfetto_vertex(picture, object->site);
	const char *place = site && site->place ? site->place : "";
	char *name = xasprintf("#%u %s %s", object->site,
			       object->name ? object->name
			       : site       ? site->lines[0]
					    : "object",
			       place);

	for (int end = 0; end < 2; end++) {
		perfetto_event(json, end ? "e" : "b");
		json_named_text(json, "cat", "object");
		json_name(json, "id");
		json_raw(json, "\"0x%x\"", index + 1);
		json_named_count(json, "pid", object->process + 1);
		json_named_count(json, "tid", 1);
		perfetto_time(json, "ts",
			      !end             ? object->start_ns
			      : object->end_ns ? object->end_ns
					       : last);
		json_named_text(json, "name", name);
		if (!end)
			put_arguments(json, object, site);
		json_end(json, '}');
	}
	free(name);
}

static void put_memory(struct json *json, const struct profile *profile)
{
	struct change *changes = xcalloc((size_t)profile->object_count * 2 + 1, sizeof(*changes));
	uint64_t live = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];

		changes[count++] = (struct change){
			.time = object->start_ns, .process = object->process, .size = object->size};
		if (object->end_ns)
			changes[count++] = (struct change){.time = object->end_ns,
							   .process = object->process,
							   .frees = true,
							   .size = object->size};
	}
	qsort(changes, count, sizeof(*changes), compare);
	for (uint32_t i = 0; i < count; i++) {
		if (i && changes[i].process != changes[i - 1].process)
			live = 0;
		live = changes[i].frees ? live - changes[i].size : live + changes[i].size;
		perfetto_event(json, "C");
		json_named_text(json, "name", "device bytes");
		json_named_count(json, "pid", changes[i].process + 1);
		perfetto_time(json, "ts", changes[i].time);
		json_name(json, "args");
		json_begin(json, '{');
		json_named_count(json, "live", live);
		perfetto_end(json);
	}
	free(changes);
}

static void begin(FILE *out, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	struct json json = {.file = out, .style = JSON_IN_HTML};
	uint64_t last = last_time(profile);

	json_begin(&json, '{');
	json_named_text(&json, "displayTimeUnit", "ns");
	json_name(&json, "otherData");
	json_begin(&json, '{');
	json_name(&json, "run");
	json_text(&json, picture->run);
	json_named_text(&json, "times",
			"host time of the calls, from their start to their return; what the GPU "
			"does later is not in them");
	json_named_count(&json, "calls_left_out", profile->event_count - profile->event_rows);
	json_end(&json, '}');
	json_name(&json, "traceEvents");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < profile->process_count; i++)
		put_process(&json, profile, i);
	for (uint32_t i = 0; i < profile->object_count; i++)
		put_object(&json, picture, i, last);
	put_memory(&json, profile);
	perfetto_put_memory(&json, picture);
	perfetto_put_calls(&json, picture);
	perfetto_put_gpu(&json, picture);
	perfetto_name(&json, "process_labels", 1, 0);
	json_named_text(&json, "labels", "host times");
	perfetto_end(&json);
	fputc('\n', out);
	json_end(&json, ']');
	json_end(&json, '}');
	fputc('\n', out);
}

const struct render_format render_perfetto = {
	.name = "perfetto",
	.endings = {".perfetto-trace.json", ".perfetto"},
	.everything = true,
	.times = true,
	.begin = begin,
};
