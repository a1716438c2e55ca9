/*
 * gpu/emulator/device/observe.c: the provider "emulated": shadows, events and the guest.
 */
#include "gpu/emulator/device/observe.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/may_write.h"
#include "gpu/analysis/shadow.h"
#include "gpu/analysis/sizes.h"
#include "gpu/emulator/device/device.h"
#include "gpu/emulator/device/observe_access.h"
#include "gpu/emulator/device/observe_calls.h"
#include "gpu/emulator/device/observe_code.h"
#include "gpu/emulator/device/observe_memory.h"
#include "gpu/emulator/device/observe_values.h"
#include "util/start_environment.h"

static const struct gpu_sink *sink; /* NULL: nobody watches */
static struct shadow *shadow;       /* NULL: calls are observed by their arguments */
static struct may_write *may_write;
static bool digests;
static bool all_seen; /* the running API was not analysed: it may have read everything */
static struct sizes_said said;
static struct clock_work running_work; /* of the running API */
static bool has_work;
static __thread const struct gpu_node *running_node; /* of a graph, by this thread */

/* Module variables that no API has touched yet, in the order in which they were loaded. */
struct variable {
	struct allocation *allocation;
	const char *name;
	bool unknown; /* a launch that was not analysed may have written it */
};
static struct variable *variables;
static size_t variable_count, variable_capacity;

static struct gpu_provider provider;

static int start(const struct gpu_sink *to, const struct gpu_options *options)
{
	if (observe_calls_start(to)) {
		provider.metrics = 0;
	} else {
		digests = options->digests;
		shadow = shadow_create(digests);
		may_write = may_write_create();
		if (!shadow || !may_write)
			return -1;
		shadow_keep_leftovers(shadow);
		if (options->accesses)
			observe_access_start(to, shadow);
		if (options->value_blocks && observe_values_start(to, options->value_blocks))
			return -1;
	}
	observe_code_start(to);
	observe_memory_start(to);
	__atomic_store_n(&sink, to, __ATOMIC_RELEASE); /* observe_failed() has no lock */
	return 0;
}

static void stop(void)
{
	int error = device_enter(false);

	__atomic_store_n(&sink, NULL, __ATOMIC_RELEASE);
	if (!error)
		device_leave();
}

static struct gpu_provider provider = {
	.version = GPU_PROVIDER_VERSION,
	.name = "emulated",
	.device_name = EMULATOR_DEVICE_NAME,
	.metrics = GPU_METRICS,
	.start = start,
	.stop = stop,
};

static gpu_guest_start *guest_start;

void observe_load(void)
{
	const char *path = start_variable("VFLOW_GUEST"); /* not with another user's rights */
	gpu_guest_start *start_guest;
	void *guest;

	if (!path || !*path)
		return;
	guest = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	start_guest = guest ? (gpu_guest_start *)(uintptr_t)dlsym(guest, GPU_GUEST_START) : NULL;
	if (start_guest)
		__atomic_store_n(&guest_start, start_guest, __ATOMIC_RELEASE);
	else
		device_say("the program runs unobserved: %s", dlerror());
}

void observe_start(void)
{
	gpu_guest_start *start_guest = __atomic_load_n(&guest_start, __ATOMIC_ACQUIRE);

	clock_start();
	if (clock_is_virtual())
		provider.clock = clock_now, provider.common_clock = clock_common;
	if (start_guest && start_guest(&provider))
		__atomic_store_n(&sink, NULL, __ATOMIC_RELEASE);
}

bool observe_active(void)
{
	return sink != NULL;
}

bool observe_wanted(const char *kernel)
{
	return sink && shadow && (!sink->wanted || sink->wanted(kernel, running_node));
}

uint32_t observe_path(void)
{
	if (running_node)
		return running_node->path;
	return sink ? sink->path() : 0;
}

void observe_node(const struct gpu_node *node)
{
	running_node = node;
}

void observe_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	if (sink)
		sink->coverage(id, detail, count, bytes);
}

void observe_failed(const char *name, uint32_t error)
{
	const struct gpu_sink *to = __atomic_load_n(&sink, __ATOMIC_ACQUIRE);

	if (to)
		to->failed(name, error);
}

static void begin(struct gpu_call *call)
{
	call->node = running_node;
	sink->begin(call);
	call->node = NULL;
}

void observe_begin(struct gpu_call *call, enum gpu_api api, const char *name, int64_t stream)
{
	if (!sink)
		return;
	*call = (struct gpu_call){.api = api, .name = name, .stream = (uint32_t)stream};
	begin(call);
}

void observe_begin_download(struct gpu_call *call, const char *name, int64_t stream,
			    uint64_t address, uint64_t bytes)
{
	if (!sink)
		return;
	*call = (struct gpu_call){.api = GPU_COPY,
				  .name = name,
				  .stream = (uint32_t)stream,
				  .host_address = address,
				  .host_bytes = bytes};
	begin(call);
}

void observe_begin_upload(struct gpu_call *call, const char *name, int64_t stream, uint64_t address,
			  uint64_t bytes)
{
	if (!sink)
		return;
	*call = (struct gpu_call){.api = GPU_COPY,
				  .name = name,
				  .stream = (uint32_t)stream,
				  .source_address = running_node ? 0 : address,
				  .source_bytes = bytes};
	begin(call);
}

void observe_reached(enum gpu_reach how)
{
	if (sink && sink->reached)
		sink->reached(how);
}

void observe_returned(const struct gpu_call *call)
{
	if (sink && sink->returned && !running_node)
		sink->returned(call);
}

static void changed(void *data, uint32_t object, const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	struct gpu_content content = {.zero = zero};

	memcpy(content.digest, digest, sizeof(content.digest));
	sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_CONTENT,
						.object = object,
						.payload = &content,
						.size = sizeof(content)});
}

/* Nothing that was written to the object before is unread; 0: to none. */
static void tell_seen(const struct gpu_call *call, uint32_t object)
{
	static const struct gpu_read_unseen seen;

	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_READ_UNSEEN,
						.object = object,
						.payload = &seen,
						.size = sizeof(seen)});
}

static void tell_left(void *data, uint32_t object, const struct gpu_left_bytes *left)
{
	sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_LEFT_BYTES,
						.object = object,
						.payload = left,
						.size = sizeof(*left)});
}

static void tell_unwritten(void *data, uint32_t object, uint64_t bytes)
{
	const struct gpu_unwritten unwritten = {.bytes = bytes};

	sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_UNWRITTEN,
						.object = object,
						.payload = &unwritten,
						.size = sizeof(unwritten)});
}

static void tell_sizes(void *data, uint32_t object, uint32_t sizes)
{
	const struct gpu_call *call = data;
	const struct gpu_sizes payload = sizes_payload(sizes);

	if (sizes_are_new(&said, call->context, object, sizes))
		sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_SIZES,
							.object = object,
							.payload = &payload,
							.size = sizeof(payload)});
}

void observe_work(const struct clock_work *work)
{
	running_work = *work;
	has_work = true;
}

/* Of the call, which has ended: when the device was at it. */
static void tell_time(const struct gpu_call *call, const struct clock_span *span)
{
	const struct gpu_time time = {.after_ns = span->start_ns - call->start_ns,
				      .time_ns = span->end_ns - span->start_ns};

	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_TIME,
						.payload = &time,
						.size = sizeof(time)});
}

/* Another thread may have recorded after the call's start, before it came to be. */
static uint64_t since(const struct gpu_call *call, uint64_t recorded_ns)
{
	return recorded_ns < call->start_ns ? call->start_ns - recorded_ns : 0;
}

static void tell_wait(const struct gpu_call *call, const struct clock_call *made)
{
	const bool of_event = made->scope == GPU_WAIT_EVENT || made->scope == GPU_WAIT_NEEDS;
	const struct gpu_wait wait = {
		.wait_ns = made->wait_ns,
		.recorded_ns = of_event ? since(call, made->recorded_ns) : 0,
		.scope = made->scope,
		.own = made->own,
		.stream = made->stream,
	};

	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_WAIT,
						.payload = &wait,
						.size = sizeof(wait)});
}

/* What the operation of the call, and all later ones in its stream, or the host come after. */
static void tell_orders(const struct gpu_call *call, const struct clock_call *made)
{
	for (uint32_t i = 0; made->orders && i < made->orders->count; i++) {
		const struct clock_point *point = &made->orders->list[i];
		const struct gpu_order order = {
			.recorded_ns = since(call, point->recorded_ns),
			.stream = point->stream,
		};

		sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_ORDER,
							.payload = &order,
							.size = sizeof(order)});
	}
	if (made->has_operation)
		clock_told(call->stream);
}

/* What the call comes after and waits for; and when the device was at it, if that is known. */
static void tell_order(const struct gpu_call *call, const struct clock_call *made)
{
	const struct gpu_stream stream = {.nonblocking = made->nonblocking};

	if (made->first)
		sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_STREAM,
							.payload = &stream,
							.size = sizeof(stream)});
	tell_orders(call, made);
	if (made->has_operation && clock_is_virtual())
		tell_time(call, &made->operation);
	if (made->scope)
		tell_wait(call, made);
}

/* The rows of the running call. */
static const struct gpu_row *settle(const struct gpu_call *call, size_t *count)
{
	const struct gpu_row *rows = NULL;

	if (!shadow)
		return observe_calls_settle(call, count, &all_seen);
	if (shadow_settle(shadow, call->context, &rows, count)) {
		*count = 0;
		all_seen = true;
		observe_coverage(COVERAGE_ROWS_NO_MEMORY, NULL, 1, 0);
	}
	return rows;
}

void observe_end(struct gpu_call *call)
{
	const struct gpu_row *rows;
	struct clock_call made;
	size_t count = 0;

	if (!sink)
		return;
	made = clock_call(call, has_work ? &running_work : NULL);
	has_work = false;
	rows = settle(call, &count);
	if (call->api == GPU_KERNEL && may_write)
		may_write_note(may_write, call->name, rows, count);
	sink->end(call, rows, count);
	if (call->start_ns)
		tell_order(call, &made);
	if (shadow)
		shadow_leftovers(shadow, tell_left, call);
	if (all_seen)
		tell_seen(call, 0);
	all_seen = false;
	if (shadow) {
		shadow_unwritten(shadow, tell_unwritten, call);
		shadow_atomics(shadow, tell_sizes, call);
		observe_access_end(call);
		observe_values_end(call);
	}
	if (digests)
		shadow_digests(shadow, changed, call);
}

void observe_received(const struct gpu_call *call, const struct allocation *allocation)
{
	const struct gpu_received received = {.same = 1};

	/* copies from arrays are seen on GPUs when they are over */
	if (sink && allocation->object && allocation->kind != GPU_MEMORY_ARRAY)
		sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_RECEIVED,
							.object = allocation->object,
							.payload = &received,
							.size = sizeof(received)});
}

void observe_transfer(const struct gpu_call *call, const struct allocation *allocation,
		      const struct transfer_box *box, bool from_host, uint64_t host)
{
	struct gpu_transfer transfer = {.offset = box->address - allocation->address,
					.bytes = box->width,
					.from_host = from_host,
					.host = host};
	struct transfer_sum sum = {.nonzero = 0};

	if (from_host)
		observe_calls_uploaded(allocation, box->address, box->width);
	if (!sink || !digests || !allocation->object || allocation->kind == GPU_MEMORY_ARRAY)
		return;
	if (box->height > 1 || box->depth > 1) {
		observe_coverage(COVERAGE_TRANSFERS_IN_ROWS, NULL, 1,
				 box->width * box->height * box->depth);
		return;
	}
	transfer_add(&sum, 0, (const void *)(uintptr_t)box->address, box->width);
	transfer_digest(&sum, box->width, transfer.digest);
	transfer.zero = !sum.nonzero;
	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_TRANSFER,
						.object = allocation->object,
						.payload = &transfer,
						.size = sizeof(transfer)});
}

void observe_drop(void)
{
	observe_values_drop();
	if (sink && shadow)
		shadow_abandon(shadow);
	else if (sink)
		observe_calls_drop();
}

/* Tells the sink of the object; `name`: of a variable. */
static uint32_t introduce(const struct gpu_call *call, struct allocation *allocation,
			  const char *name)
{
	struct gpu_object object = {
		.address = allocation->address,
		.size = allocation->size,
		.memory = (enum gpu_memory)allocation->kind,
		.name = name,
		.managed = allocation->managed,
	};
	uint32_t id = sink->object(call, &object);

	if (may_write)
		may_write_object(may_write, id, allocation->address);
	else
		observe_calls_object(call, allocation, &object, id);
	return id;
}

void observe_allocated(const struct gpu_call *call, struct allocation *allocation)
{
	if (!sink)
		return;
	allocation->object = introduce(call, allocation, NULL);
	observe_memory_allocated(allocation);
	if (!shadow)
		return;
	allocation->shadow = shadow_object_create(shadow, allocation->object, call->context,
						  (const void *)(uintptr_t)allocation->address,
						  allocation->size);
	if (!allocation->shadow) {
		observe_coverage(COVERAGE_OBJECT_NO_MEMORY, NULL, 1, allocation->size);
		return;
	}
	if (allocation->kind == GPU_MEMORY_ARRAY)
		shadow_object_exposed(allocation->shadow);
	if (allocation->kind != GPU_MEMORY_MANAGED && allocation->kind != GPU_MEMORY_MAPPED_HOST)
		return;
	if (memory_is_device(allocation->address))
		memset((void *)(uintptr_t)allocation->address, 0, allocation->size);
	shadow_object_shared(allocation->shadow);
	observe_coverage(allocation->kind == GPU_MEMORY_MANAGED ? COVERAGE_MANAGED_MEMORY
								: COVERAGE_PINNED_MEMORY,
			 NULL, 1, allocation->size);
}

void observe_released(const struct gpu_call *call, struct allocation *allocation)
{
	observe_access_released(allocation);
	observe_memory_released(allocation);
	if (allocation->shadow)
		shadow_object_destroy(allocation->shadow);
	allocation->shadow = NULL;
	observe_calls_gone(allocation);
	if (!sink || !allocation->object)
		return;
	if (may_write)
		may_write_released(may_write, allocation->object);
	sink->released(call, allocation->object);
}

void observe_variable(struct allocation *allocation, const char *name)
{
	if (!sink)
		return;
	if (variable_count == variable_capacity) {
		size_t capacity = variable_capacity ? 2 * variable_capacity : 16;
		struct variable *more = realloc(variables, capacity * sizeof(*more));

		if (!more)
			goto no_memory;
		variables = more;
		variable_capacity = capacity;
	}
	if (shadow) {
		allocation->shadow = shadow_object_create(
			shadow, 0, GPU_WRITER_UNKNOWN, (const void *)(uintptr_t)allocation->address,
			allocation->size);
		if (!allocation->shadow)
			goto no_memory;
		shadow_initialised(allocation->shadow, 0, allocation->size);
	} else {
		observe_coverage(COVERAGE_CALLS_VARIABLES, NULL, 1, allocation->size);
	}
	variables[variable_count++] = (struct variable){.allocation = allocation, .name = name};
	return;
no_memory:
	observe_coverage(COVERAGE_VARIABLE_NO_MEMORY, NULL, 1, allocation->size);
}

void observe_constants(uint32_t count)
{
	if (shadow && count)
		observe_coverage(COVERAGE_CONSTANT_READS, NULL, count, 0);
}

void observe_variable_shared(struct allocation *allocation)
{
	allocation->managed = true;
	if (!allocation->shadow)
		return;
	shadow_object_shared(allocation->shadow);
	observe_coverage(COVERAGE_MANAGED_MEMORY, NULL, 1, allocation->size);
}

/* The alloc vertex of a variable, whose masks the running API may have set already. */
static void announce(const struct variable *variable)
{
	struct allocation *allocation = variable->allocation;
	struct gpu_call call = {.api = GPU_ALLOC, .name = variable->name, .no_path = true};

	sink->begin(&call);
	allocation->object = introduce(&call, allocation, variable->name);
	if (shadow)
		shadow_object_identify(allocation->shadow, allocation->object, call.context);
	sink->end(&call, NULL, 0);
	if (variable->unknown && shadow)
		shadow_forget(allocation->shadow, 0, allocation->size);
}

static void forget_variable(size_t index)
{
	variable_count--;
	memmove(&variables[index], &variables[index + 1],
		(variable_count - index) * sizeof(*variables));
}

void observe_known(struct allocation *allocation)
{
	if (!sink || allocation->object || allocation->kind != GPU_MEMORY_GLOBAL)
		return;
	for (size_t i = 0; i < variable_count; i++)
		if (variables[i].allocation == allocation) {
			announce(&variables[i]);
			forget_variable(i);
			return;
		}
}

void observe_variable_gone(struct allocation *allocation)
{
	for (size_t i = 0; i < variable_count; i++)
		if (variables[i].allocation == allocation) {
			forget_variable(i);
			break;
		}
	if (sink && allocation->object && may_write)
		may_write_released(may_write, allocation->object);
	if (allocation->shadow)
		shadow_object_destroy(allocation->shadow);
	allocation->shadow = NULL;
	observe_calls_gone(allocation);
}

void observe_begin_kernel(struct gpu_call *call, const char *name, int64_t stream,
			  uint64_t start_ns)
{
	if (!sink)
		return;
	for (size_t i = 0; shadow && i < variable_count;)
		if (shadow_object_touched(variables[i].allocation->shadow)) {
			announce(&variables[i]);
			forget_variable(i);
		} else {
			i++;
		}
	observe_begin(call, GPU_KERNEL, name, stream);
	call->start_ns = start_ns;
}

void observe_touch(struct allocation *allocation, uint64_t address, uint64_t size,
		   enum gpu_access access)
{
	if (allocation->state)
		observe_calls_touch(allocation, size, access);
	if (!allocation->shadow || !size)
		return;
	shadow_touch(allocation->shadow, address - allocation->address, size, access);
	if (access == GPU_WRITE)
		shadow_sizes(allocation->shadow, values_sizes(VALUES_BULK, VALUES_WIDE));
}

void observe_exposed(struct allocation *allocation)
{
	if (sink && (allocation->state ||
		     (allocation->shadow && shadow_object_exposed(allocation->shadow))))
		tell_seen(NULL, allocation->object);
}

void observe_seen(struct allocation *allocation)
{
	if (sink &&
	    (allocation->state || (allocation->shadow && shadow_object_seen(allocation->shadow))))
		tell_seen(NULL, allocation->object);
}

static void forget(struct allocation *allocation, uint64_t offset, uint64_t size)
{
	if (allocation->state)
		observe_calls_forget(allocation);
	if (allocation->shadow && allocation->object)
		shadow_forget(allocation->shadow, offset, size);
}

void observe_replaced(struct allocation *allocation, uint64_t offset, uint64_t size)
{
	forget(allocation, offset, size);
	if (allocation->shadow)
		shadow_object_replaced(allocation->shadow);
}

void observe_forget(struct allocation *allocation)
{
	for (size_t i = 0; shadow && !allocation->object && i < variable_count; i++)
		if (variables[i].allocation == allocation)
			variables[i].unknown = true; /* once it has a site */
	forget(allocation, 0, allocation->size);
}

static void forget_written(void *data, uint64_t address, uint32_t id)
{
	struct allocation *allocation = memory_find(address);

	(void)data;
	if (allocation && (!id || allocation->object == id))
		observe_forget(allocation);
}

static void forget_any(struct allocation *allocation, void *data)
{
	(void)data;
	observe_forget(allocation);
}

void observe_unanalysed(const char *kernel, const void *parameters, size_t size)
{
	if (!sink)
		return;
	shadow_all_seen(shadow);
	all_seen = true;
	if (may_write_each(may_write, kernel, parameters, size, forget_written, NULL) != 0)
		memory_each(forget_any, NULL);
}

void observe_copy(struct allocation *to, uint64_t to_address, struct allocation *from,
		  uint64_t from_address, uint64_t size)
{
	if (to->state && from->state) {
		observe_calls_copy(to, from, size);
		return;
	}
	if (to->shadow && from->shadow && size) {
		shadow_touch_copy(to->shadow, to_address - to->address, from->shadow,
				  from_address - from->address, size);
		return;
	}
	observe_touch(to, to_address, size, GPU_WRITE);
	observe_touch(from, from_address, size, GPU_READ);
}
