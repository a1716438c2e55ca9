/* graph/profile/site.c: how objects were used: those of a site, and each by itself. */
#include "graph/profile/table.h"

#define SITE_COLUMN(member, TYPE, ...) COLUMN(struct profile_site, member, TYPE, __VA_ARGS__)

static const struct profile_column site_columns[] = {
	KEY("id", ID),
	SITE_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	SITE_COLUMN(objects, COUNT),
	SITE_COLUMN(bytes, COUNT),
	SITE_COLUMN(untouched, COUNT),
	SITE_COLUMN(untouched_bytes, COUNT),
	SITE_COLUMN(repeated, COUNT),
	SITE_COLUMN(repeated_bytes, COUNT),
	{0},
};

const struct profile_table profile_table_site = {
	.name = "site",
	.columns = site_columns,
	.optional = true,
	TABLE_ROWS(sites, site_count, site_capacity),
};

/* -- lifetimes ---------------------------------------------------------------------------- */

#define LIFETIME_COLUMN(member, TYPE, ...)                                                         \
	COLUMN(struct profile_lifetime, member, TYPE, __VA_ARGS__)
#define MOMENT_COLUMNS(member, ...)                                                                \
	COLUMN_NAMED(#member "_call", struct profile_lifetime, member.call, COUNT, __VA_ARGS__),   \
		COLUMN_NAMED(#member "_time", struct profile_lifetime, member.time, COUNT,         \
			     __VA_ARGS__),                                                         \
		COLUMN_NAMED(#member "_kernels", struct profile_lifetime, member.kernels, COUNT,   \
			     __VA_ARGS__)

static const struct profile_column lifetime_columns[] = {
	KEY("id", ID),
	LIFETIME_COLUMN(object, INDEX, .of = &profile_table_object),
	MOMENT_COLUMNS(made, .nullable = false),
	MOMENT_COLUMNS(first, .nullable = true),
	MOMENT_COLUMNS(last, .nullable = true),
	MOMENT_COLUMNS(freed, .nullable = true),
	MOMENT_COLUMNS(idle_from, .nullable = true),
	MOMENT_COLUMNS(idle_to, .nullable = true),
	LIFETIME_COLUMN(accesses, COUNT),
	LIFETIME_COLUMN(first_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	LIFETIME_COLUMN(last_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	LIFETIME_COLUMN(idle_from_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	LIFETIME_COLUMN(idle_to_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	LIFETIME_COLUMN(unseen, FLAG),
	LIFETIME_COLUMN(dead_writes, COUNT, .nullable = true),
	LIFETIME_COLUMN(dead_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	LIFETIME_COLUMN(dead_next_vertex, VERTEX, .of = &profile_table_vertex, .nullable = true),
	{0},
};

static bool is_known(const struct profile_moment *moment)
{
	return moment->call != PROFILE_UNKNOWN;
}

/* All of it is known, or nothing. */
static bool is_whole(const struct profile_moment *moment)
{
	return is_known(moment) == (moment->time != PROFILE_UNKNOWN) &&
	       is_known(moment) == (moment->kernels != PROFILE_UNKNOWN);
}

/* Whether `left`, which is known, is not after `right`, if that is known. */
static bool in_order(const struct profile_moment *left, const struct profile_moment *right)
{
	return !is_known(right) || (left->call <= right->call && left->kernels <= right->kernels);
}

static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_lifetime *life = row;
	const struct profile_moment *moments[] = {&life->made,  &life->first,     &life->last,
						  &life->freed, &life->idle_from, &life->idle_to};

	(void)profile;
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++)
		if (!is_whole(moments[i]) || !in_order(&life->made, moments[i]))
			return false;
	return is_known(&life->made) && is_known(&life->first) == (life->accesses > 0) &&
	       is_known(&life->last) == (life->accesses > 0) &&
	       is_known(&life->idle_from) == is_known(&life->idle_to) &&
	       (life->dead_writes == PROFILE_UNKNOWN || !life->dead_writes ||
		life->dead_writes < life->accesses) &&
	       (!is_known(&life->first) || in_order(&life->first, &life->last)) &&
	       (!is_known(&life->last) || in_order(&life->last, &life->freed)) &&
	       (!is_known(&life->idle_from) || (in_order(&life->first, &life->idle_from) &&
						in_order(&life->idle_from, &life->idle_to) &&
						in_order(&life->idle_to, &life->last)));
}

/* An object has one at most. */
static int validate(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 1; i < profile->lifetime_count; i++)
		if (profile->lifetimes[i].object <= profile->lifetimes[i - 1].object)
			return error_set(error, "table lifetime: objects are not in order");
	return 0;
}

const struct profile_table profile_table_lifetime = {
	.name = "lifetime",
	.columns = lifetime_columns,
	.optional = true,
	TABLE_ROWS(lifetimes, lifetime_count, lifetime_capacity),
	.holds = holds,
	.validate = validate,
	.views = "CREATE VIEW lifetimes AS SELECT l.id, l.object, v.name AS allocation, "
		 "v.callpath_text AS callpath, o.size, o.process, l.made_time, l.first_time, "
		 "f.name AS first_access, l.last_time, a.name AS last_access, l.freed_time, "
		 "l.accesses, l.idle_to_time - l.idle_from_time AS idle_time, l.unseen "
		 "FROM lifetime l JOIN object o ON o.id = l.object JOIN vertex v ON v.id = o.site "
		 "LEFT JOIN vertex f ON f.id = l.first_vertex "
		 "LEFT JOIN vertex a ON a.id = l.last_vertex ORDER BY l.id;",
};

/* -- accesses ----------------------------------------------------------------------------- */

#define ACCESSED_COLUMN(member, TYPE, ...)                                                         \
	COLUMN(struct profile_accessed, member, TYPE, __VA_ARGS__)

static const struct profile_column accessed_columns[] = {
	KEY("id", ID),
	ACCESSED_COLUMN(object, INDEX, .of = &profile_table_object),
	ACCESSED_COLUMN(bytes, COUNT),
	ACCESSED_COLUMN(chunks, COUNT),
	ACCESSED_COLUMN(largest_bytes, COUNT),
	ACCESSED_COLUMN(largest_offset, COUNT),
	{0},
};

static bool accessed_holds(const struct profile *profile, const void *row)
{
	const struct profile_accessed *accessed = row;
	const uint64_t size = profile->objects[accessed->object].size;
	uint64_t left;

	if (accessed->bytes > size || accessed->largest_bytes > size ||
	    accessed->largest_offset > size - accessed->largest_bytes)
		return false;
	left = size - accessed->bytes;
	return accessed->largest_bytes <= left && !left == !accessed->chunks &&
	       !left == !accessed->largest_bytes && accessed->chunks <= left &&
	       (accessed->chunks != 1 || accessed->largest_bytes == left);
}

static int validate_accessed(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 1; i < profile->accessed_count; i++)
		if (profile->accessed[i].object <= profile->accessed[i - 1].object)
			return error_set(error, "table accessed: objects are not in order");
	return 0;
}

const struct profile_table profile_table_accessed = {
	.name = "accessed",
	.columns = accessed_columns,
	.optional = true,
	TABLE_ROWS(accessed, accessed_count, accessed_capacity),
	.holds = accessed_holds,
	.validate = validate_accessed,
};

#define SLICE_COLUMN(member, TYPE, ...) COLUMN(struct profile_slices, member, TYPE, __VA_ARGS__)

static const struct profile_column slice_columns[] = {
	KEY("id", ID),
	SLICE_COLUMN(object, INDEX, .of = &profile_table_object),
	SLICE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	SLICE_COLUMN(launches, COUNT),
	SLICE_COLUMN(largest_bytes, COUNT),
	{0},
};

static bool slice_holds(const struct profile *profile, const void *row)
{
	const struct profile_slices *slices = row;

	return slices->launches && slices->largest_bytes &&
	       slices->largest_bytes <= profile->objects[slices->object].size;
}

static int validate_slices(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 1; i < profile->slice_count; i++)
		if (profile->slices[i].object < profile->slices[i - 1].object)
			return error_set(error, "table slice: objects are not in order");
	return 0;
}

const struct profile_table profile_table_slice = {
	.name = "slice",
	.columns = slice_columns,
	.optional = true,
	TABLE_ROWS(slices, slice_count, slice_capacity),
	.holds = slice_holds,
	.validate = validate_slices,
};

#define FREQUENCY_COLUMN(member, TYPE, ...)                                                        \
	COLUMN(struct profile_frequency, member, TYPE, __VA_ARGS__)

static const struct profile_column frequency_columns[] = {
	KEY("id", ID),
	FREQUENCY_COLUMN(object, INDEX, .of = &profile_table_object),
	FREQUENCY_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	FREQUENCY_COLUMN(launches, COUNT),
	FREQUENCY_COLUMN(elements, COUNT),
	FREQUENCY_COLUMN(accesses, COUNT),
	FREQUENCY_COLUMN(most, COUNT),
	FREQUENCY_COLUMN(granularity, 32),
	FREQUENCY_COLUMN(variation, REAL),
	{0},
};

static bool frequency_holds(const struct profile *profile, const void *row)
{
	const struct profile_frequency *frequency = row;
	const uint64_t size = profile->objects[frequency->object].size;

	return frequency->launches && frequency->elements &&
	       frequency->elements <= size / 4 + (size % 4 != 0) && frequency->most &&
	       frequency->most <= frequency->accesses && frequency->granularity &&
	       frequency->variation >= 0;
}

static int validate_frequencies(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 1; i < profile->frequency_count; i++)
		if (profile->frequencies[i].object <= profile->frequencies[i - 1].object)
			return error_set(error, "table frequency: objects are not in order");
	return 0;
}

const struct profile_table profile_table_frequency = {
	.name = "frequency",
	.columns = frequency_columns,
	.optional = true,
	TABLE_ROWS(frequencies, frequency_count, frequency_capacity),
	.holds = frequency_holds,
	.validate = validate_frequencies,
};

#define FREQUENCY_COUNT_COLUMN(member, TYPE, ...)                                                  \
	COLUMN(struct profile_frequency_count, member, TYPE, __VA_ARGS__)

static const struct profile_column frequency_count_columns[] = {
	KEY("id", ID),
	FREQUENCY_COUNT_COLUMN(frequency, INDEX, .of = &profile_table_frequency),
	FREQUENCY_COUNT_COLUMN(number, 32),
	FREQUENCY_COUNT_COLUMN(elements, COUNT),
	FREQUENCY_COUNT_COLUMN(accesses, COUNT),
	{0},
};

static bool frequency_count_holds(const struct profile *profile, const void *row)
{
	const struct profile_frequency_count *count = row;
	const struct profile_frequency *frequency = &profile->frequencies[count->frequency];

	return count->number < PROFILE_FREQUENCY_COUNTS && count->elements <= frequency->elements &&
	       count->accesses <= frequency->accesses && (count->elements || count->accesses);
}

static int validate_frequency_counts(const struct profile *profile, struct error *error)
{
	const struct profile_frequency_count *counts = profile->frequency_counts;

	for (uint32_t i = 1; i < profile->frequency_count_count; i++)
		if (counts[i].frequency < counts[i - 1].frequency ||
		    (counts[i].frequency == counts[i - 1].frequency &&
		     counts[i].number <= counts[i - 1].number))
			return error_set(error, "table frequency_count: rows are not in order");
	return 0;
}

const struct profile_table profile_table_frequency_count = {
	.name = "frequency_count",
	.columns = frequency_count_columns,
	.optional = true,
	TABLE_ROWS(frequency_counts, frequency_count_count, frequency_count_capacity),
	.holds = frequency_count_holds,
	.validate = validate_frequency_counts,
};
