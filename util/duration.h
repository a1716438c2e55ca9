/*
 * util/duration.h: times as people write them: "250", "250ns", "2us", "1.5 ms", "3s".
 */
#ifndef VFLOW_UTIL_DURATION_H
#define VFLOW_UTIL_DURATION_H

#include <stdint.h>

/* All of `text`; ns without a unit.  -1: it is no time, or exceeds 2^63 ns. */
int duration_parse(const char *text, uint64_t *ns);

/* "3.14 ms", with three digits; writes at most 24 bytes and returns `text`. */
char *duration_format(uint64_t ns, char text[24]);

#endif
