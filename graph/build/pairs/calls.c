/* graph/build/pairs/calls.c: see build/pairs/calls.h. */
#include "graph/build/pairs/calls.h"

#include <stdlib.h>

#include "graph/build/contexts.h"
#include "util/memory.h"

static int by_context(const void *left, const void *right)
{
	const struct called *a = left, *b = right;

	return a->context < b->context ? -1 : a->context > b->context;
}

void calls_sort(struct calls *calls)
{
	uint32_t kept = 0;

	if (calls->count)
		qsort(calls->contexts, calls->count, sizeof(*calls->contexts), by_context);
	for (uint32_t i = 0; i < calls->count; i++)
		if (kept && calls->contexts[kept - 1].context == calls->contexts[i].context)
			calls->contexts[kept - 1].calls += calls->contexts[i].calls;
		else
			calls->contexts[kept++] = calls->contexts[i];
	calls->count = kept;
}

void calls_release(struct calls *calls)
{
	free(calls->contexts);
	*calls = (struct calls){0};
}

/* `calls` has a row for each context of the trace.  -1: the record cannot be. */
static int take(struct contexts *contexts, struct calls *calls, uint32_t *capacity,
		const struct trace_record *record)
{
	uint32_t context;
	struct error error;

	switch ((enum trace_type)record->type) {
	case TRACE_MODULE:
		return contexts_take_module(contexts, (const void *)record, &error);
	case TRACE_PYTHON:
		return contexts_take_python(contexts, (const void *)record, &error);
	case TRACE_FRAME:
		return contexts_take_frame(contexts, (const void *)record, &error);
	case TRACE_CONTEXT:
		if (contexts_take(contexts, (const void *)record, &error) != 0)
			return -1;
		ARRAY_RESERVE(calls->contexts, calls->count, *capacity);
		calls->contexts[calls->count] =
			(struct called){.context = contexts->uses[calls->count].context};
		calls->count++;
		return 0;
	case TRACE_EVENT:
		context = ((const struct trace_event *)record)->context;
		if (!context || context > calls->count)
			return -1;
		calls->contexts[context - 1].calls++;
		return 0;
	default:
		return 0;
	}
}

void calls_read(struct merge *merge, const char *path, struct calls *calls)
{
	struct contexts contexts = {.merge = merge};
	const struct trace_record *record;
	struct error error;
	struct trace_reader *reader = trace_open(path, &error);
	uint32_t capacity = 0;

	*calls = (struct calls){0};
	while (reader && trace_next(reader, &record, &error) == 1 &&
	       take(&contexts, calls, &capacity, record) == 0)
		;
	trace_reader_close(reader);
	contexts_release(&contexts);
	calls_sort(calls);
}

uint64_t calls_apart(const struct calls *left, const struct calls *right)
{
	uint32_t i = 0, k = 0;
	uint64_t apart = 0;

	while (i < left->count || k < right->count) {
		bool of_left = k == right->count ||
			       (i < left->count &&
				left->contexts[i].context <= right->contexts[k].context);
		bool of_right = i == left->count ||
				(k < right->count &&
				 right->contexts[k].context <= left->contexts[i].context);
		uint64_t a = of_left ? left->contexts[i++].calls : 0;
		uint64_t b = of_right ? right->contexts[k++].calls : 0;

		apart += a > b ? a - b : b - a;
	}
	return apart;
}
