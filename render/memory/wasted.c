/* render/memory/wasted.c: see wasted.h. */
#include "render/memory/wasted.h"

#include <stddef.h>

enum { OBJECTS_REPLAYED = 4000 }; /* of more, nobody asks what each finding would save */

struct memory *memory_of_picture(const struct picture *picture, struct profile *profile)
{
	struct memory_options options = MEMORY_DEFAULTS;

	if (!picture->profile || picture->whole)
		return NULL;
	/* the picture has taken the profile's graph, and nobody changes it here */
	*profile = *picture->profile;
	profile->graph = (struct graph *)picture->graph;
	options.wasted_only = true;
	options.peaks_only = profile->lifetime_count > OBJECTS_REPLAYED;
	return memory_new(profile, &options);
}

void memory_wasted(const struct memory_finding *finding, uint64_t end, uint64_t *from, uint64_t *to)
{
	const struct profile_lifetime *worst = finding->worst;
	const uint64_t freed = worst->freed.call == PROFILE_UNKNOWN ? end : 2 * worst->freed.call;

	*from = 2 * worst->made.call;
	*to = freed;
	switch (finding->pattern) {
	case MEMORY_EARLY:
		*to = 2 * worst->first.call;
		break;
	case MEMORY_LATE:
	case MEMORY_LEAK:
		if (worst->accesses)
			*from = 2 * worst->last.call + 1;
		break;
	case MEMORY_IDLE:
		*from = 2 * worst->idle_from.call + 1;
		*to = 2 * worst->idle_to.call;
		break;
	default:
		break;
	}
}
