/*
 * gpu/sanitizer/schedule/event_spaces.c: the contexts of the process and their shadow memory and
 * its objects.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <stdlib.h>

struct space *event_spaces[EVENT_SPACES_MAX];
unsigned event_space_count;

struct space *events_find_space(CUcontext context)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (space_context(event_spaces[i]) == context)
			return event_spaces[i];
	return NULL;
}

bool events_has_space(CUcontext context)
{
	return events_find_space(context);
}

/*
 * Pairs of contexts on different devices: kernels of the first may reach the memory of the second.
 */
static struct peer {
	CUcontext context, peer;
	bool unmarked; /* the patches cannot mark what they touch there: the devices have no atomics
			  for each other */
} peers[EVENT_SPACES_MAX * EVENT_SPACES_MAX];
static unsigned peer_count;
static bool concurrent; /* see events_run_concurrently() */

/* Whether kernels of other devices may write in the context's memory without marks. */
static bool has_unmarked_writers(CUcontext context)
{
	for (unsigned i = 0; i < peer_count; i++)
		if (peers[i].peer == context && (concurrent || peers[i].unmarked))
			return true;
	return false;
}

/* Of all spaces: which objects are in them has changed. */
static void invalidate_tables(void)
{
	for (unsigned i = 0; i < event_space_count; i++)
		space_unpublish(event_spaces[i]);
}

/* Objects of the space were exposed: what pending calls wrote there before may have been read, too.
 */
static void say_exposed(struct space *space)
{
	event_seen(NULL, space);
	queue_seen(space);
}

static void share_written_memory(void)
{
	for (unsigned i = 0; i < event_space_count; i++) {
		struct entered_context entered;

		if (!has_unmarked_writers(space_context(event_spaces[i])))
			continue;
		if (context_enter(&entered, space_context(event_spaces[i])))
			space_share(event_spaces[i], SHARE_ALL);
		say_exposed(event_spaces[i]);
		context_leave(&entered);
	}
}

void events_run_concurrently(void)
{
	if (concurrent)
		return;
	concurrent = true;
	invalidate_tables();
	share_written_memory();
}

struct space *events_make_space(CUcontext context)
{
	struct space *space = events_find_space(context);
	struct entered_context entered;

	if (space || event_space_count == EVENT_SPACES_MAX)
		return space;
	if (context_enter(&entered, context)) {
		event_device_begins();
		space = space_create(context, events_digests, events_accesses, event_shortage);
		if (space && events_value_blocks &&
		    !space_follow_values(space, events_value_blocks))
			events_sink->coverage(COVERAGE_VALUES_NO_MEMORY, NULL, 1, 0);
	}
	context_leave(&entered);
	if (!space)
		return NULL;
	event_spaces[event_space_count++] = space;
	if (has_unmarked_writers(context))
		space_share(space, SHARE_ALL);
	return space;
}

static bool find_device(CUcontext context, CUdevice *device)
{
	struct entered_context entered;
	bool found =
		context_enter(&entered, context) && driver.cuCtxGetDevice(device) == CUDA_SUCCESS;

	context_leave(&entered);
	return found;
}

static bool has_atomics(CUcontext context, CUcontext peer)
{
	CUdevice from, to;
	int value = 0;

	return find_device(context, &from) && find_device(peer, &to) &&
	       driver.cuDeviceGetP2PAttribute(&value,
					      CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from,
					      to) == CUDA_SUCCESS &&
	       value;
}

void events_peer(CUcontext context, CUcontext peer, bool enabled)
{
	unsigned i = 0;

	while (i < peer_count && (peers[i].context != context || peers[i].peer != peer))
		i++;
	if (enabled && i == peer_count && peer_count < sizeof(peers) / sizeof(*peers))
		peers[peer_count++] = (struct peer){context, peer, !has_atomics(context, peer)};
	else if (!enabled && i < peer_count)
		peers[i] = peers[--peer_count];
	invalidate_tables();
	share_written_memory();
}

enum reach {
	OUT_OF_REACH,
	MARKED, /* by the patches */
	UNMARKED,
};

/* Whether kernels of a space reach the memory of another one, and whether the patches mark it. */
static enum reach reach(const struct space *from, const struct space *to)
{
	/* contexts of one device share its addresses */
	if (space_device(from) == space_device(to))
		return MARKED;
	for (unsigned i = 0; i < peer_count; i++)
		if (peers[i].context == space_context(from) && peers[i].peer == space_context(to))
			return peers[i].unmarked || concurrent ? UNMARKED : MARKED;
	return OUT_OF_REACH;
}

unsigned events_peers(const struct space *space, struct space *found[EVENT_SPACES_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < event_space_count; i++)
		if (event_spaces[i] != space && !space_failed(event_spaces[i]) &&
		    reach(space, event_spaces[i]) == MARKED)
			found[count++] = event_spaces[i];
	return count;
}

bool events_are_concurrent(void)
{
	return concurrent;
}

bool events_is_dependent(const struct space *space)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (event_spaces[i] != space && !space_failed(event_spaces[i]) &&
		    (reach(space, event_spaces[i]) == MARKED ||
		     reach(event_spaces[i], space) == MARKED))
			return true;
	return false;
}

bool events_are_serialized(CUcontext context)
{
	const struct space *space =
		!concurrent && event_space_count > 1 ? events_find_space(context) : NULL;

	return space && events_is_dependent(space);
}

bool events_multi_device(void)
{
	for (unsigned i = 1; i < event_space_count; i++)
		if (space_device(event_spaces[i]) != space_device(event_spaces[0]))
			return true;
	return false;
}

bool events_reaches_unmarked(const struct space *space)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (reach(space, event_spaces[i]) == UNMARKED)
			return true;
	return false;
}

bool events_reaches_shared(const struct space *space)
{
	bool found = false;

	for (unsigned i = 0; i < event_space_count; i++) {
		struct entered_context entered;

		if (!space_has_shared(event_spaces[i]) || reach(space, event_spaces[i]) == MARKED)
			continue;
		found = true;
		if (context_enter(&entered, space_context(event_spaces[i])))
			space_share(event_spaces[i], SHARE_HOSTS);
		context_leave(&entered);
	}
	return found;
}

void events_peers_abandon(CUcontext context)
{
	for (unsigned i = peer_count; i-- > 0;)
		if (peers[i].context == context || peers[i].peer == context)
			peers[i] = peers[--peer_count];
}

bool context_enter(struct entered_context *entered, CUcontext context)
{
	entered->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	entered->pushed = driver.cuCtxPushCurrent(context) == CUDA_SUCCESS;
	if (entered->pushed)
		driver.cuThreadExchangeStreamCaptureMode(&entered->mode);
	return entered->pushed;
}

void context_leave(struct entered_context *entered)
{
	CUcontext context;

	if (!entered->pushed)
		return;
	driver.cuThreadExchangeStreamCaptureMode(&entered->mode);
	driver.cuCtxPopCurrent(&context);
}

struct object *events_find_object(CUcontext context, uint64_t address)
{
	struct space *space = events_find_space(context);
	struct object *object = space ? space_find(space, address) : NULL;

	for (unsigned i = 0; !object && i < event_space_count; i++)
		object = space_find(event_spaces[i], address);
	return object;
}

bool events_is_device_memory(CUcontext context, uint64_t address)
{
	const struct object *object = events_find_object(context, address);

	return object && object->memory != GPU_MEMORY_MAPPED_HOST;
}

CUcontext events_context_at(CUcontext context, uint64_t address)
{
	const struct object *object = events_find_object(context, address);

	return object ? space_context(object->space) : NULL;
}

void events_share_external(CUcontext context, uint64_t address)
{
	struct object *object = events_find_object(context, address);
	struct entered_context entered;

	if (!object)
		return;
	if (context_enter(&entered, space_context(object->space)))
		object_share_external(object);
	context_leave(&entered);
	say_exposed(object->space);
}

void events_expose(CUcontext context, uint64_t address)
{
	struct object *object = events_find_object(context, address);
	struct entered_context entered;

	if (!object)
		return;
	if (context_enter(&entered, space_context(object->space)))
		object_expose(object);
	context_leave(&entered);
	say_exposed(object->space);
}
