/*
 * render/perfetto/perfetto.c: a trace for ui.perfetto.dev, in Chrome's JSON or in Perfetto's own
 * format: when each object lived, how much memory was in use, the calls of calls.c, and the
 * device's times of gpu.c.
 */
#include "render/perfetto/perfetto.h"

#include <stdlib.h>

#include "render/format.h"
#include "render/perfetto/timeline.h"
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

void perfetto_remark(struct perfetto_about *about, const char *name, char *sentence)
{
	char *before = about->remarks;

	about->items[about->count++] = (struct perfetto_argument){.name = name, .text = sentence};
	about->sentences[about->sentence_count++] = sentence;
	about->remarks = before ? xasprintf("%s; %s", before, sentence) : xstrdup(sentence);
	free(before);
}

const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id)
{
	uint32_t index = graph_find(picture->graph, id);

	/* the format takes everything: indices are those of the graph */
	return index < picture->vertex_count ? &picture->vertices[index] : NULL;
}

static void put_object(struct perfetto *trace, const struct picture *picture, uint32_t index,
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
	struct perfetto_event out = {
		.type = PERFETTO_SPAN,
		.category = "object",
		.place = "objects",
		.name = name,
		.process = object->process + 1,
		.id = index + 1,
		.start_ns = object->start_ns,
		.end_ns = object->end_ns ? object->end_ns : last,
	};

	perfetto_number(&out, "bytes", object->size);
	perfetto_number(&out, "site", object->site);
	perfetto_flag(&out, "freed", object->end_ns);
	perfetto_text(&out, "callpath", site ? site->vertex->callpath : NULL);
	perfetto_text(&out, "findings", site ? site->vertex->patterns : NULL);
	trace->writer->event(trace, &out);
	free(name);
}

static void put_memory(struct perfetto *trace, const struct profile *profile)
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
		trace->writer->event(trace, &(struct perfetto_event){
						    .type = PERFETTO_COUNTER,
						    .name = "device bytes",
						    .process = changes[i].process + 1,
						    .start_ns = changes[i].time,
						    .value = live,
					    });
	}
	free(changes);
}

static void put_processes(struct perfetto *trace, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->process_count; i++) {
		const struct profile_process *process = &profile->processes[i];

		trace->writer->process(
			trace, i + 1, process->arguments ? process->arguments : process->executable,
			"host times", i);
	}
}

static void describe(struct perfetto_about *about, const struct picture *picture)
{
	const struct profile *profile = picture->profile;

	about->items[about->count++] =
		(struct perfetto_argument){.name = "run", .text = picture->run ? picture->run : ""};
	about->items[about->count++] = (struct perfetto_argument){
		.name = "times",
		.text = "host time of the calls, from their start to their return; what the GPU "
			"does later is not in them"};
	about->items[about->count++] = (struct perfetto_argument){
		.name = "calls_left_out", .number = profile->event_count - profile->event_rows};
}

static void write_trace(const struct perfetto_writer *writer, const struct picture *picture,
			FILE *out, char **remark)
{
	const struct profile *profile = picture->profile;
	struct perfetto_about about = {0};
	struct timeline *calls, *gpu;
	struct perfetto *trace;
	uint64_t last = last_time(profile);

	describe(&about, picture);
	calls = perfetto_calls(profile, 1, &about);
	gpu = perfetto_gpu(profile, 1 + calls->arrow_count, &about);
	trace = writer->begin(out, about.items, about.count);
	put_processes(trace, profile);
	for (uint32_t i = 0; i < profile->object_count; i++)
		put_object(trace, picture, i, last);
	put_memory(trace, profile);
	perfetto_put_memory(trace, picture);
	perfetto_put_calls(trace, picture, calls);
	perfetto_put_gpu(trace, picture, gpu);
	writer->end(trace);
	timeline_free(calls);
	timeline_free(gpu);
	for (uint32_t i = 0; i < about.sentence_count; i++)
		free(about.sentences[i]);
	*remark = about.remarks;
}

static void write_json(const struct picture *picture, FILE *out, char **remark)
{
	write_trace(&perfetto_json, picture, out, remark);
}

static void write_proto(const struct picture *picture, FILE *out, char **remark)
{
	write_trace(&perfetto_proto, picture, out, remark);
}

const struct render_format render_perfetto = {
	.name = "perfetto",
	.endings = {".perfetto-trace.json", ".perfetto"},
	.everything = true,
	.times = true,
	.write = write_json,
};

const struct render_format render_pftrace = {
	.name = "pftrace",
	.endings = {".pftrace", ".perfetto-trace"},
	.everything = true,
	.times = true,
	.binary = true,
	.write = write_proto,
};
