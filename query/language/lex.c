#include "query/language/lex.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

struct lexer {
	const char *text;
	uint32_t at;
	struct arena *arena;
	struct error *error;
	struct token *tokens;
	uint32_t count, capacity;
};

/* -- messages -- */

enum { SHOWN = 100 }; /* bytes of the line that are shown */

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

int query_error_at(struct error *error, const char *text, uint32_t at, const char *format, ...)
{
	char message[600], *shown, *before;
	uint32_t line = 1, start = 0, column = 1, from, until;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	for (uint32_t i = 0; i < at && text[i]; i++)
		if (text[i] == '\n') {
			line++;
			start = i + 1;
		}
	for (uint32_t i = start; i < at && text[i]; i++)
		column += !is_continuation(text[i]);
	from = at - start > SHOWN / 2 ? at - SHOWN / 2 : start;
	while (from > start && is_continuation(text[from]))
		from--;
	until = from + (uint32_t)strcspn(text + from, "\n");
	if (until - from > SHOWN)
		until = from + SHOWN;
	while (until > from && is_continuation(text[until]))
		until--;
	if (until < at)
		until = at;
	shown = text_clean(text + from, until - from, 0);
	before = text_clean(text + from, at - from, 0);
	from = 0;
	for (const char *c = before; *c; c++)
		from += !is_continuation(*c);
	error_set(error, "line %" PRIu32 ", column %" PRIu32 ": %s\n  %s\n  %*s^", line, column,
		  message, shown, (int)from, "");
	free(shown);
	free(before);
	return -1;
}

/* -- words -- */

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool is_name_part(char c)
{
	return is_name_start(c) || isdigit((unsigned char)c);
}

static struct token *add(struct lexer *lexer, enum token_type type, uint32_t from)
{
	struct token *token;

	ARENA_RESERVE(lexer->arena, lexer->tokens, lexer->count, lexer->capacity);
	token = &lexer->tokens[lexer->count++];
	*token = (struct token){.type = type, .at = from, .end = lexer->at};
	return token;
}

static int fail(struct lexer *lexer, uint32_t at, const char *what)
{
	return query_error_at(lexer->error, lexer->text, at, "%s", what);
}

/* Spaces and comments.  -1: a comment does not end. */
static int skip_space(struct lexer *lexer)
{
	const char *text = lexer->text;

	for (;;) {
		char c = text[lexer->at];

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			lexer->at++;
		} else if (c == '/' && text[lexer->at + 1] == '/') {
			lexer->at += (uint32_t)strcspn(text + lexer->at, "\n");
		} else if (c == '/' && text[lexer->at + 1] == '*') {
			const char *end = strstr(text + lexer->at + 2, "*/");

			if (!end)
				return fail(lexer, lexer->at, "this comment does not end");
			lexer->at = (uint32_t)(end + 2 - text);
		} else {
			return 0;
		}
	}
}

static int lex_radix(struct lexer *lexer, uint32_t from, int radix)
{
	const char *digits = lexer->text + from + 2;
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(digits, &end, radix);
	if (!isxdigit((unsigned char)*digits) || end == digits || is_name_part(*end))
		return fail(lexer, from, "this number is malformed");
	if (errno || value > (uint64_t)INT64_MAX + 1)
		return fail(lexer, from, "this number does not fit 64 bits");
	lexer->at = (uint32_t)(end - lexer->text);
	add(lexer, TOKEN_INTEGER, from)->integer = value;
	return 0;
}

/* Length of K, KB, KiB (M, G, T) at the place, 0: no size. */
static uint32_t suffix_length(const char *text)
{
	uint32_t length = 1;

	if (!*text || !strchr("KMGT", *text))
		return 0;
	if (text[1] == 'B')
		length = 2;
	else if (text[1] == 'i' && text[2] == 'B')
		length = 3;
	return is_name_part(text[length]) ? 0 : length;
}

static int lex_float(struct lexer *lexer, uint32_t from, uint32_t at)
{
	const char *text = lexer->text;
	double value;

	while (isdigit((unsigned char)text[at]))
		at++;
	if (text[at] == 'e' || text[at] == 'E') {
		at++;
		at += text[at] == '-' || text[at] == '+';
		if (!isdigit((unsigned char)text[at]))
			return fail(lexer, from, "this number is malformed");
		while (isdigit((unsigned char)text[at]))
			at++;
	}
	if (is_name_part(text[at]))
		return fail(lexer, from, "this number is malformed");
	value = strtod(text + from, NULL);
	if (!isfinite(value))
		return fail(lexer, from, "this number is too large");
	lexer->at = at;
	add(lexer, TOKEN_FLOAT, from)->number = value;
	return 0;
}

static int lex_number(struct lexer *lexer)
{
	const char *text = lexer->text;
	uint32_t from = lexer->at, at = from, suffix;
	uint64_t value;

	if (text[at] == '0' && text[at + 1] == 'x')
		return lex_radix(lexer, from, 16);
	if (text[at] == '0' && text[at + 1] == 'o')
		return lex_radix(lexer, from, 8);
	while (isdigit((unsigned char)text[at]))
		at++;
	if (text[at] == '.' && isdigit((unsigned char)text[at + 1]))
		return lex_float(lexer, from, at + 1);
	if (text[at] == 'e' || text[at] == 'E')
		return lex_float(lexer, from, at);
	suffix = suffix_length(text + at);
	if (suffix) {
		char *copy = xstrndup(text + from, at - from + suffix);
		int result = size_parse(copy, &value);

		free(copy);
		if (result != 0 || value > INT64_MAX)
			return fail(lexer, from, "this size does not fit 64 bits");
		at += suffix;
	} else {
		errno = 0;
		value = strtoull(text + from, NULL, 10);
		if (errno || value > (uint64_t)INT64_MAX + 1)
			return fail(lexer, from, "this number does not fit 64 bits");
	}
	if (is_name_part(text[at]))
		return fail(lexer, from, "this number is malformed");
	lexer->at = at;
	add(lexer, TOKEN_INTEGER, from)->integer = value;
	return 0;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* \uXXXX or \UXXXXXXXX, `digits` of them; NULL when it is none. */
static char *put_escape(char *to, const char *from, int digits)
{
	uint32_t code = 0;

	for (int i = 0; i < digits; i++) {
		char c = (char)tolower((unsigned char)from[i]);

		if (!isxdigit((unsigned char)c))
			return NULL;
		code = code << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return NULL;
	return put_utf8(to, code);
}

static int lex_string(struct lexer *lexer)
{
	static const char escapes[] = "\\\\''\"\"b\bf\fn\nr\rt\t";
	const char *text = lexer->text;
	uint32_t from = lexer->at, at = from + 1;
	char quote = text[from], *result, *to;
	size_t length = 0;

	while (text[at + length] && text[at + length] != quote)
		length += 1 + (text[at + length] == '\\' && text[at + length + 1]);
	if (!text[at + length])
		return fail(lexer, from, "this string does not end");
	result = to = arena_alloc(lexer->arena, length + 1);
	while (text[at] != quote) {
		const char *escape = NULL;
		char c = text[at++];

		if (c != '\\') {
			*to++ = c;
			continue;
		}
		c = text[at++];
		if (c == 'u' || c == 'U') {
			int digits = c == 'u' ? 4 : 8;

			to = put_escape(to, text + at, digits);
			if (!to)
				return fail(lexer, at - 2,
					    "\\u needs the four hex digits of a "
					    "character, \\U eight");
			at += (uint32_t)digits;
			continue;
		}
		for (size_t i = 0; i + 1 < sizeof(escapes) && !escape; i += 2)
			if (escapes[i] == c)
				escape = &escapes[i + 1];
		if (!escape)
			return fail(lexer, at - 2,
				    "strings know no such escape: \\\\ is a "
				    "backslash");
		*to++ = *escape;
	}
	lexer->at = at + 1;
	add(lexer, TOKEN_STRING, from)->text = result;
	return 0;
}

static int lex_quoted(struct lexer *lexer)
{
	const char *text = lexer->text;
	uint32_t from = lexer->at, end = from + 1;
	char *name, *to;

	while (text[end] && (text[end] != '`' || text[end + 1] == '`'))
		end += 1 + (text[end] == '`');
	if (!text[end])
		return fail(lexer, from, "this name does not end");
	name = to = arena_alloc(lexer->arena, end - from);
	for (uint32_t at = from + 1; at < end; at++) {
		*to++ = text[at];
		at += text[at] == '`';
	}
	lexer->at = end + 1;
	add(lexer, TOKEN_QUOTED, from)->text = name;
	return 0;
}

static uint32_t name_end(const struct lexer *lexer, uint32_t at)
{
	while (is_name_part(lexer->text[at]))
		at++;
	return at;
}

static int lex_sign(struct lexer *lexer)
{
	static const struct {
		char text[3];
		enum token_type type;
	} pairs[] = {{"..", TOKEN_DOTS},
		     {"<>", TOKEN_NOT_EQUAL},
		     {"<=", TOKEN_AT_MOST},
		     {">=", TOKEN_AT_LEAST},
		     {"=~", TOKEN_MATCHES}};
	uint32_t from = lexer->at;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (!strncmp(lexer->text + from, pairs[i].text, 2)) {
			lexer->at += 2;
			add(lexer, pairs[i].type, from);
			return 0;
		}
	if (!strchr("()[]{},.;:|&!+-*/%^=<>", lexer->text[from]))
		return fail(lexer, from, "this character has no meaning here");
	lexer->at++;
	add(lexer, TOKEN_SIGN, from)->sign = lexer->text[from];
	return 0;
}

static int lex_one(struct lexer *lexer)
{
	const char *text = lexer->text;
	uint32_t from = lexer->at;
	char c = text[from];

	if (isdigit((unsigned char)c))
		return lex_number(lexer);
	if (c == '.' && isdigit((unsigned char)text[from + 1]) &&
	    (!lexer->count || lexer->tokens[lexer->count - 1].type != TOKEN_DOTS))
		return lex_float(lexer, from, from + 1);
	if (c == '\'' || c == '"')
		return lex_string(lexer);
	if (c == '`')
		return lex_quoted(lexer);
	if (c == '$') {
		if (!is_name_part(text[from + 1]))
			return fail(lexer, from, "'$' needs the name of a parameter");
		lexer->at = name_end(lexer, from + 1);
		add(lexer, TOKEN_PARAMETER, from)->text =
			arena_text(lexer->arena, text + from + 1, lexer->at - from - 1);
		return 0;
	}
	if (is_name_start(c)) {
		lexer->at = name_end(lexer, from);
		add(lexer, TOKEN_NAME, from)->text =
			arena_text(lexer->arena, text + from, lexer->at - from);
		return 0;
	}
	return lex_sign(lexer);
}

/* Which token closes which bracket. */
static void pair_brackets(struct lexer *lexer)
{
	uint32_t *open = xcalloc(lexer->count, sizeof(*open)), depth = 0;

	for (uint32_t i = 0; i < lexer->count; i++) {
		char sign = lexer->tokens[i].sign;

		if (sign == '(' || sign == '[' || sign == '{') {
			open[depth++] = i;
		} else if (depth && (sign == ')' || sign == ']' || sign == '}')) {
			lexer->tokens[open[--depth]].partner = i;
		}
	}
	free(open);
}

uint32_t query_valid_length(const char *text)
{
	uint32_t at = 0;

	while (text[at]) {
		unsigned char lead = (unsigned char)text[at];
		uint32_t length = lead < 0x80   ? 1
				  : lead < 0xc2 ? 0
				  : lead < 0xe0 ? 2
				  : lead < 0xf0 ? 3
				  : lead < 0xf5 ? 4
						: 0;
		uint32_t part = 1;

		while (part < length && is_continuation(text[at + part]))
			part++;
		if (!length || part < length || (lead == 0xe0 && !(text[at + 1] & 0x20)) ||
		    (lead == 0xed && text[at + 1] & 0x20) ||
		    (lead == 0xf0 && !(text[at + 1] & 0x30)) ||
		    (lead == 0xf4 && text[at + 1] & 0x30))
			return at;
		at += length;
	}
	return at;
}

struct token *lex(const char *text, struct arena *arena, struct error *error)
{
	struct lexer lexer = {.text = text, .arena = arena, .error = error};

	if (strlen(text) > QUERY_LIMIT) {
		error_set(error,
			  "the query is longer than %d KiB: give long lists as parameters, -p "
			  "NAME=[...]",
			  QUERY_LIMIT / 1024);
		return NULL;
	}
	if (text[query_valid_length(text)]) {
		fail(&lexer, query_valid_length(text), "the query is not UTF-8");
		return NULL;
	}
	for (;;) {
		if (skip_space(&lexer) != 0)
			return NULL;
		if (!text[lexer.at])
			break;
		if (lex_one(&lexer) != 0)
			return NULL;
	}
	add(&lexer, TOKEN_END, lexer.at);
	pair_brackets(&lexer);
	return lexer.tokens;
}
