/*
 * graph/build/analysis/values.c: the analysis of values: those of all launches of a kernel
 * together, by the site of the object, the place in the code, and the kind and type of the accesses
 * (ValueExpert 3.3 to 3.8, GVProf 3).
 */
#include "graph/build/analysis.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "gpu/value.h"
#include "graph/build/process.h"
#include "graph/build/values/raw_values.h"
#include "graph/symbols.h"
#include "graph/accessed_value.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum {
	MOST_ROWS = 200000,
	MOST_PLACES = 100000,
	TOPS_KEPT = 64, /* of a row: more than are shown, since launches may differ */
};

/* With no bytes in between. */
struct row_key {
	uint32_t vertex, site, place;
	uint8_t kind, type, unused[2];
};

struct row {
	struct row_key key;
	struct profile_value_stats value;
	double sum, squares; /* of differences to value.least, of finite floats */
	uint64_t finite;
	struct gpu_top_value tops[TOPS_KEPT];
	uint32_t top_count;
	UT_hash_handle hh;
};

struct values {
	struct profile *profile;
	struct row *rows;
	uint32_t row_count;
	uint64_t rows_left;     /* out, for there were too many */
	struct pair_map places; /* (number in the trace, process): index into code_places */
	uint64_t places_left;
	bool last_is_raw; /* so the last part is of it, too */
	struct row *last; /* of the last record, whose most frequent values may come; or NULL */
	/* Of a GPU: what the running launch's instructions have accessed; see add_wholes(). */
	struct raw_values *raw;
	struct pair_map
		raw_places; /* (index of the name in `names`, offset): index into code_places */
	struct part *parts;
	uint32_t part_count, part_capacity;
	struct name *names;
};

/* Functions of a GPU's code, by their mangled names. */
struct name {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

/* The values of an instruction, which those of all instructions are made of. */
struct part {
	struct row_key key; /* without the place */
	uint32_t order;     /* in the launch */
	struct gpu_values values;
	struct gpu_top_value tops[GPU_TOP_VALUES];
	uint32_t top_count;
};

static void *begin(struct profile *profile)
{
	struct values *values = xcalloc(1, sizeof(*values));

	values->profile = profile;
	values->raw = raw_values_new(profile);
	return values;
}

/* -- places ------------------------------------------------------------------------------- */

static void add_place(struct profile *profile, const char *function, const char *file,
		      uint32_t line, uint64_t code)
{
	ARRAY_RESERVE(profile->code_places, profile->code_place_count,
		      profile->code_place_capacity);
	profile->code_places[profile->code_place_count++] = (struct profile_code_place){
		.function = process_clean_name(function),
		.file = file ? process_clean_name(file) : NULL,
		.line = line,
		.code = code,
	};
}

static int take_place(struct values *values, const struct build_event *event,
		      const struct build_record *record, struct error *error)
{
	const struct gpu_code_place *payload = record->payload;
	const char *text = (const char *)record->payload + offsetof(struct gpu_code_place, text);
	struct profile *profile = values->profile;
	const char *file = strchr(text, '\n');
	uint32_t known;
	char *function;

	if (!file || payload->code > PROFILE_NUMBER_MAX)
		return error_set(error, "a place in GPU code that makes no sense");
	if (profile->code_place_count == MOST_PLACES) {
		values->places_left++;
		return 0;
	}
	if (pair_map_find(&values->places, payload->place, event->process,
			  profile->code_place_count, &known))
		return error_set(error, "place %u in GPU code comes twice", payload->place);
	function = xasprintf("%.*s", (int)(file - text), text);
	add_place(profile, function, file[1] ? file + 1 : NULL, payload->line, payload->code);
	free(function);
	return 0;
}

/* -- rows --------------------------------------------------------------------------------- */

static bool same_bits(double left, double right)
{
	return !memcmp(&left, &right, sizeof(left));
}

/* As a number of the row's type: see gpu/records.def. */
static double number_of(uint32_t type, uint64_t bits)
{
	if (value_is_float(type))
		return value_double_of(bits);
	return value_is_signed(type) ? (double)(int64_t)bits : (double)bits;
}

/* The number of an integer's line has a sign, whatever the type has. */
static double line_number(uint32_t type, uint64_t bits)
{
	return value_is_float(type) ? value_double_of(bits) : (double)(int64_t)bits;
}

static double or_zero(double number)
{
	return isfinite(number) ? number : 0;
}

static bool makes_sense(const struct gpu_values *record)
{
	return record->kind >= GPU_VALUE_LOAD && record->kind < GPU_VALUE_KINDS &&
	       record->type < GPU_VALUE_TYPES && record->count && record->zeros <= record->count &&
	       record->repeats <= record->count && record->near_count <= record->count &&
	       !(record->all & ~record->any) && record->count <= PROFILE_NUMBER_MAX &&
	       record->distinct <= PROFILE_NUMBER_MAX && record->finite <= record->count;
}

static void start_row(struct row *row, const struct gpu_values *record)
{
	row->value = (struct profile_value_stats){
		.vertex = row->key.vertex,
		.site = row->key.site,
		.place = row->key.place,
		.kind = row->key.kind,
		.type = row->key.type,
		.all = UINT64_MAX,
		.fits = UINT32_MAX,
		.linear = record->flags & GPU_VALUES_LINEAR,
		.slope = or_zero(line_number(record->type, record->slope)),
		.intercept = or_zero(line_number(record->type, record->intercept)),
		.near_bits = record->near_bits,
		.near = record->near,
	};
}

static void join_range(struct row *row, const struct gpu_values *record)
{
	struct profile_value_stats *value = &row->value;
	double least = or_zero(number_of(record->type, record->least));
	double most = or_zero(number_of(record->type, record->most));
	double sum = or_zero(value_double_of(record->sum));
	double squares = or_zero(value_double_of(record->squares)), shift;
	const double before = (double)row->finite, now = (double)record->finite;

	if (!(record->flags & GPU_VALUES_RANGE) || !(least <= most))
		return;
	profile_add(&row->finite, record->finite);
	if (!value->ranged) {
		value->least = least;
		value->most = most;
		row->sum = sum;
		row->squares = squares;
		value->ranged = true;
		return;
	}
	/* both to the lower of the two */
	shift = fabs(value->least - least);
	if (least < value->least) {
		row->squares += 2 * shift * row->sum + before * shift * shift;
		row->sum += before * shift;
		value->least = least;
	} else {
		squares += 2 * shift * sum + now * shift * shift;
		sum += now * shift;
	}
	row->sum += sum;
	row->squares += squares;
	value->most = fmax(value->most, most);
}

/* What holds of all values of a launch holds of all if it is the same. */
static void join_claims(struct profile_value_stats *value, const struct gpu_values *record)
{
	value->all &= record->all;
	value->any |= record->any;
	value->fits &= record->fits;
	value->partly |= record->flags & GPU_VALUES_PARTLY;
	value->sampled |= record->flags & GPU_VALUES_BLOCKS;
	value->linear &= record->flags & GPU_VALUES_LINEAR &&
			 same_bits(value->slope, line_number(record->type, record->slope)) &&
			 same_bits(value->intercept, line_number(record->type, record->intercept));
	if (value->near_bits != record->near_bits || value->near != record->near) {
		value->near_bits = 0;
		value->near = value->near_count = 0;
	}
	if (value->near_bits)
		profile_add(&value->near_count, record->near_count);
}

static void join_distinct(struct profile_value_stats *value, const struct gpu_values *record)
{
	if (record->distinct > value->distinct)
		value->distinct = record->distinct;
	if (record->flags & GPU_VALUES_MANY)
		value->distinct_most = PROFILE_UNKNOWN;
	else if (value->distinct_most != PROFILE_UNKNOWN)
		profile_add(&value->distinct_most, record->distinct);
}

static void join(struct row *row, const struct gpu_values *record)
{
	struct profile_value_stats *value = &row->value;

	join_range(row, record);
	join_claims(value, record);
	join_distinct(value, record);
	value->launches++;
	value->single_launches += record->all == record->any;
	profile_add(&value->count, record->count);
	profile_add(&value->zeros, record->zeros);
	profile_add(&value->repeats, record->repeats);
}

static struct row *find_row(struct values *values, const struct row_key *key,
			    const struct gpu_values *record)
{
	struct row *row;

	HASH_FIND(hh, values->rows, key, sizeof(*key), row);
	if (row)
		return row;
	if (values->row_count == MOST_ROWS) {
		values->rows_left++;
		return NULL;
	}
	row = xcalloc(1, sizeof(*row));
	row->key = *key;
	start_row(row, record);
	HASH_ADD(hh, values->rows, key, sizeof(row->key), row);
	values->row_count++;
	return row;
}

static int take_values(struct values *values, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	const struct gpu_values *payload = record->payload;
	struct row_key key = {.vertex = event->vertex,
			      .site = PROFILE_NO_VERTEX,
			      .place = PROFILE_NO_ROW,
			      .kind = payload->kind,
			      .type = payload->type};

	values->last = NULL;
	values->last_is_raw = false;
	if (!makes_sense(payload))
		return error_set(error, "accessed values that make no sense");
	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX)
		return 0;
	if (record->object != BUILD_NO_OBJECT)
		key.site = values->profile->objects[record->object].site;
	if (payload->place) {
		key.place = pair_map_get(&values->places, payload->place, event->process);
		if (key.place == UINT32_MAX)
			return values->places_left
				       ? 0
				       : error_set(error, "values of place %u, which is not there",
						   payload->place);
	}
	values->last = find_row(values, &key, payload);
	if (values->last)
		join(values->last, payload);
	return 0;
}

/* -- the most frequent values -------------------------------------------------------------- */

static void add_top(struct row *row, const struct gpu_top_value *top)
{
	struct gpu_top_value *least = NULL;

	for (uint32_t i = 0; i < row->top_count; i++) {
		struct gpu_top_value *kept = &row->tops[i];

		if (kept->bits == top->bits) {
			profile_add(&kept->count, top->count);
			profile_add(&kept->error, top->error);
			return;
		}
		if (!least || kept->count < least->count)
			least = kept;
	}
	if (row->top_count < TOPS_KEPT)
		row->tops[row->top_count++] = *top;
	else if (least->count < top->count)
		*least = *top;
}

/* The part that the last record has made; NULL: it has made none. */
static struct part *last_part(struct values *values)
{
	return values->last_is_raw && values->last ? &values->parts[values->part_count - 1] : NULL;
}

static int take_tops(struct values *values, const struct build_record *record, struct error *error)
{
	const struct gpu_top_values *payload = record->payload;
	const struct gpu_top_value *tops = payload->values;
	struct part *part = last_part(values);

	if (payload->count > GPU_TOP_VALUES ||
	    record->size < sizeof(*payload) + payload->count * sizeof(*tops))
		return error_set(error, "frequent values that make no sense");
	for (uint32_t i = 0; values->last && i < payload->count; i++) {
		if (tops[i].count > PROFILE_NUMBER_MAX || tops[i].error > PROFILE_NUMBER_MAX)
			return error_set(error, "frequent values that make no sense");
		add_top(values->last, &tops[i]);
		if (part)
			part->tops[part->top_count++] = tops[i];
	}
	values->last = NULL;
	return 0;
}

static int by_count(const void *left, const void *right)
{
	const struct gpu_top_value *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->bits > b->bits) - (a->bits < b->bits);
}

/* -- of a GPU ----------------------------------------------------------------------------- */

static uint32_t name_of(struct values *values, const char *text)
{
	struct name *name;

	HASH_FIND_STR(values->names, text, name);
	if (name)
		return name->number;
	name = xcalloc(1, sizeof(*name) + strlen(text) + 1);
	strcpy(name->text, text);
	name->number = HASH_COUNT(values->names);
	HASH_ADD_STR(values->names, text, name);
	return name->number;
}

/* PROFILE_NO_ROW: it is not known, or there are too many. */
static uint32_t raw_place(struct values *values, const struct raw_place *place)
{
	struct profile *profile = values->profile;
	uint32_t index;

	if (!place->function)
		return PROFILE_NO_ROW;
	if (profile->code_place_count == MOST_PLACES) {
		values->places_left++;
		return PROFILE_NO_ROW;
	}
	if (pair_map_find(&values->raw_places, name_of(values, place->function), place->offset,
			  profile->code_place_count, &index))
		return index;
	add_place(profile, place->function, place->file, place->file ? place->line : 0,
		  place->offset);
	return index;
}

/* Whether all different values of the part are named. */
static bool names_all(const struct part *part)
{
	return !(part->values.flags & GPU_VALUES_MANY) && part->values.distinct == part->top_count;
}

static void join_parts(struct part *whole, const struct part *part)
{
	struct gpu_values *into = &whole->values;
	const struct gpu_values *from = &part->values;
	const uint8_t both = into->flags & from->flags;
	struct row row = {.key = whole->key};

	/* the joining of launches does the rest */
	start_row(&row, into);
	join(&row, into);
	join(&row, from);
	if (!(both & GPU_VALUES_LINEAR) || into->slope != from->slope ||
	    into->intercept != from->intercept)
		into->flags &= (uint8_t)~GPU_VALUES_LINEAR;
	into->flags |= from->flags & (GPU_VALUES_MANY | GPU_VALUES_PARTLY | GPU_VALUES_BLOCKS);
	into->finite += from->finite;
	if (!names_all(whole) || !names_all(part))
		into->flags |= GPU_VALUES_MANY;
	into->count += from->count;
	into->zeros += from->zeros;
	into->all &= from->all;
	into->any |= from->any;
	into->fits &= from->fits;
	if (row.value.ranged && value_is_float(into->type)) {
		into->least = value_bits_of(row.value.least);
		into->most = value_bits_of(row.value.most);
		into->sum = value_bits_of(row.sum);
		into->squares = value_bits_of(row.squares);
	} else if (value_is_signed(into->type)) {
		into->least =
			(int64_t)from->least < (int64_t)into->least ? from->least : into->least;
		into->most = (int64_t)from->most > (int64_t)into->most ? from->most : into->most;
	} else {
		into->least = from->least < into->least ? from->least : into->least;
		into->most = from->most > into->most ? from->most : into->most;
	}
	into->flags |= row.value.ranged ? GPU_VALUES_RANGE : 0;
	for (uint32_t i = 0; i < part->top_count; i++)
		add_top(&row, &part->tops[i]);
	for (uint32_t i = 0; i < whole->top_count; i++)
		add_top(&row, &whole->tops[i]);
	qsort(row.tops, row.top_count, sizeof(*row.tops), by_count);
	whole->top_count = row.top_count < GPU_TOP_VALUES ? row.top_count : GPU_TOP_VALUES;
	memcpy(whole->tops, row.tops, whole->top_count * sizeof(*row.tops));
	into->distinct = into->distinct > row.top_count ? into->distinct : row.top_count;
}

static int by_part_key(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	const int keys = memcmp(&a->key, &b->key, sizeof(a->key));

	return keys ? keys : (a->order > b->order) - (a->order < b->order);
}

/* The launch is over: what its instructions have done to an object is one row, of all places. */
static void add_wholes(struct values *values)
{
	uint32_t next;

	if (values->part_count)
		qsort(values->parts, values->part_count, sizeof(*values->parts), by_part_key);
	for (uint32_t i = 0; i < values->part_count; i = next) {
		struct part *whole = &values->parts[i];
		struct row *row;

		for (next = i + 1;
		     next < values->part_count &&
		     !memcmp(&values->parts[next].key, &whole->key, sizeof(whole->key));
		     next++)
			join_parts(whole, &values->parts[next]);
		row = find_row(values, &whole->key, &whole->values);
		if (!row)
			continue;
		join(row, &whole->values);
		for (uint32_t k = 0; k < whole->top_count; k++)
			add_top(row, &whole->tops[k]);
	}
	values->part_count = 0;
	values->last = NULL;
	values->last_is_raw = false;
}

static int take_raw(struct values *values, const struct build_event *event,
		    const struct build_record *record, struct error *error)
{
	const struct gpu_raw_values *payload = record->payload;
	struct row_key key = {.vertex = event->vertex,
			      .site = PROFILE_NO_VERTEX,
			      .place = PROFILE_NO_ROW,
			      .kind = payload->kind};
	struct gpu_values converted;
	struct raw_place place;

	values->last = NULL;
	values->last_is_raw = true;
	if (payload->log > 3 || !payload->count || payload->count > PROFILE_NUMBER_MAX ||
	    payload->zeros > payload->count || payload->all & ~payload->any ||
	    payload->distinct > PROFILE_NUMBER_MAX || payload->finite > payload->count ||
	    (payload->kind != GPU_VALUE_LOAD && payload->kind != GPU_VALUE_STORE))
		return error_set(error, "values of a GPU that make no sense");
	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX ||
	    record->object == BUILD_NO_OBJECT ||
	    !raw_values_convert(values->raw, event->process, payload, &converted, &place))
		return 0;
	key.site = values->profile->objects[record->object].site;
	key.type = converted.type;
	ARRAY_RESERVE(values->parts, values->part_count, values->part_capacity);
	values->parts[values->part_count] =
		(struct part){.key = key, .order = values->part_count, .values = converted};
	values->part_count++;
	key.place = raw_place(values, &place);
	if (key.place == PROFILE_NO_ROW)
		return 0;
	values->last = find_row(values, &key, &converted);
	if (values->last)
		join(values->last, &converted);
	return 0;
}

static void take_event(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	(void)event;
	(void)rows;
	(void)count;
	add_wholes(state);
}

static void process_end(void *state, const struct build_event *last)
{
	(void)last;
	add_wholes(state);
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	switch (record->kind) {
	case GPU_RECORD_CODE_PLACE:
		return take_place(state, event, record, error);
	case GPU_RECORD_CODE_IMAGE:
		return raw_values_image(((struct values *)state)->raw, event->process,
					record->payload, error);
	case GPU_RECORD_CODE_FUNCTION:
		return raw_values_function(((struct values *)state)->raw, event->process,
					   record->payload, error);
	case GPU_RECORD_RAW_VALUES:
		return take_raw(state, event, record, error);
	case GPU_RECORD_VALUES:
		return take_values(state, event, record, error);
	default:
		return take_tops(state, record, error);
	}
}

/* -- the end ------------------------------------------------------------------------------ */

/* No place is before all places: PROFILE_NO_ROW + 1 is 0. */
static int by_key(const struct row *left, const struct row *right)
{
	const uint32_t a[] = {left->key.vertex, left->key.site, left->key.kind, left->key.type,
			      left->key.place + 1};
	const uint32_t b[] = {right->key.vertex, right->key.site, right->key.kind, right->key.type,
			      right->key.place + 1};

	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void add_tops(struct profile *profile, struct row *row, uint32_t index)
{
	if (row->top_count)
		qsort(row->tops, row->top_count, sizeof(*row->tops), by_count);
	for (uint32_t i = 0; i < row->top_count && i < GPU_TOP_VALUES; i++) {
		const struct gpu_top_value *top = &row->tops[i];

		ARRAY_RESERVE(profile->top_values, profile->top_value_count,
			      profile->top_value_capacity);
		profile->top_values[profile->top_value_count++] = (struct profile_top_value){
			.value = index,
			.bits = top->bits,
			.text = accessed_value_text(row->key.type, top->bits),
			.count = top->count < row->value.count ? top->count : row->value.count,
			.error = top->error};
	}
}

static void set_mean(struct row *row)
{
	const double n = (double)row->finite, shift = row->sum / n;

	row->value.mean = or_zero(row->value.least + shift);
	row->value.deviation = or_zero(sqrt(fmax(row->squares / n - shift * shift, 0)));
}

static void add_row(struct profile *profile, struct row *row)
{
	struct profile_value_stats *value = &row->value;

	if (value_is_float(value->type) && row->finite)
		set_mean(row);
	ARRAY_RESERVE(profile->values, profile->value_count, profile->value_capacity);
	profile->values[profile->value_count] = *value;
	add_tops(profile, row, profile->value_count++);
}

/* Places of a function come mostly one after the other. */
static void demangle_places(struct profile *profile)
{
	struct profile_code_place *places = profile->code_places;
	char *before = NULL;

	for (uint32_t i = 0; i < profile->code_place_count; i++) {
		char *mangled = places[i].function;

		places[i].function = before && !strcmp(before, mangled)
					     ? xstrdup(places[i - 1].function)
					     : symbols_demangle(mangled);
		free(before);
		before = mangled;
	}
	free(before);
}

static void end(void *state)
{
	struct values *values = state;
	struct profile *profile = values->profile;
	struct name *name, *next_name;
	struct row *row, *next;

	if (values->rows_left || values->places_left)
		profile_add_coverage(profile, COVERAGE_VALUES_ROWS, NULL,
				     values->rows_left + values->places_left, 0);
	demangle_places(profile);
	HASH_SORT(values->rows, by_key);
	HASH_ITER(hh, values->rows, row, next)
	{
		add_row(profile, row);
		HASH_DEL(values->rows, row);
		free(row);
	}
	HASH_ITER(hh, values->names, name, next_name)
	{
		HASH_DEL(values->names, name);
		free(name);
	}
	pair_map_release(&values->raw_places);
	pair_map_release(&values->places);
	raw_values_free(values->raw);
	free(values->parts);
	free(values);
}

const struct build_analysis build_values = {
	.name = "values",
	.pass = "values",
	.kinds = (const uint32_t[]){GPU_RECORD_CODE_PLACE, GPU_RECORD_VALUES, GPU_RECORD_TOP_VALUES,
				    GPU_RECORD_CODE_IMAGE, GPU_RECORD_CODE_FUNCTION,
				    GPU_RECORD_RAW_VALUES, 0},
	.begin = begin,
	.event = take_event,
	.process_end = process_end,
	.record = take_record,
	.end = end,
};
