/*
 * collect/guest/path_cache.c: the call paths that were seen last, by the return addresses on the
 * stack and the places of Python frames: a program makes most of its calls from few places, and to
 * look up the file and the frame of each address takes longer than to unwind.
 *
 * All addresses are compared, so a path that is found is the right one as long as the loaded files
 * are the same.
 */
#include "collect/guest/guest.h"

#include <string.h>

enum { PLACES = 256, DEEPEST = 124 };

static struct place {
	uint64_t files; /* modules_changes() when it was kept; 0: nothing is */
	uint32_t depth;
	struct found_path path;
	void *addresses[DEEPEST];
} places[PLACES];

static struct place *place_of(void *const *addresses, uint32_t depth)
{
	uint64_t hash = depth;

	for (uint32_t i = 0; i < depth; i++)
		hash = (hash ^ (uintptr_t)addresses[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return &places[(hash ^ hash >> 32) % PLACES];
}

const struct found_path *path_cache_find(void *const *addresses, uint32_t depth)
{
	const struct place *place;

	if (depth > DEEPEST)
		return NULL;
	place = place_of(addresses, depth);
	return place->files == modules_changes() && place->depth == depth &&
			       !memcmp(place->addresses, addresses, depth * sizeof(*addresses))
		       ? &place->path
		       : NULL;
}

void path_cache_keep(void *const *addresses, uint32_t depth, const struct found_path *path)
{
	struct place *place;

	if (depth > DEEPEST)
		return;
	place = place_of(addresses, depth);
	place->files = modules_changes();
	place->depth = depth;
	place->path = *path;
	memcpy(place->addresses, addresses, depth * sizeof(*addresses));
}
