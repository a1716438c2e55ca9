/* gpu/sass/operand.c: see operand.h. */
#include "gpu/sass/operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool ends_name(char c)
{
	return !isalnum((unsigned char)c) && c != '_';
}

int sass_register_of(const char *text, const char *letters, const char **rest)
{
	size_t length = strlen(letters);
	bool predicate = letters[length - 1] == 'P';
	char always = predicate ? 'T' : 'Z';
	unsigned number = 0;

	if (strncmp(text, letters, length) != 0)
		return -1;
	text += length;
	if (*text == always && ends_name(text[1])) {
		*rest = text + 1;
		return predicate ? SASS_TRUE : SASS_ZERO;
	}
	if (!isdigit((unsigned char)*text))
		return -1;
	for (; isdigit((unsigned char)*text); text++)
		if ((number = number * 10 + (unsigned)(*text - '0')) >=
		    (predicate ? SASS_TRUE : SASS_ZERO))
			return -1;
	if (!ends_name(*text))
		return -1;
	*rest = text;
	return (int)number;
}

/* Decimal or 0x..; the sign was read. */
static bool integer(const char *text, int64_t *value, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = (int64_t)strtoull(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
	*rest = end;
	return !errno && (isdigit((unsigned char)end[-1]) || isxdigit((unsigned char)end[-1]));
}

/* "R2.64+UR4+-0x10]": what is added up.  *end is behind the bracket. */
static bool inside_brackets(const char *text, struct sass_operand *operand, const char **end)
{
	for (;;) {
		bool negative = *text == '-';
		const char *rest;
		int64_t value;
		int number;

		text += negative;
		if ((number = sass_register_of(text, "UR", &rest)) >= 0) {
			operand->uniform = (uint8_t)number;
		} else if ((number = sass_register_of(text, "R", &rest)) >= 0) {
			operand->number = (uint8_t)number;
			operand->wide |= !strncmp(rest, ".64", 3);
		} else if (integer(text, &value, &rest)) {
			operand->value = negative ? (int64_t)(0 - (uint64_t)value) : value;
		} else {
			return false;
		}
		for (; *rest == '.' || isalnum((unsigned char)*rest); rest++)
			; /* .64, .U32, .X4 */
		if (*rest == ']') {
			*end = rest + 1;
			return true;
		}
		if (*rest != '+')
			return false;
		text = rest + 1;
	}
}

static bool address(const char *text, struct sass_operand *operand)
{
	struct sass_operand descriptor = {.uniform = SASS_ZERO};
	const char *end;

	if (!strncmp(text, "desc[", 5)) {
		if (!inside_brackets(text + 5, &descriptor, &end))
			return false;
		text = end;
	}
	if (*text != '[' || !inside_brackets(text + 1, operand, &end))
		return false;
	operand->kind = SASS_ADDRESS;
	operand->descriptor = descriptor.uniform;
	return !*end || *end == '.';
}

/* c[0x0][R4+0x10], or cx[UR4][0x10] */
static bool constant(const char *text, struct sass_operand *operand)
{
	struct sass_operand bank = {.uniform = SASS_ZERO, .number = SASS_ZERO};
	const char *at = text + 1;

	at += *at == 'x';
	if (*text != 'c' || *at != '[' || !inside_brackets(at + 1, &bank, &at) || *at != '[' ||
	    !inside_brackets(at + 1, operand, &at) || bank.number != SASS_ZERO)
		return false;
	operand->kind = SASS_CONSTANT;
	operand->bank = bank.uniform == SASS_ZERO ? (uint32_t)bank.value : SASS_NONE;
	operand->descriptor = bank.uniform;
	return !*at || *at == '.' || *at == '|';
}

static bool is_real(const char *text)
{
	char *end;

	text += *text == '+' || *text == '-';
	if (!strcmp(text, "INF") || !strcmp(text, "QNAN") || !strcmp(text, "SNAN"))
		return true;
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	strtod(text, &end);
	return !*end;
}

static bool plain_register(const char *text, struct sass_operand *operand)
{
	static const struct {
		const char *letters;
		enum sass_kind kind;
	} files[] = {{"R", SASS_REGISTER},
		     {"UR", SASS_UNIFORM_REGISTER},
		     {"P", SASS_PREDICATE},
		     {"UP", SASS_UNIFORM_PREDICATE}};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *rest;
		int number = sass_register_of(text, files[i].letters, &rest);

		if (number < 0 || (*rest && *rest != '.' && *rest != '|'))
			continue;
		operand->kind = files[i].kind;
		operand->number = (uint8_t)number;
		operand->wide = !strncmp(rest, ".64", 3);
		operand->reuse = strstr(rest, ".reuse") != NULL;
		return true;
	}
	return false;
}

static bool label(char *text, struct sass_operand *operand)
{
	size_t length = strlen(text);

	if (length < 4 || strncmp(text, "`(", 2) != 0 || text[length - 1] != ')')
		return false;
	text[length - 1] = 0;
	operand->text = text + 2;
	operand->kind = SASS_LABEL;
	return true;
}

struct sass_operand sass_operand_of(char *text)
{
	struct sass_operand operand = {.text = text,
				       .number = SASS_ZERO,
				       .uniform = SASS_ZERO,
				       .descriptor = SASS_ZERO},
			    empty;
	const char *at = text, *rest;

	if (label(text, &operand))
		return operand;
	for (;; at++) {
		if (*at == '-')
			operand.negative = true;
		else if (*at == '|')
			operand.absolute = true;
		else if (*at == '!' || *at == '~')
			operand.inverted = true;
		else
			break;
	}
	empty = operand;
	if (plain_register(at, &operand) || address(at, &operand))
		return operand;
	operand = empty;
	if (constant(at, &operand))
		return operand;
	operand = empty;
	if (integer(at, &operand.value, &rest) && !*rest) {
		operand.kind = SASS_IMMEDIATE;
		if (operand.negative)
			operand.value = (int64_t)(0 - (uint64_t)operand.value);
		return operand;
	}
	operand = empty;
	if (is_real(at))
		operand.kind = SASS_FLOAT;
	return operand;
}
