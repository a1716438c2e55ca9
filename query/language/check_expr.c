/* query/language/check_expr.c: names and types in expressions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/calls.h"
#include "query/language/check.h"
#include "util/memory.h"
#include "util/nearest.h"

#define BOOLEAN KIND(VALUE_BOOLEAN)
#define ELEMENT (KIND(VALUE_VERTEX) | KIND(VALUE_EDGE))

int check_fail(struct checker *checker, uint32_t at, const char *format, ...)
{
	char message[500];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return query_error_at(checker->error, checker->query->text, at, "%s", message);
}

void check_note(struct checker *checker, uint32_t at, const char *format, ...)
{
	struct query *query = checker->query;
	char message[500];
	struct error note;
	va_list arguments;

	if (query->note_count == NOTE_LIMIT)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	query_error_at(&note, query->text, at, "%s", message);
	ARRAY_RESERVE(query->notes, query->note_count, query->note_capacity);
	query->notes[query->note_count++] = xstrdup(note.text);
}

/* What a kind is called in a message: the first of the set. */
static const char *name_of(unsigned kinds)
{
	return value_type_name((enum value_type)__builtin_ctz(kinds ? kinds : 1));
}

int check_need(struct checker *checker, const struct expr *expr, unsigned kinds, unsigned wanted,
	       const char *what)
{
	kinds &= ~KIND(VALUE_NULL);
	if (!kinds || kinds & wanted)
		return 0;
	return check_fail(checker, expr->at, "%s, not %s", what, name_of(kinds));
}

int check_condition(struct checker *checker, struct expr *expr)
{
	unsigned kinds;

	if (check_expr(checker, expr, &kinds) != 0)
		return -1;
	return check_need(checker, expr, kinds, BOOLEAN, "a condition is true or false");
}

/* -- names -- */

static int unknown_variable(struct checker *checker, const struct expr *expr)
{
	if (checker->once)
		return check_fail(checker, expr->at,
				  "%s is one number for all rows: it cannot use the variable '%s'",
				  checker->once, expr->name);
	if (check_is_outside(checker, expr->name))
		return check_fail(checker, expr->at,
				  "'%s' is outside of this CALL: hand it in with CALL (%s) { ... }",
				  expr->name, expr->name);
	const char **names = xcalloc(checker->scope.count + 1, sizeof(*names)), *nearest;
	int result;

	for (uint32_t i = 0; i < checker->scope.count; i++)
		names[i] = checker->scope.items[i].name;
	nearest = nearest_word(expr->name, names, checker->scope.count);
	if (nearest)
		result = check_fail(checker, expr->at,
				    "there is no variable '%s' here; did you mean '%s'?",
				    expr->name, nearest);
	else if (checker->merged)
		result =
			check_fail(checker, expr->at,
				   "there is no variable '%s' here: after DISTINCT or an aggregate "
				   "only the columns are left",
				   expr->name);
	else
		result = check_fail(checker, expr->at,
				    "there is no variable '%s' here; text is written in quotes",
				    expr->name);
	free(names);
	return result;
}

static int check_variable(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	const struct variable *variable;

	*kinds = KIND_ANY;
	if (!expr->name) /* stands for a column of the projection */
		return 0;
	variable = check_find(checker, expr->name);
	if (!variable)
		return unknown_variable(checker, expr);
	expr->slot = variable->slot;
	*kinds = variable->kinds;
	return 0;
}

static int check_parameter(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	for (uint32_t i = 0; i < checker->parameter_count; i++)
		if (!strcmp(checker->parameters[i].name, expr->name)) {
			expr->literal = checker->parameters[i].value;
			*kinds = KIND(expr->literal.type);
			return 0;
		}
	return check_fail(checker, expr->at,
			  "the parameter has no value: give one with -p %s=VALUE", expr->name);
}

static void note_property(struct checker *checker, const struct expr *expr)
{
	const char **names, *nearest;
	uint32_t count = 0;

	engine_columns(checker->engine, false);
	engine_columns(checker->engine, true);
	names = xcalloc(checker->engine->vertex_columns.count +
				checker->engine->edge_columns.count + 1,
			sizeof(*names));
	for (uint32_t i = 0; i < checker->engine->vertex_columns.count; i++)
		names[count++] = checker->engine->vertex_columns.items[i]->name;
	for (uint32_t i = 0; i < checker->engine->edge_columns.count; i++)
		names[count++] = checker->engine->edge_columns.items[i]->name;
	nearest = nearest_word(expr->name, names, count);
	check_note(checker, expr->at,
		   "no vertex and no edge has the property '%s': it is null%s%s%s", expr->name,
		   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	free(names);
}

static int need_properties(struct checker *checker, const struct expr *expr, unsigned of)
{
	const char *what = "only vertices, edges and maps have properties";

	if (of == LIST_OF(KIND(VALUE_EDGE)) || of == LIST_OF(KIND(VALUE_VERTEX)))
		what = "only vertices, edges and maps have properties (of a list: all(x IN list "
		       "WHERE x.name ...))";
	return check_need(checker, expr, of, ELEMENT | KIND(VALUE_MAP), what);
}

unsigned check_column(const struct column *column)
{
	if (!column)
		return KIND(VALUE_NULL);
	return column->type == VALUE_NULL ? KIND_ANY : KIND(column->type) | KIND(VALUE_NULL);
}

static int check_property(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	unsigned of;

	if (check_expr(checker, expr->items[0], &of) != 0 ||
	    need_properties(checker, expr, of) != 0)
		return -1;
	expr->of_vertex = engine_column(checker->engine, false, expr->name);
	expr->of_edge = engine_column(checker->engine, true, expr->name);
	if (of && !(of & ~(ELEMENT | KIND(VALUE_NULL))) && !expr->of_vertex && !expr->of_edge)
		note_property(checker, expr);
	*kinds = KIND_ANY;
	if (of == KIND(VALUE_VERTEX))
		*kinds = check_column(expr->of_vertex);
	else if (of == KIND(VALUE_EDGE))
		*kinds = check_column(expr->of_edge);
	return 0;
}

void check_labels(struct checker *checker, struct labels *labels, bool of_edge)
{
	for (uint32_t i = 0; i < labels->count; i++) {
		struct label_term *term = &labels->terms[i];
		const char *found;
		bool named;

		if (!term->name)
			continue;
		named = calls_are_named(of_edge, term->name);
		labels->calls |= named && !term->negated && checker->engine->profile;
		found = engine_find_name(checker->engine, term->name);

		if (!found) {
			uint32_t count;
			const char **names = engine_names(checker->engine, &count);
			const char *nearest = nearest_word(term->name, names, count);

			if (named && !checker->engine->profile)
				nearest = NULL;
			check_note(checker, term->at, "nothing has the %s '%s'%s%s%s%s",
				   of_edge ? "type" : "label", term->name,
				   nearest ? "; did you mean '" : "", nearest ? nearest : "",
				   nearest ? "'?" : "",
				   named && !checker->engine->profile
					   ? ": calls and objects are in profiles, not in DOT"
					   : "");
			free(names);
		}
		term->name = found;
	}
}

/* -- the rest -- */

static int no_aggregate(struct checker *checker, const struct expr *expr)
{
	if (!expr_aggregates(expr))
		return 0;
	return check_fail(checker, expr->at,
			  "an aggregate cannot stand in what a list is gone through with");
}

/* reduce(sum = items[0], name IN items[1] | items[2]) */
static int check_reduce(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	uint32_t outer = checker->scope.count;
	unsigned list, first;
	int code;

	if (check_expr(checker, expr->items[0], &first) != 0 ||
	    check_expr(checker, expr->items[1], &list) != 0 ||
	    check_need(checker, expr->items[1], list, KIND(VALUE_LIST), "IN needs a list") != 0 ||
	    no_aggregate(checker, expr->items[2]) != 0)
		return -1;
	expr->second_slot = check_new_slot(checker, true);
	check_declare(checker, expr->second_name, expr->second_slot, KIND_ANY);
	expr->slot = check_new_slot(checker, true);
	check_declare(checker, expr->name, expr->slot, ITEM_KINDS(list));
	code = check_expr(checker, expr->items[2], kinds);
	*kinds = PLAIN_KINDS(*kinds | first);
	checker->scope.count = outer;
	return code;
}

/* all(name IN list WHERE condition), [name IN list WHERE condition | value] */
static int check_loop(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	uint32_t outer = checker->scope.count;
	unsigned list, result = 0;
	int code = 0;

	if (check_expr(checker, expr->items[0], &list) != 0 ||
	    check_need(checker, expr->items[0], list, KIND(VALUE_LIST), "IN needs a list") != 0)
		return -1;
	expr->slot = check_new_slot(checker, true);
	check_declare(checker, expr->name, expr->slot, ITEM_KINDS(list));
	for (uint32_t i = 1; i < expr->count && code == 0; i++)
		if (expr->items[i]) {
			if (no_aggregate(checker, expr->items[i]) != 0)
				return -1;
			code = i == 1 ? check_condition(checker, expr->items[i])
				      : check_expr(checker, expr->items[i], &result);
		}
	checker->scope.count = outer;
	*kinds = expr->type == EXPR_COMPREHENSION
			 ? LIST_OF(expr->items[2] ? result : ITEM_KINDS(list))
			 : BOOLEAN;
	return code;
}

/* Each operand is one of the kinds wanted, or "WHAT, not a list". */
static int check_operands(struct checker *checker, struct expr *expr, unsigned wanted,
			  const char *what)
{
	for (uint32_t i = 0; i < expr->count; i++) {
		unsigned kinds;

		if (expr->items[i] &&
		    (check_expr(checker, expr->items[i], &kinds) != 0 ||
		     check_need(checker, expr->items[i], kinds, wanted, what) != 0))
			return -1;
	}
	return 0;
}

static int check_list(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	unsigned items = 0, item;

	for (uint32_t i = 0; i < expr->count; i++) {
		if (check_expr(checker, expr->items[i], &item) != 0)
			return -1;
		items |= item;
	}
	*kinds = LIST_OF(items);
	return 0;
}

static int check_arithmetic(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	unsigned left, right;
	bool add = expr->type == EXPR_ADD;
	unsigned wanted = KIND_NUMBER;
	const char *what = "this operator needs a number";

	if (check_expr(checker, expr->items[0], &left) != 0 ||
	    check_expr(checker, expr->items[1], &right) != 0)
		return -1;
	*kinds = KIND_NUMBER;
	if (add &&
	    (PLAIN_KINDS(left) == KIND(VALUE_LIST) || PLAIN_KINDS(right) == KIND(VALUE_LIST))) {
		*kinds = KIND(VALUE_LIST);
		return 0;
	}
	if (add) {
		*kinds = KIND_ANY;
		wanted |= KIND(VALUE_STRING) | KIND(VALUE_LIST);
		if ((left | right) & KIND(VALUE_STRING))
			wanted |= KIND(VALUE_BOOLEAN);
		what = "+ adds numbers and joins strings or lists";
	}
	if (add &&
	    (PLAIN_KINDS(left) == KIND(VALUE_STRING) || PLAIN_KINDS(right) == KIND(VALUE_STRING)))
		*kinds = KIND(VALUE_STRING) | KIND(VALUE_LIST);
	if (check_need(checker, expr->items[0], left, wanted, what) != 0 ||
	    check_need(checker, expr->items[1], right, wanted, what) != 0)
		return -1;
	if (!((left | right) & ~KIND(VALUE_INTEGER)))
		*kinds = expr->type == EXPR_POWER ? KIND(VALUE_FLOAT) : KIND(VALUE_INTEGER);
	return 0;
}

static int check_literal(struct expr *expr, unsigned *kinds)
{
	*kinds = expr->literal.type == VALUE_NULL ? KIND(VALUE_NULL) : KIND(expr->literal.type);
	return 0;
}

int check_expr(struct checker *checker, struct expr *expr, unsigned *kinds)
{
	unsigned ignored;

	*kinds = BOOLEAN;
	switch (expr->type) {
	case EXPR_LITERAL:
		return check_literal(expr, kinds);
	case EXPR_PARAMETER:
		return check_parameter(checker, expr, kinds);
	case EXPR_VARIABLE:
		return check_variable(checker, expr, kinds);
	case EXPR_PROPERTY:
		return check_property(checker, expr, kinds);
	case EXPR_HAS_LABELS:
		if (check_expr(checker, expr->items[0], &ignored) != 0 ||
		    check_need(checker, expr, ignored, ELEMENT,
			       "only vertices and edges have labels") != 0)
			return -1;
		check_labels(checker, expr->labels, ignored == KIND(VALUE_EDGE));
		return 0;
	case EXPR_OR:
	case EXPR_XOR:
	case EXPR_AND:
	case EXPR_NOT:
		return check_operands(checker, expr, BOOLEAN, "a condition is true or false");
	case EXPR_COMPARE:
		return check_compare(checker, expr);
	case EXPR_IS_NULL:
	case EXPR_IS_NOT_NULL:
	case EXPR_CONTAINS:
	case EXPR_STARTS_WITH:
	case EXPR_ENDS_WITH:
		return check_operands(checker, expr, KIND_ANY, "");
	case EXPR_IN:
		if (check_expr(checker, expr->items[0], &ignored) != 0 ||
		    check_expr(checker, expr->items[1], &ignored) != 0)
			return -1;
		return check_need(checker, expr->items[1], ignored, KIND(VALUE_LIST),
				  "IN needs a list");
	case EXPR_ADD:
	case EXPR_SUBTRACT:
	case EXPR_MULTIPLY:
	case EXPR_DIVIDE:
	case EXPR_MODULO:
	case EXPR_POWER:
		return check_arithmetic(checker, expr, kinds);
	case EXPR_NEGATE:
		*kinds = KIND_NUMBER;
		return check_operands(checker, expr, KIND_NUMBER, "a sign needs a number");
	case EXPR_CALL:
		return check_call(checker, expr, kinds);
	case EXPR_ALL:
	case EXPR_ANY:
	case EXPR_NONE:
	case EXPR_SINGLE:
	case EXPR_COMPREHENSION:
		return check_loop(checker, expr, kinds);
	case EXPR_REDUCE:
		return check_reduce(checker, expr, kinds);
	case EXPR_SUBQUERY:
		return check_subquery(checker, expr, kinds);
	case EXPR_PATTERN:
		return check_pattern(checker, expr->match);
	case EXPR_LIST:
		return check_list(checker, expr, kinds);
	case EXPR_SLICE:
		*kinds = KIND(VALUE_LIST);
		break;
	case EXPR_MAP:
		*kinds = KIND(VALUE_MAP);
		break;
	case EXPR_INDEX:
	case EXPR_CASE:
		*kinds = KIND_ANY;
		break;
	}
	return check_operands(checker, expr, KIND_ANY, "");
}
