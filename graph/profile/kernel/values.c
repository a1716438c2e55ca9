/* graph/profile/kernel/values.c: with which values kernels access objects, and where: pass
 * `values`. */
#include "graph/profile/table.h"

#include "gpu/records.h"

#define PLACE_COLUMN(member, TYPE, ...) COLUMN(struct profile_code_place, member, TYPE, __VA_ARGS__)

static const struct profile_column place_columns[] = {
	KEY("id", ID),
	PLACE_COLUMN(function, TEXT),
	PLACE_COLUMN(file, TEXT, .nullable = true),
	PLACE_COLUMN(line, 32),
	PLACE_COLUMN(code, COUNT),
	{0},
};

const struct profile_table profile_table_code_place = {
	.name = "code_place",
	.columns = place_columns,
	.optional = true,
	TABLE_ROWS(code_places, code_place_count, code_place_capacity),
};

/* -- values ------------------------------------------------------------------------------- */

#define VALUE_COLUMN(member, TYPE, ...)                                                            \
	COLUMN(struct profile_value_stats, member, TYPE, __VA_ARGS__)

static const struct profile_column value_columns[] = {
	KEY("id", ID),
	VALUE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	VALUE_COLUMN(site, VERTEX, .nullable = true, .of = &profile_table_vertex),
	VALUE_COLUMN(place, INDEX, .nullable = true, .of = &profile_table_code_place),
	VALUE_COLUMN(kind, 32),
	VALUE_COLUMN(type, 32),
	VALUE_COLUMN(launches, COUNT),
	VALUE_COLUMN(single_launches, COUNT),
	VALUE_COLUMN(count, COUNT),
	VALUE_COLUMN(zeros, COUNT),
	VALUE_COLUMN(repeats, COUNT),
	COLUMN_NAMED("all_bits", struct profile_value_stats, all, WORD),
	COLUMN_NAMED("any_bits", struct profile_value_stats, any, WORD),
	VALUE_COLUMN(ranged, FLAG),
	VALUE_COLUMN(linear, FLAG),
	VALUE_COLUMN(partly, FLAG),
	VALUE_COLUMN(sampled, FLAG),
	VALUE_COLUMN(least, REAL),
	VALUE_COLUMN(most, REAL),
	VALUE_COLUMN(slope, REAL),
	VALUE_COLUMN(intercept, REAL),
	VALUE_COLUMN(mean, REAL),
	VALUE_COLUMN(deviation, REAL),
	VALUE_COLUMN(fits, 32),
	COLUMN_NAMED("different", struct profile_value_stats, distinct, COUNT),
	COLUMN_NAMED("different_most", struct profile_value_stats, distinct_most, COUNT,
		     .nullable = true),
	VALUE_COLUMN(near_bits, 32),
	VALUE_COLUMN(near, WORD),
	VALUE_COLUMN(near_count, COUNT),
	{0},
};

static bool value_holds(const struct profile *profile, const void *row)
{
	const struct profile_value_stats *value = row;

	(void)profile;
	return value->count && value->kind >= GPU_VALUE_LOAD && value->kind < GPU_VALUE_KINDS &&
	       value->type < GPU_VALUE_TYPES && value->zeros <= value->count &&
	       value->repeats <= value->count && value->single_launches <= value->launches &&
	       value->near_count <= value->count && !(value->all & ~value->any) &&
	       (!value->ranged || value->least <= value->most);
}

/* Rows of a kernel, site and kind are side by side: by type, and all places before each. */
static int validate_values(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 1; i < profile->value_count; i++) {
		const struct profile_value_stats *next = &profile->values[i], *row = next - 1;

		if (row->vertex == next->vertex && row->site == next->site &&
		    row->kind == next->kind &&
		    (row->type > next->type ||
		     (row->type == next->type && row->place + 1 >= next->place + 1)))
			return error_set(error, "table value: rows are not in order");
	}
	return 0;
}

static const char view[] =
	"CREATE VIEW values_accessed AS SELECT v.id, k.name AS kernel, o.name AS "
	"allocation, "
	"o.callpath_text AS callpath, p.function, p.file, p.line, "
	"CASE v.kind WHEN 1 THEN 'load' WHEN 2 THEN 'store' ELSE 'atomic' END AS kind, "
	"CASE v.type WHEN 0 THEN 'raw8' WHEN 1 THEN 'raw16' WHEN 2 THEN 'raw32' "
	"WHEN 3 THEN 'raw64' WHEN 4 THEN 's8' WHEN 5 THEN 's16' WHEN 6 THEN 's32' "
	"WHEN 7 THEN 's64' WHEN 8 THEN 'u8' WHEN 9 THEN 'u16' WHEN 10 THEN 'u32' "
	"WHEN 11 THEN 'u64' WHEN 12 THEN 'f16' WHEN 13 THEN 'bf16' WHEN 14 THEN 'f32' "
	"ELSE 'f64' END AS type, v.count, v.zeros, v.repeats, "
	"CASE WHEN v.ranged THEN v.least END AS least, "
	"CASE WHEN v.ranged THEN v.most END AS most, v.different, "
	"(SELECT t.text FROM top_value t WHERE t.value = v.id ORDER BY t.id LIMIT 1) "
	"AS most_frequent, "
	"(SELECT t.count FROM top_value t WHERE t.value = v.id ORDER BY t.id LIMIT 1) "
	"AS times, CASE WHEN v.linear THEN v.slope END AS slope, "
	"CASE WHEN v.linear THEN v.intercept END AS intercept "
	"FROM value v JOIN vertex k ON k.id = v.vertex LEFT JOIN vertex o ON o.id = v.site "
	"LEFT JOIN code_place p ON p.id = v.place ORDER BY v.id;";

const struct profile_table profile_table_value = {
	.name = "value",
	.columns = value_columns,
	.optional = true,
	TABLE_ROWS(values, value_count, value_capacity),
	.holds = value_holds,
	.validate = validate_values,
	.views = view,
};

/* -- the most frequent ones ---------------------------------------------------------------- */

#define TOP_COLUMN(member, TYPE, ...) COLUMN(struct profile_top_value, member, TYPE, __VA_ARGS__)

static const struct profile_column top_columns[] = {
	KEY("id", ID),
	TOP_COLUMN(value, INDEX, .of = &profile_table_value),
	TOP_COLUMN(bits, WORD),
	TOP_COLUMN(text, TEXT),
	TOP_COLUMN(count, COUNT),
	TOP_COLUMN(error, COUNT),
	{0},
};

static int validate_tops(const struct profile *profile, struct error *error)
{
	for (uint32_t i = 0; i < profile->top_value_count; i++) {
		const struct profile_top_value *top = &profile->top_values[i];

		if (top->count > profile->values[top->value].count)
			return error_set(error, "table top_value: more than there are values");
		if (!i)
			continue;
		if (top->value < top[-1].value ||
		    (top->value == top[-1].value && top->count > top[-1].count))
			return error_set(error, "table top_value: rows are not in order");
	}
	return 0;
}

const struct profile_table profile_table_top_value = {
	.name = "top_value",
	.columns = top_columns,
	.optional = true,
	TABLE_ROWS(top_values, top_value_count, top_value_capacity),
	.validate = validate_tops,
};

const struct profile_top_value *profile_top_values(const struct profile *profile, uint32_t value,
						   uint32_t *count)
{
	const struct profile_top_value *all = profile->top_values;
	uint32_t low = 0, high = profile->top_value_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (all[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < profile->top_value_count && all[high].value == value;)
		high++;
	*count = high - low;
	return *count ? &all[low] : NULL;
}
