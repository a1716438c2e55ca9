/* collect/guest/sources.c: see sources.h. */
#include "collect/guest/sources.h"

#include <string.h>

#include "collect/guest/guest.h"
#include "collect/guest/watch/pages.h"
#include "collect/guest/watch/watch.h"
#include "gpu/nvidia/apis.h"

enum { SOURCE_BYTES_MAX = 256 << 20 };

struct source {
	struct watch *watch;         /* NULL: a free slot */
	const struct gpu_call *call; /* only ever compared */
	uint64_t address, bytes;     /* that are watched */
	uint32_t stream;
	bool ordered; /* a wait for another stream may cover the copy */
	uint64_t start_ns;
	struct gpu_overwritten overwritten;
};

static const struct gpu_provider *observed;
static struct source sources[SOURCES_MAX];
static uint32_t live; /* of them */

void sources_start(const struct gpu_provider *provider)
{
	observed = provider;
}

static void say_unwatched(const char *why, uint64_t bytes)
{
	coverage_add(COVERAGE_SOURCES_UNWATCHED, why ? why : "too many at a time", 1, bytes);
}

static void write_overwritten(struct source *source, const struct watch_use *use)
{
	struct gpu_overwritten *overwritten = &source->overwritten;
	bool cuda;
	uint32_t frame = paths_of(observed, use->frames, use->frame_count, &cuda);

	if (cuda) /* it may know when the copy is over */
		return;
	overwritten->kind =
		use->kind == WATCH_SYSTEM_CALL ? GPU_USE_SYSTEM_CALL : GPU_USE_INSTRUCTION;
	overwritten->frame = frame == UINT32_MAX ? 0 : frame;
	overwritten->after_ns =
		use->common_ns > source->start_ns ? use->common_ns - source->start_ns : 0;
	guest_record(NULL, &(struct gpu_record){.kind = GPU_RECORD_OVERWRITTEN,
						.payload = overwritten,
						.size = sizeof(*overwritten)});
}

/* `say`: what was written until now was written too early. */
static void end_source(struct source *source, bool say)
{
	static struct watch_result result; /* the lock is held; the caller's stack may be small */

	watch_end(source->watch, &result);
	source->watch = NULL;
	live--;
	if (say && result.first.kind)
		write_overwritten(source, &result.first);
	else if (say && result.gap)
		say_unwatched("something else was written on the same page, or it was moved, or "
			      "waits put something there",
			      source->bytes);
}

static void end_all(bool say)
{
	for (uint32_t i = 0; live && i < SOURCES_MAX; i++)
		if (sources[i].watch)
			end_source(&sources[i], say);
}

void sources_end(void)
{
	end_all(true);
}

/* What the device writes there comes in its order, and is no affair of the host's. */
static void end_between(uint64_t address, uint64_t bytes)
{
	for (uint32_t i = 0; live && i < SOURCES_MAX; i++)
		if (sources[i].watch && watch_overlaps(sources[i].watch, address, bytes))
			end_source(&sources[i], true);
}

/*
 * Cuts off the pages that other copies' sources have, which go on being watched for those.  Returns
 * whether something is left.
 */
static bool cut(uint64_t *address, uint64_t *bytes)
{
	uint64_t start = *address, end = start + *bytes;

	for (uint32_t i = 0; live && i < SOURCES_MAX; i++) {
		const struct source *source = &sources[i];
		uint64_t first = source->address & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t last = (source->address + source->bytes + PAGE_BYTES - 1) &
				~(uint64_t)(PAGE_BYTES - 1);

		if (!source->watch || start >= last ||
		    first >= ((end + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1)))
			continue;
		if (first <= start)
			start = last < end ? last : end;
		else if (last >= end)
			end = first;
		else /* in the middle */
			start = end;
	}
	*address = start;
	*bytes = end - start;
	return start < end;
}

static struct source *free_source(void)
{
	for (uint32_t i = 0; i < SOURCES_MAX; i++)
		if (!sources[i].watch)
			return &sources[i];
	return NULL;
}

static void watch_source(const struct gpu_call *call)
{
	struct source *source = free_source();
	uint64_t address = call->source_address, bytes = call->source_bytes;
	const char *why = NULL;

	if (!uses_is_sampled(call->invocation)) {
		coverage_add(COVERAGE_SOURCES_SAMPLED, NULL, 1, bytes);
		return;
	}
	if (address && !cut(&address, &bytes))
		return;
	*(source ? source : &(struct source){0}) = (struct source){0};
	if (!address)
		why = "its rows lie apart, or it is one of several";
	else if (bytes > SOURCE_BYTES_MAX)
		why = "it is too large";
	else if (uses_is_on_stack(address))
		why = "it lies on a stack";
	else if (source && uses_can_watch())
		source->watch = watch_arm((uintptr_t)address, (size_t)bytes, WATCH_WRITES, &why);
	if (!source || !source->watch) {
		say_unwatched(why, bytes);
		return;
	}
	live++;
	source->call = call;
	source->address = address;
	source->bytes = bytes;
	source->stream = call->stream;
	source->start_ns = uses_now_ns();
	source->overwritten = (struct gpu_overwritten){.invocation = call->invocation,
						       .bytes = call->source_bytes,
						       .context = call->context};
}

/*
 * Whether the program may know after the call that others are over: a copy, or a free, that is no
 * asynchronous one comes after them, or may; a graph may have host functions, and words of memory
 * tell it, too.
 */
static bool tells_host(const struct gpu_call *call)
{
	if (call->api == GPU_KERNEL)
		return call->node;
	if (call->node || strstr(call->name, "GraphLaunch") || strstr(call->name, "WriteValue") ||
	    strstr(call->name, "MemOp"))
		return true;
	return (call->api == GPU_COPY || call->api == GPU_FREE) && !api_is_asynchronous(call->name);
}

void sources_begin(const struct gpu_call *call)
{
	if (tells_host(call))
		end_all(true);
	else if (!call->stream &&
		 call->api != GPU_SYNC) /* the default one is ordered with others */
		sources_reached(GPU_REACH_STREAMS);
	if (call->host_bytes)
		end_between(call->host_address, call->host_bytes);
	if (call->source_bytes)
		watch_source(call);
}

void sources_abandon(const struct gpu_call *call)
{
	for (uint32_t i = 0; live && i < SOURCES_MAX; i++)
		if (sources[i].watch && sources[i].call == call)
			end_source(&sources[i], false);
}

/* A wait for anything but one stream may be for all that was there. */
void sources_returned(const struct gpu_call *call)
{
	const bool of_stream = call->stream && (call->api == GPU_COPY ||
						api_waits_for(call->name) == API_WAITS_STREAM);

	for (uint32_t i = 0; live && i < SOURCES_MAX; i++)
		if (sources[i].watch && (!of_stream || sources[i].ordered || !sources[i].stream ||
					 sources[i].stream == call->stream))
			end_source(&sources[i], true);
}

void sources_reached(enum gpu_reach how)
{
	if (how == GPU_REACH_HOST)
		end_all(true);
	for (uint32_t i = 0; live && i < SOURCES_MAX; i++)
		sources[i].ordered = true;
}
