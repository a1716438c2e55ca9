#include "query/language/walk_rows.h"

#include <stdlib.h>
#include <string.h>

#include "query/language/walk.h"
#include "util/memory.h"

enum { NO_SLOT = UINT32_MAX };

struct walk_rows {
	/* from before, that the MATCH depends on, but for the source */
	uint32_t *slots, slot_count;
	uint32_t *named, named_count;  /* from before, that RETURN GRAPH names */
	uint32_t source;               /* a slot, NO_SLOT: none */
	struct value_set groups, rows; /* a row: index of its group, the source, what is named */
	struct value *row;
};

static struct walk_rows *rows_new(const struct clause *clause)
{
	const struct match *match = &clause->match;
	const struct clause *graph = clause + 1;
	struct walk_rows *rows = xcalloc(1, sizeof(*rows));

	rows->source = NO_SLOT;
	rows->slots = xcalloc((size_t)match->first_slot + 1, sizeof(*rows->slots));
	rows->named = xcalloc((size_t)graph->name_count + 1, sizeof(*rows->named));
	for (uint32_t slot = 0; slot < match->first_slot; slot++)
		if (rows->source == NO_SLOT && walk_begins_at(match, slot))
			rows->source = slot;
		else if (walk_depends_on(match, slot))
			rows->slots[rows->slot_count++] = slot;
	for (uint32_t i = 0; i < graph->name_count; i++)
		if (graph->slots[i] < match->first_slot)
			rows->named[rows->named_count++] = graph->slots[i];
	rows->groups.width = rows->slot_count;
	rows->groups.exact = true; /* a condition may divide by them */
	rows->rows.width = rows->named_count + 2;
	rows->row = xcalloc((size_t)match->first_slot + graph->name_count + 2, sizeof(*rows->row));
	return rows;
}

static uint32_t add(struct run *run, struct value_set *set, const struct value *row)
{
	bool added;

	return run_room(run, row, set->width) ? value_set_add(set, row, &run->kept, &added) : 0;
}

bool walk_rows_add(struct run *run, struct clause *clause)
{
	struct walk_rows *rows = clause->walk_rows;
	struct value source = {0};
	uint32_t group;

	if (!rows)
		rows = clause->walk_rows = rows_new(clause);
	if (rows->source != NO_SLOT) {
		source = run->row[rows->source];
		if (source.type != VALUE_VERTEX) /* nothing begins there */
			return run_step(run);
	}
	for (uint32_t i = 0; i < rows->slot_count; i++)
		rows->row[i] = run->row[rows->slots[i]];
	group = add(run, &rows->groups, rows->row);
	rows->row[0] = (struct value){.type = VALUE_INTEGER, .integer = group};
	rows->row[1] = source;
	for (uint32_t i = 0; i < rows->named_count; i++)
		rows->row[2 + i] = run->row[rows->named[i]];
	add(run, &rows->rows, rows->row);
	return run_step(run);
}

static const struct value *row_at(const struct walk_rows *rows, uint32_t index)
{
	return &rows->rows.rows[(size_t)index * rows->rows.width];
}

/* The rows order[begin, end) are those of one group. */
static void finish_group(struct run *run, const struct clause *clause, const uint32_t *order,
			 uint32_t begin, uint32_t end, bool *vertices)
{
	const struct walk_rows *rows = clause->walk_rows;
	const struct walk_source source = {rows->source, vertices};
	const struct value *values =
		&rows->groups
			 .rows[(size_t)row_at(rows, order[begin])[0].integer * rows->groups.width];
	bool any = rows->source != NO_SLOT;

	for (uint32_t i = 0; i < rows->slot_count; i++)
		run->row[rows->slots[i]] = values[i];
	memset(vertices, 0, run->engine->vertex_count * sizeof(*vertices));
	for (uint32_t i = begin; any && i < end; i++)
		vertices[row_at(rows, order[i])[1].index] = true;
	if (!walk_run(run, &clause->match, clause + 1, any ? &source : NULL))
		return;
	for (uint32_t i = begin; i < end; i++) {
		const struct value *row = row_at(rows, order[i]);

		for (uint32_t n = 0; n < rows->named_count; n++)
			if (!any || vertices[row[1].index])
				run_keep(run, row[2 + n]);
	}
}

static int by_group(const void *left, const void *right, void *data)
{
	const uint32_t *a = left, *b = right;
	int64_t group_a = row_at(data, *a)[0].integer, group_b = row_at(data, *b)[0].integer;

	return (group_a > group_b) - (group_a < group_b);
}

void walk_rows_finish(struct run *run, struct clause *clause)
{
	struct walk_rows *rows = clause->walk_rows;
	const struct engine *engine = run->engine;
	uint32_t count = rows ? rows->rows.count : 0;
	uint32_t *order = xcalloc((size_t)count + 1, sizeof(*order));
	bool *vertices = xcalloc((size_t)engine->vertex_count + 1, sizeof(*vertices));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), by_group, rows);
	for (uint32_t begin = 0, end; begin < count && !run->failed; begin = end) {
		end = begin + 1;
		while (end < count && !by_group(&order[begin], &order[end], rows))
			end++;
		finish_group(run, clause, order, begin, end, vertices);
	}
	for (uint32_t e = 0; e < engine->edge_count; e++)
		if (run->keep_edge[e])
			run->keep_vertex[engine->from[e]] = run->keep_vertex[engine->to[e]] = true;
	free(order);
	free(vertices);
}

void walk_rows_free(struct clause *clause)
{
	struct walk_rows *rows = clause->walk_rows;

	if (!rows)
		return;
	value_set_free(&rows->groups);
	value_set_free(&rows->rows);
	free(rows->slots);
	free(rows->named);
	free(rows->row);
	free(rows);
	clause->walk_rows = NULL;
}
