#include "advice/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

enum {
	NAME_LIMIT = 80, /* bytes */
	PLACES = 2,      /* frames of a call path */
};

/* Where the parameter list of a demangled name starts, or its end when it has none. */
static size_t without_parameters(const char *name)
{
	size_t length = strlen(name), at = length;
	int depth = 0;

	if (!length || name[length - 1] != ')')
		return length;
	while (at-- > 0) {
		depth += (name[at] == ')') - (name[at] == '(');
		if (depth == 0)
			break;
	}
	return depth == 0 && at > 0 && name[at - 1] != ':' ? at : length;
}

char *words_name(const struct graph_vertex *vertex)
{
	const char *name = vertex->name && *vertex->name ? vertex->name : "unnamed";
	size_t length = without_parameters(name);

	/* the return type is in the names of templates only */
	if (length > 5 && !strncmp(name, "void ", 5)) {
		name += 5;
		length -= 5;
	}
	return text_clean(name, length, NAME_LIMIT);
}

/*
 * ", util.c:12 < net.c:31": the innermost place and its caller, because what allocates and copies
 * is often a helper that everybody calls.
 */
static char *place_of(const struct profile *profile, uint32_t vertex_index)
{
	const struct profile_callpath *path;
	char *text = xstrdup("");
	uint32_t named = 0;

	if (!profile->vertices ||
	    profile->vertices[vertex_index].callpath >= profile->callpath_count)
		return text;
	path = &profile->callpaths[profile->vertices[vertex_index].callpath];
	for (uint32_t i = 0; i < path->count && named < PLACES; i++) {
		const struct profile_frame *frame = &profile->frames[path->frames[i]];
		const char *slash;
		char *longer;

		if (!frame->file || !frame->line)
			continue;
		slash = strrchr(frame->file, '/');
		longer = xasprintf("%s%s%s:%" PRIu32, text, named++ ? " < " : ", ",
				   slash ? slash + 1 : frame->file, frame->line);
		free(text);
		text = longer;
	}
	return text;
}

char *words_vertex(const struct profile *profile, uint32_t vertex_index)
{
	const struct graph_vertex *vertex = &profile->graph->vertices[vertex_index];
	char *name, *place, *text;

	if (vertex->id == GRAPH_HOST)
		return xstrdup("the host");
	name = words_name(vertex);
	place = place_of(profile, vertex_index);
	text = xasprintf("%s (vertex %" PRIu32 "%s)", name, vertex->id, place);
	free(name);
	free(place);
	return text;
}

const char *words_global(const struct profile *profile, uint32_t site)
{
	for (uint32_t i = 0; i < profile->object_count; i++)
		if (profile->objects[i].site == site && profile->objects[i].name)
			return profile->objects[i].name;
	return NULL;
}

char *words_object(const struct profile *profile, uint32_t site)
{
	const char *global = words_global(profile, site);
	uint32_t index = graph_find(profile->graph, site);

	if (global)
		return xasprintf("global %s (vertex %" PRIu32 ")", global, site);
	return index == UINT32_MAX ? xasprintf("object %" PRIu32, site)
				   : words_vertex(profile, index);
}

char *words_bytes(uint64_t bytes)
{
	char text[16];

	if (bytes < 1024)
		return xasprintf("%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
	return xstrdup(size_format(bytes, text));
}

char *words_percent(uint64_t part, uint64_t whole)
{
	double percent;

	if (part >= whole)
		return xstrdup("100%");
	percent = 100.0 * (double)part / (double)whole;
	return xasprintf("%.1f%%", percent > 99.9 ? 99.9 : percent);
}
