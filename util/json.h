/*
 * util/json.h: JSON, piece by piece, into a file whose errors are left to its owner.
 *
 * Texts are UTF-8; of a name of a file that is not, the bytes are written as text: \xff.  A member
 * of an object is json_name() and then its value.
 */
#ifndef VFLOW_UTIL_JSON_H
#define VFLOW_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum json_style {
	JSON_COMPACT,  /* reals in the fewest digits that read back the same */
	JSON_INDENTED, /* a line for each value, a blank for each level; reals with 17 digits */
	JSON_IN_HTML,  /* compact, no text ends an element of HTML; reals with 6 digits */
};

/* Starts as zeros but for `file` and `style`. */
struct json {
	FILE *file;
	enum json_style style;
	unsigned depth;
	bool filled; /* the object or array has a value */
	bool named;  /* the next value's name was written */
	bool line;   /* the next value starts a line */
};

/* '{' or '[', and what closes it. */
void json_begin(struct json *json, char bracket);
void json_end(struct json *json, char bracket);
void json_name(struct json *json, const char *name);
/* The next value of the array starts a line, whatever the style. */
void json_line(struct json *json);

void json_text(struct json *json, const char *text); /* NULL: null */
void json_count(struct json *json, uint64_t number);
void json_real(struct json *json, double number); /* null when it is not finite */
/* Any value, as it is: "true", a number in a form of its own. */
void json_raw(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Members of an object; no member when the text is NULL. */
void json_named_text(struct json *json, const char *name, const char *text);
void json_named_count(struct json *json, const char *name, uint64_t number);
void json_named_real(struct json *json, const char *name, double number);
void json_named_flag(struct json *json, const char *name, bool value);

/*
 * A finite number in the fewest digits that read back the same, never without a point or an
 * exponent.
 */
enum { JSON_SHORTEST_SIZE = 40 };
char *json_shortest(double number, char text[JSON_SHORTEST_SIZE]);

#endif
