/*
 * util/size.h: sizes as people write them.  1K = 1KiB = 1024, 1KB = 1000; K M G T P, any case
 * of the first letter, optional fraction ("1.5M").
 */
#ifndef VFLOW_UTIL_SIZE_H
#define VFLOW_UTIL_SIZE_H

#include <stdint.h>

/* Parses all of `text`.  Returns 0, or -1 when it is not a size or exceeds 64 bits. */
int size_parse(const char *text, uint64_t *size);

/* "0", "1023", "4.0K", "12.3M"; writes at most 16 bytes and returns `text`. */
char *size_format(uint64_t size, char text[16]);

#endif
