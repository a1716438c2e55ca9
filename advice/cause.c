#include "advice/cause.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "advice/words.h"
#include "util/memory.h"

enum { DEPTH = 12 }; /* lines of a call path */

struct tally { /* of what begins with the same lines: (vertex, site of objects) */
	char *key;
	uint64_t count;
	UT_hash_handle hh;
};

/* The innermost lines of a vertex, each with those before it: "cudaMemset|/src/a.c:4|/src/b.c:7".
 */
struct lines {
	char *keys[DEPTH];
	uint32_t count;
};

static struct lines lines_of(const struct profile *profile, uint32_t id)
{
	uint32_t count, v = graph_find(profile->graph, id);
	const struct profile_frame **path = profile_path(profile, v, &count);
	const char *name = profile->graph->vertices[v].name;
	struct lines lines = {.count = 0};

	for (uint32_t i = 0; i < count && lines.count < DEPTH; i++) {
		if (!words_has_line(path[i]))
			continue;
		lines.keys[lines.count] = xasprintf("%s|%s:%" PRIu32,
						    lines.count ? lines.keys[lines.count - 1]
						    : name      ? name
								: "",
						    path[i]->file, path[i]->line);
		lines.count++;
	}
	free(path);
	return lines;
}

static void lines_free(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->keys[i]);
}

static uint64_t count_of(struct tally *tallies, const char *key)
{
	struct tally *tally;

	HASH_FIND_STR(tallies, key, tally);
	return tally ? tally->count : 0;
}

static void count(struct tally **tallies, const char *key)
{
	struct tally *tally;

	HASH_FIND_STR(*tallies, key, tally);
	if (!tally) {
		tally = xcalloc(1, sizeof(*tally));
		tally->key = xstrdup(key);
		HASH_ADD_KEYPTR(hh, *tallies, tally->key, strlen(tally->key), tally);
	}
	tally->count++;
}

static void count_lines(struct tally **tallies, const struct lines *lines, const char *what)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		char *key = xasprintf("%s|%s", what, lines->keys[i]);

		count(tallies, key);
		free(key);
	}
}

static void tallies_free(struct tally *tallies)
{
	struct tally *tally, *next;

	HASH_ITER(hh, tallies, tally, next)
	{
		HASH_DEL(tallies, tally);
		free(tally->key);
		free(tally);
	}
}

/* All that could have been found: what operations wrote to objects, and allocations. */
static struct tally *count_all(const struct profile *profile)
{
	struct tally *all = NULL;

	for (uint32_t i = 0; i < profile->write_count; i++) {
		struct lines lines = lines_of(profile, profile->writes[i].vertex);

		count_lines(&all, &lines, "");
		lines_free(&lines);
	}
	for (uint32_t i = 0; i < profile->download_count; i++) {
		struct lines lines = lines_of(profile, profile->downloads[i].vertex);

		count_lines(&all, &lines, "");
		lines_free(&lines);
	}
	for (uint32_t i = 0; i < profile->site_count; i++) {
		struct lines lines = lines_of(profile, profile->sites[i].site);

		count_lines(&all, &lines, "");
		lines_free(&lines);
	}
	return all;
}

static char *kind_of(const struct profile_finding *finding)
{
	return xasprintf("%s|%s", finding->pattern, finding->action);
}

static void find(struct cause *cause, const struct lines *lines, const char *kind,
		 struct tally *all, struct tally *found)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		char *any = xasprintf("|%s", lines->keys[i]);
		char *key = xasprintf("%s|%s", kind, lines->keys[i]);
		/* profiles without these tables count nothing */
		bool alike = count_of(found, key) >= count_of(all, any);

		free(any);
		if (alike || i + 1 == lines->count) {
			const char *line = strrchr(lines->keys[i], '|') + 1;
			const char *slash = strrchr(line, '/');

			cause->key = key;
			cause->shared = !alike;
			cause->caller = i ? xstrdup(slash ? slash + 1 : line) : NULL;
			return;
		}
		free(key);
	}
}

struct cause *causes_find(const struct profile *profile)
{
	struct cause *causes = xcalloc(profile->finding_count, sizeof(*causes));
	struct tally *all = count_all(profile), *found = NULL;

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct lines lines = lines_of(profile, profile->findings[i].vertex);
		char *kind = kind_of(&profile->findings[i]);

		count_lines(&found, &lines, kind);
		lines_free(&lines);
		free(kind);
	}
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct lines lines = lines_of(profile, profile->findings[i].vertex);
		char *kind = kind_of(&profile->findings[i]);

		find(&causes[i], &lines, kind, all, found);
		lines_free(&lines);
		free(kind);
	}
	tallies_free(all);
	tallies_free(found);
	return causes;
}

void causes_free(struct cause *causes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(causes[i].key);
		free(causes[i].caller);
	}
	free(causes);
}
