#include "advice/cause.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "advice/words.h"
#include "util/cxx_name.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum { DEPTH = 12 }; /* lines of a call path */

#define NONE UINT32_MAX

struct text { /* names, places in the source, kinds of findings */
	char *text;
	uint32_t number;
	UT_hash_handle hh;
};

/* How a call path begins: with a name, or with one line more than another beginning has. */
struct beginning {
	uint32_t shorter; /* NONE: it is a name */
	uint32_t frame;   /* of the last line */
	uint32_t depth;   /* lines */
	uint64_t count;   /* of all that could have been found there */
	uint32_t calls;   /* vertices that begin so */
};

struct found { /* findings of one kind with call paths that begin alike */
	uint64_t count;
	uint32_t calls; /* vertices of them */
	uint32_t first; /* whose cause this is; NONE: nobody's yet */
};

/* Calls of a function from one line that make no vertex. */
struct line {
	uint32_t calls, found; /* call paths: all; those with findings of one kind */
	uint32_t first;        /* whose cause this is; NONE: nobody's yet */
};

struct paths {
	const struct profile *profile;
	struct text *texts;
	uint32_t *places;  /* per frame: number of the text "/src/a.c:4"; NONE: not known yet */
	uint32_t *longest; /* per vertex: a beginning, DEPTH lines or all; NONE: not known yet */
	uint32_t *which;   /* per vertex: how many vertices of its longest beginning are counted */
	struct pair_map by_text; /* beginnings by shorter one and text */
	struct beginning *beginnings;
	uint32_t beginning_count, beginning_capacity;
	struct pair_map by_kind;        /* `found` by kind and beginning */
	struct pair_map found_vertices; /* that have a finding, by kind and vertex */
	struct found *found;
	uint32_t found_count, found_capacity;
};

static struct paths paths_of(const struct profile *profile)
{
	struct paths paths = {
		.profile = profile,
		.places = xcalloc(profile->frame_count, sizeof(*paths.places)),
		.longest = xcalloc(profile->graph->vertex_count, sizeof(*paths.longest)),
		.which = xcalloc(profile->graph->vertex_count, sizeof(*paths.which)),
	};

	memset(paths.places, 0xff, profile->frame_count * sizeof(*paths.places));
	memset(paths.longest, 0xff, profile->graph->vertex_count * sizeof(*paths.longest));
	return paths;
}

static void paths_release(struct paths *paths)
{
	struct text *text, *next;

	HASH_ITER(hh, paths->texts, text, next)
	{
		HASH_DEL(paths->texts, text);
		free(text->text);
		free(text);
	}
	pair_map_release(&paths->by_text);
	pair_map_release(&paths->by_kind);
	free(paths->places);
	free(paths->longest);
	free(paths->which);
	pair_map_release(&paths->found_vertices);
	free(paths->beginnings);
	free(paths->found);
}

/* Equal texts have equal numbers.  `text` is freed. */
static uint32_t number_of(struct paths *paths, char *text)
{
	struct text *known;

	HASH_FIND_STR(paths->texts, text, known);
	if (known) {
		free(text);
		return known->number;
	}
	known = xcalloc(1, sizeof(*known));
	known->text = text;
	known->number = HASH_COUNT(paths->texts);
	HASH_ADD_KEYPTR(hh, paths->texts, known->text, strlen(known->text), known);
	return known->number;
}

static uint32_t place_of(struct paths *paths, const struct profile_frame *frame)
{
	uint32_t *place = &paths->places[frame - paths->profile->frames];

	if (*place == NONE)
		*place = number_of(paths, xasprintf("%s:%" PRIu32, frame->file, frame->line));
	return *place;
}

/* -- what call paths begin with -- */

static uint32_t beginning_of(struct paths *paths, uint32_t shorter, uint32_t text, uint32_t frame)
{
	uint32_t index;

	if (pair_map_find(&paths->by_text, shorter, text, paths->beginning_count, &index))
		return index;
	ARRAY_RESERVE(paths->beginnings, paths->beginning_count, paths->beginning_capacity);
	paths->beginnings[paths->beginning_count++] = (struct beginning){
		.shorter = shorter,
		.frame = frame,
		.depth = shorter == NONE ? 0 : paths->beginnings[shorter].depth + 1};
	return index;
}

/*
 * A function's name without parameters, and without the template arguments, of which a library
 * picks other ones for each size of the data.  The caller frees.
 */
static char *function_of(const char *name)
{
	const char *end = cxx_name_end(name), *start = cxx_name_start(name);
	const char *arguments = cxx_arguments_start(start, end);

	return xstrndup(start,
			(size_t)((arguments && arguments > start ? arguments : end) - start));
}

/* The name of a vertex, given by its id, and the innermost lines of its call path. */
static uint32_t longest_of(struct paths *paths, uint32_t id)
{
	const struct profile *profile = paths->profile;
	uint32_t v = graph_find(profile->graph, id), count, longest;
	const char *name = profile->graph->vertices[v].name;
	const struct profile_frame **path;

	if (paths->longest[v] != NONE)
		return paths->longest[v];
	path = profile_path(profile, v, &count);
	longest = beginning_of(paths, NONE, number_of(paths, function_of(name ? name : "")), NONE);
	for (uint32_t i = 0; i < count && paths->beginnings[longest].depth < DEPTH; i++)
		if (words_has_line(path[i]))
			longest = beginning_of(paths, longest, place_of(paths, path[i]),
					       (uint32_t)(path[i] - profile->frames));
	free(path);
	return paths->longest[v] = longest;
}

static void count(struct paths *paths, uint32_t vertex)
{
	uint32_t at = longest_of(paths, vertex), v = graph_find(paths->profile->graph, vertex);
	bool first = !paths->which[v];

	if (first)
		paths->which[v] = paths->beginnings[at].calls + 1;
	for (; paths->beginnings[at].depth; at = paths->beginnings[at].shorter) {
		paths->beginnings[at].count++;
		paths->beginnings[at].calls += first;
	}
}

/* All that could have been found: what operations wrote to objects, and allocations. */
static void count_all(struct paths *paths)
{
	const struct profile *profile = paths->profile;

	for (uint32_t i = 0; i < profile->write_count; i++)
		count(paths, profile->writes[i].vertex);
	for (uint32_t i = 0; i < profile->download_count; i++)
		count(paths, profile->downloads[i].vertex);
	for (uint32_t i = 0; i < profile->site_count; i++)
		count(paths, profile->sites[i].site);
}

/* -- findings -- */

/* Findings are alike if pattern and action are. */
static uint32_t kind_of(struct paths *paths, const struct profile_finding *finding)
{
	/* values are those of one object, at one place */
	if (finding->code_place != PROFILE_NO_ROW)
		return number_of(paths,
				 xasprintf("%s|%s|%" PRIu32 "|%" PRIu32 "|%d", finding->pattern,
					   finding->action, finding->object, finding->code_place,
					   (int)finding->access));
	return number_of(paths, xasprintf("%s|%s", finding->pattern, finding->action));
}

static struct found *found_at(struct paths *paths, uint32_t kind, uint32_t beginning)
{
	uint32_t index;

	if (pair_map_find(&paths->by_kind, kind, beginning, paths->found_count, &index))
		return &paths->found[index];
	ARRAY_RESERVE(paths->found, paths->found_count, paths->found_capacity);
	paths->found[paths->found_count] = (struct found){.first = NONE};
	return &paths->found[paths->found_count++];
}

static void count_found(struct paths *paths, uint32_t kind, uint32_t vertex)
{
	uint32_t at = longest_of(paths, vertex), number;
	bool first = !pair_map_find(&paths->found_vertices, kind, vertex, 0, &number);

	for (; paths->beginnings[at].depth; at = paths->beginnings[at].shorter) {
		struct found *found = found_at(paths, kind, at);

		found->count++;
		found->calls += first;
	}
}

/* Whether operations that are called elsewhere, by way of the same line, do what was not found. */
static bool has_others(struct paths *paths, uint32_t kind, uint32_t beginning)
{
	uint32_t shorter = paths->beginnings[beginning].shorter;
	uint32_t calls = paths->beginnings[shorter].calls - paths->beginnings[beginning].calls;

	return calls >
	       found_at(paths, kind, shorter)->calls - found_at(paths, kind, beginning)->calls;
}

static char *caller_of(const struct paths *paths, const struct beginning *beginning)
{
	const struct profile_frame *frame = &paths->profile->frames[beginning->frame];
	const char *slash = strrchr(frame->file, '/');

	return xasprintf("%s:%" PRIu32, slash ? slash + 1 : frame->file, frame->line);
}

/* The cause of this finding. */
static struct cause find(struct paths *paths, uint32_t finding, uint32_t kind)
{
	uint32_t vertex = paths->profile->findings[finding].vertex;
	uint32_t longest = longest_of(paths, vertex);
	struct cause cause = {.first = finding};
	uint32_t best = longest, depth;
	struct found *found;
	bool alike;

	/* the shortest one of which all is found alike, else the longest */
	for (uint32_t at = longest; paths->beginnings[at].depth; at = paths->beginnings[at].shorter)
		/* profiles without these tables count nothing */
		if (found_at(paths, kind, at)->count >= paths->beginnings[at].count)
			best = at;
	depth = paths->beginnings[best].depth;
	if (!depth)
		return cause;
	found = found_at(paths, kind, best);
	alike = found->count >= paths->beginnings[best].count;
	if (found->first == NONE)
		found->first = finding;
	cause.first = found->first;
	cause.shared = !alike;
	cause.caller = depth > 1 ? caller_of(paths, &paths->beginnings[best]) : NULL;
	cause.others = depth > 1 && has_others(paths, kind, best);
	cause.which = paths->which[graph_find(paths->profile->graph, vertex)];
	cause.of = paths->beginnings[longest].calls;
	return cause;
}

/* -- calls that make no vertex -- */

static bool is_call(const struct profile_finding *finding)
{
	return finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW;
}

bool cause_is_same_call(const struct profile_api *a, const struct profile_api *b)
{
	return a->vertex == PROFILE_NO_VERTEX && b->vertex == PROFILE_NO_VERTEX && a->place.file &&
	       b->place.file && a->place.line && a->place.line == b->place.line &&
	       !strcmp(a->name, b->name) && !strcmp(a->place.file, b->place.file);
}

/* NONE: no line is known. */
static uint32_t line_of(struct paths *paths, const struct profile_api *api)
{
	if (api->vertex != PROFILE_NO_VERTEX || !api->place.file || !api->place.line)
		return NONE;
	return number_of(paths,
			 xasprintf("%s|%s:%" PRIu32, api->name, api->place.file, api->place.line));
}

/* Those of one line are one if the same is found from all call paths that end there. */
static void find_of_calls(struct paths *paths, const uint32_t *kinds, struct cause *causes)
{
	const struct profile *profile = paths->profile;
	uint32_t *calls = NULL, *of_apis = xcalloc(profile->api_count, sizeof(*of_apis));
	uint32_t *of_findings = xcalloc(profile->finding_count, sizeof(*of_findings));
	struct line *lines = xcalloc(profile->finding_count, sizeof(*lines));
	struct pair_map map = {0};
	uint32_t line_count = 0;

	for (uint32_t i = 0; i < profile->api_count; i++)
		of_apis[i] = line_of(paths, &profile->apis[i]);
	calls = xcalloc(HASH_COUNT(paths->texts) + (size_t)1, sizeof(*calls));
	for (uint32_t i = 0; i < profile->api_count; i++)
		if (of_apis[i] != NONE)
			calls[of_apis[i]]++;
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		uint32_t line = is_call(finding) ? of_apis[finding->api] : NONE;

		of_findings[i] = NONE;
		if (line == NONE)
			continue;
		if (!pair_map_find(&map, kinds[i], line, line_count, &of_findings[i]))
			lines[line_count++] = (struct line){.calls = calls[line], .first = NONE};
		lines[of_findings[i]].found++;
	}
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct line *line = of_findings[i] == NONE ? NULL : &lines[of_findings[i]];

		if (!line || line->found < line->calls)
			continue;
		if (line->first == NONE)
			line->first = i;
		causes[i].first = line->first;
	}
	pair_map_release(&map);
	free(lines);
	free(of_findings);
	free(of_apis);
	free(calls);
}

struct cause *causes_find(const struct profile *profile)
{
	struct cause *causes = xcalloc(profile->finding_count, sizeof(*causes));
	uint32_t *kinds = xcalloc(profile->finding_count, sizeof(*kinds));
	struct paths paths = paths_of(profile);

	count_all(&paths);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		kinds[i] = kind_of(&paths, &profile->findings[i]);
		count_found(&paths, kinds[i], profile->findings[i].vertex);
	}
	for (uint32_t i = 0; i < profile->finding_count; i++)
		causes[i] = find(&paths, i, kinds[i]);
	find_of_calls(&paths, kinds, causes);
	free(kinds);
	paths_release(&paths);
	return causes;
}

void causes_free(struct cause *causes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(causes[i].caller);
	free(causes);
}
