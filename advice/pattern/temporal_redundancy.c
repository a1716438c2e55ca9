/*
 * advice/pattern/temporal_redundancy.c: threads load from an address what they have loaded from
 * there before, or store what they have stored there (GVProf, temporal redundancy).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/records.h"
#include "util/memory.h"
#include "util/text.h"

static uint64_t repeats_at(const struct values_row *row, uint32_t place)
{
	return row->run->profile->values[place].repeats;
}

/* By the kernel; rows of a kernel and site stand side by side. */
static bool is_stored_to(const struct values_row *row)
{
	const struct profile_value_stats *values = row->run->profile->values;
	const struct profile_value_stats *end = values + row->run->profile->value_count;
	const struct profile_value_stats *value = &values[row->index];

	while (value > values && value[-1].vertex == row->value->vertex &&
	       value[-1].site == row->value->site)
		value--;
	for (;
	     value < end && value->vertex == row->value->vertex && value->site == row->value->site;
	     value++)
		if (value->kind != GPU_VALUE_LOAD)
			return true;
	return false;
}

static const char *advice_of(const struct values_row *row)
{
	if (row->value->kind == GPU_VALUE_STORE)
		return "Store the last value only, after the loop.";
	if (is_stored_to(row))
		return "Load it once, and keep it in a register or in shared memory, if no other "
		       "thread stores there in between: the kernel stores to the object, too.";
	return "Load it once before the loop, and keep it in a register; const __restrict__ "
	       "pointers let the compiler do that.";
}

/*
 * Of all types, since the compiler may load once for a sum, and once more for a copy, which has
 * none. False: another type has more repeated accesses, or as many and comes first.
 */
static bool sum_types(const struct values_row *row, uint64_t *repeats, uint64_t *count)
{
	const struct profile *profile = row->run->profile;
	const struct profile_value_stats *values = profile->values, *own = row->value;
	uint32_t at = values_first(profile, row->index);

	for (*repeats = *count = 0;
	     at < profile->value_count && values_side_by_side(&values[at], own); at++) {
		if (values[at].place != PROFILE_NO_ROW)
			continue;
		profile_add(repeats, values[at].repeats);
		profile_add(count, values[at].count);
		if (values[at].repeats > own->repeats ||
		    (values[at].repeats == own->repeats && at < row->index))
			return false;
	}
	return true;
}

static void take(const struct values_row *row)
{
	const bool loads = row->value->kind == GPU_VALUE_LOAD;
	struct values_row whole = *row;
	uint64_t repeats, count;
	char *percent;

	if (!row->value->repeats || !sum_types(row, &repeats, &count) ||
	    (double)repeats < row->run->options->repeated_accesses * (double)count)
		return;
	whole.bytes = row->all_bytes;
	percent = words_percent(repeats, count);
	values_add(&whole, loads ? "temporal_load_redundancy" : "temporal_store_redundancy",
		   loads ? "load_once" : "store_once", repeats_at, repeats, count,
		   xasprintf("Of the %" PRIu64 " values that it %s in %s%" PRIu64
			     " launch%s, %" PRIu64
			     " (%s) are what the same thread had last %s that address.",
			     count, values_verb(row), row->value->sampled ? "some blocks of " : "",
			     row->value->launches, text_plural(row->value->launches, "", "es"),
			     repeats, percent, loads ? "loaded from" : "stored to"),
		   xstrdup(advice_of(row)));
	free(percent);
}

static void detect_temporal_redundancy(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_temporal_redundancy = {
	.detect = detect_temporal_redundancy,
	.names =
		(const struct pattern_name[]){
			{"temporal_load_redundancy", "temporal load redundancy"},
			{"temporal_store_redundancy", "temporal store redundancy"},
			{NULL, NULL}},
};
