/*
 * query/language/execute.c: the clauses of a query, one row at a time.
 *
 * A row is pushed from clause to clause; only groups, sorting and the result keep copies.  When
 * the rows of a clause have ended, finish() goes through the clauses once more and lets those go
 * on that had to wait for the last row.
 */
#include "query/language/execute.h"

#include <stdlib.h>
#include <string.h>

#include "query/language/aggregate.h"
#include "query/language/match.h"
#include "query/language/walk_rows.h"
#include "util/memory.h"

struct projection_state {
	struct value_set groups, distinct;
	struct value *group_rows;         /* per group: the slots of the scope */
	struct accumulator *accumulators; /* per group and aggregate */
	uint32_t group_capacity;
	struct value *rows; /* waiting to be sorted */
	uint64_t row_count, row_capacity;
	struct arena row_arena; /* what they consist of */
	size_t row_bytes;       /* both, as the run knows */
	int64_t skip, limit;    /* still to go */
};

struct link {
	struct execution *execution;
	uint32_t clause;
	bool found;
};

enum { ROWS_BEFORE_DROP = 10000 };

static bool push(struct execution *execution, uint32_t index);

/* -- projections -- */

/* The row goes into the result, unless UNION has it already. */
static bool give(struct execution *execution, const struct projection *projection)
{
	struct run *run = execution->run;
	struct value *row;
	bool added = true;

	if (execution->distinct) {
		row = arena_alloc(&run->scratch, (projection->count + 1) * sizeof(*row));
		for (uint32_t i = 0; i < projection->count; i++)
			row[i] = run->row[projection->items[i].slot];
		if (!run_room(run, row, projection->count))
			return false;
		execution->seen.width = projection->count;
		value_set_add(&execution->seen, row, &run->kept, &added);
	}
	execution->enough = added && !execution->emit(execution->data, projection);
	return !execution->enough && !run->failed;
}

/* The row is complete: SKIP, LIMIT, WHERE, and on to the next clause. */
static bool pass(struct execution *execution, uint32_t index)
{
	struct clause *clause = &execution->clauses[index];
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
	if (projection->where && eval_condition(execution->run, projection->where) != TRUTH_TRUE)
		return !execution->run->failed && state->limit != 0;
	more = clause->type == CLAUSE_RETURN ? give(execution, projection)
					     : push(execution, index + 1);
	return more && state->limit != 0;
}

/* Columns, then sort keys, then the slots of the scope when they are still needed. */
static uint32_t waiting_width(const struct projection *projection)
{
	return projection->count + projection->sort_count +
	       (projection->keep_scope ? projection->scope_count : 0);
}

static int by_sort_keys(const void *a, const void *b, void *data)
{
	const struct projection *projection = data;
	const struct value *left = *(const struct value *const *)a;
	const struct value *right = *(const struct value *const *)b;

	for (uint32_t i = 0; i < projection->sort_count; i++) {
		int order = value_order(left[projection->count + i], right[projection->count + i]);

		if (order)
			return projection->sorts[i].descending ? -order : order;
	}
	return (left > right) - (left < right); /* equal ones keep their order */
}

/* The waiting rows in their order; the caller frees the array. */
static const struct value **sorted_rows(const struct projection *projection)
{
	struct projection_state *state = projection->state;
	uint32_t width = waiting_width(projection);
	const struct value **order = xcalloc(state->row_count + 1, sizeof(*order));

	for (uint64_t i = 0; i < state->row_count; i++)
		order[i] = &state->rows[i * width];
	qsort_r(order, state->row_count, sizeof(*order), by_sort_keys, (void *)projection);
	return order;
}

/* With a LIMIT: sorts what waits and lets go of what cannot be among the first any more. */
static void drop_rows(const struct projection *projection)
{
	struct projection_state *state = projection->state;
	uint64_t first = (uint64_t)state->skip + (uint64_t)state->limit;
	uint32_t width = waiting_width(projection);
	const struct value **order;
	struct arena arena = {0};
	struct value *rows;

	if (state->limit < 0 || first > ROWS_BEFORE_DROP || state->row_count < 2 * ROWS_BEFORE_DROP)
		return;
	order = sorted_rows(projection);
	rows = xreallocarray(NULL, state->row_capacity, width * sizeof(*rows));
	for (uint64_t i = 0; i < first; i++)
		for (uint32_t k = 0; k < width; k++)
			rows[i * width + k] = value_copy(&arena, order[i][k]);
	free(order);
	free(state->rows);
	arena_free(&state->row_arena);
	state->rows = rows;
	state->row_count = first;
	state->row_arena = arena;
}

static bool grow_rows(struct run *run, struct projection_state *state, uint32_t width)
{
	uint64_t capacity = state->row_capacity ? 2 * state->row_capacity : 64;

	if (!run_work(run, 1, (capacity - state->row_capacity) * width * sizeof(*state->rows)))
		return false;
	state->row_capacity = capacity;
	state->rows = xreallocarray(state->rows, capacity, width * sizeof(*state->rows));
	return true;
}

static struct value copy_to_wait(struct run *run, struct projection_state *state,
				 struct value value)
{
	size_t before = state->row_arena.total;

	if (!run_room(run, &value, 1))
		return (struct value){0};
	value = value_copy(&state->row_arena, value);
	run->elsewhere += state->row_arena.total - before;
	state->row_bytes += state->row_arena.total - before;
	return value;
}

static bool wait_for_sort(struct execution *execution, const struct projection *projection)
{
	struct projection_state *state = projection->state;
	struct run *run = execution->run;
	uint32_t width = waiting_width(projection), at = 0;
	struct value *row;

	if (state->row_count == state->row_capacity && !grow_rows(run, state, width))
		return false;
	row = &state->rows[state->row_count++ * width];
	for (uint32_t i = 0; i < projection->count; i++)
		row[at++] = copy_to_wait(run, state, run->row[projection->items[i].slot]);
	for (uint32_t i = 0; i < projection->sort_count; i++)
		row[at++] = copy_to_wait(run, state, eval(run, projection->sorts[i].expr));
	for (uint32_t i = 0; at < width; i++)
		row[at++] = copy_to_wait(run, state, run->row[projection->scope[i]]);
	drop_rows(projection);
	run->elsewhere -= state->row_bytes;
	state->row_bytes = state->row_arena.total + state->row_capacity * width * sizeof(*row);
	run->elsewhere += state->row_bytes;
	return run_step(run);
}

/* The columns are in their slots. */
static bool project(struct execution *execution, uint32_t index)
{
	struct projection *projection = &execution->clauses[index].projection;
	struct run *run = execution->run;

	if (projection->distinct) {
		struct value *row =
			arena_alloc(&run->scratch, (projection->count + 1) * sizeof(*row));
		bool added;

		for (uint32_t i = 0; i < projection->count; i++)
			row[i] = run->row[projection->items[i].slot];
		if (!run_room(run, row, projection->count))
			return false;
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

/* Room for one group more. */
static bool grow_groups(struct run *run, const struct projection *projection)
{
	struct projection_state *state = projection->state;
	uint32_t capacity = state->group_capacity ? 2 * state->group_capacity : 16;
	size_t row = (projection->scope_count + 1) * sizeof(*state->group_rows);
	size_t accumulators = projection->aggregate_count * sizeof(*state->accumulators);
	size_t bytes = (capacity - state->group_capacity) * (row + accumulators);

	if (state->groups.count < state->group_capacity)
		return true;
	if (!run_work(run, 1, bytes))
		return false;
	arena_charge(&run->kept, bytes);
	state->group_rows = xreallocarray(state->group_rows, capacity, row);
	state->accumulators = xreallocarray(state->accumulators, capacity, accumulators);
	state->group_capacity = capacity;
	return true;
}

/* Index of the group that the row belongs to. */
static bool find_group(struct run *run, const struct projection *projection, uint32_t *group)
{
	struct projection_state *state = projection->state;
	struct value *keys = arena_alloc(&run->scratch, (projection->count + 1) * sizeof(*keys));
	uint32_t count = 0, width = projection->scope_count;
	bool added;

	for (uint32_t i = 0; i < projection->count; i++)
		if (!projection->items[i].aggregates)
			keys[count++] = eval(run, projection->items[i].expr);
	if (!grow_groups(run, projection) || !run_room(run, keys, count))
		return false;
	state->groups.width = count;
	*group = value_set_add(&state->groups, keys, &run->kept, &added);
	if (!added)
		return true;
	for (uint32_t i = 0; i < width; i++)
		state->group_rows[(size_t)*group * width + i] =
			run_copy(run, &run->kept, run->row[projection->scope[i]]);
	memset(&state->accumulators[(size_t)*group * projection->aggregate_count], 0,
	       projection->aggregate_count * sizeof(*state->accumulators));
	return true;
}

static bool add_to_group(struct run *run, const struct projection *projection)
{
	struct accumulator *accumulators;
	uint32_t group;

	if (!find_group(run, projection, &group))
		return false;
	accumulators =
		&projection->state->accumulators[(size_t)group * projection->aggregate_count];
	for (uint32_t i = 0; i < projection->aggregate_count; i++)
		accumulate(run, projection->aggregates[i], &accumulators[i]);
	return run_step(run);
}

static bool push_projection(struct execution *execution, uint32_t index)
{
	struct projection *projection = &execution->clauses[index].projection;

	if (projection->grouped)
		return add_to_group(execution->run, projection);
	fill_columns(execution->run, projection);
	return !execution->run->failed && project(execution, index);
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
			if (i && path->edges[i - 1].group) {
				const struct group *group = path->edges[i - 1].group;

				run->row[group->left.slot] = (struct value){0};
				run->row[group->right.slot] = (struct value){0};
			}
		}
		if (path->name)
			run->row[path->slot] = (struct value){0};
	}
}

static bool push_unwind(struct execution *execution, uint32_t index)
{
	struct run *run = execution->run;
	const struct clause *clause = &execution->clauses[index];
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

/* A row of a CALL, and where the rows go on that its body returns. */
struct called {
	struct execution *execution;
	uint32_t clause;
	struct arena kept; /* while the body runs, what those around it keep; else what it keeps */
	bool found, more;
};

/* Whoever runs has its own `kept`; the other counts as memory elsewhere. */
static void change_kept(struct run *run, struct called *called)
{
	struct arena kept = run->kept;

	run->elsewhere += kept.total;
	run->elsewhere -= called->kept.total;
	run->kept = called->kept;
	called->kept = kept;
}

static bool push_returned(void *data, const struct projection *projection)
{
	struct called *called = data;
	struct run *run = called->execution->run;
	const struct call *call = called->execution->clauses[called->clause].call;

	called->found = true;
	for (uint32_t i = 0; i < call->column_count; i++)
		run->row[call->columns[i]] = run->row[projection->items[i].slot];
	change_kept(run, called);
	called->more = run_step(run) && push(called->execution, called->clause + 1);
	change_kept(run, called);
	return called->more;
}

static bool push_call(struct execution *execution, uint32_t index)
{
	const struct call *call = execution->clauses[index].call;
	struct run *run = execution->run;
	struct called called = {.execution = execution, .clause = index, .more = true};
	struct execution body = {.run = run,
				 .clauses = call->body.clauses,
				 .clause_count = call->body.clause_count,
				 .emit = push_returned,
				 .data = &called};

	change_kept(run, &called);
	if (run_step(run))
		execute(&body);
	change_kept(run, &called);
	run->elsewhere -= called.kept.total;
	arena_free(&called.kept);
	if (run->failed || called.found || !call->optional)
		return called.more && !run->failed;
	for (uint32_t i = 0; i < call->column_count; i++)
		run->row[call->columns[i]] = (struct value){0};
	return push(execution, index + 1);
}

static bool push_clause(struct execution *execution, uint32_t index)
{
	struct run *run = execution->run;
	struct clause *clause = &execution->clauses[index];
	struct link link = {execution, index, false};
	bool more;

	switch (clause->type) {
	case CLAUSE_MATCH:
		if (clause->walk)
			return walk_rows_add(run, clause);
		more = match_run(run, &clause->match, push_match, &link);
		if (link.found || !clause->match.optional || run->failed)
			return more;
		set_null(run, &clause->match);
		return push(execution, index + 1);
	case CLAUSE_UNWIND:
		return push_unwind(execution, index);
	case CLAUSE_CALL:
		return push_call(execution, index);
	case CLAUSE_GRAPH:
		for (uint32_t i = 0; i < clause->name_count; i++)
			run_keep(run, run->row[clause->slots[i]]);
		return run_step(run);
	default:
		return push_projection(execution, index);
	}
}

static bool push(struct execution *execution, uint32_t index)
{
	struct arena_mark mark = arena_mark(&execution->run->scratch);
	bool more = index < execution->clause_count ? push_clause(execution, index)
						    : execution->emit(execution->data, NULL);

	arena_release(&execution->run->scratch, mark);
	return more && !execution->run->failed;
}

/* -- after the last row -- */

static void finish_sort(struct execution *execution, uint32_t index)
{
	struct run *run = execution->run;
	struct projection *projection = &execution->clauses[index].projection;
	const struct value **order = sorted_rows(projection);
	uint64_t count = projection->state->row_count;
	bool more = true;

	for (uint64_t i = 0; i < count && more && !run->failed; i++) {
		struct arena_mark mark = arena_mark(&run->scratch);
		const struct value *row = order[i];

		for (uint32_t k = 0; k < projection->count; k++)
			run->row[projection->items[k].slot] = row[k];
		row += projection->count + projection->sort_count;
		for (uint32_t k = 0; projection->keep_scope && k < projection->scope_count; k++)
			run->row[projection->scope[k]] = row[k];
		more = pass(execution, index);
		arena_release(&run->scratch, mark);
	}
	free(order);
}

static void finish_groups(struct execution *execution, uint32_t index)
{
	struct run *run = execution->run;
	struct projection *projection = &execution->clauses[index].projection;
	struct projection_state *state = projection->state;
	bool keys = false, more = true;
	uint32_t only;

	for (uint32_t i = 0; i < projection->count; i++)
		keys |= !projection->items[i].aggregates;
	if (!keys && !state->groups.count) {
		/* count(*) of nothing is 0; what earlier rows left in the slots is gone */
		for (uint32_t i = 0; i < projection->scope_count; i++)
			run->row[projection->scope[i]] = (struct value){0};
		find_group(run, projection, &only);
	}
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

static void finish(struct execution *execution, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end && !execution->run->failed; i++) {
		const struct projection *projection = &execution->clauses[i].projection;

		if (projection->grouped)
			finish_groups(execution, i);
		if (projection->sort_count && !execution->run->failed)
			finish_sort(execution, i);
		if (execution->clauses[i].walk && !execution->run->failed)
			walk_rows_finish(execution->run, &execution->clauses[i]);
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

static void start_projections(struct execution *execution)
{
	for (uint32_t i = 0; i < execution->clause_count; i++) {
		struct projection *projection = &execution->clauses[i].projection;

		if (!projection->count)
			continue;
		projection->state = xcalloc(1, sizeof(*projection->state));
		projection->state->distinct.width = projection->count;
		projection->state->skip = count_of(execution->run, projection->skip, 0);
		projection->state->limit = count_of(execution->run, projection->limit, -1);
	}
}

static void end_projections(struct execution *execution)
{
	for (uint32_t i = 0; i < execution->clause_count; i++) {
		struct projection *projection = &execution->clauses[i].projection;
		struct projection_state *state = projection->state;

		walk_rows_free(&execution->clauses[i]);
		if (!state)
			continue;
		for (uint32_t k = 0; k < state->groups.count * projection->aggregate_count; k++)
			accumulator_free(&state->accumulators[k]);
		execution->run->elsewhere -= state->row_bytes;
		value_set_free(&state->groups);
		value_set_free(&state->distinct);
		arena_free(&state->row_arena);
		free(state->group_rows);
		free(state->accumulators);
		free(state->rows);
		free(state);
		projection->state = NULL;
	}
}

bool execute(struct execution *execution)
{
	uint32_t count = execution->clause_count;

	execution->distinct =
		execution->clauses[clause_part_end(execution->clauses, 0, count) - 1].then ==
		UNION_DISTINCT;
	start_projections(execution);
	for (uint32_t from = 0, end; from < count && !execution->enough; from = end) {
		end = clause_part_end(execution->clauses, from, count);
		if (execution->run->failed)
			break;
		push(execution, from);
		finish(execution, from, end);
	}
	end_projections(execution);
	value_set_free(&execution->seen);
	return !execution->run->failed;
}
