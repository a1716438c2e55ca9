/* query/language/eval_list.c: lists, maps, and what goes through the items of a list. */
#include "query/language/eval_list.h"

enum { NESTING_LIMIT = 1000, ROUNDS_BETWEEN_COPIES = 256 };

static struct value nested(struct run *run, const struct expr *expr, struct value value)
{
	if (value_bytes(value) > VALUE_BYTES_LIMIT)
		run_fail(run, expr->at,
			 "a list or map needs more than %d MiB of memory: let it hold less",
			 VALUE_BYTES_LIMIT / (1024 * 1024));
	else if (value_depth(value) <= NESTING_LIMIT)
		return value;
	run_fail(run, expr->at, "lists and maps are more than %d deep in each other",
		 NESTING_LIMIT);
	return (struct value){0};
}

struct value run_list(struct run *run, const struct expr *expr, struct value_list *list)
{
	return nested(run, expr, value_of_list(list));
}

static struct value run_map(struct run *run, const struct expr *expr, struct value_map *map)
{
	return nested(run, expr, value_of_map(map));
}

struct value eval_list(struct run *run, const struct expr *expr)
{
	struct value_list *list = value_new_list(&run->scratch, expr->count);

	for (uint32_t i = 0; i < expr->count; i++)
		list->items[i] = eval(run, expr->items[i]);
	return run_list(run, expr, list);
}

struct value eval_map(struct run *run, const struct expr *expr)
{
	struct value_map *map = value_new_map(&run->scratch, expr->count);

	for (uint32_t i = 0; i < expr->count; i++) {
		map->entries[i].key = expr->keys[i];
		map->entries[i].value = eval(run, expr->items[i]);
	}
	return run_map(run, expr, map);
}

struct value eval_index(struct run *run, const struct expr *expr)
{
	struct value of = eval(run, expr->items[0]), index = eval(run, expr->items[1]);

	if (of.type == VALUE_NULL || index.type == VALUE_NULL)
		return (struct value){0};
	if (of.type == VALUE_LIST) {
		int64_t count = of.list->count, at = index.integer;

		if (index.type != VALUE_INTEGER)
			return eval_type_error(run, expr->items[1],
					       "the index of a list is an integer", index);
		at += at < 0 ? count : 0;
		return at >= 0 && at < count ? of.list->items[at] : (struct value){0};
	}
	if (of.type == VALUE_MAP || of.type == VALUE_VERTEX || of.type == VALUE_EDGE) {
		struct expr property = {.name = index.text, .at = expr->at};

		if (index.type != VALUE_STRING)
			return eval_type_error(run, expr->items[1],
					       "the name of a property is a string", index);
		if (of.type != VALUE_MAP) {
			property.of_vertex = engine_column(run->engine, false, index.text);
			property.of_edge = engine_column(run->engine, true, index.text);
		}
		return eval_property(run, &property, of);
	}
	return eval_type_error(run, expr, "only lists, maps, vertices and edges have an index", of);
}

/* A bound of a slice, cut to the list; false when it is null. */
static bool slice_bound(struct run *run, const struct expr *expr, int64_t count, int64_t *bound)
{
	struct value value;

	if (!expr)
		return true;
	value = eval(run, expr);
	if (value.type == VALUE_NULL)
		return false;
	if (value.type != VALUE_INTEGER) {
		eval_type_error(run, expr, "the bound of a slice is an integer", value);
		return false;
	}
	*bound = value.integer + (value.integer < 0 ? count : 0);
	*bound = *bound < 0 ? 0 : *bound > count ? count : *bound;
	return true;
}

struct value eval_slice(struct run *run, const struct expr *expr)
{
	struct value of = eval(run, expr->items[0]);
	int64_t from = 0, to;
	struct value_list *list;

	if (of.type == VALUE_NULL)
		return of;
	if (of.type != VALUE_LIST)
		return eval_type_error(run, expr, "only lists have slices", of);
	to = of.list->count;
	if (!slice_bound(run, expr->items[1], of.list->count, &from) ||
	    !slice_bound(run, expr->items[2], of.list->count, &to))
		return (struct value){0};
	list = value_new_list(&run->scratch, (uint32_t)(to > from ? to - from : 0));
	for (uint32_t i = 0; i < list->count; i++)
		list->items[i] = of.list->items[from + i];
	return value_of_list(list);
}

struct value eval_quantified(struct run *run, const struct expr *expr)
{
	struct value list = eval(run, expr->items[0]);
	uint32_t held = 0, unknown = 0, count;

	if (list.type == VALUE_NULL)
		return list;
	if (list.type != VALUE_LIST)
		return eval_type_error(run, expr->items[0], "IN needs a list", list);
	count = list.list->count;
	for (uint32_t i = 0; i < count && run_step(run); i++) {
		enum truth truth;

		run->row[expr->slot] = list.list->items[i];
		truth = eval_condition(run, expr->items[1]);
		held += truth == TRUTH_TRUE;
		unknown += truth == TRUTH_UNKNOWN;
	}
	switch (expr->type) {
	case EXPR_ALL:
		if (held + unknown < count)
			return value_boolean(false);
		return value_truth(unknown ? TRUTH_UNKNOWN : TRUTH_TRUE);
	case EXPR_ANY:
	case EXPR_NONE:
		if (held)
			return value_boolean(expr->type == EXPR_ANY);
		return value_truth(unknown                  ? TRUTH_UNKNOWN
				   : expr->type == EXPR_ANY ? TRUTH_FALSE
							    : TRUTH_TRUE);
	default:
		if (held > 1)
			return value_boolean(false);
		return value_truth(unknown ? TRUTH_UNKNOWN : held ? TRUTH_TRUE : TRUTH_FALSE);
	}
}

/* What is between two copies of the sum can be long lists: it is given back from time to time. */
struct value eval_reduce(struct run *run, const struct expr *expr)
{
	struct value sum = eval(run, expr->items[0]), list = eval(run, expr->items[1]);
	struct arena_mark mark = arena_mark(&run->scratch);

	if (list.type == VALUE_NULL)
		return list;
	if (list.type != VALUE_LIST)
		return eval_type_error(run, expr->items[1], "IN needs a list", list);
	for (uint32_t i = 0; i < list.list->count && run_step(run); i++) {
		run->row[expr->second_slot] = sum;
		run->row[expr->slot] = list.list->items[i];
		sum = eval(run, expr->items[2]);
		if (i % ROUNDS_BETWEEN_COPIES == ROUNDS_BETWEEN_COPIES - 1 &&
		    run_room(run, &sum, 1)) {
			struct arena aside = {0};

			sum = value_copy(&aside, sum);
			arena_release(&run->scratch, mark);
			sum = value_copy(&run->scratch, sum);
			arena_free(&aside);
		}
	}
	return sum;
}

struct value eval_comprehension(struct run *run, const struct expr *expr)
{
	struct value list = eval(run, expr->items[0]);
	struct value_list *result;
	uint32_t count = 0;

	if (list.type == VALUE_NULL)
		return list;
	if (list.type != VALUE_LIST)
		return eval_type_error(run, expr->items[0], "IN needs a list", list);
	if (!run_work(run, list.list->count, list.list->count * sizeof(struct value)))
		return (struct value){0};
	result = value_new_list(&run->scratch, list.list->count);
	for (uint32_t i = 0; i < list.list->count && run_step(run); i++) {
		run->row[expr->slot] = list.list->items[i];
		if (expr->items[1] && eval_condition(run, expr->items[1]) != TRUTH_TRUE)
			continue;
		result->items[count++] =
			expr->items[2] ? eval(run, expr->items[2]) : list.list->items[i];
	}
	result->count = count;
	return run_list(run, expr, result);
}
