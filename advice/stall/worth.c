/* advice/stall/worth.c: see worth.h. */
#include "advice/stall/worth.h"

#include <stdlib.h>

#include "util/memory.h"

static bool launches(const struct stall_kernel *kernel, uint32_t vertex)
{
	const struct profile *profile = kernel->profile;

	for (uint32_t i = 0; i < profile->stall_vertex_count; i++)
		if (profile->stall_vertices[i].function == kernel->function &&
		    profile->stall_vertices[i].vertex == vertex)
			return true;
	return false;
}

uint64_t stall_worth(const struct replay *replay, const struct stall_kernel *kernel, double speedup)
{
	const struct profile *profile = kernel->profile;
	struct replay_change *changes;
	struct replay_times times;
	struct error error;
	uint32_t count = 0;
	int result;

	if (!replay || speedup < 1)
		return PROFILE_UNKNOWN;
	changes = xcalloc((size_t)profile->stall_vertex_count + 1, sizeof(*changes));
	for (uint32_t i = 0; i < profile->stall_vertex_count; i++)
		if (profile->stall_vertices[i].function == kernel->function)
			changes[count++] =
				(struct replay_change){.kind = REPLAY_SHORTEN,
						       .subject = REPLAY_VERTEX,
						       .index = profile->stall_vertices[i].vertex,
						       .scaled = true,
						       .fraction = 1 / speedup};
	result = count ? replay_estimate(replay, changes, count, &times, &error) : -1;
	free(changes);
	if (result != 0 || times.after_most_ns > times.before_ns)
		return PROFILE_UNKNOWN;
	return times.before_ns - times.after_most_ns;
}

uint32_t stall_next_finding(const struct stall_kernel *kernel, uint32_t from)
{
	const struct profile *profile = kernel->profile;

	for (uint32_t i = from; i < profile->finding_count; i++)
		if (profile->findings[i].vertex != GRAPH_HOST &&
		    launches(kernel, profile->findings[i].vertex))
			return i;
	return PROFILE_NO_ROW;
}
