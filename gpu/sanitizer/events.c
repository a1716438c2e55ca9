/*
 * gpu/sanitizer/events.c: what an API call did becomes events: objects, rows, digests.
 */
#include "gpu/sanitizer/events.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/sanitizer/modules.h"
#include "gpu/sanitizer/space.h"

#define PATIENCE_NS UINT64_C(5000000000)

static const struct gpu_sink *sink; /* NULL: stopped */
static bool digests;

/* The contexts of the process. */
static struct space *spaces[64];
static unsigned space_count;

/* Something ran that was not followed: what is known of the objects' contents may be wrong. */
static bool unseen;
/* A kernel that we do not wait for any more, and where it runs. */
static CUstream late_stream;
static struct space *late;

/* Streams by number; 0 is the default stream. */
static CUstream *streams;
static uint32_t stream_count, stream_capacity;

static struct gpu_row *rows;
static size_t row_capacity;

void events_start(const struct gpu_sink *to, const struct gpu_options *options)
{
	digests = options->digests;
	sink = to;
}

void events_stop(void)
{
	sink = NULL;
}

void events_missed(void)
{
	__atomic_store_n(&unseen, true, __ATOMIC_RELEASE);
}

void events_unpatched(void)
{
	sink->coverage("modules",
		       "the code of a module could not be patched; its kernels are not "
		       "followed",
		       1, 0);
	events_missed();
}

/* -- spaces and streams ------------------------------------------------------------------- */

static struct space *find_space(CUcontext context)
{
	for (unsigned i = 0; i < space_count; i++)
		if (space_context(spaces[i]) == context)
			return spaces[i];
	return NULL;
}

static struct space *make_space(CUcontext context)
{
	struct space *space = find_space(context);

	if (space || space_count == sizeof(spaces) / sizeof(*spaces))
		return space;
	space = space_create(context, digests);
	if (space)
		spaces[space_count++] = space;
	return space;
}

void events_context_gone(CUcontext context)
{
	for (unsigned i = 0; i < space_count; i++)
		if (space_context(spaces[i]) == context) {
			if (late == spaces[i])
				late = NULL;
			space_abandon(spaces[i]);
			spaces[i] = spaces[--space_count];
			return;
		}
}

static uint32_t stream_number(CUstream stream)
{
	if (!stream || stream == CU_STREAM_LEGACY)
		return 0;
	for (uint32_t i = 0; i < stream_count; i++)
		if (streams[i] == stream)
			return i + 1;
	if (stream_count == stream_capacity) {
		uint32_t capacity = stream_capacity ? 2 * stream_capacity : 16;
		CUstream *more = reallocarray(streams, capacity, sizeof(*more));

		if (!more)
			return 0;
		streams = more;
		stream_capacity = capacity;
	}
	streams[stream_count++] = stream;
	return stream_count;
}

/* Our calls must neither fail nor break what the program captures. */
struct visit {
	CUstreamCaptureMode mode;
	bool pushed;
};

static bool enter(struct visit *visit, CUcontext context)
{
	visit->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	visit->pushed = driver.cuCtxPushCurrent(context) == CUDA_SUCCESS;
	if (visit->pushed)
		driver.cuThreadExchangeStreamCaptureMode(&visit->mode);
	return visit->pushed;
}

static void leave(struct visit *visit)
{
	CUcontext context;

	if (!visit->pushed)
		return;
	driver.cuThreadExchangeStreamCaptureMode(&visit->mode);
	driver.cuCtxPopCurrent(&context);
}

/* -- waiting ------------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Waits until the stream has nothing left to do; not for ever: a kernel may wait for another kernel
 * or for the host.
 */
static CUresult wait_for(CUstream stream)
{
	const struct timespec nap = {.tv_nsec = 50000};
	uint64_t start = now_ns(), waited;
	CUresult result;

	while ((result = driver.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
		waited = now_ns() - start;
		if (waited > PATIENCE_NS)
			break;
		if (waited > 1000000)
			nanosleep(&nap, NULL);
	}
	return result;
}

/* Whether the kernel that we gave up waiting for still runs. */
static bool still_late(void)
{
	struct visit visit;
	bool running = true;

	if (!late)
		return false;
	if (enter(&visit, space_context(late)))
		running = driver.cuStreamQuery(late_stream) == CUDA_ERROR_NOT_READY;
	leave(&visit);
	if (!running) {
		space_set_busy(late, false);
		late = NULL;
	}
	return running;
}

static void give_up_waiting(struct space *space, CUstream stream)
{
	late = space;
	late_stream = stream;
	space_set_busy(space, true);
	events_missed();
	sink->coverage("kernels",
		       "a kernel that ran for more than 5 seconds was not waited for; what "
		       "it and the calls during it wrote is unknown",
		       1, 0);
}

/* -- events ------------------------------------------------------------------------------- */

static void content(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES], bool zero)
{
	sink->content(data, object, digest, zero);
}

/* If something was not seen, nothing is known of what the followed objects hold now. */
static void forget_unseen(const struct gpu_call *call)
{
	if (!__atomic_exchange_n(&unseen, false, __ATOMIC_ACQ_REL))
		return;
	for (unsigned i = 0; i < space_count; i++) {
		struct visit visit;

		if (enter(&visit, space_context(spaces[i])) && space_forget_all(spaces[i]) == 0)
			space_digests(spaces[i], content, (void *)call);
		leave(&visit);
	}
}

static uint32_t introduce(const struct gpu_call *call, const struct object *object)
{
	struct gpu_object described = {.address = object->address,
				       .size = object->size,
				       .memory = object->memory,
				       .name = object->name};

	return sink->object(call, &described);
}

/* The alloc vertex of a variable comes just before the first API that touches it. */
static void announce(struct object *object)
{
	struct gpu_call call = {.api = GPU_ALLOC, .name = object->name, .no_path = true};

	if (object->id || object->memory != GPU_MEMORY_GLOBAL)
		return;
	sink->begin(&call);
	object_identify(object, introduce(&call, object), call.context);
	sink->end(&call, NULL, 0);
}

static int by_order(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

static void announce_touched(struct space *space)
{
	uint32_t count, found = 0;
	struct object *const *touched = space_touched(space, &count);
	struct object **news;

	for (uint32_t i = 0; i < count; i++)
		found += !touched[i]->id;
	news = found ? calloc(found, sizeof(struct object *)) : NULL;
	if (!news)
		return;
	found = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!touched[i]->id)
			news[found++] = touched[i];
	qsort(news, found, sizeof(struct object *), by_order);
	for (uint32_t i = 0; i < found; i++)
		announce(news[i]);
	free(news);
}

static void begin(struct gpu_call *call, enum gpu_api api, const char *name, CUstream stream,
		  const struct thread *thread)
{
	*call = (struct gpu_call){.api = api, .name = name, .stream = stream_number(stream)};
	sink->begin(call);
	if (call->start_ns)
		call->start_ns = thread->start_ns;
}

/* cudaMemcpy_ptds, cuMemAlloc_v2: as the program spells them. */
static const char *public_name(const char *name)
{
	static const char *const suffixes[] = {"_ptsz", "_ptds", "_v2", "_v3", "_v2_ptsz"};
	static char plain[128]; /* the lock is held, and the sink copies names */
	size_t length = strlen(name);

	if (length >= sizeof(plain))
		return name;
	memcpy(plain, name, length + 1);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t size = strlen(suffixes[i]);

		if (length > size && !strcmp(plain + length - size, suffixes[i])) {
			plain[length -= size] = '\0';
			i = (size_t)-1; /* from the start */
		}
	}
	return plain;
}

/* Bytes of an object that a copy gave to or took from the host. */
struct host_row {
	const struct object *object;
	enum gpu_access access;
	uint64_t bytes;
};

static bool reserve_rows(size_t count)
{
	struct gpu_row *more;

	if (count <= row_capacity)
		return true;
	more = reallocarray(rows, count, sizeof(*more));
	if (!more)
		return false;
	rows = more;
	row_capacity = count;
	return true;
}

static size_t convert(const struct row *from, uint32_t count, const struct host_row *host)
{
	size_t used = 0;

	if (!reserve_rows(2 * (size_t)count + 1))
		return 0;
	for (uint32_t i = 0; i < count;) {
		uint32_t last = i;

		while (last < count && from[last].object == from[i].object)
			last++;
		for (uint32_t k = i; k < last; k++)
			if (from[k].read)
				rows[used++] = (struct gpu_row){from[k].object->id, from[k].writer,
								GPU_READ, from[k].read, 0};
		for (uint32_t k = i; k < last; k++)
			if (from[k].written)
				rows[used++] = (struct gpu_row){from[k].object->id, from[k].writer,
								GPU_WRITE, from[k].written,
								from[k].redundant};
		i = last;
	}
	if (host->object && host->object->slot != NO_SLOT)
		rows[used++] = (struct gpu_row){host->object->id, GPU_WRITER_HOST, host->access,
						host->bytes, 0};
	return used;
}

/* The pass after an API that touched objects of this space, and its event's end. */
static void settle(struct gpu_call *call, struct space *space, const struct host_row *host)
{
	const struct row *found = NULL;
	uint32_t count = 0;
	int result = space_settle(space, call->context, &found, &count);

	if (result < 0 || space_failed(space)) {
		sink->abandon(call);
		return;
	}
	if (result > 0)
		sink->coverage("access rows", "an API touched bytes of too many last writers", 1,
			       0);
	sink->end(call, rows, convert(found, count, host));
	space_digests(space, content, call);
}

/* -- operations --------------------------------------------------------------------------- */

static void finish_alloc(const struct thread *thread, const struct operation *operation)
{
	struct space *space = make_space(operation->context);
	struct object *object;
	struct gpu_call call;
	bool follow = operation->memory == GPU_MEMORY_DEVICE;

	if (operation->memory == GPU_MEMORY_MAPPED_HOST) {
		sink->coverage("pinned host memory",
			       "what kernels do in memory of the host is not followed", 1,
			       operation->size);
		return;
	}
	object = space_find(space, operation->address);
	if (object && object->address == operation->address)
		space_remove(object); /* its free was not seen */
	object = space_add(space, operation->address, operation->size, operation->memory, follow);
	if (!object)
		return;
	begin(&call, GPU_ALLOC, public_name(thread->name), operation->stream, thread);
	object_identify(object, introduce(&call, object), call.context);
	sink->end(&call, NULL, 0);
	if (!follow)
		sink->coverage("managed memory", "accesses to managed memory are not followed", 1,
			       operation->size);
	else if (object->slot == NO_SLOT)
		sink->coverage("objects", "no GPU memory for the shadow of an allocation", 1,
			       operation->size);
}

static void finish_free(const struct thread *thread, const struct operation *operation)
{
	struct space *space = find_space(operation->context);
	struct object *object = space ? space_find(space, operation->address) : NULL;
	struct gpu_call call;

	for (unsigned i = 0; !object && i < space_count; i++)
		object = space_find(spaces[i], operation->address);
	if (!object || object->address != operation->address)
		return;
	begin(&call, GPU_FREE, public_name(thread->name), operation->stream, thread);
	sink->released(&call, object->id);
	space_remove(object);
	sink->end(&call, NULL, 0);
}

static struct object *find_object(CUcontext context, uint64_t address)
{
	struct space *space = find_space(context);
	struct object *object = space ? space_find(space, address) : NULL;

	for (unsigned i = 0; !object && i < space_count; i++)
		object = space_find(spaces[i], address);
	return object;
}

/* Whether the rows of one side of a copy or set lie inside the object. */
static bool fits(const struct object *object, uint64_t address, uint64_t pitch, uint64_t slice,
		 const struct operation *operation)
{
	uint64_t offset = address - object->address, end;

	if (__builtin_mul_overflow(slice, operation->depth - 1, &end) ||
	    __builtin_add_overflow(end, pitch * (operation->height - 1), &end) ||
	    __builtin_add_overflow(end, operation->width, &end))
		return false;
	return end <= object->size - offset;
}

static bool followed(const struct object *object)
{
	return object && object->slot != NO_SLOT;
}

/* Sets the masks of what a copy touches. */
static void mark_copy(struct object *to, struct object *from, const struct operation *operation)
{
	for (uint64_t i = 0; i < operation->depth; i++) {
		uint64_t at =
			followed(to) ? operation->address - to->address + i * operation->slice : 0;
		uint64_t from_at = followed(from) ? operation->from_address - from->address +
							    i * operation->from_slice
						  : 0;

		if (followed(from))
			space_mark(from, from_at, operation->from_pitch, operation->width,
				   operation->height, MARK_READ);
		if (followed(to) && followed(from) && to->space == from->space)
			space_mark_copy(to, at, operation->pitch, from, from_at,
					operation->from_pitch, operation->width, operation->height);
		else if (followed(to))
			space_mark(to, at, operation->pitch, operation->width, operation->height,
				   MARK_WRITTEN);
	}
}

/* A side that the driver calls device memory, but that we know nothing of. */
static void check_side(bool device, const struct object *object, uint64_t bytes)
{
	if (device && !object)
		sink->coverage("copies", "an array or memory whose allocation was not seen", 1,
			       bytes);
}

static void finish_copy(const struct thread *thread, const struct operation *operation)
{
	uint64_t bytes = operation->width * operation->height * operation->depth;
	struct object *to = find_object(operation->context, operation->address);
	struct object *from = find_object(operation->from_context, operation->from_address);
	struct host_row host = {.bytes = bytes};
	struct gpu_call call;

	check_side(operation->to_device, to, bytes);
	check_side(operation->from_device, from, bytes);
	if (!to && !from && !operation->to_device && !operation->from_device)
		return; /* from host to host */
	if (to)
		announce(to);
	if (from)
		announce(from);
	begin(&call, GPU_COPY, public_name(thread->name), operation->stream, thread);
	if ((followed(to) &&
	     !fits(to, operation->address, operation->pitch, operation->slice, operation)) ||
	    (followed(from) && !fits(from, operation->from_address, operation->from_pitch,
				     operation->from_slice, operation))) {
		sink->coverage("copies", "a copy across the bounds of an allocation", 1, bytes);
		events_missed();
		sink->end(&call, NULL, 0);
		return;
	}
	mark_copy(to, from, operation);
	if (to && !from && !operation->from_device)
		host.object = to, host.access = GPU_FROM_HOST;
	else if (from && !to && !operation->to_device)
		host.object = from, host.access = GPU_TO_HOST;
	if (to && from && to->space != from->space && followed(to)) {
		/* two devices: two passes, one event each would be two invocations */
		sink->coverage("copies", "what a copy between two devices read is not counted", 1,
			       bytes);
		events_missed();
	}
	settle(&call, to ? to->space : from ? from->space : find_space(operation->context), &host);
}

static void finish_set(const struct thread *thread, const struct operation *operation)
{
	struct object *object = find_object(operation->context, operation->address);
	const struct host_row host = {0};
	struct gpu_call call;

	if (object)
		announce(object);
	begin(&call, GPU_SET, public_name(thread->name), operation->stream, thread);
	if (!object)
		sink->coverage("sets", "memory whose allocation was not seen", 1, operation->width);
	if (!followed(object) || !operation->width) {
		sink->end(&call, NULL, 0);
		return;
	}
	if (!fits(object, operation->address, operation->pitch, 0, operation)) {
		sink->coverage("sets", "a set across the bounds of an allocation", 1, 0);
		events_missed();
		sink->end(&call, NULL, 0);
		return;
	}
	space_mark(object, operation->address - object->address, operation->pitch, operation->width,
		   operation->height, MARK_WRITTEN);
	settle(&call, object->space, &host);
}

static void finish_kernel(const struct thread *thread, const struct operation *operation,
			  struct space *space)
{
	const struct host_row host = {0};
	struct gpu_call call;

	if (operation->patched)
		space_take_touched(space);
	announce_touched(space);
	begin(&call, GPU_KERNEL, operation->name, operation->stream, thread);
	if (!operation->patched) {
		sink->coverage("kernels", "a launch that could not be followed", 1, 0);
		events_missed();
	}
	settle(&call, space, &host);
}

/* What was put on a stream is waited for; false: in vain. */
static bool completed(const struct operation *operation, struct space *space)
{
	CUresult result;

	switch (operation->kind) {
	case OPERATION_COPY:
	case OPERATION_SET:
	case OPERATION_KERNEL:
	case OPERATION_UNSEEN:
		break;
	default:
		return true;
	}
	result = wait_for(operation->stream);
	if (result == CUDA_ERROR_NOT_READY)
		give_up_waiting(space, operation->stream);
	return result == CUDA_SUCCESS;
}

static void finish_one(const struct thread *thread, const struct operation *operation)
{
	struct space *space = make_space(operation->context);
	struct visit visit;

	if (operation->kind == OPERATION_COPY && !space)
		space = make_space(operation->from_context);
	if (!space || space_failed(space))
		return;
	if (!enter(&visit, space_context(space)))
		return;
	if (still_late()) {
		/* memory is kept account of, the rest must wait */
		if (operation->kind != OPERATION_ALLOC && operation->kind != OPERATION_FREE) {
			events_missed();
			leave(&visit);
			return;
		}
	} else if (!completed(operation, space)) {
		leave(&visit);
		return;
	} else {
		forget_unseen(NULL);
	}
	switch (operation->kind) {
	case OPERATION_ALLOC:
		finish_alloc(thread, operation);
		break;
	case OPERATION_FREE:
		finish_free(thread, operation);
		break;
	case OPERATION_COPY:
		finish_copy(thread, operation);
		break;
	case OPERATION_SET:
		finish_set(thread, operation);
		break;
	case OPERATION_KERNEL:
		finish_kernel(thread, operation, space);
		break;
	case OPERATION_UNSEEN:
		sink->coverage(operation->name,
			       "what they do is not followed; it leaves contents unknown", 1, 0);
		events_missed();
		forget_unseen(NULL);
		break;
	case OPERATION_UNLOAD:
		space_remove_module(space, operation->module);
		break;
	}
	leave(&visit);
}

void events_finish(struct thread *thread, bool failed)
{
	if (!sink)
		return;
	if (failed) {
		for (unsigned i = 0; i < thread->count; i++)
			if (thread->operations[i].kind == OPERATION_KERNEL ||
			    thread->operations[i].kind == OPERATION_UNSEEN)
				events_missed();
		return;
	}
	for (unsigned i = 0; i < thread->count; i++)
		finish_one(thread, &thread->operations[i]);
}

void events_prepare(CUcontext context, bool launch, uint64_t wanted)
{
	uint64_t skipped = 0, constants = 0;
	struct space *space;
	struct visit visit;
	uint32_t lost;

	if (!sink || (late && still_late()))
		return;
	if (enter(&visit, context)) {
		space = make_space(context);
		if (space && !space_failed(space)) {
			forget_unseen(NULL);
			if (modules_pending())
				modules_variables(space, &skipped, &constants);
			if (launch)
				space_publish(space);
			lost = wanted ? space_give_way(space, wanted) : 0;
			if (lost)
				sink->coverage("objects",
					       "the shadow of an object was given up because the "
					       "program needed the GPU memory",
					       lost, 0);
		}
	}
	leave(&visit);
	if (constants)
		sink->coverage("constant memory reads",
			       "reads of __constant__ memory make no edges", constants, 0);
	if (skipped)
		sink->coverage("module variables",
			       "the driver does not tell the address of a variable", skipped, 0);
}

void *events_callback_data(CUcontext context)
{
	struct space *space = find_space(context);

	return space && !late && space_is_published(space) && !space_failed(space)
		       ? space_state(space)
		       : NULL;
}
