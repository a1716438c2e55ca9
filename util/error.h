/*
 * util/error.h: what went wrong, as one sentence for the user.
 *
 * Functions that can fail take a `struct error *` last and return 0, or -1 (or NULL) after
 * error_set().  Only commands print.  A message says what happened, where, and what to do.
 */
#ifndef VFLOW_UTIL_ERROR_H
#define VFLOW_UTIL_ERROR_H

#include <stdarg.h>

struct error {
	char text[1024];
};

/*
 * Formats the message, printf style; text that does not fit is cut.  What would move a terminal's
 * cursor or change its colours, from names of files and the like, becomes "\x1b".  Always returns
 * -1.
 */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

int error_vset(struct error *error, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Puts "prefix: " before the message that is there.  Always returns -1. */
int error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
