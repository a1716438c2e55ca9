/* graph/build/joined.c: see build/joined.h. */
#include "graph/build/joined.h"

#include "graph/build/join.h"

static void start(struct process *process, const struct trace_process *record)
{
	(void)record;
	process->index = process->run->partner;
	if (process->index != UINT32_MAX)
		join_begin_process(process->run->join, process->index);
}

static uint32_t find_object(struct process *process, const struct trace_object *record)
{
	uint32_t context = process->contexts.uses[record->context - 1].context;

	return join_object(process->run->join, context, record->size, record->memory);
}

static void take_call(struct process *process, const struct trace_event *event, uint32_t context)
{
	process->matched = join_call(process->run->join, context);
	process_set_event(process, event, context, !process->matched);
	if (process->matched)
		process->event.vertex = merge_vertex(process->run->merge, context);
}

static int place_object(struct process *process, struct process_object *object)
{
	if (!process->matched)
		object->profile = BUILD_NO_OBJECT;
	if (object->profile == BUILD_NO_OBJECT)
		join_drop_object(process->run->join);
	return 0;
}

static void end(struct process *process)
{
	if (process->index != UINT32_MAX)
		join_end_process(process->run->join);
}

const struct process_role joined_role = {
	.start = start,
	.object = find_object,
	.call = take_call,
	.place = place_object,
	.end = end,
};
