/*
 * advice/pattern.h: one pattern = one file = one row in the table of advice.c.
 *
 * A pattern looks at the whole profile and adds findings.  A finding states what was measured and
 * names the fix; what the data does not show, it does not say.
 */
#ifndef VFLOW_ADVICE_PATTERN_H
#define VFLOW_ADVICE_PATTERN_H

#include "advice/advice.h"

struct advice_pattern {
	const char *name;    /* in files: "redundant_values" */
	const char *title;   /* for people */
	const char *measure; /* what the bytes are where an operation can go as a whole */
	const char *parts;   /* and where only part of it can */
	void (*detect)(struct profile *profile, const struct advice_options *options);
};

void detect_redundant_values(struct profile *profile, const struct advice_options *options);
void detect_duplicate_values(struct profile *profile, const struct advice_options *options);

#endif
