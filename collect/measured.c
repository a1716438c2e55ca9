/* collect/measured.c: see measured.h. */
#include "collect/measured.h"

#include <glob.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace.h"
#include "util/memory.h"

/* Of a process. */
struct context {
	bool is_kernel;
	uint64_t launches, gpu_ns;
	struct function *function;
};

struct function {
	char *name;
	uint64_t wait_ns;
};

struct measured {
	struct context *contexts; /* of all processes: those of one follow each other */
	uint32_t context_count, context_capacity;
	void *functions;          /* tree, by name */
	bool waits;               /* they were measured */
	uint64_t span_ns, gpu_ns; /* span: of the process where it is longest */
	/* while it is read */
	uint64_t least_ns;
	char *names;
	size_t names_size;
	FILE *out;
};

/* A trace that is being read. */
struct reading {
	struct measured *measured;
	uint32_t first;            /* of its contexts */
	uint64_t event_ns;         /* the start of the event that facts are about */
	uint64_t start_ns, end_ns; /* of the first operation; of the last, or of the last wait */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static struct function *find_function(struct measured *measured, const char *name)
{
	struct function key = {.name = (char *)name}, **found;

	found = tfind(&key, &measured->functions, by_name);
	if (!found) {
		struct function *function = xcalloc(1, sizeof(*function));

		function->name = xstrdup(name);
		found = tsearch(function, &measured->functions, by_name);
		if (!found)
			abort();
	}
	return *found;
}

static struct context *context_of(struct reading *reading, uint32_t id)
{
	struct measured *measured = reading->measured;

	return id && id <= measured->context_count - reading->first
		       ? &measured->contexts[reading->first + id - 1]
		       : NULL;
}

static void take_context(struct reading *reading, const struct trace_context *record)
{
	struct measured *measured = reading->measured;
	const char *name = trace_text(&record->record, record->text, 0);

	ARRAY_RESERVE(measured->contexts, measured->context_count, measured->context_capacity);
	measured->contexts[measured->context_count++] = (struct context){
		.is_kernel = record->kind == TRACE_KERNEL,
		.function = record->kind == TRACE_KERNEL
				    ? NULL
				    : find_function(measured, name ? name : ""),
	};
}

static void take_event(struct reading *reading, const struct trace_event *record)
{
	struct context *context = context_of(reading, record->context);

	if (context)
		context->launches += context->is_kernel;
	reading->event_ns = record->start_ns;
}

static void add(uint64_t *sum, uint64_t ns)
{
	*sum = ns > UINT64_MAX - *sum ? UINT64_MAX : *sum + ns;
}

/* Of the latest event: the device was at an operation, or the host waited. */
static void take_span(struct reading *reading, uint64_t after_ns, uint64_t ns, bool operation)
{
	uint64_t start = reading->event_ns, end;

	add(&start, after_ns);
	end = start;
	add(&end, ns);
	if (operation && start < reading->start_ns)
		reading->start_ns = start;
	if (ns && end > reading->end_ns)
		reading->end_ns = end;
}

static void take_fact(struct reading *reading, const struct trace_fact *record)
{
	struct context *context = context_of(reading, record->context);
	struct gpu_time time;
	struct gpu_wait wait;

	if (!context)
		return;
	if (record->kind == GPU_RECORD_TIME && record->size == sizeof(time)) {
		memcpy(&time, record->payload, sizeof(time));
		take_span(reading, time.after_ns, time.time_ns, true);
		if (context->is_kernel) {
			add(&context->gpu_ns, time.time_ns);
			add(&reading->measured->gpu_ns, time.time_ns);
		}
	}
	if (record->kind == GPU_RECORD_WAIT && record->size == sizeof(wait)) {
		memcpy(&wait, record->payload, sizeof(wait));
		take_span(reading, wait.after_ns, wait.wait_ns, false);
		if (context->function)
			add(&context->function->wait_ns, wait.wait_ns);
	}
}

static void take(struct reading *reading, const struct trace_record *record)
{
	switch (record->type) {
	case TRACE_PROCESS:
		reading->measured->waits |=
			strstr(trace_passes((const struct trace_process *)record), "waits") != NULL;
		break;
	case TRACE_CONTEXT:
		take_context(reading, (const struct trace_context *)record);
		break;
	case TRACE_EVENT:
		take_event(reading, (const struct trace_event *)record);
		break;
	case TRACE_FACT:
		take_fact(reading, (const struct trace_fact *)record);
		break;
	default:
		break;
	}
}

static void read_trace(struct measured *measured, const char *path)
{
	const struct trace_record *record;
	struct error error;
	struct trace_reader *reader = trace_open(path, &error);
	struct reading reading = {
		.measured = measured, .first = measured->context_count, .start_ns = UINT64_MAX};

	if (!reader)
		return;
	while (trace_next(reader, &record, &error) == 1)
		take(&reading, record);
	trace_reader_close(reader);
	if (reading.end_ns > reading.start_ns &&
	    reading.end_ns - reading.start_ns > measured->span_ns)
		measured->span_ns = reading.end_ns - reading.start_ns;
}

struct measured *measured_read(const char *folder)
{
	struct measured *measured = xcalloc(1, sizeof(*measured));
	char *pattern = xasprintf("%s/*" TRACE_SUFFIX, folder);
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			read_trace(measured, found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
	return measured;
}

static void free_function(void *function)
{
	free(((struct function *)function)->name);
	free(function);
}

void measured_free(struct measured *measured)
{
	if (!measured)
		return;
	tdestroy(measured->functions, free_function);
	free(measured->contexts);
	free(measured);
}

/* Of the GPU's time for kernels, what the first so many launches of each context take. */
static double part_of(const struct measured *measured, uint64_t launches)
{
	double ns = 0;

	for (uint32_t i = 0; i < measured->context_count; i++) {
		const struct context *context = &measured->contexts[i];

		if (context->launches)
			ns += (double)context->gpu_ns *
			      (context->launches > launches
				       ? (double)launches / (double)context->launches
				       : 1);
	}
	return ns / (double)measured->gpu_ns;
}

uint64_t measured_launches(const struct measured *measured, double part)
{
	uint64_t low = 1, high = 1;

	if (!measured->gpu_ns)
		return 0;
	for (uint32_t i = 0; i < measured->context_count; i++)
		if (measured->contexts[i].launches > high)
			high = measured->contexts[i].launches;
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (part_of(measured, middle) <= part)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void put_function(const void *node, VISIT visit, void *data)
{
	const struct function *function = *(const struct function *const *)node;
	struct measured *measured = data;

	if ((visit == postorder || visit == leaf) && function->wait_ns &&
	    function->wait_ns >= measured->least_ns)
		fprintf(measured->out, "%s%s", ftell(measured->out) ? "," : "", function->name);
}

char *measured_waits(const struct measured *measured, double part)
{
	struct measured walk = *measured;

	if (!measured->waits)
		return NULL;
	walk.least_ns = (uint64_t)(part * (double)measured->span_ns);
	walk.out = xopen_memstream(&walk.names, &walk.names_size);
	twalk_r(measured->functions, put_function, &walk);
	fclose(walk.out);
	return walk.names;
}
