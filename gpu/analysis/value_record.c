/* gpu/analysis/value_record.c: see value_record.h. */
#include "gpu/analysis/value_record.h"

/* Sums of the differences to the least value, from those to the reference. */
static void set_sums(struct gpu_values *record, const struct value_stats *stats, unsigned type)
{
	const double shift = value_number(type, stats->reference) - value_key_double(stats->least);
	const double n = (double)stats->finite;

	record->sum = value_bits_of(stats->sum + n * shift);
	record->squares =
		value_bits_of(stats->squares + 2 * shift * stats->sum + n * shift * shift);
}

static uint64_t bits_of_key(unsigned type, uint64_t key)
{
	if (value_is_float(type))
		return value_bits_of(value_key_double(key));
	return value_is_signed(type) ? key ^ UINT64_C(1) << 63 : key;
}

struct gpu_values value_record(const struct value_stats *stats, const struct value_counts *counts,
			       uint32_t place, enum gpu_value_kind kind, enum gpu_value_type type)
{
	const bool is_float = value_is_float(type);
	struct value_near near;
	struct gpu_values record = {
		.count = stats->count,
		.zeros = stats->zeros,
		.repeats = stats->repeats,
		.all = stats->all,
		.any = stats->any,
		.distinct = counts->used,
		.finite = is_float ? stats->finite : 0,
		.place = place,
		.fits = is_float ? ~stats->misfits & 15 : 0,
		.type = (uint8_t)type,
		.kind = (uint8_t)kind,
	};

	if (stats->finite) {
		record.flags |= GPU_VALUES_RANGE;
		record.least = bits_of_key(type, stats->least);
		record.most = bits_of_key(type, stats->most);
	}
	if (is_float && stats->finite && value_is_finite(value_number(type, stats->reference)))
		set_sums(&record, stats, type);
	if (value_stats_line(stats, type, &record.slope, &record.intercept))
		record.flags |= GPU_VALUES_LINEAR;
	if (counts->lowered || counts->failed)
		record.flags |= GPU_VALUES_MANY;
	if (place || !is_float)
		return record;
	near = value_counts_near(counts, type, stats->count);
	record.near_bits = (uint8_t)near.bits;
	record.near = near.value;
	record.near_count = near.count;
	return record;
}

size_t value_record_top(const struct value_counts *counts, struct value_top *top)
{
	*top = (struct value_top){.count = 0};
	top->count = value_counts_top(counts, top->values);
	return sizeof(struct gpu_top_values) + top->count * sizeof(*top->values);
}
