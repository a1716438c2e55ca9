/*
 * tests/unit/written_calls.h: an analysis, over kinds of records that nobody else has, that writes
 * down what it sees.
 */
#ifndef VFLOW_TESTS_UNIT_WRITTEN_CALLS_H
#define VFLOW_TESTS_UNIT_WRITTEN_CALLS_H

#include "graph/build/analysis.h"
#include "tests/unit/made_traces.h"

enum { NOTE = GPU_RECORD_TRIAL + 1, REMARK };

static void note(uint32_t kind, uint32_t about, uint32_t of, const char *what)
{
	fact(kind, about, of, what, (uint32_t)strlen(what));
}

static char *text;
static size_t text_size;
static FILE *out;
static uint64_t first_ns; /* start of the first event */

static void *write_begin(struct profile *profile)
{
	assert_int_equal(profile->process_count, 0);
	out = open_memstream(&text, &text_size);
	assert_non_null(out);
	return profile;
}

static void write_object(void *state, const struct build_event *event, uint32_t object)
{
	const struct profile *profile = state;

	fprintf(out, "object %u of %llu bytes by v%u at event %llu\n", object,
		(unsigned long long)profile->objects[object].size, profile->objects[object].site,
		(unsigned long long)event->number);
}

static void write_event(void *state, const struct build_event *event, const struct build_row *rows,
			uint32_t count)
{
	(void)state;
	if (event->number == 1)
		first_ns = event->start_ns;
	fprintf(out, "event %llu: %s", (unsigned long long)event->number, event->name);
	if (event->vertex == PROFILE_NO_VERTEX)
		fputs(" without vertex", out);
	else
		fprintf(out, " v%u", event->vertex);
	fprintf(out, ", process %u thread %u device %u stream %u, invocation %llu, %lld to %lld\n",
		event->process, event->thread, event->device, event->stream,
		(unsigned long long)event->invocation, (long long)(event->start_ns - first_ns),
		(long long)(event->end_ns - first_ns));
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "  object %u writer v%u access %u: %llu, %llu unchanged%s\n",
			rows[i].object, rows[i].writer, rows[i].access,
			(unsigned long long)rows[i].bytes,
			(unsigned long long)rows[i].redundant_bytes,
			rows[i].metrics & 1u << TRACE_METRIC_REDUNDANT_BYTES ? "" : ", not known");
}

static void write_freed(void *state, const struct build_event *event, uint32_t object)
{
	(void)state;
	fprintf(out, "object %u freed by event %llu\n", object, (unsigned long long)event->number);
}

static int write_record(void *state, const struct build_event *event,
			const struct build_record *record, struct error *error)
{
	(void)state;
	assert_int_equal((uintptr_t)record->payload % 8, 0);
	if (record->size == strlen("nonsense") && !memcmp(record->payload, "nonsense", 8))
		return error_set(error, "nonsense was noted");
	fprintf(out, "%s '%.*s'", record->kind == NOTE ? "note" : "remark", (int)record->size,
		(const char *)record->payload);
	if (record->object != BUILD_NO_OBJECT)
		fprintf(out, " on object %u%s", record->object, record->freed ? ", freed" : "");
	fprintf(out, " %s event %llu\n", record->of_call ? "of" : "after",
		(unsigned long long)event->number);
	return 0;
}

static void write_process_end(void *state, const struct build_event *last)
{
	(void)state;
	fprintf(out, "process %u ends with event %llu\n", last->process,
		(unsigned long long)last->number);
}

static void write_end(void *state)
{
	const struct profile *profile = state;

	const struct graph *graph = profile->graph;
	const struct graph_vertex *last = &graph->vertices[graph->vertex_count - 1];

	/* the graph is whole */
	fprintf(out, "%u vertices, %u edges, contexts of %zu digits\n", graph->vertex_count,
		graph->edge_count, strlen(last->context));
	fclose(out);
}

/* The members of the analysis; `text` is the caller's to free when a profile has been built. */
#define WRITES_CALLS                                                                               \
	.name = "writes down", .kinds = (const uint32_t[]){NOTE, REMARK, 0}, .begin = write_begin, \
	.object = write_object, .event = write_event, .freed = write_freed,                        \
	.record = write_record, .process_end = write_process_end, .end = write_end

#endif
