/*
 * query/language/parse.c: words and clauses, by recursive descent.  The grammar is in
 * vflow-query(1).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/language/parser.h"
#include "util/regex.h"
#include "util/memory.h"
#include "util/nearest.h"

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

/* How other languages write what is here; NULL: no such thing. */
static const char *foreign_spelling(const struct parser *parser)
{
	const struct token *at = token(parser);
	char before = parser->at ? at[-1].sign : '\0',
	     next = at->type == TOKEN_END ? '\0' : at[1].sign;

	if (before == '=' && at->sign == '=')
		return "one '=' compares";
	if (at->sign == '!' && next == '=')
		return "not equal is written <>";
	if (at->sign == '!')
		return "NOT is written in letters";
	if ((before == '&' && at->sign == '&') || (at->sign == '&' && next == '&'))
		return "AND is written in letters";
	if (at->sign == '|' && next == '|')
		return "OR is written in letters";
	if (before == '-' && at->sign == '>')
		return "an arrow without brackets is written -->";
	if (is_word(parser, "LIKE") || is_word(parser, "ILIKE"))
		return "LIKE is not in this language: CONTAINS, STARTS WITH, ENDS WITH, or =~ with "
		       "a "
		       "regular expression";
	if (is_word(parser, "SELECT") || is_word(parser, "FROM"))
		return "this is not SQL: MATCH (v:kernel) RETURN v.name";
	return NULL;
}

const char *const query_keywords[] = {
	"MATCH",      "OPTIONAL", "WHERE", "WITH",     "UNWIND", "RETURN", "GRAPH",     "DISTINCT",
	"ORDER",      "BY",       "SKIP",  "LIMIT",    "AS",     "ASC",    "ASCENDING", "DESC",
	"DESCENDING", "AND",      "OR",    "XOR",      "NOT",    "IN",     "STARTS",    "ENDS",
	"CONTAINS",   "IS",       "NULL",  "TRUE",     "FALSE",  "EXISTS", "CASE",      "WHEN",
	"THEN",       "ELSE",     "END",   "SHORTEST", "ANY",    "ALL",    "PATH",      "PATHS",
	"GROUP",      "GROUPS",   "UNION", "EXPLAIN",  "CALL",   NULL};

enum { KEYWORDS = sizeof(query_keywords) / sizeof(*query_keywords) - 1 };

int unexpected(struct parser *parser, const char *wanted)
{
	static const char *const foreign[] = {"CREATE",  "MERGE",  "DELETE", "DETACH",
					      "SET",     "REMOVE", "LOAD",   "USE",
					      "FOREACH", "INSERT", "LET",    "FILTER"};
	const struct token *at = token(parser);
	const char *nearest = NULL;

	if (at->type == TOKEN_END || at->sign == ';')
		return parse_fail(parser, at->at, "the query ends here: expected %s", wanted);
	if (foreign_spelling(parser))
		return parse_fail(parser, at->at, "%s", foreign_spelling(parser));
	if (at->type == TOKEN_NAME) {
		for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
			if (!strcasecmp(at->text, foreign[i]))
				return parse_fail(parser, at->at,
						  "%s is not in this language, which only reads "
						  "one graph: expected %s",
						  foreign[i], wanted);
		nearest = nearest_word(at->text, query_keywords, KEYWORDS);
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

/* -- clauses -- */

int parse_patterns(struct parser *parser, struct match *match)
{
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

/* MATCH or CALL, or OPTIONAL and one of them. */
static int parse_rows(struct parser *parser, struct clause *clause)
{
	bool optional = take_word(parser, "OPTIONAL");

	if (take_word(parser, "CALL")) {
		if (parse_call_clause(parser, clause) != 0)
			return -1;
		clause->call->optional = optional;
		return 0;
	}
	clause->type = CLAUSE_MATCH;
	clause->match.optional = optional;
	if (!take_word(parser, "MATCH"))
		return unexpected(parser, "MATCH or CALL");
	return parse_patterns(parser, &clause->match);
}

static int parse_item(struct parser *parser, struct projection *projection)
{
	uint32_t from = token(parser)->at;
	struct item *item;

	if (projection->count == COLUMN_LIMIT)
		return parse_fail(parser, from, "RETURN and WITH have at most %d columns",
				  COLUMN_LIMIT);
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

	if (projection->sort_count == COLUMN_LIMIT)
		return parse_fail(parser, token(parser)->at, "ORDER BY has at most %d keys",
				  COLUMN_LIMIT);
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
	if (token(parser)->type == TOKEN_END || is_sign(parser, ';') || is_word(parser, "UNION"))
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
	if (is_word(parser, "MATCH") || is_word(parser, "OPTIONAL") || is_word(parser, "CALL"))
		return parse_rows(parser, clause);
	if (take_word(parser, "UNWIND"))
		return parse_unwind(parser, clause);
	if (take_word(parser, "WITH"))
		return parse_with(parser, clause);
	if (take_word(parser, "RETURN"))
		return parse_return(parser, clause);
	return unexpected(parser, "MATCH, WITH, UNWIND, CALL or RETURN");
}

/* After a RETURN: whether another part follows; -1 after an error. */
static int parse_union(struct parser *parser, struct clause *clause, enum union_type before)
{
	uint32_t at = token(parser)->at;

	if (!take_word(parser, "UNION"))
		return 0;
	clause->then = take_word(parser, "ALL") ? UNION_ALL : UNION_DISTINCT;
	if (clause->then == UNION_DISTINCT)
		take_word(parser, "DISTINCT");
	if (before && before != clause->then)
		return parse_fail(parser, at, "UNION and UNION ALL cannot stand in one query");
	return 1;
}

int parse_clauses(struct parser *parser, char end, struct clause **clauses, uint32_t *count,
		  uint32_t *capacity)
{
	enum union_type united = UNION_NONE;
	struct clause *clause;
	bool returned;
	int more;

	do {
		if (*count == CLAUSE_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a query has at most %d clauses", CLAUSE_LIMIT);
		if (parser->clauses++ == CLAUSES_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a query has at most %d clauses, those of its subqueries "
					  "included",
					  CLAUSES_LIMIT);
		ARENA_RESERVE(parser->arena, *clauses, *count, *capacity);
		clause = &(*clauses)[(*count)++];
		*clause = (struct clause){0};
		if (parse_clause(parser, clause) != 0)
			return -1;
		returned = clause->type == CLAUSE_RETURN || clause->type == CLAUSE_GRAPH;
		more = returned ? parse_union(parser, clause, united)
				: !(end && is_sign(parser, end));
		united = clause->then ? clause->then : united;
	} while (more > 0);
	if (more == 0 && united && !returned)
		return unexpected(parser, "RETURN");
	return more;
}

static int parse_query(struct parser *parser, struct query *query)
{
	query->explain = take_word(parser, "EXPLAIN");
	if (parse_clauses(parser, '\0', &query->clauses, &query->clause_count,
			  &query->clause_capacity) != 0)
		return -1;
	if (take_sign(parser, ';') && token(parser)->type != TOKEN_END)
		return parse_fail(parser, token(parser)->at,
				  "this is one query after another: vflow query -i takes several");
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
	if (parser.tokens && parse_query(&parser, query) == 0) {
		query->calls = parser.calls;
		return query;
	}
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
