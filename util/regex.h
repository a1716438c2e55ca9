/*
 * util/regex.h: PCRE2 with limits, so that no expression can take the process down.
 */
#ifndef VFLOW_UTIL_REGEX_H
#define VFLOW_UTIL_REGEX_H

#include "util/error.h"

struct regex;

/* NULL when the expression is not valid; the message says where. */
struct regex *regex_new(const char *expression, struct error *error);
/* Found then means: all of the text is the expression. */
struct regex *regex_new_whole(const char *expression, struct error *error);

/* Whether it is found anywhere in the text: 1, 0, or -1 when a limit was met. */
int regex_search(const struct regex *regex, const char *text, struct error *error);
void regex_free(struct regex *regex);

#endif
