/* graph/build/values/raw_values.c: see raw_values.h. */
#include "graph/build/values/raw_values.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/value_stats.h"
#include "gpu/sass/disassemble.h"
#include "gpu/sass/lines.h"
#include "gpu/sass/types.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum { IMAGES_MOST = 4096, FUNCTIONS_MOST = 65536 };
#define IMAGE_BYTES_MOST (UINT64_C(256) << 20) /* of all together */

struct image {
	uint8_t *bytes;
	uint64_t size, filled;
	bool asked; /* `lines` are known, or there are none */
	struct sass_lines *lines;
};

struct function {
	uint32_t image; /* index; UINT32_MAX: it was not kept */
	char *name;
	bool asked; /* `types` are known, or cannot be */
	struct access_type *types;
	size_t count;
};

struct raw_values {
	struct profile *profile;
	struct image *images;
	struct function *functions;
	uint32_t image_count, image_capacity, function_count, function_capacity;
	uint64_t bytes;
	/* (number in the trace, process): index; images of process 2n, functions of 2n + 1 */
	struct pair_map numbers;
};

struct raw_values *raw_values_new(struct profile *profile)
{
	struct raw_values *raw = xcalloc(1, sizeof(*raw));

	raw->profile = profile;
	return raw;
}

void raw_values_free(struct raw_values *raw)
{
	for (uint32_t i = 0; i < raw->image_count; i++) {
		sass_lines_free(raw->images[i].lines);
		free(raw->images[i].bytes);
	}
	for (uint32_t i = 0; i < raw->function_count; i++) {
		free(raw->functions[i].name);
		free(raw->functions[i].types);
	}
	free(raw->images);
	free(raw->functions);
	pair_map_release(&raw->numbers);
	free(raw);
}

/* -- images ------------------------------------------------------------------------------- */

static struct image *start_image(struct raw_values *raw, uint32_t process,
				 const struct gpu_code_image *record, struct error *error)
{
	uint32_t index;

	if (pair_map_find(&raw->numbers, record->image, 2 * process, raw->image_count, &index)) {
		error_set(error, "image %u comes twice", record->image);
		return NULL;
	}
	ARRAY_RESERVE(raw->images, raw->image_count, raw->image_capacity);
	raw->images[raw->image_count] = (struct image){.size = record->bytes};
	if (raw->image_count < IMAGES_MOST && record->bytes <= IMAGE_BYTES_MOST - raw->bytes) {
		raw->bytes += record->bytes;
		raw->images[raw->image_count].bytes = xcalloc(record->bytes + 1, 1);
	}
	return &raw->images[raw->image_count++];
}

int raw_values_image(struct raw_values *raw, uint32_t process, const struct gpu_code_image *record,
		     struct error *error)
{
	uint32_t index = pair_map_get(&raw->numbers, record->image, 2 * process);
	struct image *image = index == UINT32_MAX ? NULL : &raw->images[index];

	if (record->bytes > PROFILE_NUMBER_MAX || process >= UINT32_MAX / 2)
		return error_set(error, "a piece of an image that makes no sense");
	if (!record->offset)
		image = start_image(raw, process, record, error);
	else if (!image)
		return error_set(error, "a piece of image %u, which has no beginning",
				 record->image);
	if (!image)
		return -1;
	if (record->bytes != image->size || record->offset != image->filled ||
	    record->size > image->size - image->filled)
		return error_set(error, "a piece of image %u that does not fit", record->image);
	if (image->bytes)
		memcpy(image->bytes + image->filled, record->piece, record->size);
	image->filled += record->size;
	return 0;
}

int raw_values_function(struct raw_values *raw, uint32_t process,
			const struct gpu_code_function *record, struct error *error)
{
	const char *name = (const char *)record + offsetof(struct gpu_code_function, name);
	uint32_t index;

	if (process >= UINT32_MAX / 2)
		return error_set(error, "a function of an image that makes no sense");
	if (raw->function_count == FUNCTIONS_MOST)
		return 0;
	if (pair_map_find(&raw->numbers, record->function, 2 * process + 1, raw->function_count,
			  &index))
		return error_set(error, "function %u comes twice", record->function);
	ARRAY_RESERVE(raw->functions, raw->function_count, raw->function_capacity);
	raw->functions[raw->function_count++] =
		(struct function){.image = pair_map_get(&raw->numbers, record->image, 2 * process),
				  .name = xstrdup(name)};
	return 0;
}

/* -- types -------------------------------------------------------------------------------- */

static void find_types(struct raw_values *raw, struct function *function)
{
	const struct image *image =
		function->image == UINT32_MAX ? NULL : &raw->images[function->image];
	const char *name = function->name;
	struct sass_listing *listing = NULL;
	struct error error = {.text = "its code was not kept"};
	const struct sass_function *code;
	struct flow *flow;

	function->asked = true;
	if (image && image->bytes && image->filled == image->size)
		listing = sass_disassemble(image->bytes, image->size, &name, 1, &error);
	code = listing ? sass_find(listing, name) : NULL;
	flow = code ? flow_build(code, &error) : NULL;
	if (flow)
		function->types = types_find(flow, &function->count);
	else
		profile_add_coverage(raw->profile, COVERAGE_VALUES_TYPES, error.text, 1, 0);
	flow_free(flow);
	sass_free(listing);
}

static const struct access_type *type_at(struct raw_values *raw, uint32_t index,
					 const struct gpu_raw_values *record)
{
	struct function *function = &raw->functions[index];

	if (!function->asked)
		find_types(raw, function);
	for (size_t i = 0; i < function->count; i++) {
		const struct access_type *type = &function->types[i];

		if (type->offset == record->offset &&
		    (type->space == ACCESS_GLOBAL || type->space == ACCESS_GENERIC) &&
		    (type->kind == ACCESS_LOAD) == (record->kind == GPU_VALUE_LOAD))
			return type;
	}
	return NULL;
}

static unsigned raw_type(unsigned log)
{
	return GPU_VALUE_RAW8 + log;
}

/* Of values of 1 << log bytes; what has no numbers of its own is raw. */
static unsigned value_type_of(enum type type, unsigned log)
{
	static const unsigned types[] = {
		[TYPE_F64] = GPU_VALUE_F64, [TYPE_F32] = GPU_VALUE_F32, [TYPE_F16] = GPU_VALUE_F16,
		[TYPE_S8] = GPU_VALUE_S8,   [TYPE_S16] = GPU_VALUE_S16, [TYPE_S32] = GPU_VALUE_S32,
		[TYPE_S64] = GPU_VALUE_S64, [TYPE_U8] = GPU_VALUE_U8,   [TYPE_U16] = GPU_VALUE_U16,
		[TYPE_U32] = GPU_VALUE_U32, [TYPE_U64] = GPU_VALUE_U64,
	};
	const unsigned found = type < sizeof(types) / sizeof(*types) ? types[type] : 0;

	return found && value_size(found) == 1u << log ? found : raw_type(log);
}

static unsigned log_of(unsigned bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

/* How wide the values of the access are that were counted: of 8 bytes and more in two ways. */
static unsigned width_of(const struct access_type *type)
{
	const unsigned own = type_size(type->type) ? log_of(type_size(type->type)) : 3;
	const unsigned whole = log_of(type->bytes);

	return whole == 3 && own == 2 ? 2 : whole;
}

/* The line of the source: the innermost one. */
static void find_place(struct raw_values *raw, const struct function *function, uint32_t offset,
		       struct raw_place *place)
{
	struct image *image = function->image == UINT32_MAX ? NULL : &raw->images[function->image];
	struct sass_line lines[SASS_LINES_DEPTH];

	*place = (struct raw_place){.function = function->name, .offset = offset};
	if (!image || !image->bytes || image->filled != image->size)
		return;
	if (!image->asked)
		image->lines = sass_lines_read(image->bytes, image->size);
	image->asked = true;
	if (image->lines && sass_lines_find(image->lines, function->name, offset, lines)) {
		place->file = lines[0].file;
		place->line = lines[0].line;
	}
}

/* -- numbers ------------------------------------------------------------------------------- */

/* Two of the values, signed, and the sums say whether all are on their line. */
static void find_line(const struct gpu_raw_values *record, struct gpu_values *values)
{
	const unsigned shift = 64 - (8u << record->log);
	const int64_t first = (int64_t)(record->first_bits << shift) >> shift;
	const int64_t last = (int64_t)(record->last_bits << shift) >> shift;
	const int64_t distance = (int64_t)(record->last - record->first);
	const int64_t difference = (int64_t)((uint64_t)last - (uint64_t)first);
	uint64_t slope, intercept;

	if (record->off_grid || distance <= 0 || !difference || difference % distance)
		return;
	/* of several values at one index, what they are off may cancel out */
	if ((int64_t)record->signed_least != (first < last ? first : last) ||
	    (int64_t)record->signed_most != (first < last ? last : first))
		return;
	slope = (uint64_t)(difference / distance);
	intercept = (uint64_t)first - slope * record->first;
	if (slope * record->hash_index + intercept * record->hash != record->hash_value)
		return;
	values->flags |= GPU_VALUES_LINEAR;
	values->slope = slope;
	values->intercept = intercept;
}

/* Sums of the differences to the least, from those of the values. */
static void set_floats(const struct gpu_raw_values *record, struct gpu_values *values)
{
	const double least = value_double_of(record->float_least), n = (double)record->finite;
	const double sum = value_double_of(record->sum);

	values->fits = ~(uint32_t)record->misfits & 15;
	if (!record->finite)
		return;
	values->flags |= GPU_VALUES_RANGE;
	values->finite = record->finite;
	values->least = record->float_least;
	values->most = record->float_most;
	values->sum = value_bits_of(sum - n * least);
	values->squares = value_bits_of(value_double_of(record->squares) - 2 * least * sum +
					n * least * least);
}

bool raw_values_convert(struct raw_values *raw, uint32_t process,
			const struct gpu_raw_values *record, struct gpu_values *values,
			struct raw_place *place)
{
	const uint32_t index = pair_map_get(&raw->numbers, record->function, 2 * process + 1);
	const struct access_type *type = index == UINT32_MAX ? NULL : type_at(raw, index, record);
	const unsigned found =
		type ? value_type_of(type->type, record->log) : raw_type(record->log);

	if (record->log != (type ? width_of(type) : log_of(record->bytes)))
		return false;
	*place = (struct raw_place){0};
	if (index != UINT32_MAX)
		find_place(raw, &raw->functions[index], record->offset, place);
	*values = (struct gpu_values){
		.count = record->count,
		.zeros = record->zeros,
		.all = record->all,
		.any = record->any,
		.distinct = record->distinct,
		.type = (uint8_t)found,
		.kind = record->kind,
		.flags = record->flags & (GPU_VALUES_MANY | GPU_VALUES_PARTLY | GPU_VALUES_BLOCKS),
	};
	if (value_is_float(found)) {
		set_floats(record, values);
		return true;
	}
	values->flags |= GPU_VALUES_RANGE;
	values->least = value_is_signed(found) ? record->signed_least : record->unsigned_least;
	values->most = value_is_signed(found) ? record->signed_most : record->unsigned_most;
	if (found > GPU_VALUE_RAW64)
		find_line(record, values);
	return true;
}
