/*
 * gpu/sanitizer/schedule/event_unknown.c: what is not analysed, and what becomes unknown by it
 * (doc/definitions.md, "What is not known").
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <stdlib.h>

#include "gpu/analysis/may_write.h"
#include "gpu/sass/instructions.h"

static struct may_write *may_write;
/* Something ran, and it is not known what it wrote. */
static bool unseen;
/* The variables of this module are listed to be forgotten. */
static CUmodule listed_module;

int events_unknown_start(void)
{
	may_write = may_write_create();
	return may_write ? 0 : -1;
}

void events_lost_track(void)
{
	__atomic_store_n(&unseen, true, __ATOMIC_RELEASE);
}

void events_unpatched(void)
{
	const struct gpu_sink *sink = events_sink; /* another thread may call events_stop() */

	if (!sink)
		return;
	sink->coverage(COVERAGE_MODULE_NOT_PATCHED, NULL, 1, 0);
	events_lost_track();
}

void events_known_object(uint32_t id, uint64_t address)
{
	may_write_object(may_write, id, address);
}

void events_known_rows(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	if (call->api == GPU_KERNEL)
		may_write_note(may_write, call->name, rows, count);
}

void events_object_gone(uint32_t id)
{
	may_write_released(may_write, id);
}

static void forget_at(void *data, uint64_t address, uint32_t id)
{
	const CUcontext *context = data;
	struct object *object = events_find_object(*context, address);

	if (object && (!id || object->id == id))
		space_forget_later(object);
}

static void forget_variables(CUmodule module)
{
	if (listed_module == module)
		return;
	listed_module = module;
	for (unsigned i = 0; i < event_space_count; i++)
		space_forget_variables(event_spaces[i], module);
}

/* Lists what the kernel may have written, to be forgotten. */
static void forget_writable(const struct operation *operation)
{
	CUcontext context = operation->context;

	if (!operation->parameters ||
	    may_write_each(may_write, operation->name, operation->parameters,
			   operation->parameters_size, forget_at, &context) != 0)
		events_lost_track();
	forget_variables(operation->module);
}

void event_instructions(const struct operation *operation, const struct space *space)
{
	static const struct {
		unsigned instructions;
		enum coverage_id coverage;
	} rows[] = {
		{INSTRUCTIONS_TEXTURE_READ, COVERAGE_TEXTURE_READS},
		{INSTRUCTIONS_SURFACE_STORE, COVERAGE_SURFACE_STORES},
		{INSTRUCTIONS_TENSOR_READ, COVERAGE_TENSOR_READS},
		{INSTRUCTIONS_TENSOR_WRITE, COVERAGE_TENSOR_WRITES},
		{INSTRUCTIONS_MULTICAST_READ, COVERAGE_MULTICAST_READS},
		{INSTRUCTIONS_PARTIAL_COPY, COVERAGE_PARTIAL_COPIES},
		{INSTRUCTIONS_LAUNCH, COVERAGE_NESTED_LAUNCHES},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (operation->instructions & rows[i].instructions)
			events_sink->coverage(rows[i].coverage, NULL, 1, 0);
	if (operation->instructions & INSTRUCTIONS_SURFACE_STORE)
		event_arrays_stored(space);
	if (operation->instructions & INSTRUCTIONS_TENSOR_WRITE)
		forget_writable(operation);
}

bool event_fault(struct space *space, CUresult result)
{
	if (!space_faulted(space, result))
		return false;
	events_sink->coverage(COVERAGE_LAUNCH_FAILED, NULL, 1, 0);
	events_lost_track();
	return true;
}

void event_skipped(const struct api_call *api_call, const struct operation *operation)
{
	CUcontext context = operation->context;
	struct gpu_call call;

	event_begin(&call, GPU_KERNEL, operation->name, operation->stream, api_call,
		    operation_node(operation));
	forget_writable(operation);
	events_sink->end(&call, NULL, 0);
	event_all_seen(&call, events_find_space(context));
	if (operation->instructions & INSTRUCTIONS_SURFACE_STORE)
		event_arrays_stored(events_find_space(context));
	skipped_launched(events_find_space(context), operation->stream);
}

void event_beside_timed_out(const struct api_call *api_call, const struct operation *operation)
{
	struct object *to = events_find_object(operation->context, operation->address);
	struct gpu_call call;
	bool set = operation->kind == OPERATION_SET;

	event_begin(&call, set ? GPU_SET : GPU_COPY, event_public_name(api_call->name),
		    operation->stream, api_call, operation_node(operation));
	if (to)
		space_forget_later(to);
	events_sink->end(&call, NULL, 0);
	events_sink->coverage(set ? COVERAGE_SET_BESIDE_TIMED_OUT : COVERAGE_COPY_BESIDE_TIMED_OUT,
			      NULL, 1, operation->width * operation->height * operation->depth);
}

bool events_must_forget(const struct space *space)
{
	bool some = __atomic_load_n(&unseen, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < event_space_count; i++)
		if (!space || space == event_spaces[i])
			some |= space_has_forgotten(event_spaces[i]);
	return some;
}

bool events_forget_by_commands(struct space *space)
{
	if (__atomic_load_n(&unseen, __ATOMIC_ACQUIRE) ||
	    queue_state(space) != QUEUE_IDLE || /* their events say nothing of it */
	    space_forget_by_commands(space) != 0)
		return false;
	event_contents(space);
	listed_module = NULL;
	return true;
}

bool events_forget_on(struct space *space, CUstream stream)
{
	if (__atomic_load_n(&unseen, __ATOMIC_ACQUIRE) || queue_state(space) != QUEUE_IDLE ||
	    space_forget_listed_on(space, stream) != 0)
		return false;
	event_contents(space);
	listed_module = NULL;
	return true;
}

void events_forget(struct space *space)
{
	if (__atomic_exchange_n(&unseen, false, __ATOMIC_ACQ_REL))
		for (unsigned i = 0; i < event_space_count; i++)
			space_forget_all_later(event_spaces[i]);
	for (unsigned i = 0; i < event_space_count; i++) {
		struct entered_context entered;

		if (!space_has_forgotten(event_spaces[i]) || (space && space != event_spaces[i]))
			continue;
		if (context_enter(&entered, space_context(event_spaces[i])) &&
		    space_forget_listed(event_spaces[i]) == 0)
			event_contents(event_spaces[i]);
		context_leave(&entered);
	}
	listed_module = NULL;
}
