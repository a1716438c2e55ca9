/* gpu/analysis/value_stats.c: see value_stats.h. */
#include "gpu/analysis/value_stats.h"

/* Integers: modulo 2^64. */
static bool integer_line(const struct value_stats *stats, unsigned type, uint64_t *slope,
			 uint64_t *intercept)
{
	if (stats->slope_least != stats->slope_most)
		return false;
	*slope = stats->slope_least ^ UINT64_C(1) << 63;
	*intercept =
		(uint64_t)value_integer(type, stats->reference) - *slope * stats->reference_index;
	return *slope != 0;
}

/* Floats: the middle of the slopes that do. */
static bool float_line(const struct value_stats *stats, unsigned type, uint64_t *slope,
		       uint64_t *intercept)
{
	const double least = value_key_double(stats->slope_least);
	const double most = value_key_double(stats->slope_most), a = least + (most - least) / 2;
	const double b = value_number(type, stats->reference) - a * (double)stats->reference_index;

	/* a line that may be level is none: its values are a single one, or nearly */
	if (!(least <= most) || (least <= 0 && most >= 0) || !value_is_finite(b))
		return false;
	*slope = value_bits_of(a);
	*intercept = value_bits_of(b);
	return true;
}

bool value_stats_line(const struct value_stats *stats, unsigned type, uint64_t *slope,
		      uint64_t *intercept)
{
	if (!stats->sloped || stats->uneven || stats->off_grid ||
	    stats->index_least >= stats->index_most)
		return false;
	return value_is_float(type) ? float_line(stats, type, slope, intercept)
				    : integer_line(stats, type, slope, intercept);
}

static void join_slopes(struct value_stats *stats, const struct value_stats *more, unsigned type)
{
	const bool is_float = value_is_float(type);

	if (!more->sloped)
		return;
	if (!stats->sloped) {
		stats->slope_least = more->slope_least;
		stats->slope_most = more->slope_most;
		stats->sloped = true;
		return;
	}
	/* bounds of floats draw nearer, those of integers apart */
	if (is_float == (more->slope_least > stats->slope_least))
		stats->slope_least = more->slope_least;
	if (is_float == (more->slope_most < stats->slope_most))
		stats->slope_most = more->slope_most;
}

void value_stats_join(struct value_stats *stats, const struct value_stats *more, unsigned type)
{
	stats->count += more->count;
	stats->zeros += more->zeros;
	stats->repeats += more->repeats;
	stats->all &= more->all;
	stats->any |= more->any;
	stats->finite += more->finite;
	if (more->least < stats->least)
		stats->least = more->least;
	if (more->most > stats->most)
		stats->most = more->most;
	if (more->index_least < stats->index_least)
		stats->index_least = more->index_least;
	if (more->index_most > stats->index_most)
		stats->index_most = more->index_most;
	stats->misfits |= more->misfits;
	stats->off_grid |= more->off_grid;
	stats->uneven |= more->uneven;
	join_slopes(stats, more, type);
	stats->sum += more->sum;
	stats->squares += more->squares;
}
