#include "graph/profile/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/dot_names.h"
#include "util/memory.h"

#define ADVICE_MAX 4096 /* bytes on one vertex after which no more is added */

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->graph = graph_new();
	profile->graph->name = xstrdup("vflow");
	return profile;
}

void profile_clear_findings(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct profile_finding *finding = &profile->findings[i];

		free(finding->pattern);
		free(finding->evidence);
		free(finding->advice);
		free(finding->limits);
		free(finding->others);
	}
	profile->finding_count = 0;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	profile_clear_findings(profile);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		free(profile->frames[i].function);
		free(profile->frames[i].file);
		free(profile->frames[i].module);
		free(profile->frames[i].build_id);
	}
	for (uint32_t i = 0; i < profile->callpath_count; i++)
		free(profile->callpaths[i].frames);
	for (uint32_t i = 0; i < profile->object_count; i++)
		free(profile->objects[i].name);
	for (uint32_t i = 0; i < profile->event_rows; i++)
		free(profile->events[i].name);
	for (uint32_t i = 0; i < profile->process_count; i++) {
		free(profile->processes[i].executable);
		free(profile->processes[i].arguments);
		free(profile->processes[i].provider);
		free(profile->processes[i].device);
	}
	for (uint32_t i = 0; i < profile->pass_count; i++) {
		free(profile->passes[i].name);
		free(profile->passes[i].provider);
		free(profile->passes[i].device);
	}
	for (uint32_t i = 0; i < profile->duplicate_count; i++)
		free(profile->duplicates[i].members);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		free(profile->coverage[i].what);
		free(profile->coverage[i].reason);
	}
	graph_free(profile->graph);
	free(profile->vertices);
	free(profile->frames);
	free(profile->callpaths);
	free(profile->objects);
	free(profile->processes);
	free(profile->passes);
	free(profile->events);
	free(profile->accesses);
	free(profile->duplicates);
	free(profile->findings);
	free(profile->coverage);
	free(profile->command);
	free(profile);
}

struct profile_finding *profile_add_finding(struct profile *profile)
{
	struct profile_finding *finding;

	ARRAY_RESERVE(profile->findings, profile->finding_count, profile->finding_capacity);
	finding = &profile->findings[profile->finding_count++];
	*finding = (struct profile_finding){0};
	return finding;
}

static uint64_t add_clamped(uint64_t sum, uint64_t more)
{
	return more > PROFILE_NUMBER_MAX - sum ? PROFILE_NUMBER_MAX : sum + more;
}

void profile_identify_coverage(struct profile_coverage *row)
{
	const struct coverage_row *known = coverage_of_text(row->what, row->reason);

	row->id = known ? known->name : NULL;
	row->hides = known ? known->hides : COVERAGE_HIDES_BOTH;
}

/* Takes over the texts of `added`. */
static void add_coverage(struct profile *profile, struct profile_coverage added)
{
	struct profile_coverage *row = NULL;

	for (uint32_t i = 0; i < profile->coverage_count && !row; i++)
		if (!strcmp(profile->coverage[i].what, added.what) &&
		    !strcmp(profile->coverage[i].reason, added.reason))
			row = &profile->coverage[i];
	if (row) {
		free(added.what);
		free(added.reason);
	} else {
		ARRAY_RESERVE(profile->coverage, profile->coverage_count,
			      profile->coverage_capacity);
		row = &profile->coverage[profile->coverage_count++];
		*row = added;
		row->count = row->bytes = 0;
	}
	row->count = add_clamped(row->count, added.count);
	row->bytes = add_clamped(row->bytes, added.bytes);
	row->hides |= added.hides;
}

void profile_add_coverage(struct profile *profile, enum coverage_id id, const char *detail,
			  uint64_t count, uint64_t bytes)
{
	const struct coverage_row *row = coverage_row(id);

	add_coverage(profile, (struct profile_coverage){
				      .what = coverage_text(row->words, detail),
				      .reason = coverage_text(row->sentence, detail),
				      .count = count,
				      .bytes = bytes,
				      .id = row->name,
				      .hides = row->hides,
			      });
}

void profile_add_coverage_text(struct profile *profile, const char *what, const char *reason,
			       uint64_t count, uint64_t bytes)
{
	struct profile_coverage row = {
		.what = xstrdup(what), .reason = xstrdup(reason), .count = count, .bytes = bytes};

	profile_identify_coverage(&row);
	add_coverage(profile, row);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *profile_frame_text(const struct profile_frame *frame)
{
	if (!frame->function)
		return xasprintf("%s+0x%" PRIx64, frame->module ? base_name(frame->module) : "?",
				 frame->offset);
	if (!frame->file)
		return xstrdup(frame->function);
	if (!frame->line)
		return xasprintf("%s %s", frame->function, base_name(frame->file));
	return xasprintf("%s %s:%u", frame->function, base_name(frame->file), frame->line);
}

bool profile_is_device_memory(const struct profile_object *object)
{
	return object->memory == TRACE_MEMORY_DEVICE;
}

/* Whether "/a/b/" is in the path; "a/b/..." begins with it. */
static bool has_folders(const char *path, const char *folders)
{
	return strstr(path, folders) || !strncmp(path, folders + 1, strlen(folders + 1));
}

/* The file came with the compiler or CUDA: a line there tells nothing of the program. */
static bool is_in_toolchain(const struct profile_frame *frame)
{
	/* not all of /usr and /opt: people build there, too */
	static const char *const begins[] = {"/usr/include/",       "/usr/lib/", "/usr/local/cuda",
					     "/usr/local/include/", "/opt/cuda", "/opt/nvidia/"};
	static const char *const parts[] = {"/targets/",        "/site-packages/nvidia/",
					    "/include/thrust/", "/include/cub/",
					    "/include/cccl/",   "/include/cutlass/"};
	const char *file = frame->file;
	bool found;

	if (!file || !has_folders(file, "/include/"))
		return file && strstr(file, ".cudafe1.stub.c");
	found = !strcmp(base_name(file), "cuda_runtime.h");
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		found |= !strncmp(file, begins[i], strlen(begins[i]));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		found |= has_folders(file, parts[i]);
	return found;
}

const struct profile_frame **profile_path(const struct profile *profile, uint32_t vertex_index,
					  uint32_t *count)
{
	const struct profile_callpath *path;
	const struct profile_frame **frames;
	uint32_t own;

	*count = 0;
	if (!profile->vertices ||
	    profile->vertices[vertex_index].callpath >= profile->callpath_count)
		return NULL;
	path = &profile->callpaths[profile->vertices[vertex_index].callpath];
	if (!path->count)
		return NULL;
	frames = xcalloc(path->count, sizeof(*frames));
	for (uint32_t i = 0; i < path->count; i++) {
		const struct profile_frame *frame = &profile->frames[path->frames[i]];

		if (!is_in_toolchain(frame))
			frames[(*count)++] = frame;
	}
	own = *count;
	for (uint32_t i = 0; !own && i < path->count; i++)
		frames[(*count)++] = &profile->frames[path->frames[i]];
	return frames;
}

void profile_finish_edge(struct graph_edge *edge)
{
	if (edge->fields & EDGE_REDUNDANT_BYTES && edge->bytes) {
		edge->fields |= EDGE_REDUNDANCY;
		edge->redundancy = (double)edge->redundant_bytes / (double)edge->bytes;
	}
	free(edge->key);
	edge->key = NULL;
	edge->fields |= EDGE_KEY;
}

/* Adds `item` to an owned list unless it is in it; sorted lists stay sorted. */
static char *join(char *list, const char *item, const char *separator, bool sorted)
{
	size_t length = strlen(item), step = strlen(separator);
	char *joined, *at = list;

	if (!list)
		return xstrdup(item);
	while (*at) {
		char *end = strstr(at, separator);
		size_t size = end ? (size_t)(end - at) : strlen(at);
		int order = strncmp(at, item, size < length ? size : length);

		if (!order)
			order = size < length ? -1 : size > length;
		if (!order)
			return list;
		if (sorted && order > 0)
			break;
		at += end ? size + step : size;
	}
	if (*at)
		joined = xasprintf("%.*s%s%s%s", (int)(at - list), list, item, separator, at);
	else
		joined = xasprintf("%s%s%s", list, separator, item);
	free(list);
	return joined;
}

void profile_mark_vertices(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		struct graph_vertex *vertex =
			&profile->graph->vertices[graph_find(profile->graph, finding->vertex)];

		if (!graph_attribute(&vertex->attributes, DOT_FINDING)) {
			char *number = xasprintf("%" PRIu32, i + 1);

			graph_set_attribute(&vertex->attributes, DOT_FINDING, number);
			free(number);
		}
		vertex->patterns = join(vertex->patterns, finding->pattern, ",", true);
		vertex->fields |= VERTEX_PATTERNS;
		if (vertex->advice && strlen(vertex->advice) > ADVICE_MAX)
			continue;
		vertex->advice = join(vertex->advice, finding->advice, " | ", false);
		vertex->fields |= VERTEX_ADVICE;
	}
}
