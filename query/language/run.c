/* query/language/run.c: a whole query: its result, its limits. */
#include "query/language/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/language/execute.h"
#include "util/memory.h"
#include "util/text.h"

/* -- the result -- */

struct taker {
	struct run *run;
	struct query_result *result;
};

static bool add_result(void *data, const struct projection *projection)
{
	struct query_result *result = ((struct taker *)data)->result;
	struct run *run = ((struct taker *)data)->run;

	if (run->max_rows && result->count == run->max_rows) {
		error_set(run->error,
			  "the result has more than %" PRIu64 " row%s: narrow the query down, use "
			  "LIMIT, or allow more with --max-rows N",
			  run->max_rows, text_plural(run->max_rows, "", "s"));
		run->failed = true;
		return false;
	}
	if (result->count == result->capacity) {
		if (!run_work(run, 1,
			      (result->capacity + 64) * result->width * sizeof(*result->rows)))
			return false;
		result->capacity = result->capacity ? 2 * result->capacity : 64;
		result->rows =
			xreallocarray(result->rows, result->capacity,
				      (result->width + !result->width) * sizeof(*result->rows));
		run->elsewhere += result->capacity * result->width * sizeof(*result->rows) / 2;
	}
	for (uint32_t i = 0; i < result->width; i++)
		result->rows[result->count * result->width + i] =
			run_copy(run, &result->arena, run->row[projection->items[i].slot]);
	result->count++;
	return run_step(run);
}

void run_keep(struct run *run, struct value value)
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
			run_keep(run, value.list->items[i]);
		break;
	default:
		break;
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
	struct run run = {.engine = engine,
			  .query = query,
			  .error = error,
			  .max_rows = limits->max_rows,
			  .interrupted = limits->interrupted};
	struct taker taker = {&run, result};
	struct execution execution = {.run = &run,
				      .clauses = query->clauses,
				      .clause_count = query->clause_count,
				      .emit = add_result,
				      .data = &taker};
	struct timespec now;

	*result = (struct query_result){0};
	run.result = &result->arena;
	if (limits->timeout_seconds && limits->timeout_seconds < INT64_MAX / 2000000000) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		run.deadline_ns =
			(now.tv_sec + (int64_t)limits->timeout_seconds) * INT64_C(1000000000) +
			now.tv_nsec;
	}
	run.row = xcalloc((size_t)query->slot_count + 1, sizeof(*run.row));
	start_result(&run, result);
	execute(&execution);
	free(run.row);
	arena_free(&run.scratch);
	arena_free(&run.kept);
	arena_free(&run.whole);
	if (!run.failed)
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
