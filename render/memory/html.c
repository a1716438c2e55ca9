/* render/memory/html.c: the memory over the calls of the run, as JSON in the page. */
#include <stdlib.h>

#include "advice/memory/report_pools.h"
#include "advice/words.h"
#include "render/html.h"
#include "render/memory/series.h"
#include "render/memory/wasted.h"
#include "util/memory.h"

enum {
	PEAKS = 5,      /* that are marked */
	FINDINGS = 100, /* that the page has, of the highest rank */
	POOL_SITES = 20,
};

/* A site: vertex id, words, call path, bytes of its largest object, its objects. */
static void put_site(struct json *json, const struct profile *profile, uint32_t site,
		     const struct words_site *sites)
{
	uint32_t vertex = graph_find(profile->graph, site);
	char *name = words_object(profile, sites, site);

	json_line(json);
	json_begin(json, '[');
	json_count(json, site);
	json_text(json, name);
	json_text(json, vertex == UINT32_MAX ? NULL : profile->graph->vertices[vertex].callpath);
	json_count(json, vertex == UINT32_MAX ? 0 : sites[vertex].count);
	json_count(json, vertex == UINT32_MAX ? 0 : sites[vertex].largest);
	json_end(json, ']');
	free(name);
}

/* Place, total, and what has changed since the column before: number of the site, bytes, ... */
static void put_column(struct json *json, const struct series_column *column,
		       const struct series_column *before)
{
	json_begin(json, '[');
	json_count(json, column->place);
	json_count(json, column->total);
	for (uint32_t i = 0; i <= SERIES_SITES; i++) {
		if (column->bytes[i] == (before ? before->bytes[i] : 0))
			continue;
		json_count(json, i);
		json_count(json, column->bytes[i]);
	}
	json_end(json, ']');
}

static void put_finding(struct json *json, const struct memory_finding *finding, uint64_t end)
{
	uint64_t from, to;

	memory_wasted(finding, end, &from, &to);
	json_line(json);
	json_begin(json, '[');
	json_text(json, memory_patterns[finding->pattern].title);
	json_count(json, finding->site);
	json_count(json, finding->objects);
	json_count(json, finding->bytes);
	if (finding->peak == PROFILE_UNKNOWN)
		json_text(json, NULL);
	else
		json_count(json, finding->peak);
	json_count(json, from);
	json_count(json, to);
	json_end(json, ']');
}

static void put_series(struct json *json, const struct profile *profile,
		       const struct series *series)
{
	struct words_site *sites = words_sites(profile);

	json_named_count(json, "places", series->places);
	json_named_count(json, "folded", series->folded);
	json_named_count(json, "others", SERIES_SITES);
	json_name(json, "sites");
	json_begin(json, '[');
	for (uint32_t i = 0; i < series->site_count; i++)
		put_site(json, profile, series->sites[i], sites);
	json_end(json, ']');
	json_name(json, "columns");
	json_begin(json, '[');
	for (uint32_t i = 0; i < series->column_count; i++)
		put_column(json, &series->columns[i], i ? &series->columns[i - 1] : NULL);
	json_end(json, ']');
	free(sites);
}

static void put_peaks(struct json *json, const struct peaks *peaks)
{
	struct peaks_peak highest[PEAKS];
	uint32_t count = peaks_highest(peaks, highest, PEAKS);

	json_name(json, "peaks");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(json, '[');
		json_count(json, highest[i].place);
		json_count(json, highest[i].bytes);
		json_end(json, ']');
	}
	json_end(json, ']');
}

static void put_memory(struct json *json, const struct profile *profile,
		       const struct memory *memory)
{
	struct series *series = series_new(profile, memory->peaks);

	json_begin(json, '{');
	json_named_count(json, "pid", profile->processes[memory->process].pid);
	json_named_count(json, "processes", profile->process_count);
	json_named_count(json, "peak", memory->peak);
	json_named_count(json, "mended", memory->peak_mended);
	json_named_count(json, "objects", memory->objects);
	put_series(json, profile, series);
	put_peaks(json, memory->peaks);
	json_named_count(json, "finding_count", memory->finding_count);
	json_name(json, "findings");
	json_begin(json, '[');
	for (uint32_t i = 0; i < memory->finding_count && i < FINDINGS; i++)
		put_finding(json, &memory->findings[i], series->places);
	json_end(json, ']');
	json_name(json, "pools");
	report_pools_json(profile, memory->process, POOL_SITES, json);
	json_end(json, '}');
	series_free(series);
}

void html_write_memory(struct json *json, const struct picture *picture)
{
	struct profile profile;
	struct memory *memory = memory_of_picture(picture, &profile);

	if (memory)
		put_memory(json, &profile, memory);
	else
		json_text(json, NULL);
	memory_free(memory);
}
