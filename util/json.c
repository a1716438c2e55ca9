#include "util/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static void start_line(struct json *json)
{
	if (json->style == JSON_INDENTED)
		fprintf(json->file, "\n%*s", (int)json->depth, "");
}

/* What stands before a value. */
static void start_value(struct json *json)
{
	if (!json->named && json->depth) {
		if (json->filled)
			putc(',', json->file);
		if (json->line)
			putc('\n', json->file);
		start_line(json);
	}
	json->named = json->line = false;
	json->filled = true;
}

void json_begin(struct json *json, char bracket)
{
	start_value(json);
	putc(bracket, json->file);
	json->depth++;
	json->filled = false;
}

void json_end(struct json *json, char bracket)
{
	json->depth--;
	if (json->filled)
		start_line(json);
	putc(bracket, json->file);
	json->filled = true;
}

void json_line(struct json *json)
{
	json->line = json->style != JSON_INDENTED;
}

static bool is_escaped(const struct json *json, uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == '"' || c == '\\' ||
	       (json->style == JSON_IN_HTML && (c == '<' || c == '>' || c == '&' || c == '\''));
}

/* What cannot be written as it is; returns what follows it.  length 0: not a character. */
static const char *put_escaped(struct json *json, const char *text, uint32_t c, size_t length)
{
	if (!length)
		fprintf(json->file, json->style == JSON_IN_HTML ? "\\u005cx%02x" : "\\\\x%02x",
			(unsigned char)*text);
	else if ((c == '"' || c == '\\') && json->style != JSON_IN_HTML)
		fprintf(json->file, "\\%c", *text);
	else
		fprintf(json->file, "\\u%04x", c);
	return text + (length ? length : 1);
}

static void put_text(struct json *json, const char *text)
{
	const char *start = text, *end = text + strlen(text);

	putc_unlocked('"', json->file);
	while (text < end) {
		uint32_t c = (unsigned char)*text;
		size_t length = c < 0x80 ? 1 : text_character(text, (size_t)(end - text), &c);

		if (length && !is_escaped(json, c)) {
			text += length;
			continue;
		}
		fwrite_unlocked(start, 1, (size_t)(text - start), json->file);
		start = text = put_escaped(json, text, c, length);
	}
	fwrite_unlocked(start, 1, (size_t)(text - start), json->file);
	putc_unlocked('"', json->file);
}

void json_name(struct json *json, const char *name)
{
	start_value(json);
	put_text(json, name);
	fputs(json->style == JSON_INDENTED ? ": " : ":", json->file);
	json->named = true;
}

void json_text(struct json *json, const char *text)
{
	start_value(json);
	if (text)
		put_text(json, text);
	else
		fputs("null", json->file);
}

void json_count(struct json *json, uint64_t number)
{
	start_value(json);
	fprintf(json->file, "%" PRIu64, number);
}

char *json_shortest(double number, char text[JSON_SHORTEST_SIZE])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, JSON_SHORTEST_SIZE, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	return text;
}

/* 1e+22 and 1e-07 as 1e22 and 1e-7. */
static void shorten_exponent(char *text)
{
	char *from = strchr(text, 'e'), *to;

	if (!from)
		return;
	to = ++from;
	if (*from == '-')
		to++;
	from++; /* the sign, which printf always writes */
	from += strspn(from, "0");
	memmove(to, from, strlen(from) + 1);
}

void json_real(struct json *json, double number)
{
	char text[JSON_SHORTEST_SIZE];

	if (!isfinite(number)) {
		json_text(json, NULL);
		return;
	}
	start_value(json);
	if (json->style == JSON_COMPACT) {
		json_shortest(number, text);
	} else if (json->style == JSON_IN_HTML) {
		snprintf(text, sizeof(text), "%.6g", number);
	} else {
		snprintf(text, sizeof(text), "%.17g", number);
		if (!strpbrk(text, ".e"))
			strcat(text, ".0");
		shorten_exponent(text);
	}
	fputs(text, json->file);
}

void json_raw(struct json *json, const char *format, ...)
{
	va_list arguments;

	start_value(json);
	va_start(arguments, format);
	vfprintf(json->file, format, arguments);
	va_end(arguments);
}

void json_named_text(struct json *json, const char *name, const char *text)
{
	if (!text)
		return;
	json_name(json, name);
	json_text(json, text);
}

void json_named_count(struct json *json, const char *name, uint64_t number)
{
	json_name(json, name);
	json_count(json, number);
}

void json_named_real(struct json *json, const char *name, double number)
{
	json_name(json, name);
	json_real(json, number);
}

void json_named_flag(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	json_raw(json, value ? "true" : "false");
}
