/*
 * advice/lines/lines.h: `vflow report --lines`: the source of kernels, with what was seen at each
 * line below it.
 */
#ifndef VFLOW_ADVICE_LINES_LINES_H
#define VFLOW_ADVICE_LINES_LINES_H

#include <stdio.h>

#include "graph/profile/profile.h"

/* What was seen at a line, or, where the line is not known, at a place in the code. */
struct line_note {
	uint32_t vertex; /* id of the kernel */
	uint32_t place;  /* index into profile->code_places */
	uint64_t weight; /* of those of a line the heaviest comes first */
	char *text;      /* for people, one line; owned */
	/* the row that it is made of, for programs */
	uint32_t value; /* index into profile->values */
};

struct line_notes {
	struct line_note *notes; /* in order of kernels, files, lines, weights */
	uint32_t count, capacity;
};

/*
 * Of kernels in whose names the expression (PCRE2) is found.  -1: it is not valid, or there are
 * none, or the profile has nothing to say of lines.
 */
int line_notes_find(const struct profile *profile, const char *expression, struct line_notes *notes,
		    struct error *error);
void line_notes_release(struct line_notes *notes);

void lines_print(const struct profile *profile, const struct line_notes *notes, bool colour,
		 FILE *out);
void lines_json(const struct profile *profile, const struct line_notes *notes, FILE *out);

#endif
