/*
 * query/run.c: the clauses of a query, one row at a time.
 *
 * A row is pushed from clause to clause; only groups, sorting and the result keep copies.  When
 * the rows of a clause have ended, query_finish() goes through the clauses once more and lets
 * those go on that had to wait for the last row.
 */
#include "query/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/aggregate.h"
#include "query/match.h"
#include "query/walk.h"
#include "util/memory.h"

struct execution {
	struct run run;
	struct query_result *result;
};

struct projection_state {
	struct value_set groups, distinct;
	struct value *group_rows;         /* per group: the slots of the scope */
	struct accumulator *accumulators; /* per group and aggregate */
	uint32_t group_capacity;
	struct value *rows; /* waiting to be sorted */
	uint64_t row_count, row_capacity;
	int64_t skip, limit; /* still to go */
};

struct link {
	struct execution *execution;
	uint32_t clause;
	bool found;
};

static bool push(struct execution *execution, uint32_t index);

/* -- the result -- */

static bool add_result(struct execution *execution, const struct projection *projection)
{
	struct query_result *result = execution->result;
	struct run *run = &execution->run;

	if (run->max_rows && result->count == run->max_rows) {
		error_set(run->error,
			  "the result has more than %" PRIu64 " rows: narrow the query down, use "
			  "LIMIT, or allow more with --max-rows N",
			  run->max_rows);
		run->failed = true;
		return false;
	}
	if (result->count == result->capacity) {
		result->capacity = result->capacity ? 2 * result->capacity : 64;
		result->rows =
			xreallocarray(result->rows, result->capacity,
				      (result->width + !result->width) * sizeof(*result->rows));
	}
	for (uint32_t i = 0; i < result->width; i++)
		result->rows[result->count * result->width + i] =
			value_copy(&result->arena, run->row[projection->items[i].slot]);
	result->count++;
	return run_step(run);
}

static void keep_value(struct run *run, struct value value)
{
	switch (value.type) {
	case VALUE_VERTEX:
		run->keep_vertex[value.index] = true;
		break;
	case VALUE_EDGE:
		run->keep_edge[value.index] = true;
		run->keep_vertex[run->engine->from[value.index]] = true;
		run->keep_vertex[run->engine->to[value.index]] = true;
		break;
	case VALUE_PATH:
		for (uint32_t i = 0; i < 2 * value.path->length + 1; i++)
			(i % 2 ? run->keep_edge : run->keep_vertex)[value.path->items[i]] = true;
		break;
	case VALUE_LIST:
		for (uint32_t i = 0; i < value.list->count; i++)
			keep_value(run, value.list->items[i]);
		break;
	default:
		break;
	}
}

/* -- projections -- */

/* The row is complete: SKIP, LIMIT, WHERE, and on to the next clause. */
static bool pass(struct execution *execution, uint32_t index)
{
	struct clause *clause = &execution->run.query->clauses[index];
	struct projection *projection = &clause->projection;
	struct projection_state *state = projection->state;
	bool more;

	if (state->skip > 0) {
		state->skip--;
		return true;
	}
	if (state->limit == 0)
		return false;
	state->limit -= state->limit > 0;
	if (projection->where && eval_condition(&execution->run, projection->where) != TRUTH_TRUE)
		return !execution->run.failed && state->limit != 0;
	more = clause->type == CLAUSE_RETURN ? add_result(execution, projection)
					     : push(execution, index + 1);
	return more && state->limit != 0;
}

/* Columns, then sort keys, then the slots of the scope when they are still needed. */
static uint32_t waiting_width(const struct projection *projection)
{
	return projection->count + projection->sort_count +
	       (projection->keep_scope ? projection->scope_count : 0);
}

static bool wait_for_sort(struct execution *execution, const struct projection *projection)
{
	struct projection_state *state = projection->state;
	struct run *run = &execution->run;
	uint32_t width = waiting_width(projection), at = 0;
	struct value *row;

	if (state->row_count == state->row_capacity) {
		state->row_capacity = state->row_capacity ? 2 * state->row_capacity : 64;
		state->rows = xreallocarray(state->rows, state->row_capacity,
					    width * sizeof(*state->rows));
	}
	row = &state->rows[state->row_count++ * width];
	for (uint32_t i = 0; i < projection->count; i++)
		row[at++] = value_copy(&run->kept, run->row[projection->items[i].slot]);
	for (uint32_t i = 0; i < projection->sort_count; i++)
		row[at++] = value_copy(&run->kept, eval(run, projection->sorts[i].expr));
	for (uint32_t i = 0; at < width; i++)
		row[at++] = value_copy(&run->kept, run->row[projection->scope[i]]);
	return run_step(run);
}

/* The columns are in their slots. */
static bool project(struct execution *execution, uint32_t index)
{
	struct projection *projection = &execution->run.query->clauses[index].projection;
	struct run *run = &execution->run;

	if (projection->distinct) {
		struct value *row =
			arena_alloc(&run->scratch, (projection->count + 1) * sizeof(*row));
		bool added;

		for (uint32_t i = 0; i < projection->count; i++)
			row[i] = run->row[projection->items[i].slot];
		value_set_add(&projection->state->distinct, row, &run->kept, &added);
		if (!added)
			return !run->failed;
	}
	if (projection->sort_count)
		return wait_for_sort(execution, projection);
	return pass(execution, index);
}

static void fill_columns(struct run *run, const struct projection *projection)
{
	for (uint32_t i = 0; i < projection->count; i++)
		run->row[projection->items[i].slot] = eval(run, projection->items[i].expr);
}

/* Index of the group that the row belongs to. */
static uint32_t group_of(struct run *run, const struct projection *projection)
{
	struct projection_state *state = projection->state;
	struct value *keys = arena_alloc(&run->scratch, (projection->count + 1) * sizeof(*keys));
	uint32_t count = 0, group, width = projection->scope_count;
	bool added;

	for (uint32_t i = 0; i < projection->count; i++)
		if (!projection->items[i].aggregates)
			keys[count++] = eval(run, projection->items[i].expr);
	state->groups.width = count;
	group = value_set_add(&state->groups, keys, &run->kept, &added);
	if (!added)
		return group;
	if (group == state->group_capacity) {
		state->group_capacity = state->group_capacity ? 2 * state->group_capacity : 16;
		state->group_rows = xreallocarray(state->group_rows, state->group_capacity,
						  (width + 1) * sizeof(*state->group_rows));
		state->accumulators =
			xreallocarray(state->accumulators, state->group_capacity,
				      projection->aggregate_count * sizeof(*state->accumulators));
	}
	for (uint32_t i = 0; i < width; i++)
		state->group_rows[(size_t)group * width + i] =
			value_copy(&run->kept, run->row[projection->scope[i]]);
	memset(&state->accumulators[(size_t)group * projection->aggregate_count], 0,
	       projection->aggregate_count * sizeof(*state->accumulators));
	return group;
}

static bool add_to_group(struct run *run, const struct projection *projection)
{
	uint32_t group = group_of(run, projection);
	struct accumulator *accumulators =
		&projection->state->accumulators[(size_t)group * projection->aggregate_count];

	for (uint32_t i = 0; i < projection->aggregate_count; i++)
		accumulate(run, projection->aggregates[i], &accumulators[i]);
	return run_step(run);
}

static bool push_projection(struct execution *execution, uint32_t index)
{
	struct projection *projection = &execution->run.query->clauses[index].projection;

	if (projection->grouped)
		return add_to_group(&execution->run, projection);
	fill_columns(&execution->run, projection);
	return !execution->run.failed && project(execution, index);
}

/* -- rows -- */

static bool push_match(void *data)
{
	struct link *link = data;

	link->found = true;
	return push(link->execution, link->clause + 1);
}

static void set_null(struct run *run, const struct match *match)
{
	for (uint32_t p = 0; p < match->count; p++) {
		const struct path_pattern *path = &match->paths[p];

		for (uint32_t i = 0; i <= path->edge_count; i++) {
			if (path->nodes[i].declared)
				run->row[path->nodes[i].slot] = (struct value){0};
			if (i && path->edges[i - 1].element.declared)
				run->row[path->edges[i - 1].element.slot] = (struct value){0};
		}
		if (path->name)
			run->row[path->slot] = (struct value){0};
	}
}

static bool push_unwind(struct execution *execution, uint32_t index)
{
	struct run *run = &execution->run;
	const struct clause *clause = &run->query->clauses[index];
	struct value list = eval(run, clause->list);

	if (list.type != VALUE_LIST) {
		run->row[clause->slot] = list;
		return list.type == VALUE_NULL ? !run->failed : push(execution, index + 1);
	}
	for (uint32_t i = 0; i < list.list->count; i++) {
		run->row[clause->slot] = list.list->items[i];
		if (!run_step(run) || !push(execution, index + 1))
			return false;
	}
	return true;
}

static bool push_clause(struct execution *execution, uint32_t index)
{
	struct run *run = &execution->run;
	struct clause *clause = &run->query->clauses[index];
	struct link link = {execution, index, false};
	bool more;

	switch (clause->type) {
	case CLAUSE_MATCH:
		if (clause->walk)
			return walk_run(run, &clause->match, clause + 1);
		more = match_run(run, &clause->match, push_match, &link);
		if (link.found || !clause->match.optional || run->failed)
			return more;
		set_null(run, &clause->match);
		return push(execution, index + 1);
	case CLAUSE_UNWIND:
		return push_unwind(execution, index);
	case CLAUSE_GRAPH:
		for (uint32_t i = 0; i < clause->name_count; i++)
			keep_value(run, run->row[clause->slots[i]]);
		return run_step(run);
	default:
		return push_projection(execution, index);
	}
}

static bool push(struct execution *execution, uint32_t index)
{
	struct arena_mark mark = arena_mark(&execution->run.scratch);
	bool more = push_clause(execution, index);

	arena_release(&execution->run.scratch, mark);
	return more && !execution->run.failed;
}

/* -- after the last row -- */

static int by_sort_keys(const void *a, const void *b, void *data)
{
	const struct projection *projection = data;
	const struct value *left = a, *right = b;

	for (uint32_t i = 0; i < projection->sort_count; i++) {
		int order = value_order(left[projection->count + i], right[projection->count + i]);

		if (order)
			return projection->sorts[i].descending ? -order : order;
	}
	/* the rows lie in one array: qsort_r would not keep equal ones in their order */
	return 0;
}

struct sorting {
	const struct projection *projection;
	uint32_t width;
	const struct value *rows;
};

static int by_row(const void *a, const void *b, void *data)
{
	const struct sorting *sorting = data;
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	int order =
		by_sort_keys(&sorting->rows[left * sorting->width],
			     &sorting->rows[right * sorting->width], (void *)sorting->projection);

	return order ? order : (left > right) - (left < right);
}

static void finish_sort(struct execution *execution, uint32_t index)
{
	struct run *run = &execution->run;
	struct projection *projection = &run->query->clauses[index].projection;
	struct projection_state *state = projection->state;
	struct sorting sorting = {projection, waiting_width(projection), state->rows};
	uint64_t *order = xcalloc(state->row_count + 1, sizeof(*order));

	for (uint64_t i = 0; i < state->row_count; i++)
		order[i] = i;
	qsort_r(order, state->row_count, sizeof(*order), by_row, &sorting);
	for (uint64_t i = 0; i < state->row_count && !run->failed; i++) {
		const struct value *row = &state->rows[order[i] * sorting.width];

		for (uint32_t k = 0; k < projection->count; k++)
			run->row[projection->items[k].slot] = row[k];
		row += projection->count + projection->sort_count;
		for (uint32_t k = 0; projection->keep_scope && k < projection->scope_count; k++)
			run->row[projection->scope[k]] = row[k];
		if (!pass(execution, index))
			break;
	}
	free(order);
}

static void finish_groups(struct execution *execution, uint32_t index)
{
	struct run *run = &execution->run;
	struct projection *projection = &run->query->clauses[index].projection;
	struct projection_state *state = projection->state;
	bool keys = false, more = true;

	for (uint32_t i = 0; i < projection->count; i++)
		keys |= !projection->items[i].aggregates;
	if (!keys && !state->groups.count)
		group_of(run, projection); /* count(*) of nothing is 0 */
	for (uint32_t group = 0; group < state->groups.count && more && !run->failed; group++) {
		struct arena_mark mark = arena_mark(&run->scratch);

		for (uint32_t i = 0; i < projection->scope_count; i++)
			run->row[projection->scope[i]] =
				state->group_rows[(size_t)group * projection->scope_count + i];
		for (uint32_t i = 0; i < projection->aggregate_count; i++)
			run->row[projection->aggregates[i]->slot] = accumulated(
				run, projection->aggregates[i],
				&state->accumulators[(size_t)group * projection->aggregate_count +
						     i]);
		fill_columns(run, projection);
		more = !run->failed && project(execution, index);
		arena_release(&run->scratch, mark);
	}
}

static void finish(struct execution *execution)
{
	const struct query *query = execution->run.query;

	for (uint32_t i = 0; i < query->clause_count && !execution->run.failed; i++) {
		const struct projection *projection = &query->clauses[i].projection;

		if (projection->grouped)
			finish_groups(execution, i);
		if (projection->sort_count && !execution->run.failed)
			finish_sort(execution, i);
	}
}

/* -- beginning and end -- */

static int64_t count_of(struct run *run, const struct expr *expr, int64_t none)
{
	struct value value;

	if (!expr)
		return none;
	value = eval(run, expr);
	if (value.type == VALUE_INTEGER && value.integer >= 0)
		return value.integer;
	run_fail(run, expr->at, "SKIP and LIMIT need an integer of 0 or more");
	return 0;
}

static void start_projections(struct run *run)
{
	for (uint32_t i = 0; i < run->query->clause_count; i++) {
		struct projection *projection = &run->query->clauses[i].projection;

		if (!projection->count)
			continue;
		projection->state = xcalloc(1, sizeof(*projection->state));
		projection->state->distinct.width = projection->count;
		projection->state->skip = count_of(run, projection->skip, 0);
		projection->state->limit = count_of(run, projection->limit, -1);
	}
}

static void end_projections(struct run *run)
{
	for (uint32_t i = 0; i < run->query->clause_count; i++) {
		struct projection *projection = &run->query->clauses[i].projection;
		struct projection_state *state = projection->state;

		if (!state)
			continue;
		for (uint32_t k = 0; k < state->groups.count * projection->aggregate_count; k++)
			accumulator_free(&state->accumulators[k]);
		value_set_free(&state->groups);
		value_set_free(&state->distinct);
		free(state->group_rows);
		free(state->accumulators);
		free(state->rows);
		free(state);
		projection->state = NULL;
	}
}

static void start_result(struct run *run, struct query_result *result)
{
	const struct clause *last = &run->query->clauses[run->query->clause_count - 1];

	result->is_graph = last->type == CLAUSE_GRAPH;
	if (result->is_graph) {
		result->keep_vertex = run->keep_vertex =
			xcalloc((size_t)run->engine->vertex_count + 1, sizeof(bool));
		result->keep_edge = run->keep_edge =
			xcalloc((size_t)run->engine->edge_count + 1, sizeof(bool));
		return;
	}
	result->width = last->projection.count;
	result->names = xcalloc((size_t)result->width + 1, sizeof(*result->names));
	for (uint32_t i = 0; i < result->width; i++)
		result->names[i] = last->projection.items[i].name;
}

int query_run(struct query *query, struct engine *engine, const struct query_limits *limits,
	      struct query_result *result, struct error *error)
{
	struct execution execution = {
		.run = {.engine = engine,
			.query = query,
			.error = error,
			.max_rows = limits->max_rows},
		.result = result,
	};
	struct run *run = &execution.run;
	struct timespec now;

	*result = (struct query_result){0};
	run->result = &result->arena;
	if (limits->timeout_seconds && limits->timeout_seconds < INT64_MAX / 2000000000) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		run->deadline_ns =
			(now.tv_sec + (int64_t)limits->timeout_seconds) * INT64_C(1000000000) +
			now.tv_nsec;
	}
	run->row = xcalloc((size_t)query->slot_count + 1, sizeof(*run->row));
	start_result(run, result);
	start_projections(run);
	if (!run->failed) {
		push(&execution, 0);
		finish(&execution);
	}
	end_projections(run);
	free(run->row);
	arena_free(&run->scratch);
	arena_free(&run->kept);
	for (uint32_t i = 0; i < query->clause_count; i++)
		query->clauses[i].match.used = NULL;
	if (!run->failed)
		return 0;
	query_result_free(result);
	return -1;
}

void query_result_free(struct query_result *result)
{
	free(result->names);
	free(result->rows);
	free(result->keep_vertex);
	free(result->keep_edge);
	arena_free(&result->arena);
	*result = (struct query_result){0};
}
