#include "query/language/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static void add_number(struct run *run, const struct expr *call, struct accumulator *accumulator,
		       struct value value)
{
	if (!VALUE_IS_NUMBER(value)) {
		run_fail(run, call->at, "%s() adds numbers, not %s", call->function->name,
			 value_type_name(value.type));
		return;
	}
	accumulator->numbers += value_as_number(value);
	if (value.type == VALUE_FLOAT)
		accumulator->is_float = true;
	else if (!accumulator->is_float &&
		 __builtin_add_overflow(accumulator->integers, value.integer,
					&accumulator->integers) &&
		 call->function->aggregate == SUM)
		run_fail(run, call->at, "the sum does not fit 64 bits");
}

static void add_value(struct run *run, struct accumulator *accumulator, struct value value)
{
	uint32_t before = accumulator->value_capacity;

	ARRAY_RESERVE(accumulator->values, accumulator->value_count, accumulator->value_capacity);
	arena_charge(&run->kept,
		     (accumulator->value_capacity - before) * sizeof(*accumulator->values));
	accumulator->values[accumulator->value_count++] = run_copy(run, &run->kept, value);
}

static void add_best(struct run *run, struct accumulator *accumulator, struct value value,
		     int wanted)
{
	if (accumulator->count == 1 || value_order(value, accumulator->best) == wanted)
		accumulator->best = run_copy(run, &run->kept, value);
}

/* Whether the value is new to a call with DISTINCT. */
static bool is_new(struct run *run, struct accumulator *accumulator, struct value value)
{
	bool added;

	if (!run_room(run, &value, 1))
		return false;
	if (!accumulator->distinct) {
		accumulator->distinct = xcalloc(1, sizeof(*accumulator->distinct));
		accumulator->distinct->width = 1;
	}
	value_set_add(accumulator->distinct, &value, &run->kept, &added);
	return added;
}

void accumulate(struct run *run, const struct expr *call, struct accumulator *accumulator)
{
	struct value value;

	if (call->star) {
		accumulator->count++;
		return;
	}
	value = eval(run, call->items[0]);
	if (value.type == VALUE_NULL || run->failed)
		return;
	if (call->distinct && !is_new(run, accumulator, value))
		return;
	accumulator->count++;
	switch (call->function->aggregate) {
	case SUM:
	case AVG:
		add_number(run, call, accumulator, value);
		break;
	case MIN:
		add_best(run, accumulator, value, -1);
		break;
	case MAX:
		add_best(run, accumulator, value, 1);
		break;
	case COLLECT:
		add_value(run, accumulator, value);
		break;
	case PERCENTILE_CONT:
	case PERCENTILE_DISC:
		if (!VALUE_IS_NUMBER(value))
			run_fail(run, call->at, "%s() takes numbers, not %s", call->function->name,
				 value_type_name(value.type));
		add_value(run, accumulator, value);
		accumulator->best = run_copy(run, &run->kept, eval(run, call->items[1]));
		break;
	case COUNT:
	case AGGREGATE_NONE:
		break;
	}
}

static int by_order(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

static struct value percentile(struct run *run, const struct expr *call,
			       struct accumulator *accumulator)
{
	uint32_t count = accumulator->value_count, below;
	double at, part;

	if (!count)
		return (struct value){0};
	at = VALUE_IS_NUMBER(accumulator->best) ? value_as_number(accumulator->best) : -1;
	if (!(at >= 0 && at <= 1)) {
		run_fail(run, call->items[1]->at, "a percentile is a number from 0 to 1");
		return (struct value){0};
	}
	qsort(accumulator->values, count, sizeof(*accumulator->values), by_order);
	if (call->function->aggregate == PERCENTILE_DISC) {
		below = (uint32_t)ceil(at * count);
		return accumulator->values[below ? below - 1 : 0];
	}
	at *= count - 1;
	below = (uint32_t)at;
	part = at - below;
	at = value_as_number(accumulator->values[below]);
	if (part > 0)
		at += part * (value_as_number(accumulator->values[below + 1]) - at);
	return value_number(at);
}

struct value accumulated(struct run *run, const struct expr *call, struct accumulator *accumulator)
{
	struct value_list *list;

	switch (call->function->aggregate) {
	case COUNT:
		return value_integer(accumulator->count);
	case SUM:
		return accumulator->is_float ? value_number(accumulator->numbers)
					     : value_integer(accumulator->integers);
	case AVG:
		return accumulator->count
			       ? value_number(accumulator->numbers / (double)accumulator->count)
			       : (struct value){0};
	case MIN:
	case MAX:
		return accumulator->best;
	case COLLECT:
		list = value_new_list(&run->kept, accumulator->value_count);
		if (list->count)
			memcpy(list->items, accumulator->values,
			       list->count * sizeof(*list->items));
		return run_list(run, call, list);
	default:
		return percentile(run, call, accumulator);
	}
}

void accumulator_free(struct accumulator *accumulator)
{
	if (accumulator->distinct)
		value_set_free(accumulator->distinct);
	free(accumulator->distinct);
	free(accumulator->values);
}
