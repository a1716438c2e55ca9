/* query/language/parse_atom.c: what expressions are made of, by its first word. */
#include <string.h>

#include "query/language/parser.h"

struct expr *new_expr(struct parser *parser, enum expr_type type, uint32_t at)
{
	struct expr *expr = arena_alloc(parser->arena, sizeof(*expr));

	expr->type = type;
	expr->at = at;
	return expr;
}

/* The item may be NULL where the type allows it. */
void add_item(struct parser *parser, struct expr *expr, struct expr *item)
{
	ARENA_RESERVE(parser->arena, expr->items, expr->count, expr->capacity);
	expr->items[expr->count++] = item;
	if (item && item->depth >= expr->depth)
		expr->depth = item->depth + 1;
}

/* The text of an expression ends before the current token. */
struct expr *finish(struct parser *parser, struct expr *expr)
{
	expr->end = parser->tokens[parser->at - 1].end;
	if (expr->depth > parser->deepest)
		parser->deepest = expr->depth;
	if (expr->depth > 2 * DEPTH_LIMIT) {
		parse_fail(parser, expr->at, "too many operators on each other: at most %d",
			   2 * DEPTH_LIMIT);
		return NULL;
	}
	return expr;
}

struct expr *parse_literal(struct parser *parser, struct value value)
{
	struct expr *expr = new_expr(parser, EXPR_LITERAL, token(parser)->at);

	expr->literal = value;
	parser->at++;
	return finish(parser, expr);
}

static struct expr *parse_integer(struct parser *parser)
{
	if (token(parser)->integer > INT64_MAX) {
		parse_fail(parser, token(parser)->at, "this number does not fit 64 bits");
		return NULL;
	}
	return parse_literal(parser, value_integer((int64_t)token(parser)->integer));
}

/* name IN list [WHERE condition], of quantified predicates and list comprehensions. */
static int parse_loop(struct parser *parser, struct expr *expr)
{
	struct expr *list, *where = NULL;

	expr->name = take_name(parser, "a name");
	if (!expr->name || expect_word(parser, "IN") != 0)
		return -1;
	list = parse_expr(parser);
	if (!list)
		return -1;
	if (take_word(parser, "WHERE")) {
		where = parse_expr(parser);
		if (!where)
			return -1;
	}
	add_item(parser, expr, list);
	add_item(parser, expr, where);
	return 0;
}

/* { expression ",", ... } and the sign that ends them. */
static struct expr *parse_items(struct parser *parser, struct expr *expr, char end)
{
	while (!is_sign(parser, end)) {
		struct expr *item = parse_expr(parser);

		if (!item)
			return NULL;
		add_item(parser, expr, item);
		if (!take_sign(parser, ','))
			break;
		if (is_sign(parser, end)) {
			unexpected(parser, "an expression");
			return NULL;
		}
	}
	return expect_sign(parser, end) == 0 ? finish(parser, expr) : NULL;
}

static struct expr *parse_list(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_LIST, token(parser)->at);
	const struct token *name = token(parser) + 1;

	parser->at++;
	if ((name->type == TOKEN_NAME || name->type == TOKEN_QUOTED) &&
	    is_word_at(parser, 1, "IN")) {
		struct expr *result = NULL;

		expr->type = EXPR_COMPREHENSION;
		if (parse_loop(parser, expr) != 0)
			return NULL;
		if (take_sign(parser, '|')) {
			result = parse_expr(parser);
			if (!result)
				return NULL;
		}
		add_item(parser, expr, result);
		return expect_sign(parser, ']') == 0 ? finish(parser, expr) : NULL;
	}
	if (is_path(parser))
		return parse_pattern_comprehension(parser, expr->at);
	return parse_items(parser, expr, ']');
}

struct expr *parse_map(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_MAP, token(parser)->at);
	uint32_t keys = 0, capacity = 0;

	if (enter(parser) != 0 || expect_sign(parser, '{') != 0)
		return NULL;
	while (!is_sign(parser, '}')) {
		const char *key = take_name(parser, "a key or '}'");
		struct expr *item = NULL;

		if (key && expect_sign(parser, ':') == 0)
			item = parse_expr(parser);
		if (!item)
			return NULL;
		ARENA_RESERVE(parser->arena, expr->keys, keys, capacity);
		expr->keys[keys++] = key;
		add_item(parser, expr, item);
		if (!take_sign(parser, ','))
			break;
	}
	leave(parser);
	return expect_sign(parser, '}') == 0 ? finish(parser, expr) : NULL;
}

static struct expr *parse_case(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_CASE, token(parser)->at), *part = NULL;

	parser->at++;
	if (!is_word(parser, "WHEN")) {
		part = parse_expr(parser);
		if (!part)
			return NULL;
	}
	add_item(parser, expr, part);
	if (!is_word(parser, "WHEN")) {
		unexpected(parser, "WHEN");
		return NULL;
	}
	while (take_word(parser, "WHEN")) {
		part = parse_expr(parser);
		if (!part || expect_word(parser, "THEN") != 0)
			return NULL;
		add_item(parser, expr, part);
		part = parse_expr(parser);
		if (!part)
			return NULL;
		add_item(parser, expr, part);
	}
	part = NULL;
	if (take_word(parser, "ELSE")) {
		part = parse_expr(parser);
		if (!part)
			return NULL;
	}
	add_item(parser, expr, part);
	return expect_word(parser, "END") == 0 ? finish(parser, expr) : NULL;
}

static struct expr *parse_call(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_CALL, token(parser)->at);

	expr->name = token(parser)->text;
	parser->at += 2; /* name ( */
	if (take_sign(parser, '*')) {
		expr->star = true;
	} else {
		expr->distinct = take_word(parser, "DISTINCT");
		return parse_items(parser, expr, ')');
	}
	return expect_sign(parser, ')') == 0 ? finish(parser, expr) : NULL;
}

static struct expr *parse_quantified(struct parser *parser, enum expr_type type)
{
	struct expr *expr = new_expr(parser, type, token(parser)->at);

	parser->at += 2;
	if (parse_loop(parser, expr) != 0 || expect_sign(parser, ')') != 0)
		return NULL;
	if (!expr->items[1]) {
		parse_fail(parser, expr->at, "%s(... IN ...) needs WHERE",
			   type == EXPR_ALL    ? "all"
			   : type == EXPR_ANY  ? "any"
			   : type == EXPR_NONE ? "none"
					       : "single");
		return NULL;
	}
	return finish(parser, expr);
}

/* An expression that ends with the sign, as the next item. */
static int take_item(struct parser *parser, struct expr *expr, char end)
{
	struct expr *item = parse_expr(parser);

	if (!item || expect_sign(parser, end) != 0)
		return -1;
	add_item(parser, expr, item);
	return 0;
}

/* reduce(sum = expr, name IN list | expr) */
static struct expr *parse_reduce(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_REDUCE, token(parser)->at);

	parser->at += 2;
	expr->second_name = take_name(parser, "a name");
	if (!expr->second_name || expect_sign(parser, '=') != 0 ||
	    take_item(parser, expr, ',') != 0)
		return NULL;
	expr->name = take_name(parser, "a name");
	if (!expr->name || expect_word(parser, "IN") != 0 || take_item(parser, expr, '|') != 0 ||
	    take_item(parser, expr, ')') != 0)
		return NULL;
	return finish(parser, expr);
}

/* all any none single, when "name IN" follows. */
static bool is_quantified(const struct parser *parser, enum expr_type *type)
{
	static const char *const words[] = {"all", "any", "none", "single"};

	for (unsigned i = 0; i < 4; i++)
		if (is_word(parser, words[i]) && token(parser)[1].sign == '(' &&
		    is_word_at(parser, 3, "IN")) {
			*type = EXPR_ALL + i;
			return true;
		}
	return false;
}

static struct expr *parse_named(struct parser *parser)
{
	const struct token *at = token(parser);
	enum expr_type quantified;
	struct expr *expr;

	if (is_word(parser, "true") || is_word(parser, "false"))
		return parse_literal(parser, value_boolean(is_word(parser, "true")));
	if (is_word(parser, "null"))
		return parse_literal(parser, (struct value){0});
	if (is_word(parser, "CASE") && at[1].sign != ')' && at[1].sign != ',' && at[1].sign != '.')
		return parse_case(parser);
	if (is_quantified(parser, &quantified))
		return parse_quantified(parser, quantified);
	if (at[1].sign == '{' &&
	    (is_word(parser, "EXISTS") || is_word(parser, "COUNT") || is_word(parser, "COLLECT")))
		return parse_subquery(parser);
	if ((is_word(parser, "shortestPath") || is_word(parser, "allShortestPaths")) &&
	    at[1].sign == '(') {
		parse_fail(parser, at->at, "%s() stands in MATCH, not in an expression", at->text);
		return NULL;
	}
	if (is_word(parser, "reduce") && at[1].sign == '(' && at[2].type != TOKEN_END &&
	    at[3].sign == '=')
		return parse_reduce(parser);
	if (at[1].sign == '(')
		return parse_call(parser);
	expr = new_expr(parser, EXPR_VARIABLE, at->at);
	expr->name = at->text;
	parser->at++;
	return finish(parser, expr);
}

static struct expr *parse_parameter(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_PARAMETER, token(parser)->at);

	expr->name = token(parser)->text;
	parser->at++;
	return finish(parser, expr);
}

struct expr *parse_atom(struct parser *parser)
{
	struct expr *expr;

	switch (token(parser)->type) {
	case TOKEN_INTEGER:
		return parse_integer(parser);
	case TOKEN_FLOAT:
		return parse_literal(parser, value_number(token(parser)->number));
	case TOKEN_STRING:
		return parse_literal(parser, value_text(token(parser)->text));
	case TOKEN_PARAMETER:
		return parse_parameter(parser);
	case TOKEN_NAME:
	case TOKEN_QUOTED:
		return parse_named(parser);
	default:
		break;
	}
	if (is_sign(parser, '['))
		return parse_list(parser);
	if (is_sign(parser, '{'))
		return parse_map(parser);
	if (is_pattern(parser))
		return parse_pattern_condition(parser);
	if (!is_sign(parser, '(')) {
		unexpected(parser, "an expression");
		return NULL;
	}
	parser->at++;
	expr = parse_expr(parser);
	return expr && expect_sign(parser, ')') == 0 ? expr : NULL;
}
