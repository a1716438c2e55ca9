/*
 * render/pprof.c: a profile for pprof (github.com/google/pprof, proto/profile.proto): a sample for
 * each operation, with its call path.  Not compressed: pprof reads both.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "render/format.h"
#include "render/pprof_labels.h"
#include "util/intern.h"
#include "util/memory.h"
#include "util/pair_map.h"
#include "util/perfetto/perfetto.h"
#include "util/format/protobuf.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum sample { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum mapping {
	MAPPING_ID = 1,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, /* and files, lines, inlined frames: do not look them up */
	MAPPING_HAS_INLINE_FRAMES = 10,
};
enum location { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum line { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILENAME = 4 };

/* What a sample has a value of: a field of vertices, or the sum of two. */
struct type {
	struct render_metric metric;
	const char *name, *unit;
};

struct pprof {
	FILE *file;
	struct protobuf message, sample;
	struct intern strings;
	/* Numbers of functions by name and file, of mappings by path and build id, of locations by
	   first and last frame; of functions without a frame, by the function and NO_FRAME. */
	struct pair_map functions, mappings, locations;
	struct type types[VERTEX_FIELD_COUNT + 1];
	uint32_t type_count;
};

#define NO_FRAME UINT32_MAX
#define NS_PER_SECOND UINT64_C(1000000000)

/* The text's index in the string table, whose first one is "". */
static uint32_t string(struct pprof *pprof, const char *text)
{
	struct protobuf entry = {0};
	uint32_t number;

	if (!text || !*text)
		return 0;
	if (intern_text(&pprof->strings, text, &number)) {
		protobuf_text(&entry, PROFILE_STRING_TABLE, text);
		protobuf_write(&entry, pprof->file);
		protobuf_release(&entry);
	}
	return number;
}

/* Numbers that are 0 need not be there. */
static void put_number(struct protobuf *message, uint32_t field, uint64_t number)
{
	if (number)
		protobuf_number(message, field, number);
}

/* The pair's number, from 1 on; true: it is new. */
static bool is_new(struct pair_map *map, uint32_t first, uint32_t second, uint32_t *number)
{
	bool found = pair_map_find(map, first, second, map->count, number);

	++*number;
	return !found;
}

static void end_message(struct pprof *pprof, size_t begin)
{
	protobuf_end(&pprof->message, begin);
	protobuf_write(&pprof->message, pprof->file);
}

static uint32_t function_of(struct pprof *pprof, const char *name, const char *file)
{
	uint32_t names = string(pprof, name), files = string(pprof, file), id;
	size_t function;

	if (!is_new(&pprof->functions, names, files, &id))
		return id;
	function = protobuf_begin(&pprof->message, PROFILE_FUNCTION);
	protobuf_number(&pprof->message, FUNCTION_ID, id);
	put_number(&pprof->message, FUNCTION_NAME, names);
	/* no system_name: pprof would take templates and operands off names that are the same */
	put_number(&pprof->message, FUNCTION_FILENAME, files);
	end_message(pprof, function);
	return id;
}

/* 0: the module is not known. */
static uint32_t mapping_of(struct pprof *pprof, const struct profile_frame *frame)
{
	uint32_t file = string(pprof, frame->module), build_id, id;
	size_t mapping;

	if (!file)
		return 0;
	build_id = string(pprof, frame->build_id);
	if (!is_new(&pprof->mappings, file, build_id, &id))
		return id;
	mapping = protobuf_begin(&pprof->message, PROFILE_MAPPING);
	protobuf_number(&pprof->message, MAPPING_ID, id);
	/* offsets are addresses of a module that lies at 0 */
	protobuf_number(&pprof->message, MAPPING_MEMORY_LIMIT, INT64_MAX);
	protobuf_number(&pprof->message, MAPPING_FILENAME, file);
	put_number(&pprof->message, MAPPING_BUILD_ID, build_id);
	for (uint32_t has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINE_FRAMES; has++)
		protobuf_number(&pprof->message, has, 1);
	end_message(pprof, mapping);
	return id;
}

static uint32_t function_of_frame(struct pprof *pprof, const struct profile_frame *frame)
{
	char *name = frame->function ? NULL : profile_frame_text(frame);
	uint32_t function = function_of(pprof, name ? name : frame->function, frame->file);

	free(name);
	return function;
}

/* Frames of a path of which each is inlined into the next one. */
static uint32_t location_of(struct pprof *pprof, const struct profile *profile,
			    const uint32_t *frames, uint32_t count)
{
	const struct profile_frame *outermost = &profile->frames[frames[count - 1]];
	struct protobuf *message = &pprof->message;
	uint32_t mapping, id, *functions;
	size_t location;

	if (!is_new(&pprof->locations, frames[0], frames[count - 1], &id))
		return id;
	/* messages of their own, before that of the location begins */
	mapping = mapping_of(pprof, outermost);
	functions = xcalloc(count, sizeof(*functions));
	for (uint32_t i = 0; i < count; i++)
		functions[i] = function_of_frame(pprof, &profile->frames[frames[i]]);
	location = protobuf_begin(message, PROFILE_LOCATION);
	protobuf_number(message, LOCATION_ID, id);
	put_number(message, LOCATION_MAPPING_ID, mapping);
	put_number(message, LOCATION_ADDRESS, outermost->offset);
	for (uint32_t i = 0; i < count; i++) {
		size_t line = protobuf_begin(message, LOCATION_LINE);

		protobuf_number(message, LINE_FUNCTION_ID, functions[i]);
		put_number(message, LINE_LINE, profile->frames[frames[i]].line);
		protobuf_end(message, line);
	}
	end_message(pprof, location);
	free(functions);
	return id;
}

/* Of the operation itself, or of a frame of which only the text is known. */
static uint32_t location_of_name(struct pprof *pprof, const char *name)
{
	uint32_t function = function_of(pprof, name, NULL), id;
	size_t location, line;

	if (!is_new(&pprof->locations, function, NO_FRAME, &id))
		return id;
	location = protobuf_begin(&pprof->message, PROFILE_LOCATION);
	protobuf_number(&pprof->message, LOCATION_ID, id);
	line = protobuf_begin(&pprof->message, LOCATION_LINE);
	protobuf_number(&pprof->message, LINE_FUNCTION_ID, function);
	protobuf_end(&pprof->message, line);
	end_message(pprof, location);
	return id;
}

static void put_path(struct pprof *pprof, const struct profile *profile,
		     const struct profile_callpath *path)
{
	for (uint32_t first = 0, end; first < path->count; first = end) {
		end = first + 1;
		while (end < path->count && profile->frames[path->frames[end - 1]].inlined)
			end++;
		protobuf_packed(&pprof->sample,
				location_of(pprof, profile, path->frames + first, end - first));
	}
}

/* The call path of DOT: frames with " < " between them. */
static void put_text_path(struct pprof *pprof, const char *path)
{
	char *frames = xstrdup(path), *frame = frames, *next;

	for (; frame && *frame; frame = next) {
		next = strstr(frame, " < ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		protobuf_packed(&pprof->sample, location_of_name(pprof, frame));
	}
	free(frames);
}

static void put_locations(struct pprof *pprof, const struct picture *picture, uint32_t index)
{
	const struct graph_vertex *vertex = &picture->graph->vertices[index];
	const struct profile *profile = picture->profile;
	size_t locations = protobuf_begin(&pprof->sample, SAMPLE_LOCATION_ID);

	protobuf_packed(&pprof->sample,
			location_of_name(pprof, vertex->name && *vertex->name ? vertex->name
									      : vertex->node));
	if (profile)
		put_path(pprof, profile, &profile->callpaths[profile->vertices[index].callpath]);
	else if (vertex->callpath)
		put_text_path(pprof, vertex->callpath);
	protobuf_end(&pprof->sample, locations);
}

static size_t begin_label(struct pprof *pprof, const char *key)
{
	uint32_t name = string(pprof, key);
	size_t label = protobuf_begin(&pprof->sample, SAMPLE_LABEL);

	protobuf_number(&pprof->sample, LABEL_KEY, name);
	return label;
}

static void put_number_label(struct pprof *pprof, const char *key, uint64_t number)
{
	size_t label = begin_label(pprof, key);

	protobuf_number(&pprof->sample, LABEL_NUM, number);
	protobuf_end(&pprof->sample, label);
}

static void put_text_label(struct pprof *pprof, const char *key, const char *text)
{
	uint32_t number = string(pprof, text);
	size_t label;

	if (!number)
		return;
	label = begin_label(pprof, key);
	protobuf_number(&pprof->sample, LABEL_STR, number);
	protobuf_end(&pprof->sample, label);
}

static void put_labels(struct pprof *pprof, const struct graph_vertex *vertex,
		       struct pprof_labels *labels, uint32_t index)
{
	const struct pprof_label *found;
	uint32_t count;

	put_number_label(pprof, "vertex", vertex->id);
	put_text_label(pprof, "kind", vertex->kind);
	put_text_label(pprof, "nvtx_range", vertex->nvtx_range);
	put_text_label(pprof, "patterns", vertex->patterns);
	count = pprof_labels_of(&labels->objects, index, &found);
	for (uint32_t i = 0; i < count; i++)
		put_number_label(pprof, "object", found[i].number);
	count = pprof_labels_of(&labels->streams, index, &found);
	for (uint32_t i = 0; i < count; i++) {
		char *stream = perfetto_stream(found[i].device, found[i].number);

		put_text_label(pprof, "stream", stream);
		free(stream);
	}
}

/* False: all its values are 0, which says nothing of the host, say. */
static bool put_values(struct pprof *pprof, const struct graph_vertex *vertex)
{
	size_t values = protobuf_begin(&pprof->sample, SAMPLE_VALUE);
	bool any = false;

	for (uint32_t i = 0; i < pprof->type_count; i++) {
		uint64_t value = render_metric_of(vertex, &pprof->types[i].metric);

		any |= value != 0;
		/* they are signed */
		protobuf_packed(&pprof->sample, value > INT64_MAX ? INT64_MAX : value);
	}
	protobuf_end(&pprof->sample, values);
	return any;
}

static bool any_has(const struct graph *graph, uint32_t field)
{
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		if (graph->vertices[i].fields & field)
			return true;
	return false;
}

static void choose_types(struct pprof *pprof, const struct graph *graph)
{
	static const char *const units[] = {[UNIT_NONE] = "count",
					    [UNIT_BYTES] = "bytes",
					    [UNIT_CALLS] = "count",
					    [UNIT_NS] = "nanoseconds"};

	pprof->types[pprof->type_count++] = (struct type){render_by_bytes, "bytes", "bytes"};
	for (const struct graph_field *field = graph_vertex_fields; field->name; field++)
		if (field->type == FIELD_COUNT && any_has(graph, field->flag))
			pprof->types[pprof->type_count++] = (struct type){
				{.fields = field->flag}, field->name, units[field->unit]};
}

/* What --size-by asks for, else the time, else bytes. */
static const char *default_type(const struct pprof *pprof, const struct render_metric *metric)
{
	const uint32_t wanted = metric ? metric->fields : render_by_time.fields;

	for (uint32_t i = 0; i < pprof->type_count; i++)
		if (pprof->types[i].metric.fields == wanted)
			return pprof->types[i].name;
	return pprof->types[0].name;
}

static void put_types(struct pprof *pprof)
{
	for (uint32_t i = 0; i < pprof->type_count; i++) {
		uint32_t name = string(pprof, pprof->types[i].name);
		uint32_t unit = string(pprof, pprof->types[i].unit);
		size_t type = protobuf_begin(&pprof->message, PROFILE_SAMPLE_TYPE);

		protobuf_number(&pprof->message, VALUE_TYPE, name);
		protobuf_number(&pprof->message, VALUE_UNIT, unit);
		end_message(pprof, type);
	}
}

static void put_run(struct pprof *pprof, const struct picture *picture)
{
	uint32_t type = string(pprof, default_type(pprof, picture->metric));
	uint32_t comment = string(pprof, picture->run);

	protobuf_number(&pprof->message, PROFILE_DEFAULT_SAMPLE_TYPE, type);
	put_number(&pprof->message, PROFILE_COMMENT, comment);
	if (picture->profile && picture->profile->date < INT64_MAX / NS_PER_SECOND)
		put_number(&pprof->message, PROFILE_TIME_NANOS,
			   picture->profile->date * NS_PER_SECOND);
	protobuf_write(&pprof->message, pprof->file);
}

static void put_sample(struct pprof *pprof, const struct picture *picture,
		       struct pprof_labels *labels, uint32_t index)
{
	const struct graph_vertex *vertex = &picture->graph->vertices[index];
	bool any = put_values(pprof, vertex);

	if (any) {
		put_locations(pprof, picture, index);
		put_labels(pprof, vertex, labels, index);
		protobuf_bytes(&pprof->message, PROFILE_SAMPLE, pprof->sample.bytes,
			       pprof->sample.size);
		protobuf_write(&pprof->message, pprof->file);
	}
	pprof->sample.size = 0;
}

static void write_pprof(const struct picture *picture, FILE *out, char **remark)
{
	struct pprof pprof = {.file = out};
	struct pprof_labels labels;

	(void)remark;
	pprof_labels_find(&labels, picture);
	protobuf_text(&pprof.message, PROFILE_STRING_TABLE, "");
	protobuf_write(&pprof.message, out);
	choose_types(&pprof, picture->graph);
	put_types(&pprof);
	put_run(&pprof, picture);
	for (uint32_t i = 0; i < picture->graph->vertex_count; i++)
		put_sample(&pprof, picture, &labels, i);
	pprof_labels_release(&labels);
	intern_release(&pprof.strings);
	pair_map_release(&pprof.functions);
	pair_map_release(&pprof.mappings);
	pair_map_release(&pprof.locations);
	protobuf_release(&pprof.message);
	protobuf_release(&pprof.sample);
}

const struct render_format render_pprof = {
	.name = "pprof",
	.endings = {".pprof", ".pb"},
	.everything = true,
	.events = true,
	.binary = true,
	.write = write_pprof,
};
