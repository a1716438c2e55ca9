/* advice/memory/libraries.c: see libraries.h. */
#include "advice/memory/libraries.h"

#include <stdlib.h>
#include <string.h>

#include "graph/library_frames.h"
#include "util/memory.h"

/* Frames of Python and of a replayed CUDA graph are in modules that are no files. */
static bool in_file(const struct profile_frame *frame)
{
	return frame->module && *frame->module && *frame->module != '[';
}

/* Where all frames are an allocator's, the program calls it from no frame that is known. */
static const char *library_of(const struct profile *profile, uint32_t v)
{
	const struct profile_callpath *path = &profile->callpaths[profile->vertices[v].callpath];
	const char *innermost = NULL;

	for (uint32_t i = 0; i < path->count; i++) {
		const struct profile_frame *frame = &profile->frames[path->frames[i]];

		if (!in_file(frame))
			continue;
		if (!library_frame(frame->function, frame->file))
			return frame->module;
		if (!innermost)
			innermost = frame->module;
	}
	return innermost;
}

static int compare_paths(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int by_path(const void *left, const void *right)
{
	const struct memory_library *a = left, *b = right;

	return compare_paths(a->path, b->path);
}

static int by_bytes(const void *left, const void *right)
{
	const struct memory_library *a = left, *b = right;

	if (a->place_bytes != b->place_bytes)
		return a->place_bytes < b->place_bytes ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return compare_paths(a->path, b->path);
}

/* Sums per site: one for each vertex, and the last one for sites that are no vertices. */
static struct memory_library *sums_of(const struct profile *profile, const struct peaks *peaks,
				      uint64_t place)
{
	uint32_t others = profile->graph->vertex_count;
	struct memory_library *sums = xcalloc((size_t)others + 1, sizeof(*sums));

	for (uint32_t i = 0; i < peaks_count(peaks); i++) {
		struct peaks_span span = peaks_span(peaks, i);
		uint32_t site = profile->objects[peaks_lifetime(peaks, i)->object].site;
		uint32_t v = graph_find(profile->graph, site);
		struct memory_library *sum = &sums[v == UINT32_MAX ? others : v];

		sum->objects++;
		profile_add(&sum->bytes, span.bytes);
		if (peaks_holds(&span, place))
			profile_add(&sum->place_bytes, span.bytes);
	}
	return sums;
}

uint32_t memory_libraries(const struct profile *profile, const struct peaks *peaks, uint64_t place,
			  struct memory_library **libraries)
{
	struct memory_library *list = sums_of(profile, peaks, place);
	uint32_t sites = 0, count = 0;

	for (uint32_t v = 0; v <= profile->graph->vertex_count; v++) {
		if (!list[v].objects)
			continue;
		list[sites] = list[v];
		list[sites++].path =
			v < profile->graph->vertex_count ? library_of(profile, v) : NULL;
	}
	if (sites)
		qsort(list, sites, sizeof(*list), by_path);
	for (uint32_t i = 0; i < sites; i++) {
		if (count && !compare_paths(list[count - 1].path, list[i].path)) {
			list[count - 1].objects += list[i].objects;
			profile_add(&list[count - 1].bytes, list[i].bytes);
			profile_add(&list[count - 1].place_bytes, list[i].place_bytes);
		} else {
			list[count++] = list[i];
		}
	}
	if (count)
		qsort(list, count, sizeof(*list), by_bytes);
	*libraries = list;
	return count;
}
