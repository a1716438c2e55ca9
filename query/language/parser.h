/*
 * query/language/parser.h: what the parts of the parser, parse.c (clauses and patterns),
 * parse_expr.c and parse_atom.c, know of each other.
 */
#ifndef VFLOW_QUERY_LANGUAGE_PARSER_H
#define VFLOW_QUERY_LANGUAGE_PARSER_H

#include "query/language/syntax.h"

struct parser {
	const char *text;
	const struct token *tokens;
	uint32_t at; /* current token */
	uint32_t depth;
	uint32_t clauses; /* so far, of the query and its subqueries */
	bool calls;       /* a label or type of query/calls.h was there */
	uint32_t deepest; /* depth of the expressions since the last reset */
	struct arena *arena;
	struct error *error;
};

static inline const struct token *token(const struct parser *parser)
{
	return &parser->tokens[parser->at];
}

bool is_sign(const struct parser *parser, char sign);
bool take_sign(struct parser *parser, char sign);
int expect_sign(struct parser *parser, char sign);
bool is_word(const struct parser *parser, const char *keyword);
/* Whether the token that is `ahead` tokens from here is the keyword. */
bool is_word_at(const struct parser *parser, uint32_t ahead, const char *keyword);
bool take_word(struct parser *parser, const char *keyword);
int expect_word(struct parser *parser, const char *keyword);
/* A name, NULL after an error; `what` it names is for the message. */
const char *take_name(struct parser *parser, const char *what);
int unexpected(struct parser *parser, const char *wanted);
int parse_fail(struct parser *parser, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int enter(struct parser *parser); /* one level deeper; -1: too deep */
void leave(struct parser *parser);

struct expr *parse_expr(struct parser *parser);
struct expr *parse_map(struct parser *parser);
struct expr *new_expr(struct parser *parser, enum expr_type type, uint32_t at);
struct expr *finish(struct parser *parser, struct expr *expr); /* NULL: too deep */
/* The item may be NULL where the type allows it. */
void add_item(struct parser *parser, struct expr *expr, struct expr *item);
struct expr *parse_atom(struct parser *parser);
/* Of the current token, which has the value. */
struct expr *parse_literal(struct parser *parser, struct value value);
int parse_labels(struct parser *parser, struct labels *labels);

/* Clauses up to the last RETURN, or up to `end` where that is not '\0'; -1 after an error. */
int parse_clauses(struct parser *parser, char end, struct clause **clauses, uint32_t *count,
		  uint32_t *capacity);
/* pattern {, pattern} [WHERE expr] */
int parse_patterns(struct parser *parser, struct match *match);
/* Whether a pattern with an edge starts here: (a)--(b); is_path: or name = (a)--(b). */
bool is_pattern(const struct parser *parser);
bool is_path(const struct parser *parser);
/* A pattern as a condition. */
struct expr *parse_pattern_condition(struct parser *parser);
/* After CALL: [(names)] { clauses }; -1 after an error. */
int parse_call_clause(struct parser *parser, struct clause *clause);
/* EXISTS, COUNT or COLLECT and '{' are here. */
struct expr *parse_subquery(struct parser *parser);
/* After '[': pattern [WHERE expr] | expr ']'. */
struct expr *parse_pattern_comprehension(struct parser *parser, uint32_t at);

/* node { edge node }; -1 after an error. */
int parse_chain(struct parser *parser, struct path_pattern *path);
/* name = selector chain; -1 after an error.  Also for tests that build graphs from patterns. */
int parse_path(struct parser *parser, struct path_pattern *path);

#endif
