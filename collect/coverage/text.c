/* collect/coverage/text.c: what people read of a row of coverage, and back. */
#include <string.h>

#include "collect/coverage/coverage.h"
#include "util/memory.h"

#define DETAIL "%s"

char *coverage_text(const char *words, const char *detail)
{
	const char *place = strstr(words, DETAIL);

	if (!place)
		return xstrdup(words);
	return xasprintf("%.*s%s%s", (int)(place - words), words, detail ? detail : "",
			 place + strlen(DETAIL));
}

/* Whether the text is the words with some detail; adds the length of what they have in common. */
static bool reads_so(const char *words, const char *text, size_t *common)
{
	const char *place = strstr(words, DETAIL);
	size_t length = strlen(text), before, after;

	if (!place) {
		*common += length;
		return !strcmp(words, text);
	}
	before = (size_t)(place - words);
	after = strlen(place + strlen(DETAIL));
	*common += before + after;
	return length >= before + after && !strncmp(words, text, before) &&
	       !strcmp(place + strlen(DETAIL), text + length - after);
}

const struct coverage_row *coverage_of_text(const char *what, const char *reason)
{
	const struct coverage_row *row, *best = NULL;
	size_t most = 0;

	for (uint32_t id = COVERAGE_NONE + 1; (row = coverage_row(id)); id++) {
		size_t common = 0;

		if (reads_so(row->words, what, &common) &&
		    reads_so(row->sentence, reason, &common) && (!best || common > most)) {
			best = row;
			most = common;
		}
	}
	return best;
}
