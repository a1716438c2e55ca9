/*
 * advice/pattern/heavy_type.c: all values with which a kernel accesses an object fit a narrower
 * type (ValueExpert Def. 3.6), and so do those of all other kernels: an integer of 8, 16 or 32
 * bits, a float without loss, or an index of 8 bits into a table of the different values.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/value.h"
#include "graph/accessed_value.h"
#include "util/memory.h"

enum { TABLE = 256 }; /* values that an index of 8 bits tells apart */

struct narrower {
	const char *name; /* NULL: there is none */
	unsigned size;
	bool table;
};

/* The narrowest integer that holds all numbers from the least to the most. */
static struct narrower integer_for(double least, double most)
{
	static const struct {
		double least, most;
		struct narrower type;
	} types[] = {
		{0, UINT8_MAX, {"uint8_t", 1, false}},
		{INT8_MIN, INT8_MAX, {"int8_t", 1, false}},
		{0, UINT16_MAX, {"uint16_t", 2, false}},
		{INT16_MIN, INT16_MAX, {"int16_t", 2, false}},
		{0, UINT32_MAX, {"uint32_t", 4, false}},
		{INT32_MIN, INT32_MAX, {"int32_t", 4, false}},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (least >= types[i].least && most <= types[i].most)
			return types[i].type;
	return (struct narrower){.size = 8};
}

static struct narrower float_for(uint32_t fits)
{
	if (fits >> GPU_VALUE_FITS_F16 & 1)
		return (struct narrower){"__half", 2, false};
	if (fits >> GPU_VALUE_FITS_BF16 & 1)
		return (struct narrower){"__nv_bfloat16", 2, false};
	if (fits >> GPU_VALUE_FITS_F32 & 1)
		return (struct narrower){"float", 4, false};
	return (struct narrower){.size = 8};
}

/* `value`: of the site, `count`: of the kernel. */
static struct narrower type_for(const struct profile_value_stats *value, uint64_t count)
{
	const bool is_float = value_is_float(value->type);
	struct narrower best = {.size = value_size(value->type)}, other;

	if (is_float) {
		other = float_for(value->fits);
		if (other.size < best.size)
			best = other;
	}
	if (!is_float || value->fits >> GPU_VALUE_FITS_INTEGER & 1) {
		/* what is counted is an integer, also where a half would hold it */
		other = integer_for(value->least, value->most);
		if (other.name && other.size <= best.size && other.size < value_size(value->type))
			best = other;
	}
	/* where a table is as large as what it stands for there is nothing to be had */
	if (best.size > 1 && value->distinct_most <= TABLE && count / TABLE > 4)
		best = (struct narrower){"uint8_t", 1, true};
	return best;
}

static void take(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	const unsigned size = value_size(value->type);
	struct narrower narrower;
	char *subject, *least, *most, *evidence, *advice;

	if (!row->complete || row->exact != VALUES_ANY || !row->site)
		return;
	narrower = type_for(row->site, value->count);
	if (!narrower.name)
		return;
	subject = values_subject(row);
	least = accessed_number_text(value->type, value->least);
	most = accessed_number_text(value->type, value->most);
	evidence =
		narrower.table
			? xasprintf("All %s were one of %" PRIu64 " at most, from %s to %s.",
				    subject, value->distinct_most, least, most)
			: xasprintf("All %s lie from %s to %s, and %s holds each of them exactly.",
				    subject, least, most, narrower.name);
	advice =
		narrower.table
			? xasprintf("Store a uint8_t, and look the value up in a table in constant "
				    "or shared memory: 1 byte for each value instead of %u.",
				    size)
			: xasprintf("Keep these values as %s: %u byte%s for each instead of %u.",
				    narrower.name, narrower.size, narrower.size > 1 ? "s" : "",
				    size);
	free(subject);
	free(least);
	free(most);
	values_add(row, "heavy_type", "narrow_type", values_accesses, size - narrower.size, size,
		   evidence, advice);
}

static void detect_heavy_type(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_heavy_type = {
	.detect = detect_heavy_type,
	.names = (const struct pattern_name[]){{"heavy_type", "heavy type"}, {NULL, NULL}},
};
