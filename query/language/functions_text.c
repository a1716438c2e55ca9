/* query/language/functions_text.c: functions of text, and from and to text. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/language/functions.h"
#include "query/print.h"
#include "util/memory.h"
#include "util/size.h"

#define FUNCTION(name)                                                                             \
	struct value name(struct run *run, const struct expr *expr, const struct value *values)

int64_t text_characters(const char *text)
{
	int64_t count = 0;

	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

/* The place of the n-th character, or the end. */
static const char *character(const char *text, int64_t n)
{
	while (*text && n > 0) {
		text++;
		n -= (*text & 0xc0) != 0x80;
	}
	return text;
}

static struct value map_bytes(struct run *run, const struct value text, int (*change)(int))
{
	char *copy = arena_text(&run->scratch, text.text, strlen(text.text));

	for (char *c = copy; *c; c++)
		if (!(*c & 0x80))
			*c = (char)change(*c);
	return value_text(copy);
}

FUNCTION(call_lower)
{
	return values->type == VALUE_STRING ? map_bytes(run, *values, tolower)
					    : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_upper)
{
	return values->type == VALUE_STRING ? map_bytes(run, *values, toupper)
					    : function_wrong(run, expr, 0, *values);
}

static struct value trim(struct run *run, const struct expr *expr, struct value value, bool left,
			 bool right)
{
	static const char spaces[] = " \t\n\v\f\r";
	const char *from = value.text;
	size_t length;

	if (value.type != VALUE_STRING)
		return function_wrong(run, expr, 0, value);
	if (left)
		from += strspn(from, spaces);
	length = strlen(from);
	while (right && length && strchr(spaces, from[length - 1]))
		length--;
	return value_text(arena_text(&run->scratch, from, length));
}

FUNCTION(call_trim)
{
	return trim(run, expr, *values, true, true);
}

FUNCTION(call_ltrim)
{
	return trim(run, expr, *values, true, false);
}

FUNCTION(call_rtrim)
{
	return trim(run, expr, *values, false, true);
}

FUNCTION(call_substring)
{
	const char *from, *to;

	if (values[0].type != VALUE_STRING)
		return function_wrong(run, expr, 0, values[0]);
	for (uint32_t i = 1; i < expr->count; i++)
		if (values[i].type != VALUE_INTEGER || values[i].integer < 0) {
			run_fail(run, expr->items[i]->at, "substring() counts from 0");
			return NOTHING;
		}
	from = character(values[0].text, values[1].integer);
	to = expr->count > 2 ? character(from, values[2].integer) : from + strlen(from);
	return value_text(arena_text(&run->scratch, from, (size_t)(to - from)));
}

FUNCTION(call_left)
{
	if (values[0].type != VALUE_STRING || values[1].type != VALUE_INTEGER ||
	    values[1].integer < 0)
		return function_wrong(run, expr, values[0].type != VALUE_STRING ? 0 : 1,
				      values[0].type != VALUE_STRING ? values[0] : values[1]);
	return value_text(arena_text(
		&run->scratch, values[0].text,
		(size_t)(character(values[0].text, values[1].integer) - values[0].text)));
}

FUNCTION(call_right)
{
	int64_t count;

	if (values[0].type != VALUE_STRING || values[1].type != VALUE_INTEGER ||
	    values[1].integer < 0)
		return function_wrong(run, expr, values[0].type != VALUE_STRING ? 0 : 1,
				      values[0].type != VALUE_STRING ? values[0] : values[1]);
	count = text_characters(values[0].text);
	return value_text(character(values[0].text, count - values[1].integer));
}

FUNCTION(call_replace)
{
	const char *from, *hit;
	size_t old, new, hits = 0;
	char *text, *to;

	for (uint32_t i = 0; i < 3; i++)
		if (values[i].type != VALUE_STRING)
			return function_wrong(run, expr, i, values[i]);
	old = strlen(values[1].text);
	if (!old)
		return values[0];
	new = strlen(values[2].text);
	for (from = values[0].text; (hit = strstr(from, values[1].text)); from = hit + old)
		hits++;
	if (!run_work(run, hits / 16, strlen(values[0].text) + hits * new))
		return NOTHING;
	text = to = arena_alloc(&run->scratch, strlen(values[0].text) + hits * new + 1);
	for (from = values[0].text; (hit = strstr(from, values[1].text)); from = hit + old) {
		to = mempcpy(to, from, (size_t)(hit - from));
		to = mempcpy(to, values[2].text, new);
	}
	strcpy(to, from);
	return value_text(text);
}

FUNCTION(call_split)
{
	uint32_t parts = 1;
	const char *from, *hit;
	struct value_list *list;
	size_t length;

	if (values[0].type != VALUE_STRING || values[1].type != VALUE_STRING)
		return function_wrong(run, expr, values[0].type != VALUE_STRING ? 0 : 1,
				      values[0].type != VALUE_STRING ? values[0] : values[1]);
	length = strlen(values[1].text);
	for (from = values[0].text; length && (hit = strstr(from, values[1].text));
	     from = hit + length)
		parts++;
	if (!run_work(run, parts / 16, parts * 3 * sizeof(struct value)))
		return NOTHING;
	list = value_new_list(&run->scratch, parts);
	from = values[0].text;
	for (uint32_t i = 0; i < parts; i++) {
		hit = i + 1 < parts ? strstr(from, values[1].text) : from + strlen(from);
		list->items[i] = value_text(arena_text(&run->scratch, from, (size_t)(hit - from)));
		from = hit + length;
	}
	return value_of_list(list);
}

FUNCTION(call_reverse)
{
	if (values->type == VALUE_LIST) {
		struct value_list *list = value_new_list(&run->scratch, values->list->count);

		for (uint32_t i = 0; i < list->count; i++)
			list->items[i] = values->list->items[list->count - 1 - i];
		return value_of_list(list);
	}
	if (values->type == VALUE_STRING) {
		size_t length = strlen(values->text);
		char *text = arena_alloc(&run->scratch, length + 1), *to = text + length;

		for (const char *from = values->text; *from;) {
			const char *next = character(from, 1);

			to -= next - from;
			memcpy(to, from, (size_t)(next - from));
			from = next;
		}
		return value_text(text);
	}
	return function_wrong(run, expr, 0, *values);
}

/* -- conversions -- */

FUNCTION(call_to_string)
{
	char *text;
	struct value result;

	if (values->type == VALUE_STRING)
		return *values;
	if (values->type != VALUE_BOOLEAN && !VALUE_IS_NUMBER(*values))
		return function_wrong(run, expr, 0, *values);
	text = print_value(run->engine, *values);
	result = value_text(arena_text(&run->scratch, text, strlen(text)));
	free(text);
	return result;
}

FUNCTION(call_to_integer)
{
	double number;
	char *end;

	switch (values->type) {
	case VALUE_INTEGER:
		return *values;
	case VALUE_BOOLEAN:
		return value_integer(values->boolean);
	case VALUE_FLOAT:
		number = values->number;
		break;
	case VALUE_STRING: {
		int64_t integer;

		errno = 0;
		integer = strtoll(values->text, &end, 10);
		if (end != values->text && !*end && !errno)
			return value_integer(integer);
		number = strtod(values->text, &end);
		if (end == values->text || *end)
			return NOTHING;
		break;
	}
	default:
		return function_wrong(run, expr, 0, *values);
	}
	return number > -9.3e18 && number < 9.2e18 ? value_integer((int64_t)number) : NOTHING;
}

FUNCTION(call_to_float)
{
	double number;
	char *end;

	if (VALUE_IS_NUMBER(*values))
		return value_number(value_as_number(*values));
	if (values->type != VALUE_STRING)
		return function_wrong(run, expr, 0, *values);
	number = strtod(values->text, &end);
	return end == values->text || *end ? NOTHING : value_number(number);
}

FUNCTION(call_to_boolean)
{
	if (values->type == VALUE_BOOLEAN)
		return *values;
	if (values->type != VALUE_STRING)
		return function_wrong(run, expr, 0, *values);
	if (!strcasecmp(values->text, "true") || !strcasecmp(values->text, "false"))
		return value_boolean(tolower((unsigned char)*values->text) == 't');
	return NOTHING;
}

FUNCTION(call_bytes)
{
	char text[16];

	if (values->type != VALUE_INTEGER || values->integer < 0)
		return function_wrong(run, expr, 0, *values);
	size_format((uint64_t)values->integer, text);
	return value_text(arena_text(&run->scratch, text, strlen(text)));
}
