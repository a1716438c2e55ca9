/* graph/build/unread.c: see build/unread.h. */
#include "graph/build/unread.h"

#include <stdlib.h>

#include "gpu/records.h"
#include "util/memory.h"

#define UNREAD_ROWS_MAX 1000 /* in the profile: the largest ranges */

void unread_widen(struct unread_range *range, struct unread_range more)
{
	if (more.first < range->first)
		range->first = more.first;
	if (more.last > range->last)
		range->last = more.last;
}

static void set_vertices(struct profile *profile, const struct unread_total *totals)
{
	struct graph *graph = profile->graph;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		graph->vertices[v].fields |= VERTEX_UNREAD_FREED_BYTES | VERTEX_UNREAD_END_BYTES;
		graph->vertices[v].unread_freed_bytes = graph->vertices[v].unread_end_bytes = 0;
	}
	for (uint32_t i = 0; i < profile->fate_count; i++) {
		const struct profile_fate *fate = &profile->fates[i];
		struct graph_vertex *vertex = &graph->vertices[fate->vertex];

		profile_add(&vertex->unread_freed_bytes, totals[i].freed);
		profile_add(&vertex->unread_end_bytes, fate->unread_bytes - totals[i].freed);
	}
}

static void add_row(struct profile *profile, const struct profile_fate *fate, uint64_t size,
		    uint64_t first, uint64_t last)
{
	const uint64_t end = size / GPU_ROW_BLOCK;
	uint64_t bytes = fate->unread_bytes;

	profile_add(&bytes, fate->dead_bytes);
	ARRAY_RESERVE(profile->unread, profile->unread_count, profile->unread_capacity);
	profile->unread[profile->unread_count++] = (struct profile_unread){
		.vertex = fate->vertex,
		.object = fate->site,
		.first = first * GPU_ROW_BLOCK,
		.last = last < end ? (last + 1) * GPU_ROW_BLOCK - 1 : size - 1,
		.bytes = bytes,
	};
}

/* What was written before and after all that was read. */
static void add_rows(struct profile *profile, const struct profile_fate *fate,
		     const struct unread_total *total)
{
	const struct unread_range written = total->written, read = total->read;

	if (written.first > written.last || !total->size)
		return;
	if (read.first > read.last || read.last < written.first || read.first > written.last) {
		add_row(profile, fate, total->size, written.first, written.last);
		return;
	}
	if (written.first < read.first)
		add_row(profile, fate, total->size, written.first, read.first - 1);
	if (read.last < written.last)
		add_row(profile, fate, total->size, read.last + 1, written.last);
}

/* The largest ranges first. */
static int by_size(const void *a, const void *b)
{
	const struct profile_unread *x = a, *y = b;
	const uint64_t size_x = x->last - x->first, size_y = y->last - y->first;

	if (size_x != size_y)
		return size_x < size_y ? 1 : -1;
	if (x->vertex != y->vertex)
		return x->vertex < y->vertex ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

void unread_finish(struct profile *profile, const struct unread_total *totals)
{
	set_vertices(profile, totals);
	for (uint32_t i = 0; i < profile->fate_count; i++)
		add_rows(profile, &profile->fates[i], &totals[i]);
	if (profile->unread_count)
		qsort(profile->unread, profile->unread_count, sizeof(*profile->unread), by_size);
	if (profile->unread_count > UNREAD_ROWS_MAX)
		profile->unread_count = UNREAD_ROWS_MAX;
}
