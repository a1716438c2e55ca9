/* query/language/parse_subquery.c: patterns and whole queries inside expressions. */
#include <string.h>

#include "query/language/parser.h"

bool is_pattern(const struct parser *parser)
{
	const struct token *at = token(parser), *inside = at + 1, *after;

	if (at->sign != '(' || !at->partner)
		return false;
	if (inside->type != TOKEN_NAME && inside->type != TOKEN_QUOTED &&
	    inside->type != TOKEN_PARAMETER && inside->sign != ':' && inside->sign != '{' &&
	    inside->sign != ')')
		return false;
	/* (...)-[ (...)-- (...)<- */
	after = &parser->tokens[at->partner + 1];
	if (after->sign == '<' && after[1].sign == '-' && after->end == after[1].at)
		return after[2].sign == '[' || after[2].sign == '-';
	if (after->sign != '-')
		return false;
	return after[1].sign == '[' ||
	       (after[1].sign == '-' && (after[2].sign == '(' || after[2].sign == '>'));
}

static bool has_name(const struct parser *parser)
{
	const struct token *at = token(parser);

	return (at->type == TOKEN_NAME || at->type == TOKEN_QUOTED) && at[1].sign == '=';
}

bool is_path(const struct parser *parser)
{
	static const char *const selectors[] = {"ANY",   "ALL",   "SHORTEST", "PATH",
						"PATHS", "GROUP", "GROUPS"};
	struct parser ahead = *parser;

	if (!has_name(parser))
		return is_pattern(parser);
	ahead.at += 2;
	if (is_word(&ahead, "shortestPath") || is_word(&ahead, "allShortestPaths"))
		return true;
	for (size_t i = 0; i < sizeof(selectors) / sizeof(*selectors); i++) {
		take_word(&ahead, selectors[i]);
		ahead.at += token(&ahead)->type == TOKEN_INTEGER;
	}
	return is_pattern(&ahead);
}

/* What stands in the clauses and patterns of an expression makes it as deep as operators would. */
static struct expr *finish_around(struct parser *parser, struct expr *expr, uint32_t before)
{
	expr->depth = parser->deepest + 1;
	if (before > parser->deepest)
		parser->deepest = before;
	return finish(parser, expr);
}

struct expr *parse_pattern_condition(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_PATTERN, token(parser)->at);
	uint32_t deepest = parser->deepest;

	expr->match = arena_alloc(parser->arena, sizeof(*expr->match));
	expr->match->paths = arena_alloc(parser->arena, sizeof(*expr->match->paths));
	expr->match->count = expr->match->capacity = 1;
	expr->match->paths->at = expr->at;
	parser->deepest = 0;
	if (parse_chain(parser, expr->match->paths) != 0)
		return NULL;
	return finish_around(parser, expr, deepest);
}

static struct clause *add_clause(struct parser *parser, struct subquery *subquery,
				 enum clause_type type)
{
	struct clause *clause;

	ARENA_RESERVE(parser->arena, subquery->clauses, subquery->clause_count,
		      subquery->clause_capacity);
	clause = &subquery->clauses[subquery->clause_count++];
	*clause = (struct clause){.type = type, .at = token(parser)->at};
	return clause;
}

/* Clauses up to '}'. */
static int parse_inner(struct parser *parser, struct subquery *subquery)
{
	if (parse_clauses(parser, '}', &subquery->clauses, &subquery->clause_count,
			  &subquery->clause_capacity) != 0)
		return -1;
	for (uint32_t i = 0; i < subquery->clause_count; i++)
		if (subquery->clauses[i].type == CLAUSE_GRAPH)
			return parse_fail(parser, subquery->clauses[i].at,
					  "RETURN GRAPH cannot stand in a subquery");
	return 0;
}

static int parse_body(struct parser *parser, struct subquery *subquery)
{
	const struct token *at = token(parser);

	if (at->sign == '(' || has_name(parser) || is_word(parser, "SHORTEST") ||
	    is_word(parser, "ANY") || is_word(parser, "ALL") || is_word(parser, "shortestPath") ||
	    is_word(parser, "allShortestPaths"))
		return parse_patterns(parser, &add_clause(parser, subquery, CLAUSE_MATCH)->match);
	if (parse_inner(parser, subquery) != 0)
		return -1;
	if (subquery->clauses[subquery->clause_count - 1].type == CLAUSE_WITH)
		return unexpected(parser, "RETURN after WITH");
	return 0;
}

/* After '(': [ "*" | name { "," name } ] ")" */
static int parse_given(struct parser *parser, struct call *call)
{
	call->given = true;
	call->star = take_sign(parser, '*');
	if (call->star || is_sign(parser, ')'))
		return expect_sign(parser, ')');
	do {
		uint32_t at = token(parser)->at;
		const char *name = take_name(parser, "a variable");

		if (!name)
			return -1;
		ARENA_RESERVE(parser->arena, call->name_at, call->name_count, call->at_capacity);
		ARENA_RESERVE(parser->arena, call->names, call->name_count, call->name_capacity);
		call->name_at[call->name_count] = at;
		call->names[call->name_count++] = name;
	} while (take_sign(parser, ','));
	return expect_sign(parser, ')');
}

int parse_call_clause(struct parser *parser, struct clause *clause)
{
	struct call *call = arena_alloc(parser->arena, sizeof(*call));
	struct subquery *body = &call->body;
	int result;

	clause->type = CLAUSE_CALL;
	clause->call = call;
	if (token(parser)->type == TOKEN_NAME || token(parser)->type == TOKEN_QUOTED)
		return parse_fail(
			parser, token(parser)->at,
			"there are no procedures in this language: CALL { ... RETURN ... } "
			"runs clauses for each row");
	if (take_sign(parser, '(') && parse_given(parser, call) != 0)
		return -1;
	if (expect_sign(parser, '{') != 0 || enter(parser) != 0)
		return -1;
	result = parse_inner(parser, body);
	leave(parser);
	if (result != 0)
		return -1;
	if (body->clauses[body->clause_count - 1].type != CLAUSE_RETURN)
		return parse_fail(parser, token(parser)->at,
				  "a CALL without RETURN could only write, and this language only "
				  "reads: end it with RETURN");
	return expect_sign(parser, '}');
}

struct expr *parse_subquery(struct parser *parser)
{
	struct expr *expr = new_expr(parser, EXPR_SUBQUERY, token(parser)->at);
	struct subquery *subquery = arena_alloc(parser->arena, sizeof(*subquery));
	const struct clause *last;
	uint32_t deepest = parser->deepest;

	parser->deepest = 0;
	expr->subquery = subquery;
	subquery->type = is_word(parser, "EXISTS")  ? SUBQUERY_EXISTS
			 : is_word(parser, "COUNT") ? SUBQUERY_COUNT
						    : SUBQUERY_COLLECT;
	parser->at += 2; /* word { */
	if (enter(parser) != 0 || parse_body(parser, subquery) != 0)
		return NULL;
	leave(parser);
	last = &subquery->clauses[subquery->clause_count - 1];
	if (subquery->type == SUBQUERY_COLLECT && last->type != CLAUSE_RETURN) {
		unexpected(parser, "RETURN, with what is collected,");
		return NULL;
	}
	for (uint32_t i = 0; subquery->type == SUBQUERY_COLLECT && i < subquery->clause_count;
	     i++) {
		const struct clause *clause = &subquery->clauses[i];

		if (clause->type != CLAUSE_RETURN ||
		    (!clause->projection.star && clause->projection.count == 1))
			continue;
		parse_fail(parser, clause->at, "COLLECT { } returns one column");
		return NULL;
	}
	return expect_sign(parser, '}') == 0 ? finish_around(parser, expr, deepest) : NULL;
}

struct expr *parse_pattern_comprehension(struct parser *parser, uint32_t at)
{
	struct expr *expr = new_expr(parser, EXPR_SUBQUERY, at);
	struct subquery *subquery = arena_alloc(parser->arena, sizeof(*subquery));
	struct match *match = &add_clause(parser, subquery, CLAUSE_MATCH)->match;
	struct projection *projection;
	uint32_t deepest = parser->deepest;

	parser->deepest = 0;
	expr->subquery = subquery;
	subquery->type = SUBQUERY_COLLECT;
	ARENA_RESERVE(parser->arena, match->paths, match->count, match->capacity);
	match->paths[match->count] = (struct path_pattern){0};
	if (parse_path(parser, &match->paths[match->count++]) != 0)
		return NULL;
	if (take_word(parser, "WHERE")) {
		match->where = parse_expr(parser);
		if (!match->where)
			return NULL;
	}
	if (expect_sign(parser, '|') != 0)
		return NULL;
	projection = &add_clause(parser, subquery, CLAUSE_RETURN)->projection;
	ARENA_RESERVE(parser->arena, projection->items, projection->count, projection->capacity);
	projection->items[projection->count++] =
		(struct item){.expr = parse_expr(parser), .name = "", .aliased = true};
	if (!projection->items[0].expr)
		return NULL;
	return expect_sign(parser, ']') == 0 ? finish_around(parser, expr, deepest) : NULL;
}
