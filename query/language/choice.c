#include "query/language/choice.h"

#include <stdlib.h>

#include "query/language/match.h"
#include "util/memory.h"

struct fit {
	uint32_t start, end, length, number;
	struct value *values; /* of the vertices, then of the edges */
};

struct choice {
	const struct path_pattern *path;
	struct arena arena;
	struct fit *fits;
	uint32_t count, capacity;
	size_t bytes; /* as the run knows */
	bool sorted;
	uint32_t at;     /* of choice_next() */
	uint32_t chosen; /* of the ends that are under way: paths, or lengths */
};

struct choice *choice_new(const struct path_pattern *path)
{
	struct choice *choice = xcalloc(1, sizeof(*choice));

	choice->path = path;
	return choice;
}

bool choice_add(struct choice *choice, struct run *run)
{
	const struct path_pattern *path = choice->path;
	uint32_t edges = path->edge_count;
	struct fit fit = {.start = run->row[path->nodes[0].slot].index,
			  .end = run->row[path->nodes[edges].slot].index,
			  .number = choice->count};

	fit.values = arena_alloc(&choice->arena, (2 * (size_t)edges + 1) * sizeof(*fit.values));
	for (uint32_t i = 0; i <= edges; i++)
		fit.values[i] = run->row[path->nodes[i].slot];
	for (uint32_t i = 0; i < edges; i++) {
		struct value value = run->row[path->edges[i].element.slot];

		fit.values[edges + 1 + i] = value_copy(&choice->arena, value);
		fit.length += path->edges[i].variable ? value.list->count : 1;
	}
	ARRAY_RESERVE(choice->fits, choice->count, choice->capacity);
	choice->fits[choice->count++] = fit;
	run->elsewhere -= choice->bytes;
	choice->bytes = choice->arena.total + choice->capacity * sizeof(*choice->fits);
	run->elsewhere += choice->bytes;
	return run_step(run);
}

static int by_ends_and_length(const void *a, const void *b)
{
	const struct fit *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end < right->end ? -1 : 1;
	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

/* Whether the fit after `before`, NULL: none of the same ends, is one of the shortest. */
static bool is_chosen(struct choice *choice, const struct fit *before, const struct fit *fit)
{
	const struct path_pattern *path = choice->path;
	bool lengths = path->groups || path->selector == SELECT_ALL_SHORTEST;

	if (!before)
		choice->chosen = 0;
	if (!before || !lengths || before->length != fit->length)
		choice->chosen++;
	return choice->chosen <= (path->selector == SELECT_SHORTEST_K ? path->k : 1);
}

bool choice_next(struct choice *choice, struct run *run)
{
	const struct path_pattern *path = choice->path;

	if (!choice->sorted && choice->count)
		qsort(choice->fits, choice->count, sizeof(*choice->fits), by_ends_and_length);
	choice->sorted = true;
	while (choice->at < choice->count) {
		const struct fit *fit = &choice->fits[choice->at++], *before = NULL;

		if (choice->at > 1 && fit[-1].start == fit->start && fit[-1].end == fit->end)
			before = &fit[-1];
		if (!is_chosen(choice, before, fit))
			continue;
		for (uint32_t i = 0; i <= path->edge_count; i++)
			if (path->nodes[i].declared)
				run->row[path->nodes[i].slot] = fit->values[i];
		for (uint32_t i = 0; i < path->edge_count; i++)
			if (path->edges[i].element.declared) {
				run->row[path->edges[i].element.slot] =
					fit->values[path->edge_count + 1 + i];
				if (path->edges[i].group)
					match_bind_group(run, &path->edges[i]);
			}
		return true;
	}
	return false;
}

void choice_free(struct choice *choice, struct run *run)
{
	run->elsewhere -= choice->bytes;
	arena_free(&choice->arena);
	free(choice->fits);
	free(choice);
}
