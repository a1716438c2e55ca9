/* gpu/emulator/device/observe_calls.c: see observe_calls.h. */
#include "gpu/emulator/device/observe_calls.h"

#include <stdlib.h>

#include "collect/coverage/coverage.h"
#include "gpu/analysis/object_rows.h"
#include "util/start_environment.h"

static const struct gpu_sink *sink;

static struct object_state *find(uint64_t address)
{
	struct allocation *allocation = memory_find(address);

	return allocation ? allocation->state : NULL;
}

static struct object_rows running = {.find = find};

bool observe_calls_start(const struct gpu_sink *to)
{
	const char *wanted = start_variable("VFLOW_CALLS");

	if (!wanted || !*wanted)
		return false;
	sink = to;
	sink->coverage(COVERAGE_CONTENTS_NOT_COMPARED, NULL, 1, 0);
	return true;
}

void observe_calls_object(const struct gpu_call *call, struct allocation *allocation,
			  const struct gpu_object *object, uint32_t id)
{
	allocation->state = malloc(sizeof(*allocation->state));
	if (!allocation->state) {
		sink->coverage(COVERAGE_OBJECT_NO_MEMORY, NULL, 1, object->size);
		return;
	}
	*allocation->state = object_rows_object(&running, object, id, call->context);
	if (object->memory == GPU_MEMORY_MANAGED || object->memory == GPU_MEMORY_MAPPED_HOST)
		sink->coverage(COVERAGE_CALLS_SHARED_MEMORY, NULL, 1, object->size);
}

void observe_calls_gone(struct allocation *allocation)
{
	free(allocation->state);
	allocation->state = NULL;
}

void observe_calls_touch(struct allocation *allocation, uint64_t size, enum gpu_access access)
{
	object_rows_touch(&running, allocation->state, access, size);
}

void observe_calls_copy(struct allocation *to, struct allocation *from, uint64_t size)
{
	object_rows_copy(&running, to->state, from->state, size);
}

bool observe_calls_active(void)
{
	return sink;
}

void observe_calls_launch(const struct ptx_kernel *kernel, const uint8_t *parameters)
{
	for (uint32_t i = 0; i < kernel->parameter_count; i++) {
		const struct ptx_parameter *parameter = &kernel->parameters[i];

		object_rows_argument(&running, parameters + parameter->offset, parameter->offset,
				     parameter->size);
	}
	sink->coverage(COVERAGE_CALLS_ARGUMENTS, NULL, 1, 0);
}

void observe_calls_forget(struct allocation *allocation)
{
	allocation->state->writer = GPU_WRITER_UNKNOWN;
}

void observe_calls_uploaded(const struct allocation *allocation, uint64_t address, uint64_t size)
{
	if (allocation->state)
		object_rows_look(&running, allocation->state, address,
				 (const void *)(uintptr_t)address, size);
}

const struct gpu_row *observe_calls_settle(const struct gpu_call *call, size_t *count,
					   bool *all_seen)
{
	if (running.incomplete)
		sink->coverage(COVERAGE_ROWS_NO_MEMORY, NULL, 1, 0);
	else if (running.reaches_all)
		sink->coverage(COVERAGE_CALLS_POINTERS, NULL, 1, 0);
	*all_seen |= running.reaches_all || running.incomplete;
	return object_rows_settle(&running, call->context, count);
}

void observe_calls_drop(void)
{
	object_rows_drop(&running);
}
