/* query/language/subquery.c: the value of EXISTS { }, COUNT { }, COLLECT { } and [pattern | expr].
 */
#include <string.h>

#include "query/language/execute.h"
#include "util/memory.h"

struct taker {
	struct run *run;
	const struct subquery *subquery;
	uint64_t count;
	struct value *items; /* COLLECT; in the arena `kept` of the subquery */
	uint32_t item_capacity;
};

static bool take(void *data, const struct projection *projection)
{
	struct taker *taker = data;
	struct run *run = taker->run;
	struct value value;

	if (taker->subquery->type == SUBQUERY_COLLECT) {
		uint32_t count = (uint32_t)taker->count;

		value = run->row[projection->items[0].slot];
		ARENA_RESERVE(&run->kept, taker->items, count, taker->item_capacity);
		taker->items[count] = run_copy(run, &run->kept, value);
	}
	taker->count++;
	return taker->subquery->type != SUBQUERY_EXISTS && run_step(run);
}

static struct value value_of(struct run *run, const struct expr *expr, const struct taker *taker)
{
	struct value_list *list;

	switch (expr->subquery->type) {
	case SUBQUERY_EXISTS:
		return value_boolean(taker->count > 0);
	case SUBQUERY_COUNT:
		return value_integer((int64_t)taker->count);
	default:
		list = value_new_list(&run->scratch, (uint32_t)taker->count);
		for (uint32_t i = 0; i < list->count; i++)
			list->items[i] = run_copy(run, &run->scratch, taker->items[i]);
		return run_list(run, expr, list);
	}
}

struct value eval_subquery(struct run *run, const struct expr *expr)
{
	const struct subquery *subquery = expr->subquery;
	struct taker taker = {.run = run, .subquery = subquery};
	struct execution execution = {.run = run,
				      .clauses = subquery->clauses,
				      .clause_count = subquery->clause_count,
				      .emit = take,
				      .data = &taker};
	struct arena kept = run->kept;
	struct value value = {0};

	run->kept = (struct arena){0};
	run->elsewhere += kept.total;
	if (run_step(run) && execute(&execution))
		value = value_of(run, expr, &taker);
	arena_free(&run->kept);
	run->elsewhere -= kept.total;
	run->kept = kept;
	return value;
}
