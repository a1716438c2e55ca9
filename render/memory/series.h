/*
 * render/memory/series.h: how much memory of the device the allocations of one process had over its
 * GPU API calls, in as many columns and sites as a picture can show.
 */
#ifndef VFLOW_RENDER_MEMORY_SERIES_H
#define VFLOW_RENDER_MEMORY_SERIES_H

#include "graph/memory/peaks.h"

enum {
	SERIES_SITES = 24,     /* that have the most at some time; the others are folded into one */
	SERIES_COLUMNS = 2000, /* at most; of more, stretches are folded: the most in each stays */
};

struct series_column {
	uint64_t place;                   /* see peaks.h: it lasts until the next column's */
	uint64_t total;                   /* bytes */
	uint64_t bytes[SERIES_SITES + 1]; /* of the sites; the last: of all others */
};

struct series {
	uint32_t sites[SERIES_SITES]; /* vertex ids, most bytes first */
	uint32_t site_count;
	uint32_t folded; /* sites that are in the last one */
	uint64_t places; /* the last column ends there */
	struct series_column *columns;
	uint32_t column_count;
};

/* The caller frees it with series_free(). */
struct series *series_new(const struct profile *profile, const struct peaks *peaks);
void series_free(struct series *series);

#endif
