/* gpu/emulator/device/observe_values.c: see observe_values.h. */
#include "gpu/emulator/device/observe_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "gpu/analysis/value_record.h"
#include "gpu/emulator/interpreter/values.h"

enum { TEXT_MOST = 2000, PLACES_MOST = 1 << 16 };

static const struct gpu_sink *sink; /* NULL: values are not asked for */
static struct values *values;
static const struct ptx_module *launched; /* the module of the running launch; NULL: none */

/* Places that the sink knows; their numbers are indices + 1. */
struct place {
	uint32_t line, code;
	char *text; /* as of the record */
	size_t size;
};
static struct place *places;
static uint32_t place_count;
static uint32_t slots[2 * PLACES_MOST]; /* numbers; 0: free */

int observe_values_start(const struct gpu_sink *to, uint64_t nth)
{
	values = values_create(nth);
	places = calloc(PLACES_MOST, sizeof(*places));
	if (!values || !places)
		return -1;
	sink = to;
	return 0;
}

struct values *observe_values_launch(const struct ptx_module *module)
{
	if (!sink)
		return NULL;
	values_start(values);
	launched = module;
	return values;
}

void observe_values_drop(void)
{
	launched = NULL;
}

/* -- places ------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text, size_t size, uint32_t line, uint32_t code)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)line << 32 | code);

	for (size_t n = 0; n < size; n++)
		hash = (hash ^ (unsigned char)text[n]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash >> 20);
}

static void tell_place(uint32_t number, const struct place *place)
{
	const size_t start = offsetof(struct gpu_code_place, text);
	union {
		struct gpu_code_place record;
		char bytes[sizeof(struct gpu_code_place) + TEXT_MOST];
	} payload = {.record = {.place = number, .line = place->line, .code = place->code}};
	size_t size = start + place->size;

	memcpy(payload.bytes + start, place->text, place->size);
	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_CODE_PLACE,
						.payload = &payload,
						.size = size < sizeof(payload.record)
								? sizeof(payload.record)
								: size});
}

static const char *file_of(uint32_t number)
{
	return number < launched->file_count ? launched->files[number] : NULL;
}

/* Headers of the toolkit, of its libraries and of the system, where nobody changes a line. */
static bool is_library(const char *file)
{
	static const char *const folders[] = {"/usr/include/",    "/usr/lib/",
					      "/usr/local/cuda",  "-linux/include/",
					      "/include/cuda/",   "/include/cub/",
					      "/include/thrust/", "/include/cutlass/",
					      "/include/cute/",   NULL};

	for (const char *const *folder = folders; *folder; folder++)
		if (strstr(file, *folder))
			return true;
	return false;
}

/* The innermost line of the program's own; of inlined library code that is the call of it. */
static const char *line_of(const struct ptx_place *at, uint32_t *line)
{
	const char *file = at->source_line ? file_of(at->file) : NULL;

	*line = file ? at->source_line : 0;
	if (!file || !is_library(file))
		return file;
	for (uint32_t call = at->call; call; call = launched->inlined[call - 1].outer) {
		const struct ptx_inlined *outer = &launched->inlined[call - 1];
		const char *its = file_of(outer->file);

		if (!its || is_library(its))
			continue;
		*line = outer->line;
		return its;
	}
	return file;
}

/* 0: there are too many, or there is no memory. */
static uint32_t number_of(const struct values_row *row)
{
	struct place place = {.code = row->place->line};
	const char *file = line_of(row->place, &place.line);
	char text[TEXT_MOST];
	uint32_t slot;

	place.size = (size_t)snprintf(text, sizeof(text), "%.1400s\n%.500s", row->function->name,
				      file ? file : "") +
		     1;
	slot = hash_of(text, place.size, place.line, place.code) % (2 * PLACES_MOST);
	for (; slots[slot]; slot = (slot + 1) % (2 * PLACES_MOST)) {
		const struct place *known = &places[slots[slot] - 1];

		if (known->line == place.line && known->code == place.code &&
		    known->size == place.size && !memcmp(known->text, text, place.size))
			return slots[slot];
	}
	place.text = place_count < PLACES_MOST ? malloc(place.size) : NULL;
	if (!place.text)
		return 0;
	memcpy(place.text, text, place.size);
	places[place_count] = place;
	slots[slot] = ++place_count;
	tell_place(slots[slot], &place);
	return slots[slot];
}

/* -- values ------------------------------------------------------------------------------- */

static void tell_row(void *data, const struct values_row *row)
{
	const struct values_seen seen = values_seen(values);
	const struct gpu_call *call = data;
	const uint32_t place = row->place ? number_of(row) : 0;
	struct gpu_values record;
	struct value_top top;
	size_t size;

	if (row->place && !place) {
		sink->coverage(COVERAGE_VALUES_PLACES, NULL, row->stats->count, 0);
		return;
	}
	record = value_record(row->stats, row->counts, place, row->kind, row->type);
	if (seen.left || seen.unseen)
		record.flags |= GPU_VALUES_PARTLY;
	if (seen.blocks_left)
		record.flags |= GPU_VALUES_BLOCKS;
	size = value_record_top(row->counts, &top);
	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_VALUES,
						.object = row->object,
						.payload = &record,
						.size = sizeof(record)});
	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_TOP_VALUES,
						.object = row->object,
						.payload = &top,
						.size = size});
}

static void tell(const struct gpu_call *call)
{
	const struct values_seen seen = values_seen(values);

	values_each(values, tell_row, (void *)call);
	if (seen.blocks_left)
		sink->coverage(COVERAGE_VALUES_BLOCKS, NULL, seen.blocks_left, 0);
	if (seen.left)
		sink->coverage(COVERAGE_VALUES_ROOM, NULL, seen.left, 0);
	if (seen.unseen)
		sink->coverage(COVERAGE_VALUES_UNSEEN, NULL, seen.unseen, 0);
}

void observe_values_end(const struct gpu_call *call)
{
	if (launched && call->api == GPU_KERNEL)
		tell(call);
	launched = NULL;
}
