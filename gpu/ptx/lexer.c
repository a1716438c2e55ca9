/*
 * gpu/ptx/lexer.c: PTX text into tokens.
 *
 * Numbers are read here by hand: strtod() would follow the program's locale.
 */
#include "gpu/ptx/lexer.h"

#include <math.h>
#include <string.h>

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t size)
{
	lexer->at = text;
	lexer->end = text + size;
	lexer->line = 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Skips blanks, comments and line markers of the preprocessor ("# 1 file"); counts lines. */
static void skip_blanks(struct ptx_lexer *lexer)
{
	while (lexer->at < lexer->end) {
		char c = *lexer->at;

		if (c == '\n') {
			lexer->line++;
			lexer->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0) {
			lexer->at++;
		} else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '/') {
			ptx_lexer_skip_line(lexer);
		} else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '*') {
			lexer->at += 2;
			while (lexer->at < lexer->end &&
			       !(*lexer->at == '*' && lexer->end - lexer->at > 1 &&
				 lexer->at[1] == '/'))
				lexer->line += *lexer->at++ == '\n';
			lexer->at = lexer->end - lexer->at > 2 ? lexer->at + 2 : lexer->end;
		} else if (c == '#') {
			ptx_lexer_skip_line(lexer);
		} else {
			return;
		}
	}
}

void ptx_lexer_skip_line(struct ptx_lexer *lexer)
{
	const char *newline = memchr(lexer->at, '\n', lexer->end - lexer->at);

	lexer->at = newline ? newline : lexer->end;
}

/* 0f and 0d followed by exactly `digits` hexadecimal digits. */
static int float_bits(struct ptx_lexer *lexer, struct ptx_token *token, int digits,
		      struct error *error)
{
	token->kind = digits == 8 ? PTX_FLOAT_BITS : PTX_DOUBLE_BITS;
	lexer->at += 2;
	for (int i = 0; i < digits; i++) {
		int digit = lexer->at < lexer->end ? hex_digit(*lexer->at) : -1;

		if (digit < 0)
			return error_set(
				error,
				"line %u: a floating-point constant needs %d hexadecimal digits",
				token->line, digits);
		token->value = token->value << 4 | (unsigned)digit;
		lexer->at++;
	}
	return 0;
}

/* 1.5, 1.5e-3: the decimal exponent is applied once, in double precision */
static void decimal_float(struct ptx_lexer *lexer, struct ptx_token *token)
{
	long double mantissa = 0;
	int exponent = 0, written = 0;
	bool negative = false;
	double value;

	for (; lexer->at < lexer->end && is_digit(*lexer->at); lexer->at++)
		mantissa = mantissa * 10 + (*lexer->at - '0');
	if (lexer->at < lexer->end && *lexer->at == '.')
		for (lexer->at++; lexer->at < lexer->end && is_digit(*lexer->at); lexer->at++) {
			mantissa = mantissa * 10 + (*lexer->at - '0');
			exponent -= exponent > -100000;
		}
	if (lexer->at < lexer->end && (*lexer->at == 'e' || *lexer->at == 'E')) {
		lexer->at++;
		if (lexer->at < lexer->end && (*lexer->at == '-' || *lexer->at == '+'))
			negative = *lexer->at++ == '-';
		for (; lexer->at < lexer->end && is_digit(*lexer->at); lexer->at++)
			if (written < 100000)
				written = written * 10 + (*lexer->at - '0');
		exponent += negative ? -written : written;
	}
	value = mantissa == 0 ? 0 : (double)(mantissa * powl(10, exponent));
	token->kind = PTX_DOUBLE_BITS;
	memcpy(&token->value, &value, sizeof(value));
}

static int number(struct ptx_lexer *lexer, struct ptx_token *token, struct error *error)
{
	const char *start = lexer->at, *scan = start;
	char second = lexer->end - start > 1 ? start[1] : 0;
	unsigned base = 10;
	uint64_t value = 0;

	if (*start == '0' && (second == 'f' || second == 'F'))
		return float_bits(lexer, token, 8, error);
	if (*start == '0' && (second == 'd' || second == 'D'))
		return float_bits(lexer, token, 16, error);
	while (scan < lexer->end && is_digit(*scan))
		scan++;
	if (scan < lexer->end && second != 'x' && second != 'X' && second != 'b' && second != 'B' &&
	    (*scan == '.' || *scan == 'e' || *scan == 'E')) {
		decimal_float(lexer, token);
		return 0;
	}
	if (*start == '0' && (second == 'x' || second == 'X'))
		base = 16;
	else if (*start == '0' && (second == 'b' || second == 'B'))
		base = 2;
	else if (*start == '0' && is_digit(second))
		base = 8;
	lexer->at += base == 16 || base == 2 ? 2 : base == 8 ? 1 : 0;
	scan = lexer->at;
	for (; lexer->at < lexer->end; lexer->at++) {
		int digit = hex_digit(*lexer->at);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (unsigned)digit, &value))
			return error_set(error, "line %u: an integer does not fit in 64 bits",
					 token->line);
	}
	if (lexer->at == scan || (lexer->at < lexer->end && is_digit(*lexer->at)))
		return error_set(error, "line %u: bad number '%.*s'", token->line,
				 (int)(lexer->at - start + (lexer->at < lexer->end)), start);
	if (lexer->at < lexer->end && (*lexer->at == 'U' || *lexer->at == 'u'))
		lexer->at++;
	token->kind = PTX_INTEGER;
	token->value = value;
	return 0;
}

int ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *token, struct error *error)
{
	const char *start;

	skip_blanks(lexer);
	start = lexer->at;
	*token = (struct ptx_token){.kind = PTX_END, .text = start, .line = lexer->line};
	if (start == lexer->end)
		return 0;
	if (is_letter(*start) || (*start == '.' && lexer->end - start > 1 && is_letter(start[1]))) {
		for (lexer->at++; lexer->at < lexer->end; lexer->at++) {
			char c = *lexer->at;

			/* "shared::cta" is one word, the colon after a label is not */
			if (c == ':' && lexer->end - lexer->at > 2 && lexer->at[1] == ':' &&
			    (is_letter(lexer->at[2]) || is_digit(lexer->at[2])))
				lexer->at++;
			else if (!is_letter(c) && !is_digit(c) && (c != '.' || *start == '.'))
				break;
		}
		token->kind = PTX_WORD;
	} else if (is_digit(*start)) {
		if (number(lexer, token, error))
			return -1;
	} else if (*start == '"') {
		for (lexer->at++; lexer->at < lexer->end && *lexer->at != '"'; lexer->at++) {
			if (*lexer->at == '\\' && lexer->end - lexer->at > 1)
				lexer->at++;
			lexer->line += *lexer->at == '\n';
		}
		if (lexer->at == lexer->end)
			return error_set(error, "line %u: a string does not end", token->line);
		token->kind = PTX_STRING;
		token->text++;
		token->length = lexer->at - token->text;
		lexer->at++;
		return 0;
	} else {
		token->kind = PTX_MARK;
		lexer->at++;
	}
	token->length = lexer->at - start;
	return 0;
}

bool ptx_token_is(const struct ptx_token *token, const char *word)
{
	return (token->kind == PTX_WORD || token->kind == PTX_MARK) &&
	       token->length == strlen(word) && !memcmp(token->text, word, token->length);
}
