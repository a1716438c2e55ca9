/*
 * util/nearest.h: what somebody who mistyped a word may have meant.
 */
#ifndef VFLOW_UTIL_NEAREST_H
#define VFLOW_UTIL_NEAREST_H

#include <stdint.h>

/* The candidate nearest to the word, whatever the case, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *candidates, uint32_t count);

#endif
