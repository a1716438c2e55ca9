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

static int by_peak_bytes(const void *left, const void *right)
{
	const struct profile_pool_site *const *a = left, *const *b = right;

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

static void print_pool_site(FILE *out, const struct profile_pool_site *site)
{
	char *bytes = words_bytes(site->peak_bytes);
	char *path = site->callpath ? path_words(site->callpath) : xstrdup("an unknown call path");
	char *text = xasprintf("%s, %" PRIu64 " block%s", path, site->peak_blocks,
			       text_plural(site->peak_blocks, "", "s"));

	page_field(out, bytes, text);
	free(bytes);
	free(path);
	free(text);
}

/* The sites of a pool that have blocks at its peak. */
static void print_pool(const struct report_memory *report, FILE *out,
		       const struct profile_pool *pool, const struct profile_pool_site **sites,
		       uint32_t count)
{
	char *peak = words_bytes(pool->peak_bytes), *live = words_bytes(pool->live_bytes);
	char *title =
		xasprintf("Pool %s: at most %s in %" PRIu64 " block%s, %s at the end", pool->name,
			  peak, pool->peak_blocks, text_plural(pool->peak_blocks, "", "s"),
			  pool->live_bytes ? live : "none");

	fputc('\n', out);
	page_heading(report->colour, out, title);
	if (count)
		qsort(sites, count, sizeof(*sites), by_peak_bytes);
	for (uint32_t i = 0; i < count && i < SITES; i++)
		print_pool_site(out, sites[i]);
	if (count > SITES) {
		char *more = xasprintf("... and %" PRIu32 " more call paths", count - SITES);

		page_field(out, "", more);
		free(more);
	}
	free(peak);
	free(live);
	free(title);
}

static int by_pool(const void *left, const void *right)
{
	const struct profile_pool_site *const *a = left, *const *b = right;

	return ((*a)->pool > (*b)->pool) - ((*a)->pool < (*b)->pool);
}

void report_pools_print(const struct report_memory *report, uint32_t process, FILE *out)
{
	const struct profile *profile = report->profile;
	const struct profile_pool_site **sites =
		xcalloc(profile->pool_site_count, sizeof(struct profile_pool_site *));
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->pool_site_count; i++)
		if (profile->pool_sites[i].peak_bytes)
			sites[count++] = &profile->pool_sites[i];
	if (count)
		qsort(sites, count, sizeof(*sites), by_pool);
	for (uint32_t i = 0, next; i < count; i = next) {
		const struct profile_pool *pool = &profile->pools[sites[i]->pool];

		for (next = i; next < count && sites[next]->pool == sites[i]->pool;)
			next++;
		if (pool->process == process)
			print_pool(report, out, pool, &sites[i], next - i);
	}
	free(sites);
}
