/* graph/build/ranges.c: see build/ranges.h. */
#include "graph/build/ranges.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "collect/trace.h"
#include "util/memory.h"
#include "util/text.h"

struct key { /* followed by the name, and hashed with it */
	uint32_t outer;
	char name[];
};

struct known {
	struct key *key;
	uint32_t row;
	UT_hash_handle hh;
};

struct ranges {
	struct profile *profile;
	struct known *table;
};

struct ranges *ranges_new(struct profile *profile)
{
	struct ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges->profile = profile;
	return ranges;
}

void ranges_free(struct ranges *ranges)
{
	struct known *known, *next;

	HASH_ITER(hh, ranges->table, known, next)
	{
		HASH_DEL(ranges->table, known);
		free(known->key);
		free(known);
	}
	free(ranges);
}

static uint32_t add_row(struct profile *profile, uint32_t outer, const char *name)
{
	ARRAY_RESERVE(profile->ranges, profile->range_count, profile->range_capacity);
	profile->ranges[profile->range_count] = (struct profile_range){
		.outer = outer,
		.name = text_clean(name, strlen(name), TRACE_RANGE_NAME),
		.time_ns = PROFILE_UNKNOWN,
	};
	return profile->range_count++;
}

uint32_t ranges_find(struct ranges *ranges, uint32_t outer, const char *name)
{
	size_t size = sizeof(struct key) + strlen(name);
	struct key *key = xmalloc(size + 1);
	struct known *known;

	key->outer = outer;
	strcpy(key->name, name);
	HASH_FIND(hh, ranges->table, key, size, known);
	if (known || ranges->profile->range_count == PROFILE_RANGES_MAX) {
		free(key);
		return known ? known->row : outer;
	}
	known = xcalloc(1, sizeof(*known));
	known->key = key;
	known->row = add_row(ranges->profile, outer, name);
	HASH_ADD_KEYPTR(hh, ranges->table, key, size, known);
	return known->row;
}

void ranges_finish(struct profile *profile)
{
	/* a range comes after the one around it */
	for (uint32_t i = profile->range_count; i--;) {
		const struct profile_range *range = &profile->ranges[i];
		struct profile_range *outer;

		if (range->outer == PROFILE_NO_ROW)
			continue;
		outer = &profile->ranges[range->outer];
		profile_add(&outer->calls, range->calls);
		profile_add(&outer->host_ns, range->host_ns);
		if (range->time_ns == PROFILE_UNKNOWN)
			continue;
		if (outer->time_ns == PROFILE_UNKNOWN)
			outer->time_ns = 0;
		profile_add(&outer->time_ns, range->time_ns);
	}
}

char *ranges_text(const struct profile *profile, uint32_t range)
{
	char *text = xstrdup(profile->ranges[range].name);

	while ((range = profile->ranges[range].outer) != PROFILE_NO_ROW) {
		char *longer = xasprintf("%s / %s", profile->ranges[range].name, text);

		free(text);
		text = longer;
	}
	return text;
}
