/*
 * render/perfetto.c: a trace for ui.perfetto.dev, in Chrome's JSON: when each object lived, how
 * much memory was in use, and the calls of perfetto_calls.c.
 */
#include "render/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "render/format.h"
#include "render/json.h"
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

void perfetto_put_time(FILE *out, const char *name, uint64_t ns)
{
	fprintf(out, "\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
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

static void put_process(FILE *out, const struct profile *profile, uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];

	fprintf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":",
		index + 1);
	json_put_string(out, process->arguments ? process->arguments : process->executable);
	fprintf(out,
		"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":"
		"{\"sort_index\":%u}},\n",
		index + 1, index);
}

const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id)
{
	uint32_t index = graph_find(picture->graph, id);

	/* the format takes everything: indices are those of the graph */
	return index < picture->vertex_count ? &picture->vertices[index] : NULL;
}

static void put_object(FILE *out, const struct picture *picture, uint32_t index, uint64_t last)
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
		fprintf(out,
			"{\"ph\":\"%c\",\"cat\":\"object\",\"id\":\"0x%x\",\"pid\":%u,\"tid\":1,",
			end ? 'e' : 'b', index + 1, object->process + 1);
		perfetto_put_time(out, "ts",
				  !end             ? object->start_ns
				  : object->end_ns ? object->end_ns
						   : last);
		fputs(",\"name\":", out);
		json_put_string(out, name);
		if (!end) {
			fprintf(out, ",\"args\":{\"bytes\":%" PRIu64 ",\"site\":%u,\"freed\":%s",
				object->size, object->site, object->end_ns ? "true" : "false");
			fputs(",\"callpath\":", out);
			json_put_string(out, site ? site->vertex->callpath : NULL);
			fputs(",\"findings\":", out);
			json_put_string(out, site ? site->vertex->patterns : NULL);
			fputc('}', out);
		}
		fputs("},\n", out);
	}
	free(name);
}

static void put_memory(FILE *out, const struct profile *profile)
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
		fprintf(out, "{\"ph\":\"C\",\"name\":\"device bytes\",\"pid\":%u,",
			changes[i].process + 1);
		perfetto_put_time(out, "ts", changes[i].time);
		fprintf(out, ",\"args\":{\"live\":%" PRIu64 "}},\n", live);
	}
	free(changes);
}

static void begin(FILE *out, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	uint64_t last = last_time(profile);

	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"run\":", out);
	json_put_string(out, picture->run);
	fprintf(out,
		",\"times\":\"host time of the calls, from their start to their return; what the "
		"GPU "
		"does later is not in them\",\"calls_left_out\":%" PRIu64 "},\"traceEvents\":[\n",
		profile->event_count - profile->event_rows);
	for (uint32_t i = 0; i < profile->process_count; i++)
		put_process(out, profile, i);
	for (uint32_t i = 0; i < profile->object_count; i++)
		put_object(out, picture, i, last);
	put_memory(out, profile);
	perfetto_put_calls(out, picture);
	/* an event that says nothing ends the list without a comma */
	fputs("{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"args\":{\"labels\":\"host "
	      "times\"}}"
	      "\n"
	      "]}\n",
	      out);
}

const struct render_format render_perfetto = {
	.name = "perfetto",
	.endings = {".perfetto-trace.json", ".perfetto"},
	.everything = true,
	.times = true,
	.begin = begin,
};
