/*
 * query/language/parse_expr.c: expressions, one function per level of precedence.
 */
#include <inttypes.h>
#include <string.h>

#include "query/language/parser.h"

static struct expr *binary(struct parser *parser, enum expr_type type, struct expr *left,
			   struct expr *right)
{
	struct expr *expr;

	if (!left || !right)
		return NULL;
	expr = new_expr(parser, type, left->at);
	add_item(parser, expr, left);
	add_item(parser, expr, right);
	return finish(parser, expr);
}

/* -- operators -- */

/* After '[': an index, or a slice. */
static struct expr *parse_subscript(struct parser *parser, struct expr *of)
{
	struct expr *expr = new_expr(parser, EXPR_INDEX, of->at), *from = NULL, *to = NULL;

	add_item(parser, expr, of);
	if (token(parser)->type != TOKEN_DOTS) {
		from = parse_expr(parser);
		if (!from)
			return NULL;
	}
	add_item(parser, expr, from);
	if (token(parser)->type == TOKEN_DOTS) {
		parser->at++;
		expr->type = EXPR_SLICE;
		if (!is_sign(parser, ']')) {
			to = parse_expr(parser);
			if (!to)
				return NULL;
		}
		add_item(parser, expr, to);
	}
	return expect_sign(parser, ']') == 0 ? finish(parser, expr) : NULL;
}

static struct expr *parse_postfix(struct parser *parser)
{
	struct expr *of = parse_atom(parser), *expr;

	while (of) {
		if (take_sign(parser, '.')) {
			expr = new_expr(parser, EXPR_PROPERTY, of->at);
			add_item(parser, expr, of);
			expr->name = take_name(parser, "the name of a property");
			of = expr->name ? finish(parser, expr) : NULL;
		} else if (take_sign(parser, '[')) {
			of = parse_subscript(parser, of);
		} else if (is_sign(parser, ':') && of->type == EXPR_VARIABLE) {
			parser->at++;
			expr = new_expr(parser, EXPR_HAS_LABELS, of->at);
			add_item(parser, expr, of);
			expr->labels = arena_alloc(parser->arena, sizeof(*expr->labels));
			of = parse_labels(parser, expr->labels) == 0 ? finish(parser, expr) : NULL;
		} else {
			break;
		}
	}
	return of;
}

static struct expr *parse_unary(struct parser *parser)
{
	uint32_t at = token(parser)->at, signs = 0;
	bool negative = false;
	struct expr *expr, *inner;

	for (; is_sign(parser, '-') || is_sign(parser, '+'); signs++) {
		negative ^= is_sign(parser, '-');
		parser->at++;
	}
	if (negative && token(parser)->type == TOKEN_INTEGER &&
	    token(parser)->integer == (uint64_t)INT64_MAX + 1) {
		inner = parse_literal(parser, value_integer(INT64_MIN));
		negative = false;
	} else {
		inner = parse_postfix(parser);
	}
	if (!inner || !signs)
		return inner;
	if (inner->type == EXPR_LITERAL && inner->literal.type == VALUE_INTEGER &&
	    !(negative && inner->literal.integer == INT64_MIN)) {
		if (negative)
			inner->literal.integer = -inner->literal.integer;
		inner->at = at;
		return inner;
	}
	expr = new_expr(parser, EXPR_NEGATE, at);
	expr->distinct = !negative; /* a plus only asks for a number */
	add_item(parser, expr, inner);
	return finish(parser, expr);
}

static struct expr *parse_power(struct parser *parser)
{
	struct expr *left = parse_unary(parser);

	while (left && take_sign(parser, '^'))
		left = binary(parser, EXPR_POWER, left, parse_unary(parser));
	return left;
}

static struct expr *parse_product(struct parser *parser)
{
	struct expr *left = parse_power(parser);

	while (left) {
		if (take_sign(parser, '*'))
			left = binary(parser, EXPR_MULTIPLY, left, parse_power(parser));
		else if (take_sign(parser, '/'))
			left = binary(parser, EXPR_DIVIDE, left, parse_power(parser));
		else if (take_sign(parser, '%'))
			left = binary(parser, EXPR_MODULO, left, parse_power(parser));
		else
			break;
	}
	return left;
}

static struct expr *parse_sum(struct parser *parser)
{
	struct expr *left = parse_product(parser);

	while (left) {
		if (take_sign(parser, '+'))
			left = binary(parser, EXPR_ADD, left, parse_product(parser));
		else if (take_sign(parser, '-'))
			left = binary(parser, EXPR_SUBTRACT, left, parse_product(parser));
		else
			break;
	}
	return left;
}

static struct expr *parse_string_operators(struct parser *parser)
{
	struct expr *left = parse_sum(parser), *expr;

	while (left) {
		enum expr_type type;

		if (take_word(parser, "IS")) {
			bool negated = take_word(parser, "NOT");

			if (expect_word(parser, "NULL") != 0)
				return NULL;
			expr = new_expr(parser, negated ? EXPR_IS_NOT_NULL : EXPR_IS_NULL,
					left->at);
			add_item(parser, expr, left);
			left = finish(parser, expr);
			continue;
		}
		if (take_word(parser, "IN"))
			type = EXPR_IN;
		else if (take_word(parser, "CONTAINS"))
			type = EXPR_CONTAINS;
		else if (is_word(parser, "STARTS") && is_word_at(parser, 1, "WITH"))
			type = EXPR_STARTS_WITH;
		else if (is_word(parser, "ENDS") && is_word_at(parser, 1, "WITH"))
			type = EXPR_ENDS_WITH;
		else
			break;
		parser->at += type == EXPR_STARTS_WITH || type == EXPR_ENDS_WITH ? 2 : 0;
		left = binary(parser, type, left, parse_sum(parser));
	}
	return left;
}

static bool take_comparison(struct parser *parser, enum comparison *comparison)
{
	const struct token *at = token(parser);

	if (at->type == TOKEN_NOT_EQUAL)
		*comparison = COMPARE_NOT_EQUAL;
	else if (at->type == TOKEN_AT_MOST)
		*comparison = COMPARE_AT_MOST;
	else if (at->type == TOKEN_AT_LEAST)
		*comparison = COMPARE_AT_LEAST;
	else if (at->type == TOKEN_MATCHES)
		*comparison = COMPARE_MATCHES;
	else if (at->sign == '=')
		*comparison = COMPARE_EQUAL;
	else if (at->sign == '<')
		*comparison = COMPARE_LESS;
	else if (at->sign == '>')
		*comparison = COMPARE_MORE;
	else
		return false;
	parser->at++;
	return true;
}

static struct expr *parse_comparison(struct parser *parser)
{
	struct expr *left = parse_string_operators(parser), *expr = NULL;
	enum comparison comparison;
	uint32_t operators = 0, capacity = 0;

	while (left && take_comparison(parser, &comparison)) {
		struct expr *right = parse_string_operators(parser);

		if (!right)
			return NULL;
		if (!expr) {
			expr = new_expr(parser, EXPR_COMPARE, left->at);
			add_item(parser, expr, left);
		}
		add_item(parser, expr, right);
		ARENA_RESERVE(parser->arena, expr->operators, operators, capacity);
		expr->operators[operators++] = comparison;
	}
	return expr ? finish(parser, expr) : left;
}

static struct expr *parse_not(struct parser *parser)
{
	uint32_t at = token(parser)->at, count = 0;
	struct expr *inner, *expr;

	while (take_word(parser, "NOT"))
		count++;
	inner = parse_comparison(parser);
	/* twice: only the type is asked for */
	for (count = count > 2 ? 2 - count % 2 : count; inner && count; count--) {
		expr = new_expr(parser, EXPR_NOT, at);
		add_item(parser, expr, inner);
		inner = finish(parser, expr);
	}
	return inner;
}

/* operand { WORD operand } as one node with many items. */
static struct expr *parse_logic(struct parser *parser, const char *word, enum expr_type type,
				struct expr *(*operand)(struct parser *))
{
	struct expr *left = operand(parser), *expr = NULL;

	while (left && take_word(parser, word)) {
		struct expr *right = operand(parser);

		if (!right)
			return NULL;
		if (!expr) {
			expr = new_expr(parser, type, left->at);
			add_item(parser, expr, left);
		}
		add_item(parser, expr, right);
	}
	return expr ? finish(parser, expr) : left;
}

static struct expr *parse_and(struct parser *parser)
{
	return parse_logic(parser, "AND", EXPR_AND, parse_not);
}

static struct expr *parse_xor(struct parser *parser)
{
	return parse_logic(parser, "XOR", EXPR_XOR, parse_and);
}

struct expr *parse_expr(struct parser *parser)
{
	struct expr *expr;

	if (enter(parser) != 0)
		return NULL;
	expr = parse_logic(parser, "OR", EXPR_OR, parse_xor);
	leave(parser);
	return expr;
}
