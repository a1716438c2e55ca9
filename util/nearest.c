/* util/nearest.c: see nearest.h. */
#include "util/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Optimal string alignment distance, whatever the case; words are cut at 32 bytes. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][33], *before = rows[0], *above = rows[1], *row = rows[2];
	size_t columns = strnlen(b, 32), lines = strnlen(a, 32);

	for (size_t j = 0; j <= columns; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= lines; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= columns; j++) {
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);

			row[j] = above[j - 1] + !same;
			if (above[j] + 1 < row[j])
				row[j] = above[j] + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[columns];
}

const char *nearest_word(const char *word, const char *const *candidates, uint32_t count)
{
	unsigned best = (unsigned)strnlen(word, 32) / 3 + 1; /* how far off is still a slip */
	const char *nearest = NULL;

	for (uint32_t i = 0; i < count; i++) {
		unsigned far = distance(word, candidates[i]);

		if (far < best || (far == best && !nearest && far < strlen(word))) {
			best = far;
			nearest = candidates[i];
		}
	}
	return nearest;
}
