/*
 * collect/guest/uses.c: the pass `use`: when and where the program first uses what a wait has put
 * into its memory, and which pages of it at all.
 *
 * A wait protects the copies to the host that were made since the last one that waited for their
 * stream, and managed and mapped memory since the last wait if kernels were launched.  What it
 * protects is watched from its end until it is written again, freed, or the process ends.
 *
 * Environment: VFLOW_USE=1 makes the pass; VFLOW_USE_WAITS is a list "cudaMemcpy,..." of functions
 * whose waits are watched (none: all); a run of the pass `time` knows which are worth it.
 */
#include "collect/guest/guest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "collect/guest/managed.h"
#include "collect/guest/sources.h"
#include "collect/guest/watch/calls.h"
#include "collect/guest/watch/watch.h"
#include "gpu/nvidia/apis.h"
#include "util/start_environment.h"

enum {
	RANGES_MAX = WATCHES_MAX - SOURCES_MAX,
	DOWNLOADS_MAX = 256,
	OBJECTS_MAX = 64, /* managed and mapped */
	ALWAYS_WATCHED = 100,
	WATCHED_BYTES_MAX = 256 << 20, /* of one copy, and of an object */
	OBJECT_BYTES_MAX = 64 << 20,
};

struct download {
	uint64_t address, bytes;
	uint32_t context, device, stream;
	const struct gpu_call *call; /* only ever compared */
};

struct shared_object {
	uint32_t id;
	bool faults; /* of the host there are told by the provider */
	uint64_t address, size;
};

/* A wait, until nothing that it protects is watched any more. */
struct wait {
	uint32_t watched;  /* ranges that are; 0: the slot is free, or the wait is being made */
	uint64_t end_ns;   /* of the provider's clock */
	uint64_t first_ns; /* CLOCK_MONOTONIC, of the first use so far */
	bool gap;
	bool managed; /* it protects memory that managed.c knows of */
	struct gpu_use use;
};

struct watched {
	struct watch *watch; /* NULL: a free slot */
	struct wait *wait;
	uint64_t number; /* the lowest is the oldest */
	bool is_object;
	uint64_t address, bytes;
};

static const struct gpu_provider *observed;
static const char *functions;
static bool started, failed;

static struct download downloads[DOWNLOADS_MAX];
static uint32_t download_count;
static bool evicted; /* some of those that no wait has protected yet */
static struct shared_object objects[OBJECTS_MAX];
static uint32_t object_count;
static bool objects_left_out; /* there were more */
static bool launched;         /* a kernel, since the last wait */

static struct wait waits[RANGES_MAX];
static struct watched ranges[RANGES_MAX];
static uint64_t range_number;

/* The code of free(), which writes to memory that nobody uses. */
static unw_proc_info_t release_function;

bool uses_start(const struct gpu_provider *provider)
{
	const char *set = start_variable("VFLOW_USE");

	observed = provider;
	sources_start(provider);
	functions = start_variable("VFLOW_USE_WAITS");
	if (!set || !*set)
		return false;
	calls_start();
	return true;
}

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

uint64_t uses_now_ns(void)
{
	struct timespec now;

	if (observed->common_clock)
		return observed->common_clock();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* At the first wait: the program may have set its signals up by then. */
bool uses_can_watch(void)
{
	struct error why;

	if (started || failed)
		return started;
	if (calls_has_memory_open())
		error_set(&why, CALLS_MEMORY_OPEN);
	else
		started = watch_start(uses_now_ns, &why) == 0;
	failed = !started;
	if (failed)
		coverage_add(COVERAGE_USE_NOT_MEASURED, why.text, 1, 0);
	unw_get_proc_info_by_ip(unw_local_addr_space, (unw_word_t)(uintptr_t)&free,
				&release_function, NULL);
	return started;
}

/* -- what a wait says, once it is known -- */

static void write_use(struct gpu_use *use, bool gap)
{
	if (gap) {
		use->kind = GPU_USE_UNKNOWN;
		use->frame = 0;
		use->after_ns = 0;
		coverage_add(COVERAGE_USE_MISSED, NULL, 1, 0);
	}
	guest_record(NULL, &(struct gpu_record){
				   .kind = GPU_RECORD_USE, .payload = use, .size = sizeof(*use)});
}

static void write_wait(struct wait *wait)
{
	if (!wait->managed || !managed_finish(&wait->use, wait->gap))
		write_use(&wait->use, wait->gap);
}

static bool is_release(const struct watch_use *use)
{
	for (uint32_t i = 0; i < use->frame_count; i++)
		if (use->frames[i] >= release_function.start_ip &&
		    use->frames[i] < release_function.end_ip)
			return true;
	return false;
}

/* The use is that of the wait if it was the first. */
static void take_use(struct wait *wait, const struct watch_use *use, bool is_object)
{
	uint32_t frame;
	bool cuda;

	if (wait->use.kind != GPU_USE_NEVER && use->ns >= wait->first_ns)
		return;
	frame = paths_of(observed, use->frames, use->frame_count, &cuda);
	/* CUDA may write what is to be written again, and looks into memory that it manages */
	if (cuda && (use->write || is_object))
		return;
	wait->use.kind = cuda                             ? GPU_USE_CUDA
			 : use->kind == WATCH_SYSTEM_CALL ? GPU_USE_SYSTEM_CALL
							  : GPU_USE_INSTRUCTION;
	wait->first_ns = use->ns;
	wait->use.after_ns = use->common_ns > wait->end_ns ? use->common_ns - wait->end_ns : 0;
	wait->use.frame = frame == UINT32_MAX ? 0 : frame;
}

/* `cut`: the program may still use it. */
static void end_range(struct watched *range, bool cut)
{
	static struct watch_result result; /* the lock is held; the caller's stack may be small */
	struct wait *wait = range->wait;

	watch_end(range->watch, &result);
	range->watch = NULL;
	wait->use.pages += result.pages;
	wait->use.touched_pages += result.touched;
	if (result.first.kind && !is_release(&result.first))
		take_use(wait, &result.first, range->is_object);
	wait->gap |= result.gap || (cut && !result.first.kind);
	if (!--wait->watched)
		write_wait(wait);
}

static bool is_within(const struct watched *range, uint64_t address, uint64_t bytes)
{
	return range->address >= address && range->address - address <= bytes &&
	       range->bytes <= bytes - (range->address - address);
}

/*
 * They are written or, with a wait, watched for that.  What a copy has brought is still there then,
 * if it was not for the same wait, and so is what is not written of it.
 */
static void end_ranges_in(uint64_t address, uint64_t bytes, const struct wait *by)
{
	for (uint32_t i = 0; i < RANGES_MAX; i++)
		if (ranges[i].watch && watch_overlaps(ranges[i].watch, address, bytes))
			end_range(&ranges[i],
				  !ranges[i].is_object &&
					  (by ? ranges[i].wait != by
					      : !is_within(&ranges[i], address, bytes)));
}

void uses_end(bool cut)
{
	static bool said;

	if (started && watch_ended() && !said)
		coverage_add(COVERAGE_USE_ENDED, watch_ended(), 1, 0);
	said |= watch_ended() != NULL;
	sources_end();
	for (uint32_t i = 0; i < RANGES_MAX; i++)
		if (ranges[i].watch)
			end_range(&ranges[i], cut);
	if (!cut)
		managed_end(observed, write_use);
}

void uses_reached(enum gpu_reach how)
{
	sources_reached(how);
}

void uses_touched(uint64_t ns, uintptr_t instruction)
{
	managed_touched(observed, ns, instruction);
}

/* -- what is written to the host's memory -- */

void uses_begin(const struct gpu_call *call)
{
	sources_begin(call);
	launched |= call->api == GPU_KERNEL;
	if (!call->host_bytes)
		return;
	if (call->host_bytes != GPU_HOST_ANYWHERE)
		end_ranges_in(call->host_address, call->host_bytes, NULL);
	if (download_count == DOWNLOADS_MAX) {
		memmove(downloads, downloads + 1, --download_count * sizeof(*downloads));
		evicted = true;
	}
	downloads[download_count++] = (struct download){
		.address = call->host_address,
		.bytes = call->host_bytes,
		.device = call->device,
		.stream = call->stream,
		.call = call,
	};
}

void uses_abandon(const struct gpu_call *call)
{
	sources_abandon(call);
	if (call->host_bytes && download_count && downloads[download_count - 1].call == call)
		download_count--;
}

void uses_object(uint32_t id, const struct gpu_object *object)
{
	const bool managed = object->memory == GPU_MEMORY_MANAGED || object->managed;

	if (!managed && object->memory != GPU_MEMORY_MAPPED_HOST)
		return;
	if (object_count == OBJECTS_MAX) {
		objects_left_out = true;
		coverage_add(COVERAGE_USE_UNWATCHED, "too many managed and mapped objects", 1,
			     object->size);
		return;
	}
	objects[object_count++] = (struct shared_object){.id = id,
							 .faults = managed && observed->touches,
							 .address = object->address,
							 .size = object->size};
}

void uses_released(uint32_t id)
{
	for (uint32_t i = 0; i < object_count; i++) {
		if (objects[i].id != id)
			continue;
		end_ranges_in(objects[i].address, objects[i].size, NULL);
		objects[i] = objects[--object_count];
		return;
	}
}

/* -- waits -- */

bool uses_is_on_stack(uint64_t address)
{
	static __thread uintptr_t start, end;
	pthread_attr_t attributes;
	size_t size;
	void *base;

	if (!end && pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &base, &size) == 0) {
			start = (uintptr_t)base;
			end = start + size;
		}
		pthread_attr_destroy(&attributes);
	}
	return address >= start && address < end;
}

static struct watched *free_range(void)
{
	struct watched *oldest = NULL;

	for (uint32_t i = 0; i < RANGES_MAX; i++) {
		if (!ranges[i].watch)
			return &ranges[i];
		if (!oldest || ranges[i].number < oldest->number)
			oldest = &ranges[i];
	}
	end_range(oldest, true);
	return oldest;
}

static void watch_range(struct wait *wait, uint64_t address, uint64_t bytes, bool is_object)
{
	struct watched *range = free_range();
	const char *why = "it is too large";

	if (!started)
		why = "nothing can";
	else if (uses_is_on_stack(address))
		why = "it lies on a stack";
	else if (bytes <= (is_object ? OBJECT_BYTES_MAX : WATCHED_BYTES_MAX))
		range->watch = watch_arm((uintptr_t)address, (size_t)bytes, WATCH_TOUCHES, &why);
	wait->use.ranges++;
	wait->use.bytes += bytes;
	if (!range->watch) {
		wait->gap = true;
		wait->use.unwatched_bytes += bytes;
		coverage_add(COVERAGE_USE_UNWATCHED, why ? why : "too many ranges", 1, bytes);
		return;
	}
	wait->watched++;
	range->wait = wait;
	range->number = ++range_number;
	range->is_object = is_object;
	range->address = address;
	range->bytes = bytes;
}

/* A wait for a stream, and a copy, protect what is in their stream; the default one is all. */
static bool protects(const struct gpu_call *call, const struct download *download)
{
	bool of_stream = call->api == GPU_COPY || api_waits_for(call->name) == API_WAITS_STREAM;

	return call->device == download->device &&
	       (!of_stream || !call->stream || call->stream == download->stream);
}

static void protect_object(struct wait *wait, const struct shared_object *object)
{
	if (!object->faults) {
		end_ranges_in(object->address, object->size, wait);
		watch_range(wait, object->address, object->size, true);
		return;
	}
	wait->managed = true;
	wait->use.ranges++;
	wait->use.bytes += object->size;
}

/* What a copy has brought, nobody knows where. */
static void protect_unknown(struct wait *wait)
{
	wait->use.ranges++;
	wait->gap = true;
	coverage_add(COVERAGE_USE_UNWATCHED, "the provider does not say where it lies", 1, 0);
}

/* Takes what the call protects out of the list, and watches it if `wait` is not NULL. */
static void take_protected(const struct gpu_call *call, struct wait *wait)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < download_count; i++) {
		const struct download download = downloads[i];

		if (!protects(call, &download))
			downloads[kept++] = download;
		else if (wait && download.bytes == GPU_HOST_ANYWHERE)
			protect_unknown(wait);
		else if (wait)
			watch_range(wait, download.address, download.bytes, false);
	}
	download_count = kept;
	if (wait)
		wait->gap |= evicted || (launched && objects_left_out);
	evicted &= kept > 0;
	for (uint32_t i = 0; launched && wait && i < object_count; i++)
		protect_object(wait, &objects[i]);
	launched = false;
}

bool uses_is_sampled(uint64_t invocation)
{
	return invocation < ALWAYS_WATCHED || !(invocation & (invocation - 1));
}

static bool is_wanted(const struct gpu_call *call)
{
	if (functions && *functions && !is_listed(functions, call->name))
		return false;
	if (uses_is_sampled(call->invocation))
		return uses_can_watch() || observed->touches;
	coverage_add(COVERAGE_USE_SAMPLED, NULL, 1, 0);
	return false;
}

/* Waits in use have a range each, so that the oldest one's end frees one. */
static struct wait *free_wait(void)
{
	for (;;) {
		for (uint32_t i = 0; i < RANGES_MAX; i++)
			if (!waits[i].watched)
				return &waits[i];
		free_range();
	}
}

void uses_returned(const struct gpu_call *call)
{
	struct wait *wait;
	const bool after_launch = launched;

	sources_returned(call);
	wait = is_wanted(call) ? free_wait() : NULL;
	if (!wait) {
		take_protected(call, NULL);
		if (after_launch)
			managed_protect(NULL, uses_now_ns());
		return;
	}
	*wait = (struct wait){
		.watched = 1, /* this function */
		.use = {.context = call->context,
			.invocation = call->invocation,
			.kind = GPU_USE_NEVER},
	};
	take_protected(call, wait);
	wait->end_ns = uses_now_ns();
	if (wait->managed)
		wait->gap |= !managed_protect(&wait->use, wait->end_ns);
	if (!wait->use.ranges)
		wait->use.kind = GPU_USE_NOTHING;
	if (!--wait->watched)
		write_wait(wait);
}
