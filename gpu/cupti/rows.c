/* gpu/cupti/rows.c: see rows.h. */
#include "gpu/cupti/rows.h"

#include <sys/uio.h>
#include <unistd.h>

#include "collect/coverage/coverage.h"

enum {
	STAGED = 64 << 10,     /* bytes of an upload that the driver takes at once */
	PART_BYTES = 16 << 10, /* that are looked at together */
	LOOKED_AT = OBJECT_ROWS_LOOKED_AT
};

static const struct gpu_sink *sink;

static struct object_state *find(uint64_t address)
{
	struct memory *memory = memory_holding(address);

	return memory && memory->object ? &memory->state : NULL;
}

static struct object_rows running = {.find = find};
static uint64_t to_host, from_host; /* bytes that the last call has copied */

void rows_start(const struct gpu_sink *to)
{
	sink = to;
}

void rows_object(struct memory *memory, const struct gpu_call *call,
		 const struct gpu_object *object)
{
	memory->state = object_rows_object(&running, object, memory->object, call->context);
	if (object->memory == GPU_MEMORY_MANAGED || object->memory == GPU_MEMORY_MAPPED_HOST)
		sink->coverage(COVERAGE_CALLS_SHARED_MEMORY, NULL, 1, object->size);
}

/* -- what is touched -- */

/* Memory of the program's, which may be anything: nothing but the kernel reads it safely. */
static void look(struct object_state *object, uint64_t address, uint64_t from, uint64_t bytes)
{
	_Alignas(8) char part[PART_BYTES];
	uint64_t size = bytes < LOOKED_AT ? bytes : LOOKED_AT;

	for (uint64_t at = 0; at < size && !object->holds_pointers; at += PART_BYTES) {
		size_t some = size - at < PART_BYTES ? size - at : PART_BYTES;
		struct iovec here = {part, some}, there = {(void *)(uintptr_t)(from + at), some};

		if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)some)
			object->holds_pointers = true; /* for all that is known */
		else
			object_rows_look(&running, object, address + at, part, some);
	}
}

/* Of a side of a copy or set: the object; NULL: memory of the host, or not known. */
static struct object_state *side(uint64_t address, bool host)
{
	struct memory *memory = host ? NULL : memory_holding(address);

	if (!memory || !memory->object || memory->kind == GPU_MEMORY_MAPPED_HOST)
		return NULL;
	return &memory->state;
}

static void take_copy(const struct touch *touch)
{
	struct object_state *to = side(touch->to, touch->to_host);
	struct object_state *from = side(touch->from, touch->from_host);

	if (to && from) {
		object_rows_copy(&running, to, from, touch->bytes);
	} else if (to) {
		object_rows_touch(&running, to, touch->from_host ? GPU_FROM_HOST : GPU_WRITE,
				  touch->bytes);
		if (touch->from_host)
			look(to, touch->to, touch->from, touch->bytes);
	} else if (from) {
		object_rows_touch(&running, from, touch->to_host ? GPU_TO_HOST : GPU_READ,
				  touch->bytes);
	}
	if ((!to && !touch->to_host) || (!from && !touch->from_host))
		sink->coverage(COVERAGE_COPY_UNKNOWN_MEMORY, NULL, 1, touch->bytes);
	to_host += touch->to_host ? touch->bytes : 0;
	from_host += touch->from_host ? touch->bytes : 0;
}

static void take_set(const struct touch *touch)
{
	struct object_state *object = find(touch->to);

	if (object)
		object_rows_touch(&running, object, GPU_WRITE, touch->bytes);
	else
		sink->coverage(COVERAGE_SET_UNKNOWN_MEMORY, NULL, 1, touch->bytes);
}

void rows_take(const struct touch *touches, uint32_t count)
{
	to_host = from_host = 0;
	for (uint32_t i = 0; i < count; i++)
		switch (touches[i].kind) {
		case TOUCH_COPY:
			take_copy(&touches[i]);
			break;
		case TOUCH_SET:
			take_set(&touches[i]);
			break;
		case TOUCH_ARGUMENT:
			object_rows_argument(&running, &touches[i].to, 0, sizeof(touches[i].to));
			break;
		case TOUCH_ANY:
			running.reaches_all = running.writes_all = true;
			break;
		}
}

/* -- the end -- */

static void tell_seen(const struct gpu_call *call, uint32_t object, uint32_t device)
{
	const struct gpu_read_unseen seen = {.device = device};

	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_READ_UNSEEN,
						.object = object,
						.payload = &seen,
						.size = sizeof(seen)});
}

void rows_end(const struct gpu_call *call)
{
	const bool reaches_all = running.reaches_all || running.incomplete;
	const struct gpu_row *rows;
	size_t count;

	if (call->api == GPU_KERNEL)
		sink->coverage(running.writes_all ? COVERAGE_CALLS_ARGUMENTS_UNKNOWN
						  : COVERAGE_CALLS_ARGUMENTS,
			       NULL, 1, 0);
	else if (running.writes_all && call->api == GPU_COPY)
		sink->coverage(COVERAGE_COPY_UNKNOWN_MEMORY, NULL, 1, 0);
	else if (running.writes_all && call->api == GPU_SET)
		sink->coverage(COVERAGE_SET_UNKNOWN_MEMORY, NULL, 1, 0);
	if (running.incomplete)
		sink->coverage(COVERAGE_ROWS_NO_MEMORY, NULL, 1, 0);
	else if (running.reaches_all && !running.writes_all)
		sink->coverage(COVERAGE_CALLS_POINTERS, NULL, 1, 0);
	rows = object_rows_settle(&running, call->context, &count);
	sink->end(call, rows, count);
	if (reaches_all)
		tell_seen(call, 0, call->device);
}

void rows_expose(uint64_t address)
{
	struct object_state *object = find(address);

	if (object)
		tell_seen(NULL, object->id, 0);
}

/* As the Sanitizer's provider has it: gpu/sanitizer/schedule/event_order.c. */
bool rows_wait(const struct wait_call *call, bool pageable, struct gpu_wait *wait)
{
	const bool copied = to_host || from_host;

	*wait = (struct gpu_wait){.device = call->device, .stream = call->stream};
	switch (call->kind) {
	case WAIT_COPY:
		wait->scope = !copied ? 0 : call->stream ? GPU_WAIT_STREAM : GPU_WAIT_DEFAULT;
		wait->own = 1;
		break;
	case WAIT_COPY_ASYNC:
		wait->scope = pageable && (to_host || from_host > STAGED) ? GPU_WAIT_STREAM : 0;
		wait->own = 1;
		break;
	case WAIT_HOST_COPY:
		wait->scope = GPU_WAIT_DEFAULT;
		break;
	case WAIT_FREE:
	case WAIT_DEVICE:
		wait->scope = GPU_WAIT_ALL;
		break;
	case WAIT_STREAM:
		wait->scope = GPU_WAIT_STREAM;
		break;
	case WAIT_EVENT:
		wait->scope = call->event.ns ? GPU_WAIT_EVENT : 0;
		wait->device = call->event.device;
		wait->stream = call->event.stream;
		wait->recorded_ns =
			call->event.ns < call->start_ns ? call->start_ns - call->event.ns : 0;
		break;
	case WAIT_QUEUED:
	case WAIT_UNKNOWN:
	case WAIT_QUESTION:
	case WAIT_HOST_FUNCTION:
		break;
	}
	return wait->scope;
}
