/*
 * query/language/check_subquery.c: what is visible in subqueries: all that is around them in those
 * of expressions, what is handed in and nothing else in CALL.
 */
#include <stdlib.h>
#include <string.h>

#include "query/language/check.h"
#include "util/memory.h"

int check_subquery(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	struct subquery *subquery = expr->subquery;
	struct checker before = *checker;
	uint32_t slots = checker->query->slot_count;
	bool *bound = xcalloc((size_t)slots + 1, sizeof(*bound));
	int result;

	*kinds = subquery->type == SUBQUERY_EXISTS  ? KIND(VALUE_BOOLEAN)
		 : subquery->type == SUBQUERY_COUNT ? KIND(VALUE_INTEGER)
						    : KIND(VALUE_LIST);
	subquery->first_slot = slots;
	subquery->around = checker->subquery;
	checker->subquery = subquery;
	checker->around = checker->scope.count;
	checker->imports = false;
	checker->projection = NULL;
	checker->in_aggregate = false;
	/* all that is visible is there when the subquery runs */
	if (slots)
		memcpy(bound, checker->bound, slots * sizeof(*bound));
	for (uint32_t i = 0; i < checker->scope.count; i++)
		checker->bound[checker->scope.items[i].slot] = true;
	result = check_clauses(checker, subquery->clauses, subquery->clause_count,
			       subquery->type == SUBQUERY_EXISTS);
	if (slots)
		memcpy(checker->bound, bound, slots * sizeof(*bound));
	free(bound);
	checker->subquery = before.subquery;
	checker->around = before.around;
	checker->imports = before.imports;
	checker->scope = before.scope;
	checker->projection = before.projection;
	checker->in_aggregate = before.in_aggregate;
	return result;
}

/* -- CALL -- */

/* WITH x, y: it changes nothing but what is visible. */
static bool only_names(const struct clause *clause)
{
	const struct projection *projection = &clause->projection;

	if (clause->type != CLAUSE_WITH || projection->distinct || projection->sort_count ||
	    projection->skip || projection->limit || projection->where)
		return false;
	for (uint32_t i = 0; i < projection->count; i++)
		if (projection->items[i].aliased ||
		    projection->items[i].expr->type != EXPR_VARIABLE)
			return false;
	return true;
}

bool check_is_outside(const struct checker *checker, const char *name)
{
	for (uint32_t i = 0; checker->outside && i < checker->outside->count; i++)
		if (!strcmp(checker->outside->items[i].name, name))
			return true;
	return false;
}

void check_import(struct checker *checker, const struct clause *first)
{
	if (checker->imports && only_names(first))
		checker->scope = *checker->outside;
}

/* CALL (x, y): as what is around other subqueries, they stay visible after WITH, too. */
static int import_given(struct checker *checker, const struct call *call)
{
	struct scope outside = checker->scope;

	if (call->star)
		for (uint32_t i = 0; i < outside.count; i++)
			check_find(checker, outside.items[i].name);
	checker->scope = call->star ? outside : (struct scope){0};
	for (uint32_t i = 0; i < call->name_count; i++) {
		struct scope given = checker->scope;
		const struct variable *variable;

		checker->scope = outside;
		variable = check_find(checker, call->names[i]);
		checker->scope = given;
		if (!variable)
			return check_fail(checker, call->name_at[i],
					  "there is no variable '%s' to hand into CALL",
					  call->names[i]);
		if (check_find(checker, call->names[i]))
			return check_fail(checker, call->name_at[i], "'%s' is handed in twice",
					  call->names[i]);
		check_declare(checker, variable->name, variable->slot, variable->kinds);
	}
	return 0;
}

/* What a column can be in any part of a UNION. */
static unsigned either_kind(unsigned a, unsigned b)
{
	return a == b ? a : PLAIN_KINDS(a | b);
}

static int declare_columns(struct checker *checker, struct call *call)
{
	const struct clause *clauses = call->body.clauses;
	uint32_t first = clause_part_end(clauses, 0, call->body.clause_count) - 1;
	const struct projection *columns = &clauses[first].projection;

	call->column_count = columns->count;
	call->columns =
		arena_alloc(&checker->query->arena, (columns->count + 1) * sizeof(*call->columns));
	for (uint32_t i = 0; i < columns->count; i++) {
		unsigned kinds = columns->items[i].kinds;
		bool calls = false;

		if (!columns->items[i].aliased && columns->items[i].expr->type != EXPR_VARIABLE)
			return check_fail(checker, columns->items[i].expr->at,
					  "an expression that CALL returns needs AS name");
		if (check_find(checker, columns->items[i].name))
			return check_fail(
				checker, columns->items[i].expr->at,
				"'%s' is already something else around the CALL: return it "
				"by another name, with AS",
				columns->items[i].name);
		for (uint32_t c = first; c < call->body.clause_count; c++)
			if (clauses[c].type == CLAUSE_RETURN) {
				const struct item *item = &clauses[c].projection.items[i];

				kinds = either_kind(kinds, item->kinds);
				calls |= checker->calls[item->slot];
			}
		call->columns[i] = check_new_slot(checker, true);
		checker->calls[call->columns[i]] = calls;
		check_declare(checker, columns->items[i].name, call->columns[i], kinds);
	}
	return 0;
}

int check_called(struct checker *checker, struct clause *clause)
{
	struct call *call = clause->call;
	struct checker before = *checker;
	int result = 0;

	call->body.first_slot = checker->query->slot_count;
	call->body.around = checker->subquery;
	checker->imports = !call->given;
	if (call->given)
		result = import_given(checker, call);
	else
		checker->scope = (struct scope){0};
	checker->outside = &before.scope;
	checker->subquery = &call->body;
	checker->around = checker->scope.count;
	if (result == 0)
		result = check_clauses(checker, call->body.clauses, call->body.clause_count, false);
	checker->outside = before.outside;
	checker->subquery = before.subquery;
	checker->around = before.around;
	checker->imports = before.imports;
	checker->scope = before.scope;
	return result == 0 ? declare_columns(checker, call) : -1;
}
