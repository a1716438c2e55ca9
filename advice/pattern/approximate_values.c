/*
 * advice/pattern/approximate_values.c: floating-point values of which all are one, or half of them
 * are, when the lower bits of their mantissas are cut off (ValueExpert Def. 3.8).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/value.h"
#include "graph/accessed_value.h"
#include "util/memory.h"

/* Mantissa bits of which doc/definitions.md speaks, the most first; ends with 0. */
static const unsigned *levels_of(uint32_t type)
{
	static const unsigned f64[] = {46, 36, 28, 20, 12, 0}, f32[] = {20, 15, 11, 7, 3, 0},
			      f16[] = {7, 3, 0}, bf16[] = {3, 0};

	return type == GPU_VALUE_F64   ? f64
	       : type == GPU_VALUE_F32 ? f32
	       : type == GPU_VALUE_F16 ? f16
				       : bf16;
}

/* With how many mantissa bits all values are one; 0: with none of the levels. */
static unsigned single_level(const struct profile_value_stats *value)
{
	const unsigned mantissa = value_mantissa(value->type);
	uint64_t differ = value->all ^ value->any;
	unsigned low = 0;

	for (; differ; differ >>= 1)
		low++;
	for (const unsigned *level = levels_of(value->type); *level; level++)
		if (*level + low <= mantissa)
			return *level;
	return 0;
}

/* How far off the values are from this one, as the root of the mean square. */
static double error_of(const struct profile_value_stats *value, double from)
{
	return hypot(value->deviation, value->mean - from);
}

static void add_single(const struct values_row *row, unsigned level)
{
	const struct profile_value_stats *value = row->value;
	const uint64_t cut = (UINT64_C(1) << (value_mantissa(value->type) - level)) - 1;
	const uint64_t bits = value->all & ~cut;
	char *subject = values_subject(row), *text = accessed_value_text(value->type, bits);
	char *error = xasprintf("%.3g", error_of(value, value_number(value->type, bits)));

	values_add(
		row, "approximate_values", "use_argument", values_accesses, 1, 1,
		xasprintf(
			"All %s are %s with %u bits of the mantissa; they are off by %s (root mean "
			"square).",
			subject, text, level, error),
		xasprintf("Use %s for all of them if the result may be off by that much.", text));
	free(subject);
	free(text);
	free(error);
}

static void add_frequent(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	char *subject = values_subject(row), *text = accessed_value_text(value->type, value->near);
	char *percent = words_percent(value->near_count, value->count);

	values_add(row, "approximate_values", "treat_apart", values_accesses, value->near_count,
		   value->count,
		   xasprintf("Of the %s %s are %s with %" PRIu32 " bits of the mantissa.", subject,
			     percent, text, value->near_bits),
		   xasprintf("Treat what is nearly %s apart if the result may be off by a part in "
			     "2^%" PRIu32 ".",
			     text, value->near_bits));
	free(subject);
	free(text);
	free(percent);
}

static void take(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	const bool frequent = row->top && (double)row->top->count >= row->run->options->frequent *
									     (double)value->count;
	unsigned level;

	if (!value_is_float(value->type) || row->exact != VALUES_ANY || frequent || !value->ranged)
		return;
	level = single_level(value);
	if (level && row->complete)
		add_single(row, level);
	else if (value->near_bits)
		add_frequent(row);
}

static void detect_approximate_values(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_approximate_values = {
	.detect = detect_approximate_values,
	.names = (const struct pattern_name[]){{"approximate_values", "approximate values"},
					       {NULL, NULL}},
};
