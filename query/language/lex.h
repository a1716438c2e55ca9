/*
 * query/language/lex.h: the words of a query, all of them at once: the parser looks ahead.
 */
#ifndef VFLOW_QUERY_LANGUAGE_LEX_H
#define VFLOW_QUERY_LANGUAGE_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "query/arena.h"
#include "util/error.h"

enum token_type {
	TOKEN_END,
	TOKEN_NAME,      /* text: the name */
	TOKEN_QUOTED,    /* a name in backticks: never a keyword */
	TOKEN_INTEGER,   /* integer; may be 2^63, for "-9223372036854775808" */
	TOKEN_FLOAT,     /* number */
	TOKEN_STRING,    /* text: without quotes and escapes */
	TOKEN_PARAMETER, /* text: the name without '$' */
	TOKEN_DOTS,      /* ".." */
	TOKEN_NOT_EQUAL, /* "<>" */
	TOKEN_AT_MOST,   /* "<=" */
	TOKEN_AT_LEAST,  /* ">=" */
	TOKEN_MATCHES,   /* "=~" */
	TOKEN_SIGN,      /* any other character: sign */
};

struct token {
	enum token_type type;
	char sign;
	uint32_t at, end; /* bytes in the query */
	uint32_t partner; /* of ( [ {: the token that closes it, 0: none */
	const char *text;
	uint64_t integer;
	double number;
};

enum { QUERY_LIMIT = 256 * 1024 }; /* bytes */

/* The last token is TOKEN_END.  NULL when the text has no meaning; error has a caret. */
struct token *lex(const char *text, struct arena *arena, struct error *error);

/* Where the text is not UTF-8; its length when all of it is. */
uint32_t query_valid_length(const char *text);

/* "line 1, column 8: message", the line and a caret under the place.  Returns -1. */
int query_error_at(struct error *error, const char *text, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
