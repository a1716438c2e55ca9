/*
 * gpu/sanitizer/event_spaces.c: the contexts of the process and their shadow memory, its streams
 * and objects.
 */
#include "gpu/sanitizer/events_internal.h"

#include <stdlib.h>

#include "gpu/sanitizer/events.h"

struct space *event_spaces[EVENT_SPACES_MAX];
unsigned event_space_count;

/* Streams by number; 0 is the default stream. */
static CUstream *streams;
static uint32_t stream_count, stream_capacity;

struct space *events_find_space(CUcontext context)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (space_context(event_spaces[i]) == context)
			return event_spaces[i];
	return NULL;
}

struct space *events_make_space(CUcontext context)
{
	struct space *space = events_find_space(context);
	struct visit visit;

	if (space || event_space_count == EVENT_SPACES_MAX)
		return space;
	if (visit_enter(&visit, context))
		space = space_create(context, events_digests);
	visit_leave(&visit);
	if (space)
		event_spaces[event_space_count++] = space;
	return space;
}

/* Which contexts' kernels may reach the memory of which others on other devices. */
static struct peer {
	CUcontext context, peer;
	bool blind; /* the patches could not mark what they touch there */
} peers[EVENT_SPACES_MAX];
static unsigned peer_count;

static bool find_device(CUcontext context, CUdevice *device)
{
	struct visit visit;
	bool found = visit_enter(&visit, context) && driver.cuCtxGetDevice(device) == CUDA_SUCCESS;

	visit_leave(&visit);
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
	if (enabled && i == peer_count && peer_count < EVENT_SPACES_MAX)
		peers[peer_count++] = (struct peer){context, peer, !has_atomics(context, peer)};
	else if (!enabled && i < peer_count)
		peers[i] = peers[--peer_count];
}

enum reach {
	OUT_OF_REACH,
	MARKED, /* by the patches */
	BLIND,
};

/* What kernels of a space do in the memory of another one. */
static enum reach reach(const struct space *from, const struct space *to)
{
	/* contexts of one device share its addresses */
	if (space_device(from) == space_device(to))
		return MARKED;
	for (unsigned i = 0; i < peer_count; i++)
		if (peers[i].context == space_context(from) && peers[i].peer == space_context(to))
			return peers[i].blind ? BLIND : MARKED;
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

bool events_reaches_unseen(const struct space *space)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (reach(space, event_spaces[i]) == BLIND)
			return true;
	return false;
}

bool events_reaches_shared(const struct space *space, bool forget)
{
	bool found = false;

	for (unsigned i = 0; i < event_space_count; i++) {
		if (!space_has_shared(event_spaces[i]) || reach(space, event_spaces[i]) == MARKED)
			continue;
		found = true;
		if (forget)
			space_forget_shared(event_spaces[i]);
	}
	return found;
}

void events_peers_abandon(CUcontext context)
{
	for (unsigned i = peer_count; i-- > 0;)
		if (peers[i].context == context || peers[i].peer == context)
			peers[i] = peers[--peer_count];
}

uint32_t events_stream_number(CUstream stream)
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

bool visit_enter(struct visit *visit, CUcontext context)
{
	visit->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	visit->pushed = driver.cuCtxPushCurrent(context) == CUDA_SUCCESS;
	if (visit->pushed)
		driver.cuThreadExchangeStreamCaptureMode(&visit->mode);
	return visit->pushed;
}

void visit_leave(struct visit *visit)
{
	CUcontext context;

	if (!visit->pushed)
		return;
	driver.cuThreadExchangeStreamCaptureMode(&visit->mode);
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
