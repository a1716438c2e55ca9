/* graph/dependencies.c: see dependencies.h. */
#include "graph/dependencies.h"

#include "util/memory.h"

const char *dependency_why(uint32_t why)
{
	switch ((enum profile_dependency_why)why) {
	case PROFILE_DEPENDENCY_STREAM:
		return "stream";
	case PROFILE_DEPENDENCY_EVENT:
		return "event";
	case PROFILE_DEPENDENCY_WAIT:
		return "wait";
	case PROFILE_DEPENDENCY_RAW:
		return "RAW";
	case PROFILE_DEPENDENCY_WAR:
		return "WAR";
	case PROFILE_DEPENDENCY_WAW:
		return "WAW";
	}
	return "unknown";
}

/* Calls that have no vertex wait only, but for those that free an object and so come after one. */
uint64_t *dependency_levels(const struct profile *profile, uint32_t calls, uint32_t *edges)
{
	uint64_t *levels = xcalloc((size_t)calls + 1, sizeof(*levels));

	*edges = 0;
	for (uint32_t i = 0; i < calls; i++)
		if (profile->events[i].vertex == PROFILE_NO_VERTEX)
			levels[i] = NO_LEVEL;
	while (*edges < profile->dependency_count && profile->dependencies[*edges].to < calls) {
		const struct profile_dependency *edge = &profile->dependencies[(*edges)++];
		uint64_t *level = &levels[edge->to], least;

		if (levels[edge->from] == NO_LEVEL)
			levels[edge->from] = 0;
		least = levels[edge->from] + 1;
		if (*level == NO_LEVEL || *level < least)
			*level = least;
	}
	return levels;
}
