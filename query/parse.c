/*
 * query/parse.c: clauses and patterns, by recursive descent.  The grammar is in vflow-query(1).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/parser.h"
#include "query/regex.h"
#include "util/memory.h"

/* -- tokens -- */

bool is_sign(const struct parser *parser, char sign)
{
	return token(parser)->sign == sign;
}

bool take_sign(struct parser *parser, char sign)
{
	if (!is_sign(parser, sign))
		return false;
	parser->at++;
	return true;
}

bool is_word_at(const struct parser *parser, uint32_t ahead, const char *keyword)
{
	for (uint32_t i = 0; i < ahead; i++)
		if (parser->tokens[parser->at + i].type == TOKEN_END)
			return false;
	return parser->tokens[parser->at + ahead].type == TOKEN_NAME &&
	       !strcasecmp(parser->tokens[parser->at + ahead].text, keyword);
}

bool is_word(const struct parser *parser, const char *keyword)
{
	return is_word_at(parser, 0, keyword);
}

bool take_word(struct parser *parser, const char *keyword)
{
	if (!is_word(parser, keyword))
		return false;
	parser->at++;
	return true;
}

int parse_fail(struct parser *parser, uint32_t at, const char *format, ...)
{
	char message[500];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return query_error_at(parser->error, parser->text, at, "%s", message);
}

int unexpected(struct parser *parser, const char *wanted)
{
	static const char *const keywords[] = {
		"MATCH",    "OPTIONAL", "WHERE",    "WITH", "UNWIND", "RETURN", "GRAPH",
		"DISTINCT", "ORDER",    "BY",       "SKIP", "LIMIT",  "AS",     "ASC",
		"DESC",     "AND",      "OR",       "XOR",  "NOT",    "IN",     "STARTS",
		"ENDS",     "CONTAINS", "IS",       "NULL", "CASE",   "WHEN",   "THEN",
		"ELSE",     "END",      "SHORTEST", "ANY",  "ALL"};
	static const char *const foreign[] = {"CREATE",  "MERGE",  "DELETE", "DETACH", "SET",
					      "REMOVE",  "CALL",   "UNION",  "LOAD",   "USE",
					      "FOREACH", "INSERT", "LET",    "FILTER"};
	const struct token *at = token(parser);
	const char *nearest = NULL;

	if (at->type == TOKEN_END)
		return parse_fail(parser, at->at, "the query ends here: expected %s", wanted);
	if (at->type == TOKEN_NAME) {
		for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
			if (!strcasecmp(at->text, foreign[i]))
				return parse_fail(parser, at->at,
						  "%s is not in this language, which only reads "
						  "one graph: expected %s",
						  foreign[i], wanted);
		nearest = query_nearest(at->text, keywords, sizeof(keywords) / sizeof(*keywords));
		if (nearest && !strcasecmp(nearest, at->text))
			nearest = NULL;
	}
	return parse_fail(parser, at->at, "expected %s, not '%.*s'%s%s%s", wanted,
			  at->end - at->at > 40 ? 40 : (int)(at->end - at->at),
			  parser->text + at->at, nearest ? "; did you mean " : "",
			  nearest ? nearest : "", nearest ? "?" : "");
}

int expect_sign(struct parser *parser, char sign)
{
	char wanted[] = {'\'', sign, '\'', '\0'};

	return take_sign(parser, sign) ? 0 : unexpected(parser, wanted);
}

int expect_word(struct parser *parser, const char *keyword)
{
	return take_word(parser, keyword) ? 0 : unexpected(parser, keyword);
}

const char *take_name(struct parser *parser, const char *what)
{
	const struct token *at = token(parser);

	if (at->type != TOKEN_NAME && at->type != TOKEN_QUOTED) {
		unexpected(parser, what);
		return NULL;
	}
	parser->at++;
	return at->text;
}

int enter(struct parser *parser)
{
	if (++parser->depth > DEPTH_LIMIT)
		return parse_fail(parser, token(parser)->at,
				  "too deep: at most %d levels of brackets and operators",
				  DEPTH_LIMIT);
	return 0;
}

void leave(struct parser *parser)
{
	parser->depth--;
}

/* -- patterns -- */

int parse_labels(struct parser *parser, struct labels *labels)
{
	bool alternative = false;

	for (;;) {
		struct label_term *term;
		bool negated = take_sign(parser, '!');
		uint32_t at = token(parser)->at;
		const char *name = take_name(parser, "a label or type");

		if (!name)
			return -1;
		ARENA_RESERVE(parser->arena, labels->terms, labels->count, labels->capacity);
		term = &labels->terms[labels->count++];
		*term = (struct label_term){name, negated, alternative, at};
		if (take_sign(parser, '|')) {
			alternative = true;
			take_sign(parser, ':');
		} else if (take_sign(parser, '&') || take_sign(parser, ':')) {
			alternative = false;
		} else {
			return 0;
		}
	}
}

/* What a node and an edge have in common, the range of an edge between the labels and the map. */
static int parse_filters(struct parser *parser, struct element *element)
{
	if (is_sign(parser, '{')) {
		element->properties = parse_map(parser);
		if (!element->properties)
			return -1;
	} else if (token(parser)->type == TOKEN_PARAMETER) {
		element->properties = new_expr(parser, EXPR_PARAMETER, token(parser)->at);
		element->properties->name = token(parser)->text;
		element->properties->end = token(parser)->end;
		parser->at++;
	}
	if (take_word(parser, "WHERE")) {
		element->where = parse_expr(parser);
		if (!element->where)
			return -1;
	}
	return 0;
}

static int parse_head(struct parser *parser, struct element *element)
{
	const struct token *at = token(parser);

	element->at = at->at;
	if (at->type == TOKEN_QUOTED ||
	    (at->type == TOKEN_NAME &&
	     !(is_word(parser, "WHERE") && !parser->tokens[parser->at + 1].sign))) {
		element->name = at->text;
		parser->at++;
	}
	return take_sign(parser, ':') ? parse_labels(parser, &element->labels) : 0;
}

static int parse_node(struct parser *parser, struct element *node)
{
	if (!is_sign(parser, '('))
		return unexpected(parser, "a vertex in parentheses");
	parser->at++;
	if (parse_head(parser, node) != 0 || parse_filters(parser, node) != 0)
		return -1;
	return expect_sign(parser, ')');
}

static int take_count(struct parser *parser, uint32_t *count)
{
	const struct token *at = token(parser);

	if (at->type != TOKEN_INTEGER)
		return 0;
	if (at->integer >= UNBOUNDED)
		return parse_fail(parser, at->at, "this length is too large");
	*count = (uint32_t)at->integer;
	parser->at++;
	return 1;
}

/* After '*': [digits] [".." [digits]]. */
static int parse_range(struct parser *parser, struct edge_pattern *edge)
{
	int found;

	edge->variable = true;
	edge->least = 1;
	edge->most = UNBOUNDED;
	found = take_count(parser, &edge->least);
	if (found < 0)
		return -1;
	if (found)
		edge->most = edge->least;
	if (token(parser)->type == TOKEN_DOTS) {
		parser->at++;
		edge->most = UNBOUNDED;
		if (take_count(parser, &edge->most) < 0)
			return -1;
	}
	return 0;
}

/* After the arrow: + * {m} {m,} {,n} {m,n}. */
static int parse_quantifier(struct parser *parser, struct edge_pattern *edge)
{
	uint32_t at = token(parser)->at;
	int found;

	if (!is_sign(parser, '+') && !is_sign(parser, '*') && !is_sign(parser, '{'))
		return 0;
	if (edge->variable)
		return parse_fail(parser, at, "this edge has a range already");
	edge->variable = true;
	edge->most = UNBOUNDED;
	edge->least = is_sign(parser, '+');
	if (!take_sign(parser, '{')) {
		parser->at++;
		return 0;
	}
	found = take_count(parser, &edge->least);
	if (found < 0)
		return -1;
	if (take_sign(parser, ',')) {
		if (take_count(parser, &edge->most) < 0)
			return -1;
	} else if (found) {
		edge->most = edge->least;
	} else {
		return unexpected(parser, "a length");
	}
	return expect_sign(parser, '}');
}

static int parse_edge(struct parser *parser, struct edge_pattern *edge)
{
	edge->least = edge->most = 1;
	edge->element.at = token(parser)->at;
	edge->to_left = take_sign(parser, '<');
	if (expect_sign(parser, '-') != 0)
		return -1;
	if (take_sign(parser, '[')) {
		if (parse_head(parser, &edge->element) != 0 ||
		    (take_sign(parser, '*') && parse_range(parser, edge) != 0) ||
		    parse_filters(parser, &edge->element) != 0 || expect_sign(parser, ']') != 0)
			return -1;
	}
	if (expect_sign(parser, '-') != 0)
		return -1;
	edge->to_right = take_sign(parser, '>');
	return parse_quantifier(parser, edge);
}

int parse_chain(struct parser *parser, struct path_pattern *path)
{
	for (;;) {
		ARENA_RESERVE(parser->arena, path->nodes, path->edge_count, path->node_capacity);
		path->nodes[path->edge_count] = (struct element){0};
		if (parse_node(parser, &path->nodes[path->edge_count]) != 0)
			return -1;
		if (!is_sign(parser, '-') && !is_sign(parser, '<'))
			return 0;
		if (path->edge_count == CHAIN_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a pattern has at most %d edges", CHAIN_LIMIT);
		ARENA_RESERVE(parser->arena, path->edges, path->edge_count, path->edge_capacity);
		path->edges[path->edge_count] = (struct edge_pattern){0};
		if (parse_edge(parser, &path->edges[path->edge_count]) != 0)
			return -1;
		path->edge_count++;
	}
}

static int parse_selector(struct parser *parser, struct path_pattern *path)
{
	if (is_word(parser, "ANY") || is_word(parser, "ALL")) {
		path->selector = is_word(parser, "ANY") ? SELECT_ANY_SHORTEST : SELECT_ALL_SHORTEST;
		parser->at++;
		return expect_word(parser, "SHORTEST");
	}
	if (is_word(parser, "SHORTEST"))
		return parse_fail(parser, token(parser)->at,
				  "SHORTEST k is not in this language: ANY SHORTEST or ALL "
				  "SHORTEST");
	if (is_word(parser, "shortestPath") || is_word(parser, "allShortestPaths")) {
		path->selector =
			is_word(parser, "shortestPath") ? SELECT_ANY_SHORTEST : SELECT_ALL_SHORTEST;
		path->legacy = true;
		parser->at++;
		return expect_sign(parser, '(');
	}
	return 0;
}

int parse_path(struct parser *parser, struct path_pattern *path)
{
	path->at = token(parser)->at;
	if ((token(parser)->type == TOKEN_NAME || token(parser)->type == TOKEN_QUOTED) &&
	    parser->tokens[parser->at + 1].sign == '=') {
		path->name = token(parser)->text;
		parser->at += 2;
	}
	if (parse_selector(parser, path) != 0 || parse_chain(parser, path) != 0)
		return -1;
	return path->legacy ? expect_sign(parser, ')') : 0;
}

/* -- clauses -- */

static int parse_match(struct parser *parser, struct clause *clause)
{
	struct match *match = &clause->match;

	clause->type = CLAUSE_MATCH;
	match->optional = take_word(parser, "OPTIONAL");
	if (expect_word(parser, "MATCH") != 0)
		return -1;
	do {
		if (match->count == CLAUSE_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a MATCH has at most %d patterns", CLAUSE_LIMIT);
		ARENA_RESERVE(parser->arena, match->paths, match->count, match->capacity);
		match->paths[match->count] = (struct path_pattern){0};
		if (parse_path(parser, &match->paths[match->count++]) != 0)
			return -1;
	} while (take_sign(parser, ','));
	if (take_word(parser, "WHERE")) {
		match->where = parse_expr(parser);
		if (!match->where)
			return -1;
	}
	return 0;
}

static int parse_item(struct parser *parser, struct projection *projection)
{
	uint32_t from = token(parser)->at;
	struct item *item;

	ARENA_RESERVE(parser->arena, projection->items, projection->count, projection->capacity);
	item = &projection->items[projection->count++];
	*item = (struct item){.expr = parse_expr(parser)};
	if (!item->expr)
		return -1;
	if (take_word(parser, "AS")) {
		item->aliased = true;
		item->name = take_name(parser, "a name");
		return item->name ? 0 : -1;
	}
	item->name = item->expr->type == EXPR_VARIABLE
			     ? item->expr->name
			     : arena_text(parser->arena, parser->text + from,
					  parser->tokens[parser->at - 1].end - from);
	return 0;
}

static int parse_sort(struct parser *parser, struct projection *projection)
{
	struct sort *sort;

	ARENA_RESERVE(parser->arena, projection->sorts, projection->sort_count,
		      projection->sort_capacity);
	sort = &projection->sorts[projection->sort_count++];
	*sort = (struct sort){.expr = parse_expr(parser)};
	if (!sort->expr)
		return -1;
	sort->descending = take_word(parser, "DESC") || take_word(parser, "DESCENDING");
	if (!sort->descending && !take_word(parser, "ASC"))
		take_word(parser, "ASCENDING");
	return 0;
}

static int parse_projection(struct parser *parser, struct projection *projection)
{
	projection->distinct = take_word(parser, "DISTINCT");
	if (take_sign(parser, '*'))
		projection->star = true;
	else if (parse_item(parser, projection) != 0)
		return -1;
	while (take_sign(parser, ','))
		if (parse_item(parser, projection) != 0)
			return -1;
	if (take_word(parser, "ORDER")) {
		if (expect_word(parser, "BY") != 0)
			return -1;
		do
			if (parse_sort(parser, projection) != 0)
				return -1;
		while (take_sign(parser, ','));
	}
	if (take_word(parser, "SKIP")) {
		projection->skip = parse_expr(parser);
		if (!projection->skip)
			return -1;
	}
	if (take_word(parser, "LIMIT")) {
		projection->limit = parse_expr(parser);
		if (!projection->limit)
			return -1;
	}
	return 0;
}

static int parse_unwind(struct parser *parser, struct clause *clause)
{
	clause->type = CLAUSE_UNWIND;
	clause->list = parse_expr(parser);
	if (!clause->list || expect_word(parser, "AS") != 0)
		return -1;
	clause->name = take_name(parser, "a name");
	return clause->name ? 0 : -1;
}

static int parse_with(struct parser *parser, struct clause *clause)
{
	clause->type = CLAUSE_WITH;
	if (parse_projection(parser, &clause->projection) != 0)
		return -1;
	if (take_word(parser, "WHERE")) {
		clause->projection.where = parse_expr(parser);
		if (!clause->projection.where)
			return -1;
	}
	return 0;
}

/* Whether RETURN GRAPH starts here and not the variable `graph`. */
static bool is_graph(const struct parser *parser)
{
	const struct token *next = token(parser) + 1;

	return is_word(parser, "GRAPH") &&
	       (next->type == TOKEN_NAME || next->type == TOKEN_QUOTED || next->type == TOKEN_END ||
		next->sign == ';') &&
	       !is_word_at(parser, 1, "AS") && !is_word_at(parser, 1, "ORDER") &&
	       !is_word_at(parser, 1, "SKIP") && !is_word_at(parser, 1, "LIMIT");
}

static int parse_return(struct parser *parser, struct clause *clause)
{
	if (!is_graph(parser)) {
		clause->type = CLAUSE_RETURN;
		return parse_projection(parser, &clause->projection);
	}
	clause->type = CLAUSE_GRAPH;
	parser->at++;
	if (token(parser)->type == TOKEN_END || is_sign(parser, ';'))
		return 0;
	do {
		uint32_t at = token(parser)->at;
		const char *name = take_name(parser, "a variable");

		if (!name)
			return -1;
		ARENA_RESERVE(parser->arena, clause->name_at, clause->name_count,
			      clause->at_capacity);
		ARENA_RESERVE(parser->arena, clause->names, clause->name_count,
			      clause->name_capacity);
		clause->name_at[clause->name_count] = at;
		clause->names[clause->name_count++] = name;
	} while (take_sign(parser, ','));
	return 0;
}

static int parse_clause(struct parser *parser, struct clause *clause)
{
	clause->at = token(parser)->at;
	if (is_word(parser, "MATCH") || is_word(parser, "OPTIONAL"))
		return parse_match(parser, clause);
	if (take_word(parser, "UNWIND"))
		return parse_unwind(parser, clause);
	if (take_word(parser, "WITH"))
		return parse_with(parser, clause);
	if (take_word(parser, "RETURN"))
		return parse_return(parser, clause);
	return unexpected(parser, "MATCH, WITH, UNWIND or RETURN");
}

static int parse_query(struct parser *parser, struct query *query)
{
	struct clause *clause;

	do {
		if (query->clause_count == CLAUSE_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a query has at most %d clauses", CLAUSE_LIMIT);
		ARENA_RESERVE(parser->arena, query->clauses, query->clause_count,
			      query->clause_capacity);
		clause = &query->clauses[query->clause_count++];
		*clause = (struct clause){0};
		if (parse_clause(parser, clause) != 0)
			return -1;
	} while (clause->type != CLAUSE_RETURN && clause->type != CLAUSE_GRAPH);
	take_sign(parser, ';');
	return token(parser)->type == TOKEN_END ? 0 : unexpected(parser, "the end of the query");
}

struct query *query_parse(const char *text, struct error *error)
{
	struct query *query = xcalloc(1, sizeof(*query));
	struct parser parser = {.error = error, .arena = &query->arena};

	if (strlen(text) <= QUERY_LIMIT)
		text = arena_text(&query->arena, text, strlen(text));
	query->text = parser.text = text;
	parser.tokens = lex(text, &query->arena, error);
	if (parser.tokens && parse_query(&parser, query) == 0)
		return query;
	query_free(query);
	return NULL;
}

struct expr *query_parse_expression(const char *text, struct query *query, struct error *error)
{
	struct parser parser = {.text = text, .error = error, .arena = &query->arena};
	struct expr *expr;

	parser.tokens = lex(text, &query->arena, error);
	expr = parser.tokens ? parse_expr(&parser) : NULL;
	if (expr && token(&parser)->type != TOKEN_END) {
		unexpected(&parser, "the end of the value");
		return NULL;
	}
	return expr;
}

void query_free(struct query *query)
{
	if (!query)
		return;
	for (struct expr *expr = query->regexes; expr; expr = expr->next_regex) {
		regex_free(expr->regex);
		free(expr->regex_text);
	}
	for (uint32_t i = 0; i < query->note_count; i++)
		free(query->notes[i]);
	free(query->notes);
	arena_free(&query->arena);
	free(query);
}
