#include "advice/report/suppressions.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/words.h"
#include "graph/library_frames.h"
#include "util/cxx_name.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	LINE_LIMIT = 4096,   /* bytes, longer ones are no lines of such a file */
	BLOCK_LIMIT = 10000, /* blocks */
	NAME_LIMIT = 200,    /* bytes of a function's name */
};

/* -- the file ----------------------------------------------------------------------------- */

struct reading {
	struct suppressions *into;
	struct suppression *block; /* NULL: between blocks */
	uint32_t line;
	struct error *error;
};

static int fail(struct reading *reading, const char *what)
{
	return error_set(reading->error, "%s:%" PRIu32 ": %s", reading->into->file, reading->line,
			 what);
}

static int end_block(struct reading *reading)
{
	const struct suppression *block = reading->block;
	uint32_t line = reading->line;

	if (!block)
		return 0;
	reading->block = NULL;
	reading->line = block->line;
	if (!block->reason)
		return fail(reading, "this block has no 'reason: WHY'");
	if (!block->pattern && !block->function && !block->object && !block->id)
		return fail(reading,
			    "this block would suppress every finding: add pattern, function, "
			    "object or id");
	reading->line = line;
	return 0;
}

static char **member(struct suppression *block, const char *key)
{
	struct {
		const char *key;
		char **value;
	} members[] = {{"pattern", &block->pattern},
		       {"function", &block->function},
		       {"object", &block->object},
		       {"id", &block->id},
		       {"reason", &block->reason}};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(key, members[i].key))
			return members[i].value;
	return NULL;
}

static char *trimmed(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

static int read_member(struct reading *reading, char *line)
{
	struct suppressions *into = reading->into;
	char *colon = strchr(line, ':'), *value, **slot;

	if (!colon)
		return fail(reading,
			    "expected 'pattern:', 'function:', 'object:', 'id:' or 'reason:'");
	*colon = 0;
	if (!reading->block) {
		if (into->count == BLOCK_LIMIT)
			return fail(reading, "more than 10000 blocks");
		ARRAY_RESERVE(into->items, into->count, into->capacity);
		reading->block = &into->items[into->count++];
		*reading->block = (struct suppression){.line = reading->line};
	}
	slot = member(reading->block, trimmed(line));
	value = trimmed(colon + 1);
	if (!slot)
		return fail(reading,
			    "expected 'pattern:', 'function:', 'object:', 'id:' or 'reason:'");
	if (!*value)
		return fail(reading, "nothing after the colon");
	if (*slot)
		return fail(reading, "named twice in one block: is there a blank line missing?");
	*slot = text_clean(value, strlen(value), 0);
	return 0;
}

static int read_lines(struct reading *reading, FILE *in)
{
	char line[LINE_LIMIT];

	while (fgets(line, sizeof(line), in)) {
		char *text;

		reading->line++;
		if (strlen(line) == sizeof(line) - 1)
			return fail(reading, "the line is longer than 4095 bytes");
		text = trimmed(line);
		if (*text == '#')
			continue;
		if ((*text ? read_member(reading, text) : end_block(reading)) != 0)
			return -1;
	}
	if (ferror(in))
		return error_set(reading->error, "%s: %s", reading->into->file, strerror(errno));
	return end_block(reading);
}

int suppressions_read(struct suppressions *suppressions, const char *file, struct error *error)
{
	struct reading reading = {.into = suppressions, .error = error};
	FILE *in = fopen(file, "re");
	int result;

	*suppressions = (struct suppressions){.file = file};
	if (!in)
		return error_set(error, "%s: %s", file, strerror(errno));
	result = read_lines(&reading, in);
	fclose(in);
	if (result != 0)
		suppressions_release(suppressions);
	return result;
}

void suppressions_release(struct suppressions *suppressions)
{
	for (uint32_t i = 0; i < suppressions->count; i++) {
		struct suppression *item = &suppressions->items[i];

		free(item->pattern);
		free(item->function);
		free(item->object);
		free(item->id);
		free(item->reason);
	}
	free(suppressions->items);
	*suppressions = (struct suppressions){.file = suppressions->file};
}

/* -- what matches ------------------------------------------------------------------------- */

static bool glob(const char *pattern, const char *text)
{
	return text && fnmatch(pattern, text, 0) == 0;
}

/* As the profile has the name, or as people say it: "ns::gemm<float>". */
static bool name_matches(const char *pattern, const char *name)
{
	char *plain;
	bool matches;

	if (!name || glob(pattern, name))
		return name;
	plain = cxx_plain_name(name, NAME_LIMIT);
	matches = glob(pattern, plain);
	free(plain);
	return matches;
}

/* What was called, or a function of its call path. */
static bool vertex_matches(const struct profile *profile, const char *pattern, uint32_t id)
{
	uint32_t v = graph_find(profile->graph, id), count;
	const struct profile_frame **path;
	bool matches;

	if (v == UINT32_MAX || id == GRAPH_HOST)
		return false;
	matches = name_matches(pattern, profile->graph->vertices[v].name);
	path = matches ? NULL : profile_own_path(profile, v, &count);
	for (uint32_t i = 0; path && i < count && !matches; i++)
		matches = name_matches(pattern, path[i]->function);
	free(path);
	return matches;
}

/* The same of calls that are no vertex, of which the path is text. */
static bool calls_match(const char *pattern, const struct profile_api *api)
{
	const char *frame = api->place.callpath, *next;
	bool matches = glob(pattern, api->name);

	for (; frame && !matches; frame = next) {
		const char *end = frame_text_end(frame, &next);
		char *function = xstrndup(frame, (size_t)(frame_function_end(frame, end) - frame));

		matches = name_matches(pattern, function);
		free(function);
	}
	return matches;
}

static bool object_matches(const struct profile *profile, const struct words_site *sites,
			   const char *pattern, uint32_t site)
{
	uint32_t v = graph_find(profile->graph, site);

	if (v == UINT32_MAX)
		return false;
	return glob(pattern, sites[v].global) || vertex_matches(profile, pattern, site);
}

static bool matches(const struct suppression *item, const struct profile *profile,
		    const struct words_site *sites, const struct profile_finding *finding,
		    const char *id)
{
	bool of_calls = finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW;

	if (item->id && strcmp(item->id, id) != 0)
		return false;
	if (item->pattern && !glob(item->pattern, finding->pattern))
		return false;
	if (item->function &&
	    !(of_calls ? calls_match(item->function, &profile->apis[finding->api])
		       : vertex_matches(profile, item->function, finding->vertex)))
		return false;
	return !item->object || object_matches(profile, sites, item->object, finding->object);
}

const struct suppression **suppressions_apply(struct suppressions *suppressions,
					      const struct profile *profile,
					      const struct finding_id *ids)
{
	const struct suppression **of = xcalloc((size_t)profile->finding_count + 1, sizeof(*of));
	struct words_site *sites = words_sites(profile);

	for (uint32_t f = 0; f < profile->finding_count; f++)
		for (uint32_t i = 0; i < suppressions->count && !of[f]; i++) {
			struct suppression *item = &suppressions->items[i];

			if (!matches(item, profile, sites, &profile->findings[f], ids[f].text))
				continue;
			of[f] = item;
			item->used++;
		}
	free(sites);
	return of;
}
