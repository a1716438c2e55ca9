/* gpu/sanitizer/schedule/event_order.c: see event_order.h. */
#include "gpu/sanitizer/schedule/event_order.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/now.h"
#include "gpu/nvidia/streams.h"
#include "gpu/sanitizer/schedule/events_internal.h"

enum { STAGED = 65536 }; /* smaller uploads from pageable memory do not wait */

/* What is to be said of a call when it has ended. */
struct note {
	struct note_key {
		uint64_t context, invocation;
	} key;
	bool first, nonblocking;  /* of its stream */
	bool waits, asynchronous; /* waits: it may wait for its copy */
	struct gpu_wait wait;     /* scope 0: it is not known to */
	struct gpu_order *orders; /* ours */
	uint32_t order_count;
	UT_hash_handle hh;
};

static const struct gpu_sink *sink;
static struct note *notes; /* of calls that have begun */

/* -- functions of the driver -- */

/* The device that is current; 0: none, or it is not known. */
static uint32_t current_device(void)
{
	CUdevice device;

	return driver.cuCtxGetDevice(&device) == CUDA_SUCCESS ? (uint32_t)device : 0;
}

bool order_concerns(uint32_t id, const char *function, const void *parameters)
{
	uintptr_t stream;

	return streams_concern(id, function, parameters, &stream);
}

void order_note(uint32_t id, const char *function, const void *parameters)
{
	uintptr_t stream;

	if (streams_concern(id, function, parameters, &stream) &&
	    !streams_note(id, function, parameters, current_device(),
			  stream && stream_is_captured((CUstream)stream)))
		sink->coverage(COVERAGE_EVENT_NODES, NULL, 1, 0);
}

/* -- calls -- */

/* To the note, what the call comes after; the list is freed. */
static void take_points(struct note *note, struct stream_points *points, uint64_t start_ns)
{
	note->orders = points->count ? calloc(points->count, sizeof(*note->orders)) : NULL;
	for (uint32_t i = 0; note->orders && i < points->count; i++) {
		const struct stream_point *point = &points->list[i];

		if (point->ns <= start_ns)
			note->orders[note->order_count++] = (struct gpu_order){
				.recorded_ns = start_ns - point->ns,
				.device = point->device,
				.stream = point->stream,
			};
	}
	free(points->list);
}

static void find_synchronization(struct note *note, const struct gpu_call *call, uintptr_t stream,
				 CUevent event)
{
	struct stream_points points = {0};
	struct stream_point at;

	const enum api_waits waits = api_waits_for(call->name);

	if (waits != API_WAITS_EVENT) {
		note->wait.scope = waits == API_WAITS_STREAM ? GPU_WAIT_STREAM : GPU_WAIT_ALL;
		note->wait.device = call->device;
		note->wait.stream = call->stream;
		if (note->wait.scope == GPU_WAIT_STREAM)
			streams_orders(stream, call->device, 0, &points);
	} else {
		at = streams_event((uintptr_t)event, &points);
		if (at.ns && at.ns <= call->start_ns)
			note->wait = (struct gpu_wait){
				.scope = GPU_WAIT_EVENT,
				.recorded_ns = call->start_ns - at.ns,
				.device = at.device,
				.stream = at.stream,
			};
	}
	take_points(note, &points, call->start_ns);
}

static void look_at_call(struct note *note, const struct gpu_call *call, uintptr_t stream,
			 const struct api_call *api_call)
{
	struct stream_points points;
	bool memory;

	note->asynchronous = call->api != GPU_KERNEL && api_is_asynchronous(call->name);
	switch (call->api) {
	case GPU_COPY:
		note->waits = !note->asynchronous || api_call->host_waited;
		break;
	case GPU_SYNC:
		find_synchronization(note, call, stream, api_call->event);
		return;
	case GPU_FREE:
		note->wait.scope = note->asynchronous ? 0 : GPU_WAIT_ALL;
		note->wait.device = call->device;
		break;
	default:
		break;
	}
	memory = call->api == GPU_ALLOC || call->api == GPU_FREE;
	if (memory && !note->asynchronous)
		return;
	streams_orders(stream, call->device, memory ? 0 : now_ns(), &points);
	take_points(note, &points, call->start_ns);
}

static void add_note(const struct note *from)
{
	struct note *note = malloc(sizeof(*note));

	if (note) {
		*note = *from;
		HASH_ADD(hh, notes, key, sizeof(note->key), note);
		if (note->hh.tbl)
			return;
		free(note); /* no memory: it is not in the table */
	}
	free(from->orders);
}

void order_number(struct gpu_call *call, CUstream stream, const struct api_call *api_call,
		  struct stream_facts *facts)
{
	const struct space *space = events_find_space(api_call->context);
	uint32_t device = space ? (uint32_t)space_device(space) : current_device();

	*facts = streams_of_call(stream_handle("", (uintptr_t)stream), device);
	call->device = facts->device;
	call->stream = facts->number;
}

void order_begun(const struct gpu_call *call, CUstream stream, const struct stream_facts *facts,
		 const struct api_call *api_call)
{
	struct note note = {
		.key = {call->context, call->invocation},
		.first = facts->first && facts->known,
		.nonblocking = facts->nonblocking,
	};

	if (!call->start_ns)
		return;
	look_at_call(&note, call, stream_handle("", (uintptr_t)stream), api_call);
	if (note.first || note.order_count || note.waits || note.wait.scope)
		add_note(&note);
	else
		free(note.orders);
}

/* Of the call, for the caller to free; NULL: there is none. */
static struct note *take_note(const struct gpu_call *call)
{
	const struct note_key key = {call->context, call->invocation};
	struct note *note;

	HASH_FIND(hh, notes, &key, sizeof(key), note);
	if (note)
		HASH_DEL(notes, note);
	return note;
}

static void free_note(struct note *note)
{
	if (note)
		free(note->orders);
	free(note);
}

static void tell(const struct gpu_call *call, uint32_t kind, const void *payload, size_t size)
{
	sink->record(call, &(struct gpu_record){.kind = kind, .payload = payload, .size = size});
}

/* A copy between the device and the host waits for itself, if it does. */
static void find_copy(struct note *note, const struct gpu_call *call, const struct gpu_row *rows,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].access == GPU_TO_HOST ||
		    (rows[i].access == GPU_FROM_HOST &&
		     (!note->asynchronous || rows[i].bytes > STAGED)))
			note->wait = (struct gpu_wait){
				.scope = note->asynchronous || call->stream ? GPU_WAIT_STREAM
									    : GPU_WAIT_DEFAULT,
				.own = 1,
				.device = call->device,
				.stream = call->stream,
			};
}

static void end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	struct note *note = take_note(call);

	sink->end(call, rows, count);
	if (!note)
		return;
	if (note->first)
		tell(call, GPU_RECORD_STREAM, &(struct gpu_stream){note->nonblocking},
		     sizeof(struct gpu_stream));
	for (uint32_t i = 0; i < note->order_count; i++)
		tell(call, GPU_RECORD_ORDER, &note->orders[i], sizeof(note->orders[i]));
	if (note->waits)
		find_copy(note, call, rows, count);
	if (note->wait.scope)
		tell(call, GPU_RECORD_WAIT, &note->wait, sizeof(note->wait));
	free_note(note);
}

static void abandon(const struct gpu_call *call)
{
	free_note(take_note(call));
	sink->abandon(call);
}

const struct gpu_sink *order_start(const struct gpu_sink *to)
{
	static struct gpu_sink telling;

	sink = to;
	telling = *to;
	telling.end = end;
	telling.abandon = abandon;
	return &telling;
}
