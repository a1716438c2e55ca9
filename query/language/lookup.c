/*
 * query/language/lookup.c: vertices by the value of a property, where WHERE demands one.
 *
 * To sort them pays when otherwise many would be looked at: it waits until a step has looked at as
 * many vertices as there are.
 */
#include <stdlib.h>

#include "query/language/match.h"

enum { FEW = 8 }; /* vertices, which are faster to look at than to look up */

static int by_value(const void *left, const void *right, void *data)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = value_order(engine_value(data, a), engine_value(data, b));

	return order ? order : (a > b) - (a < b);
}

static bool sort_vertices(struct run *run, struct lookup *lookup)
{
	uint32_t count = run->engine->vertex_count;
	uint64_t bytes = ((uint64_t)count + 1) * sizeof(*lookup->vertices);

	if (!run_work(run, count, bytes))
		return false;
	run->elsewhere += bytes;
	lookup->vertices = arena_alloc(&run->whole, bytes);
	for (uint32_t v = 0; v < count; v++)
		if (engine_value(lookup->key->of_vertex, v).type != VALUE_NULL)
			lookup->vertices[lookup->vertex_count++] = v;
	qsort_r(lookup->vertices, lookup->vertex_count, sizeof(*lookup->vertices), by_value,
		(void *)lookup->key->of_vertex);
	return run_work(run, count, 0);
}

/* How many of the sorted vertices come before the value or, with `after`, up to it. */
static uint32_t count_before(const struct lookup *lookup, struct value value, bool after)
{
	uint32_t first = 0, end = lookup->vertex_count;

	while (first < end) {
		uint32_t middle = first + (end - first) / 2;
		struct value here = engine_value(lookup->key->of_vertex, lookup->vertices[middle]);

		if (value_order(here, value) < after)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* False where the value cannot be had: who looks at vertices one by one may never ask for it. */
static bool value_of(struct run *run, const struct lookup *lookup, struct value *value)
{
	struct error error, *before = run->error;
	bool failed;

	run->error = &error;
	*value = eval(run, lookup->value);
	run->error = before;
	failed = run->failed;
	run->failed = false;
	return !failed;
}

bool lookup_find(struct run *run, struct step *step, uint32_t others, const uint32_t **vertices,
		 uint32_t *count)
{
	struct arena_mark mark = arena_mark(&run->scratch);

	if (!step->lookup_count || others <= FEW)
		return false;
	step->looked += others;
	if (step->looked <= run->engine->vertex_count)
		return false;
	*count = others;
	for (uint32_t i = 0; i < step->lookup_count; i++) {
		struct lookup *lookup = &step->lookups[i];
		struct value value;
		uint32_t first, found = 0;

		if (!lookup->vertices && !sort_vertices(run, lookup))
			return false;
		if (!value_of(run, lookup, &value))
			continue;
		first = count_before(lookup, value, false);
		if (value.type != VALUE_NULL)
			found = count_before(lookup, value, true) - first;
		arena_release(&run->scratch, mark);
		if (found >= *count)
			continue;
		*vertices = lookup->vertices + first;
		*count = found;
	}
	arena_release(&run->scratch, mark);
	return *count < others;
}

/* -- edges -- */

/* In the order in which a cursor at the vertex gives them: those that lead away come first. */
static int by_cursor(const void *left, const void *right, void *data)
{
	const struct cursor *cursor = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	bool comes_a = cursor->both && cursor->engine->from[a] != cursor->vertex;
	bool comes_b = cursor->both && cursor->engine->from[b] != cursor->vertex;

	return comes_a != comes_b ? comes_a - comes_b : (a > b) - (a < b);
}

static uint32_t count_edges(const struct cursor *cursor)
{
	const uint32_t *in = cursor->engine->in_first + cursor->vertex;

	return cursor->end - cursor->at + (cursor->both ? in[1] - in[0] : 0);
}

uint32_t *lookup_edges(struct run *run, struct step *step, struct cursor *cursor, uint32_t *found)
{
	uint32_t all = count_edges(cursor), work, count, edge, other, *edges;
	const uint32_t *vertices;

	if (!lookup_find(run, step, all, &vertices, &count))
		return NULL;
	work = count;
	for (uint32_t i = 0; i < count; i++) {
		struct cursor back =
			cursor_start(run->engine, vertices[i], step->edge, !step->backwards);
		uint32_t more = count_edges(&back);

		if (!run_step(run) || more >= all - work)
			return NULL;
		work += more;
	}
	edges = arena_alloc(&run->scratch, ((size_t)work + 1) * sizeof(*edges));
	*found = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cursor back =
			cursor_start(run->engine, vertices[i], step->edge, !step->backwards);

		while (run_step(run) && cursor_next(&back, &edge, &other))
			if (other == cursor->vertex)
				edges[(*found)++] = edge;
	}
	qsort_r(edges, *found, sizeof(*edges), by_cursor, cursor);
	return edges;
}
