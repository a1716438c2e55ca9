/*
 * util/memory.h: allocation that ends the process when memory runs out.
 *
 * For the vflow process only.  Code that lives in a profiled program uses malloc() and
 * switches itself off when it fails: a guest never ends its host.
 */
#ifndef VFLOW_UTIL_MEMORY_H
#define VFLOW_UTIL_MEMORY_H

#include <stddef.h>
#include <stdio.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/* Like reallocarray(): the product count * size is checked for overflow. */
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* open_memstream(): fclose() leaves the text in *text, for free(). */
FILE *xopen_memstream(char **text, size_t *size);

/*
 * Makes room for one more element in a growing array: `array` (a pointer lvalue) holds `count`
 * elements of `capacity` (both size_t or uint32_t lvalues).  Doubling; aborts on overflow.
 */
#define ARRAY_RESERVE(array, count, capacity)                                                      \
	do {                                                                                       \
		if ((count) == (capacity)) {                                                       \
			(capacity) = (capacity) ? 2 * (capacity) : 8;                              \
			(array) = xreallocarray((array), (capacity), sizeof(*(array)));            \
		}                                                                                  \
	} while (0)

#endif
