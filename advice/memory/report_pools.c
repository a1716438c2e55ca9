/* advice/memory/report_pools.c: see report_pools.h. */
#include "advice/memory/report_pools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/page.h"
#include "advice/words.h"
#include "graph/library_frames.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	SITES = 6,      /* that are shown of each pool */
	FRAMES = 3,     /* of each site */
	NAME_MOST = 60, /* characters of a function */
};

/* By pool; of each those with most at its peak first. */
static int by_pool_and_peak(const void *left, const void *right)
{
	const struct profile_pool_site *const *a = left, *const *b = right;

	if ((*a)->pool != (*b)->pool)
		return (*a)->pool > (*b)->pool ? 1 : -1;
	if ((*a)->peak_bytes != (*b)->peak_bytes)
		return (*a)->peak_bytes < (*b)->peak_bytes ? 1 : -1;
	return (*a > *b) - (*a < *b);
}

/* Where the name of a function ends, without its arguments. */
static const char *name_end(const char *name, const char *end)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (; name < end && *name != ' '; name++) {
		if (*name != '(')
			continue;
		if (strncmp(name, anonymous, sizeof(anonymous) - 1) != 0)
			break;
		name += sizeof(anonymous) - 2;
	}
	return name;
}

/* "file.c:12" at the end of a frame; NULL: it has no line. */
static const char *line_of(const char *frame, const char *end)
{
	const char *place = frame_function_end(frame, end);

	while (place < end && *place == ' ')
		place++;
	return place < end && memchr(place, ':', (size_t)(end - place)) ? place : NULL;
}

/*
 * The first frames of a call path that are no layer's, of those with a line where there are any;
 * caller frees.
 */
static char *path_words(const char *callpath)
{
	const char *first = leading_frame(callpath), *next;
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	bool lines = false;
	unsigned shown = 0;

	for (const char *frame = first; frame; frame = next) {
		const char *end = frame_text_end(frame, &next);

		lines |= line_of(frame, end) != NULL;
	}
	for (const char *frame = first; frame && shown < FRAMES; frame = next) {
		const char *end = frame_text_end(frame, &next), *line = line_of(frame, end);
		int name = (int)(name_end(frame, end) - frame);

		if (lines && !line)
			continue;
		fprintf(out, "%s%.*s%s", shown++ ? " < " : "", name < NAME_MOST ? name : NAME_MOST,
			frame, name < NAME_MOST ? "" : "...");
		if (line)
			fprintf(out, " %.*s", (int)(end - line), line);
	}
	fclose(out);
	return text;
}

/* "train / forward: ", the ranges that the blocks were allocated in; caller frees. */
static char *range_words(const struct profile *profile, uint32_t range, const char *after)
{
	char *text = xstrdup(""), *before;

	for (const char *behind = after; range != PROFILE_NO_ROW; behind = " / ") {
		before = text;
		text = xasprintf("%s%s%s", profile->ranges[range].name, behind, before);
		free(before);
		range = profile->ranges[range].outer;
	}
	return text;
}

static void print_pool_site(const struct profile *profile, FILE *out,
			    const struct profile_pool_site *site)
{
	char *range = range_words(profile, site->range, ": ");
	char *bytes = words_bytes(site->peak_bytes);
	char *path = site->place.callpath ? path_words(site->place.callpath)
					  : xstrdup("an unknown call path");
	char *text = xasprintf("%s%s%s%s, %" PRIu64 " block%s", range, site->name ? site->name : "",
			       site->name ? ": " : "", path, site->peak_blocks,
			       text_plural(site->peak_blocks, "", "s"));

	page_field(out, bytes, text);
	free(range);
	free(bytes);
	free(path);
	free(text);
}

/* The sites of a pool that have blocks at its peak. */
static void print_pool(const struct report_memory *report, FILE *out,
		       const struct profile_pool *pool,
		       const struct profile_pool_site *const *sites, uint32_t count)
{
	char *peak = words_bytes(pool->peak_bytes), *live = words_bytes(pool->live_bytes);
	char *title =
		xasprintf("Pool %s: at most %s in %" PRIu64 " block%s, %s at the end", pool->name,
			  peak, pool->peak_blocks, text_plural(pool->peak_blocks, "", "s"),
			  pool->live_bytes ? live : "none");

	while (count && !sites[count - 1]->peak_bytes)
		count--;
	fputc('\n', out);
	page_heading(report->colour, out, title);
	for (uint32_t i = 0; i < count && i < SITES; i++)
		print_pool_site(report->profile, out, sites[i]);
	if (count > SITES) {
		char *more = xasprintf("... and %" PRIu32 " more call paths", count - SITES);

		page_field(out, "", more);
		free(more);
	}
	free(peak);
	free(live);
	free(title);
}

static const struct profile_pool_site **sorted_sites(const struct profile *profile)
{
	const struct profile_pool_site **sites =
		xcalloc(profile->pool_site_count, sizeof(struct profile_pool_site *));

	for (uint32_t i = 0; i < profile->pool_site_count; i++)
		sites[i] = &profile->pool_sites[i];
	if (profile->pool_site_count)
		qsort(sites, profile->pool_site_count, sizeof(struct profile_pool_site *),
		      by_pool_and_peak);
	return sites;
}

/* Where the sites of the next pool begin. */
static uint32_t sites_end(const struct profile *profile, const struct profile_pool_site **sites,
			  uint32_t first, uint32_t pool)
{
	while (first < profile->pool_site_count && sites[first]->pool == pool)
		first++;
	return first;
}

void report_pools_print(const struct report_memory *report, uint32_t process, FILE *out)
{
	const struct profile *profile = report->profile;
	const struct profile_pool_site **sites = sorted_sites(profile);

	for (uint32_t i = 0, first = 0, end; i < profile->pool_count; i++, first = end) {
		const struct profile_pool *pool = &profile->pools[i];

		end = sites_end(profile, sites, first, i);
		if (pool->process == process && pool->peak_bytes)
			print_pool(report, out, pool, sites + first, end - first);
	}
	free(sites);
}

/* -- JSON -- */

static void put_site(const struct profile *profile, struct json *json,
		     const struct profile_pool_site *site)
{
	char *range = range_words(profile, site->range, "");

	json_begin(json, '{');
	json_named_text(json, "name", site->name);
	json_named_text(json, "range", *range ? range : NULL);
	free(range);
	json_named_text(json, "callpath", site->place.callpath);
	json_named_text(json, "file", site->place.file);
	json_named_count(json, "line", site->place.line);
	json_named_count(json, "blocks", site->blocks);
	json_named_count(json, "bytes", site->bytes);
	json_named_count(json, "peak_blocks", site->peak_blocks);
	json_named_count(json, "peak_bytes", site->peak_bytes);
	json_named_count(json, "live_blocks", site->live_blocks);
	json_named_count(json, "live_bytes", site->live_bytes);
	json_end(json, '}');
}

static void put_pool(const struct profile *profile, struct json *json,
		     const struct profile_pool *pool, const struct profile_pool_site *const *sites,
		     uint32_t count, uint32_t most)
{
	json_begin(json, '{');
	json_named_text(json, "name", pool->name);
	json_named_count(json, "blocks", pool->blocks);
	json_named_count(json, "bytes", pool->bytes);
	json_named_count(json, "peak_blocks", pool->peak_blocks);
	json_named_count(json, "peak_bytes", pool->peak_bytes);
	json_named_count(json, "live_blocks", pool->live_blocks);
	json_named_count(json, "live_bytes", pool->live_bytes);
	if (pool->reported_bytes != PROFILE_UNKNOWN)
		json_named_count(json, "reported_bytes", pool->reported_bytes);
	json_named_count(json, "site_count", count);
	json_name(json, "sites");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count && (!most || i < most); i++)
		put_site(profile, json, sites[i]);
	json_end(json, ']');
	json_end(json, '}');
}

void report_pools_json(const struct profile *profile, uint32_t process, uint32_t most,
		       struct json *json)
{
	const struct profile_pool_site **sites = sorted_sites(profile);

	json_begin(json, '[');
	for (uint32_t i = 0, first = 0, end; i < profile->pool_count; i++, first = end) {
		end = sites_end(profile, sites, first, i);
		if (profile->pools[i].process == process)
			put_pool(profile, json, &profile->pools[i], sites + first, end - first,
				 most);
	}
	json_end(json, ']');
	free(sites);
}
