#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "collect/trace.h"
#include "graph/dot_names.h"
#include "graph/library_frames.h"
#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/memory.h"

#define ADVICE_MAX 4096 /* bytes on one vertex after which no more is added */

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->graph = graph_new();
	profile->graph->name = xstrdup("vflow");
	return profile;
}

void profile_free(struct profile *profile)
{
	size_t t = 0;

	if (!profile)
		return;
	while (profile_tables[t])
		t++;
	while (t--) /* lists before what has them */
		table_clear(profile_tables[t], profile);
	table_clear(&profile_table_checksum, profile);
	graph_free(profile->graph);
	free(profile);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool profile_frame_is_replay(const struct profile_frame *frame)
{
	return frame->module && !strcmp(frame->module, PROFILE_GRAPH_MODULE);
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

bool profile_sees_accesses(const struct profile *profile)
{
	bool known = !profile->pass_count || profile->graph->edge_count || profile->access_count;

	for (uint32_t i = 0; i < profile->pass_count && !known; i++) {
		const struct profile_pass *pass = &profile->passes[i];

		known = pass->makes_graph &&
			(!strcmp(pass->name, "flow") || !strcmp(pass->name, "calls") ||
			 (pass->provider && !strcmp(pass->provider, "emulated")));
	}
	return known;
}

bool profile_is_by_arguments(const struct profile *profile)
{
	return profile_find_coverage(profile, COVERAGE_CALLS_ARGUMENTS) ||
	       profile_find_coverage(profile, COVERAGE_CALLS_ARGUMENTS_UNKNOWN);
}

const char *profile_lacks_lifetimes(const struct profile *profile)
{
	if (!profile_has_table(profile, "lifetime"))
		return "an older vflow made it";
	if (!profile_sees_accesses(profile))
		return "the passes that it was made with do not see accesses (vflow collect "
		       "--passes flow)";
	return "no memory of a device was allocated";
}

bool profile_is_device_memory(const struct profile_object *object)
{
	return object->memory == TRACE_MEMORY_DEVICE;
}

const char *profile_memory_name(const struct profile_object *object)
{
	switch ((enum trace_memory)object->memory) {
	case TRACE_MEMORY_DEVICE:
		return "device";
	case TRACE_MEMORY_MANAGED:
		return "managed";
	case TRACE_MEMORY_MAPPED_HOST:
		return "mapped host";
	case TRACE_MEMORY_GLOBAL:
		return "global";
	case TRACE_MEMORY_ARRAY:
		return "array";
	}
	return "unknown";
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

const struct profile_frame **profile_own_frames(const struct profile *profile,
						const struct profile_callpath *path,
						uint32_t *count)
{
	const struct profile_frame **frames;
	uint32_t own;

	*count = 0;
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

bool profile_frame_is_shown(const struct profile_frame *frame)
{
	return !is_in_toolchain(frame) && !library_frame(frame->function, frame->file);
}

/* Moves to `to`, which is not behind them, the frames that are no layer's, or all; returns how
 * many.
 */
static uint32_t move_shown(const struct profile_frame **to, const struct profile_frame **frames,
			   uint32_t count)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!library_frame(frames[i]->function, frames[i]->file))
			to[shown++] = frames[i];
	if (shown)
		return shown;
	memmove(to, frames, count * sizeof(*to));
	return count;
}

const struct profile_frame **profile_shown_frames(const struct profile *profile,
						  const struct profile_callpath *path,
						  uint32_t *count)
{
	uint32_t own;
	const struct profile_frame **frames = profile_own_frames(profile, path, &own);

	*count = 0;
	/* apart of each other: where a node of a CUDA graph was made, and the graph's launch */
	for (uint32_t first = 0, end; first < own; first = end) {
		for (end = first; end < own && !profile_frame_is_replay(frames[end]);)
			end++;
		*count += move_shown(frames + *count, frames + first, end - first);
		if (end < own)
			frames[(*count)++] = frames[end++];
	}
	return frames;
}

/* NULL: it has none. */
static const struct profile_callpath *path_of(const struct profile *profile, uint32_t vertex_index)
{
	if (!profile->vertices ||
	    profile->vertices[vertex_index].callpath >= profile->callpath_count)
		return NULL;
	return &profile->callpaths[profile->vertices[vertex_index].callpath];
}

const struct profile_frame **profile_own_path(const struct profile *profile, uint32_t vertex_index,
					      uint32_t *count)
{
	const struct profile_callpath *path = path_of(profile, vertex_index);

	*count = 0;
	return path ? profile_own_frames(profile, path, count) : NULL;
}

const struct profile_frame **profile_path(const struct profile *profile, uint32_t vertex_index,
					  uint32_t *count)
{
	const struct profile_callpath *path = path_of(profile, vertex_index);

	*count = 0;
	return path ? profile_shown_frames(profile, path, count) : NULL;
}

char *profile_frames_text(const struct profile_frame *const *frames, uint32_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = count ? xopen_memstream(&text, &size) : NULL;

	for (uint32_t i = 0; i < count; i++) {
		char *frame = profile_frame_text(frames[i]);

		fprintf(out, "%s%s", i ? " < " : "", frame);
		free(frame);
	}
	if (out)
		fclose(out);
	return text;
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

/*
 * What the finding is worth for certain: of the run's time, where any finding saves some, else
 * bytes; SMALL of the best where there is no more than an upper limit, or nothing.
 */
static double worth_of(const struct profile_finding *finding, bool timed, double best)
{
	const double small = 0.05 * best;

	if (!timed)
		return (double)finding->bytes;
	if (finding->saves_ns != PROFILE_UNKNOWN && finding->saves_ns)
		return (double)finding->saves_ns;
	if (finding->saves_most_ns == PROFILE_UNKNOWN)
		return small;
	return fmin(small, (double)finding->saves_most_ns);
}

/* Of each finding its share of the best one's worth; the caller frees. */
static double *finding_shares(const struct profile *profile)
{
	const uint32_t count = profile->finding_count;
	double *shares = xcalloc((size_t)count + 1, sizeof(*shares)), best = 0;
	bool timed = false;

	for (uint32_t i = 0; i < count; i++)
		timed |= profile->findings[i].saves_ns != PROFILE_UNKNOWN &&
			 profile->findings[i].saves_ns;
	for (uint32_t i = 0; i < count; i++)
		best = fmax(best, worth_of(&profile->findings[i], timed, 0));
	for (uint32_t i = 0; i < count; i++)
		shares[i] = best > 0 ? worth_of(&profile->findings[i], timed, best) / best : 1;
	return shares;
}

void profile_mark_vertices(struct profile *profile)
{
	double *shares = finding_shares(profile);

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		struct graph_vertex *vertex =
			&profile->graph->vertices[graph_find(profile->graph, finding->vertex)];

		if (finding->vertex == GRAPH_HOST) /* it is about calls that are no vertex */
			continue;
		if (!graph_attribute(&vertex->attributes, DOT_FINDING)) {
			char *number = xasprintf("%" PRIu32, i + 1);
			char *share = xasprintf("%.3f", shares[i]);

			graph_set_attribute(&vertex->attributes, DOT_FINDING, number);
			graph_set_attribute(&vertex->attributes, DOT_FINDING_SHARE, share);
			free(number);
			free(share);
		}
		vertex->patterns = join(vertex->patterns, finding->pattern, ",", true);
		vertex->fields |= VERTEX_PATTERNS;
		if (vertex->advice && strlen(vertex->advice) > ADVICE_MAX)
			continue;
		vertex->advice = join(vertex->advice, finding->advice, " | ", false);
		vertex->fields |= VERTEX_ADVICE;
	}
	free(shares);
}
