/* query/language/check_call.c: calls of functions, and comparisons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/language/check.h"
#include "util/regex.h"
#include "util/memory.h"

/* -- calls -- */

static int check_aggregate(struct checker *checker, struct expr *expr)
{
	struct projection *projection = checker->projection;

	if (checker->in_aggregate)
		return check_fail(checker, expr->at, "an aggregate cannot stand in another one");
	if (!projection)
		return check_fail(checker, expr->at,
				  "%s() adds up over rows: it stands in RETURN or WITH, not here",
				  expr->function->name);
	expr->slot = check_new_slot(checker, true);
	ARENA_RESERVE(&checker->query->arena, projection->aggregates, projection->aggregate_count,
		      projection->aggregate_capacity);
	projection->aggregates[projection->aggregate_count++] = expr;
	return 0;
}

/* "a string, a list or a map" */
static void write_kinds(unsigned kinds, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (unsigned type = VALUE_BOOLEAN; type <= VALUE_PATH && length < size; type++)
		if (kinds & KIND(type)) {
			kinds &= ~KIND(type);
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   !length                         ? ""
						   : PLAIN_KINDS(kinds) & ~KIND(0) ? ", "
										   : " or ",
						   value_type_name((enum value_type)type));
		}
}

int check_call(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	const char *nearest;
	const struct function *function = function_find(expr->name, &nearest);
	uint32_t count = expr->count + expr->star;
	bool outside = !checker->in_aggregate;
	unsigned argument = 0;

	if (!function)
		return check_fail(checker, expr->at, "there is no function '%s'%s%s%s", expr->name,
				  nearest ? "; did you mean " : "", nearest ? nearest : "",
				  nearest ? "()?" : "");
	expr->function = function;
	if ((expr->star && function->aggregate != COUNT) ||
	    (expr->distinct && !function->aggregate))
		return check_fail(checker, expr->at, "%s() does not take %s", function->name,
				  expr->star ? "*" : "DISTINCT");
	if (count < function->least || count > function->most)
		return check_fail(checker, expr->at, "%s() takes %u%s argument%s, not %u",
				  function->name, function->least,
				  function->most > function->least ? " or more" : "",
				  function->least == 1 && function->most == 1 ? "" : "s", count);
	if (checker->in_aggregate && !strcmp(function->name, "rand"))
		return check_fail(checker, expr->at,
				  "rand() cannot stand in an aggregate: give it a name in a WITH "
				  "before");
	if (function->aggregate && check_aggregate(checker, expr) != 0)
		return -1;
	checker->in_aggregate |= function->aggregate != AGGREGATE_NONE;
	for (uint32_t i = 0; i < expr->count; i++) {
		char what[160], takes[120];

		write_kinds(function->takes, takes, sizeof(takes));
		snprintf(what, sizeof(what), "%s() takes %s", function->name, takes);
		if (expr->items[i]->type == EXPR_PATTERN && strcasecmp(function->name, "exists"))
			return check_fail(checker, expr->items[i]->at,
					  "a pattern is a condition, not a value");
		if (check_expr(checker, expr->items[i], &argument) != 0 ||
		    (!i &&
		     check_need(checker, expr->items[0], argument, function->takes, what) != 0))
			return -1;
	}
	if (outside)
		checker->in_aggregate = false;
	*kinds = function->gives;
	if (function->aggregate == COLLECT)
		*kinds = LIST_OF(argument);
	return 0;
}

/* -- comparisons -- */

static int check_regex(struct checker *checker, const struct expr *expr)
{
	struct error error;

	for (uint32_t i = 1; i < expr->count; i++) {
		const struct expr *right = expr->items[i];

		if (expr->operators[i - 1] == COMPARE_MATCHES && expr->count > 2)
			return check_fail(checker, right->at, "=~ does not chain: use parentheses");
		if (expr->operators[i - 1] == COMPARE_MATCHES && right->type == EXPR_LITERAL &&
		    right->literal.type != VALUE_STRING && right->literal.type != VALUE_NULL)
			return check_fail(checker, right->at,
					  "=~ needs a regular expression in quotes");
		if (expr->operators[i - 1] == COMPARE_MATCHES && right->type == EXPR_LITERAL &&
		    right->literal.type == VALUE_STRING) {
			struct regex *regex = regex_new_whole(right->literal.text, &error);

			if (!regex)
				return check_fail(checker, right->at, "%s", error.text);
			regex_free(regex);
		}
	}
	return 0;
}

/* Numbers are of one sort. */
static unsigned sort_of(unsigned kinds)
{
	kinds = PLAIN_KINDS(kinds) & ~KIND(VALUE_NULL);
	return kinds & KIND_NUMBER ? kinds | KIND_NUMBER : kinds;
}

void check_sorts(struct checker *checker, uint32_t at, unsigned left, unsigned right)
{
	left = sort_of(left);
	right = sort_of(right);
	if (left && right && !(left & right))
		check_note(checker, at,
			   "%s is compared with %s: they are never equal, and neither is more%s",
			   value_type_name((enum value_type)__builtin_ctz(left)),
			   value_type_name((enum value_type)__builtin_ctz(right)),
			   (left | right) == (KIND_NUMBER | KIND(VALUE_STRING))
				   ? "; toFloat() makes numbers of text"
				   : "");
}

int check_compare(struct checker *checker, struct expr *expr)
{
	unsigned before = 0;

	for (uint32_t i = 0; i < expr->count; i++) {
		unsigned kinds;

		if (check_expr(checker, expr->items[i], &kinds) != 0)
			return -1;
		if (i)
			check_sorts(checker, expr->items[i]->at, before, kinds);
		before = kinds;
	}
	return check_regex(checker, expr);
}

/* -- comparing expressions -- */

static bool same_labels(const struct labels *a, const struct labels *b)
{
	if (!a || !b || a->count != b->count)
		return a == b;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->terms[i].negated != b->terms[i].negated ||
		    a->terms[i].alternative != b->terms[i].alternative ||
		    (a->terms[i].name != b->terms[i].name &&
		     (!a->terms[i].name || !b->terms[i].name ||
		      strcmp(a->terms[i].name, b->terms[i].name) != 0)))
			return false;
	return true;
}

bool expr_same(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->type != b->type || a->count != b->count || a->distinct != b->distinct ||
	    a->star != b->star || !a->name != !b->name || a->type == EXPR_PATTERN ||
	    a->type == EXPR_SUBQUERY || a->type == EXPR_REDUCE)
		return false;
	if (a->name &&
	    (a->type == EXPR_CALL ? strcasecmp(a->name, b->name) : strcmp(a->name, b->name)) != 0)
		return false;
	if ((a->type == EXPR_LITERAL && !value_identical(a->literal, b->literal)) ||
	    !same_labels(a->labels, b->labels))
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!expr_same(a->items[i], b->items[i]) ||
		    (a->keys && strcmp(a->keys[i], b->keys[i]) != 0) ||
		    (a->operators && i && a->operators[i - 1] != b->operators[i - 1]))
			return false;
	return true;
}

bool expr_aggregates(const struct expr *expr)
{
	const char *nearest;

	if (expr->type == EXPR_CALL) {
		const struct function *function = function_find(expr->name, &nearest);

		if (function && function->aggregate)
			return true;
	}
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && expr_aggregates(expr->items[i]))
			return true;
	return false;
}
