#include "advice/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/frame_words.h"
#include "graph/library_frames.h"
#include "util/cxx_name.h"
#include "util/duration.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

enum {
	PLACES = 2, /* frames of a call path */
	FAILED = 4, /* of that of a call that failed */
};

static char *short_name(const struct graph_vertex *vertex, size_t limit)
{
	return cxx_short_name(vertex->name && *vertex->name ? vertex->name : "unnamed", limit);
}

char *words_name(const struct graph_vertex *vertex)
{
	return short_name(vertex, FRAME_NAME_LIMIT);
}

bool words_has_line(const struct profile_frame *frame)
{
	return frame->file && frame->line;
}

char *words_frame(const struct profile_frame *frame)
{
	struct profile_frame plain = *frame;
	char *text;

	plain.function = frame->function ? cxx_short_name(frame->function, FRAME_NAME_LIMIT) : NULL;
	text = profile_frame_text(&plain);
	free(plain.function);
	return text;
}

/* "util.c:12", or without lines "helper" or "libnet.so+0x1234". */
static char *short_place(const struct profile_frame *frame)
{
	const char *slash;

	if (!words_has_line(frame))
		return words_frame(frame);
	slash = strrchr(frame->file, '/');
	return xasprintf("%s:%" PRIu32, slash ? slash + 1 : frame->file, frame->line);
}

/* The text with more behind it; frees both. */
static char *append(char *text, const char *separator, char *more)
{
	char *longer = xasprintf("%s%s%s", text, separator, more);

	free(text);
	free(more);
	return longer;
}

/* Where the graph was launched whose node has this path from `frames` on; NULL: no line is known.
 */
static char *launch_place(const struct profile_frame **frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (words_has_line(frames[i]))
			return short_place(frames[i]);
	return NULL;
}

/*
 * ", util.c:12 < net.c:31": the innermost place and its caller, because what allocates and copies
 * is often a helper that everybody calls.  Frames without lines only where there are no others.
 * Of the node of a CUDA graph ", gr.cu:24, replayed at gr.cu:34".
 */
static char *place_of(const struct profile *profile, uint32_t vertex_index)
{
	uint32_t count, named = 0;
	const struct profile_frame **path = profile_path(profile, vertex_index, &count);
	char *text = xstrdup("");
	bool lines = false;

	for (uint32_t i = 0; i < count; i++)
		lines |= words_has_line(path[i]);
	for (uint32_t i = 0; i < count; i++) {
		if (profile_frame_is_replay(path[i])) {
			char *launch = launch_place(path + i + 1, count - i - 1);

			if (launch)
				text = append(text, ", replayed at ", launch);
			break;
		}
		if (named < PLACES && (!lines || words_has_line(path[i])))
			text = append(text, named++ ? " < " : ", ", short_place(path[i]));
	}
	free(path);
	return text;
}

char *words_vertex_within(const struct profile *profile, uint32_t vertex_index, size_t limit)
{
	const struct graph_vertex *vertex = &profile->graph->vertices[vertex_index];
	char *name, *place, *text;

	if (vertex->id == GRAPH_HOST)
		return xstrdup("the host");
	name = short_name(vertex, limit);
	place = place_of(profile, vertex_index);
	text = xasprintf("%s (vertex %" PRIu32 "%s)", name, vertex->id, place);
	free(name);
	free(place);
	return text;
}

char *words_vertex(const struct profile *profile, uint32_t vertex_index)
{
	return words_vertex_within(profile, vertex_index, FRAME_NAME_LIMIT);
}

char *words_calls_within(const struct profile_api *api, size_t limit)
{
	const char *frame = api->place.callpath ? leading_frame(api->place.callpath) : NULL, *next;
	char *words, *text;

	if (!frame)
		return xstrdup(api->name);
	words = frame_words(frame, frame_text_end(frame, &next), limit);
	text = xasprintf("%s (%s)", api->name, words);
	free(words);
	return text;
}

char *words_calls(const struct profile_api *api)
{
	return words_calls_within(api, FRAME_NAME_LIMIT);
}

struct words_site *words_sites(const struct profile *profile)
{
	const struct graph *graph = profile->graph;
	struct words_site *sites = xcalloc(graph->vertex_count, sizeof(*sites));

	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];
		uint32_t v = graph_find(graph, object->site);

		if (v == UINT32_MAX)
			continue;
		sites[v].count++;
		if (object->size > sites[v].largest)
			sites[v].largest = object->size;
		/* nobody allocates a global */
		if (!sites[v].global && !graph->vertices[v].callpath)
			sites[v].global = object->name;
	}
	return sites;
}

char *words_object(const struct profile *profile, const struct words_site *sites, uint32_t site)
{
	uint32_t v = graph_find(profile->graph, site);

	if (v == UINT32_MAX)
		return xasprintf("object %" PRIu32, site);
	return sites[v].global ? xasprintf("global %s (vertex %" PRIu32 ")", sites[v].global, site)
			       : words_vertex(profile, v);
}

char *words_bytes(uint64_t bytes)
{
	char text[16];

	if (bytes < 1024)
		return xasprintf("%" PRIu64 " byte%s", bytes, text_plural(bytes, "", "s"));
	return xstrdup(size_format(bytes, text));
}

char *words_ns(uint64_t ns)
{
	char text[24];

	return xstrdup(duration_format(ns, text));
}

char *words_percent(uint64_t part, uint64_t whole)
{
	double percent;

	if (part >= whole)
		return xstrdup("100%");
	percent = 100.0 * (double)part / (double)whole;
	return xasprintf("%.1f%%", percent > 99.9 ? 99.9 : percent);
}

char *words_code_place(const struct profile_code_place *place)
{
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;
	char *name = cxx_short_name(place->function, FRAME_NAME_LIMIT), *text;

	if (place->file && place->line)
		text = xasprintf("%s %s:%" PRIu32, name, slash ? slash + 1 : place->file,
				 place->line);
	else
		text = xasprintf("%s, at %" PRIu64 " of its code", name, place->code);
	free(name);
	return text;
}

char *words_gap(const struct profile_coverage *row)
{
	char *bytes = row->bytes ? words_bytes(row->bytes) : NULL;
	char *text = xasprintf("%s: %" PRIu64 "%s%s: %s", row->what, row->count, bytes ? ", " : "",
			       bytes ? bytes : "", row->reason);

	free(bytes);
	return text;
}

char *words_failed_call(const struct profile_failed_call *call)
{
	char *path = call->place.callpath
			     ? frame_words_path(call->place.callpath, FAILED, FRAME_NAME_LIMIT)
			     : xstrdup("place unknown: no call path");
	char *text = xasprintf("%s returned %s (%" PRIu32 "), %" PRIu64 " time%s: %s",
			       call->function, *call->description ? call->description : "an error",
			       call->error, call->count, text_plural(call->count, "", "s"), path);

	free(path);
	return text;
}

char *words_action(const char *action)
{
	char *words = xstrdup(!action ? "" : strcmp(action, "none") ? action : "nothing to do");

	for (char *at = words; *at; at++)
		if (*at == '_')
			*at = ' ';
	return words;
}
