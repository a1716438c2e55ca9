/* render/memory/series.c: see series.h. */
#include "render/memory/series.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* Bytes of a site come or go. */
struct step {
	uint64_t place, bytes;
	uint32_t vertex; /* index, or the graph's vertex_count: of a site that is not known */
	bool comes;
};

struct most {
	uint32_t vertex;
	uint64_t bytes;
};

static int by_place(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->comes - b->comes;
}

static int by_bytes(const void *left, const void *right)
{
	const struct most *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static struct step *steps_of(const struct profile *profile, const struct peaks *peaks,
			     uint32_t *count)
{
	struct step *steps = xcalloc(2 * (size_t)peaks_count(peaks) + 1, sizeof(*steps));

	*count = 0;
	for (uint32_t i = 0; i < peaks_count(peaks); i++) {
		const struct profile_lifetime *life = peaks_lifetime(peaks, i);
		const struct peaks_span span = peaks_span(peaks, i);
		uint32_t vertex = graph_find(profile->graph, profile->objects[life->object].site);

		if (vertex == UINT32_MAX)
			vertex = profile->graph->vertex_count;
		if (span.from >= span.to || !span.bytes)
			continue;
		steps[(*count)++] = (struct step){span.from, span.bytes, vertex, true};
		if (span.to != UINT64_MAX)
			steps[(*count)++] = (struct step){span.to, span.bytes, vertex, false};
	}
	if (*count)
		qsort(steps, *count, sizeof(*steps), by_place);
	return steps;
}

/* Which of the columns' numbers each vertex has: SERIES_SITES: it is folded; the caller frees. */
static uint32_t *choose_sites(const struct profile *profile, const struct step *steps,
			      uint32_t count, struct series *series)
{
	const uint32_t vertices = profile->graph->vertex_count + 1;
	struct most *most = xcalloc(vertices, sizeof(*most));
	uint64_t *live = xcalloc(vertices, sizeof(*live));
	uint32_t *slots = xcalloc(vertices, sizeof(*slots));

	for (uint32_t i = 0; i < vertices; i++) {
		most[i].vertex = i;
		slots[i] = SERIES_SITES;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		uint64_t *bytes = &live[step->vertex];

		*bytes += step->comes ? step->bytes : -step->bytes;
		if (*bytes > most[step->vertex].bytes)
			most[step->vertex].bytes = *bytes;
	}
	qsort(most, vertices, sizeof(*most), by_bytes);
	for (uint32_t i = 0; i < vertices && most[i].bytes; i++) {
		uint32_t vertex = most[i].vertex;

		if (series->site_count == SERIES_SITES || vertex == vertices - 1) {
			series->folded++;
			continue;
		}
		slots[vertex] = series->site_count;
		series->sites[series->site_count++] = profile->graph->vertices[vertex].id;
	}
	free(most);
	free(live);
	return slots;
}

static void put(struct series *series, const struct series_column *column)
{
	if (series->column_count < SERIES_COLUMNS)
		series->columns[series->column_count++] = *column;
}

/* Of each stretch of calls two columns at most: where there is most, and how it ends. */
static void fill(struct series *series, const struct step *steps, uint32_t count,
		 const uint32_t *slots)
{
	const uint64_t stretches = SERIES_COLUMNS / 2 - 1;
	const uint64_t width = series->places / stretches + 1;
	struct series_column now = {0}, most = {0};

	for (uint32_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		const uint64_t change = step->comes ? step->bytes : -step->bytes;
		const bool first = !i || steps[i - 1].place / width != step->place / width;
		const bool last =
			i + 1 == count || steps[i + 1].place / width != step->place / width;

		if (first)
			most = (struct series_column){0};
		now.place = step->place;
		now.total += change;
		now.bytes[slots[step->vertex]] += change;
		if (i + 1 < count && steps[i + 1].place == step->place)
			continue;
		if (now.total > most.total)
			most = now;
		if (!last)
			continue;
		if (most.total && most.place != now.place)
			put(series, &most);
		put(series, &now);
	}
}

struct series *series_new(const struct profile *profile, const struct peaks *peaks)
{
	struct series *series = xcalloc(1, sizeof(*series));
	uint32_t count, *slots;
	struct step *steps = steps_of(profile, peaks, &count);

	for (uint32_t i = 0; i < peaks_count(peaks); i++) {
		const struct profile_lifetime *life = peaks_lifetime(peaks, i);
		const uint64_t calls[] = {life->made.call, life->last.call, life->freed.call};

		for (int k = 0; k < 3; k++)
			if (calls[k] != PROFILE_UNKNOWN && 2 * calls[k] + 2 > series->places)
				series->places = 2 * calls[k] + 2;
	}
	series->columns = xcalloc(SERIES_COLUMNS, sizeof(*series->columns));
	slots = choose_sites(profile, steps, count, series);
	fill(series, steps, count, slots);
	free(slots);
	free(steps);
	return series;
}

void series_free(struct series *series)
{
	if (!series)
		return;
	free(series->columns);
	free(series);
}
