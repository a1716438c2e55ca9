/* query/language/functions.h: what functions.c, which has the table, and functions_text.c share. */
#ifndef VFLOW_QUERY_LANGUAGE_FUNCTIONS_H
#define VFLOW_QUERY_LANGUAGE_FUNCTIONS_H

#include "query/language/eval.h"

#define NOTHING ((struct value){0})

/* Fails unless the argument is null. */
struct value function_wrong(struct run *run, const struct expr *expr, uint32_t argument,
			    struct value value);
int64_t text_characters(const char *text);

struct value call_lower(struct run *run, const struct expr *expr, const struct value *values);
struct value call_upper(struct run *run, const struct expr *expr, const struct value *values);
struct value call_trim(struct run *run, const struct expr *expr, const struct value *values);
struct value call_ltrim(struct run *run, const struct expr *expr, const struct value *values);
struct value call_rtrim(struct run *run, const struct expr *expr, const struct value *values);
struct value call_substring(struct run *run, const struct expr *expr, const struct value *values);
struct value call_left(struct run *run, const struct expr *expr, const struct value *values);
struct value call_right(struct run *run, const struct expr *expr, const struct value *values);
struct value call_replace(struct run *run, const struct expr *expr, const struct value *values);
struct value call_split(struct run *run, const struct expr *expr, const struct value *values);
struct value call_reverse(struct run *run, const struct expr *expr, const struct value *values);
struct value call_to_string(struct run *run, const struct expr *expr, const struct value *values);
struct value call_to_integer(struct run *run, const struct expr *expr, const struct value *values);
struct value call_to_float(struct run *run, const struct expr *expr, const struct value *values);
struct value call_to_boolean(struct run *run, const struct expr *expr, const struct value *values);
struct value call_bytes(struct run *run, const struct expr *expr, const struct value *values);

#endif
