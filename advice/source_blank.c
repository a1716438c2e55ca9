#include "advice/source_blank.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_space(char c)
{
	return isspace((unsigned char)c);
}

/* Blanks from *at on until after `count` bytes; lines stay lines. */
static char *blank(char *at, size_t count)
{
	for (; count && *at; count--, at++)
		if (*at != '\n')
			*at = ' ';
	return at;
}

static char *blank_literal(char *at)
{
	char quote = *at;
	size_t length = 1;

	while (at[length] && at[length] != quote && at[length] != '\n')
		length += at[length] == '\\' && at[length + 1] ? 2 : 1;
	return blank(at, length + (at[length] == quote));
}

static char *blank_directive(char *at)
{
	size_t length = 0;

	while (at[length] && (at[length] != '\n' || (length && at[length - 1] == '\\')))
		length++;
	return blank(at, length);
}

static char *blank_comment(char *at)
{
	const char *end = at[1] == '*' ? strstr(at + 2, "*/") : strchr(at, '\n');
	size_t length = end ? (size_t)(end - at) : strlen(at);

	return blank(at, length + (end && at[1] == '*' ? 2 : 0));
}

void source_blank(char *text)
{
	bool at_start = true; /* of a line */

	for (char *at = text; *at;) {
		if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
			at = blank_comment(at);
			continue;
		}
		if (*at == '#' && at_start) {
			at = blank_directive(at);
			continue;
		}
		at_start = *at == '\n' || (at_start && is_space(*at));
		/* 1'000 has no literal */
		if (*at == '"' || (*at == '\'' && (at == text || !is_word(at[-1]))))
			at = blank_literal(at);
		else
			at++;
	}
}
