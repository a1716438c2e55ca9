/*
 * advice/report/suppressions.h: findings that the user knows and accepts, from a file of blocks
 *
 *	pattern: redundant_values
 *	function: clear_*
 *	object: weights
 *	reason: cleared on purpose, see bug 12
 *
 * with blank lines between them and '#' before comments.  A finding is suppressed by the first
 * block of which all that it names matches; vflow-report(1) says what is compared.
 */
#ifndef VFLOW_ADVICE_REPORT_SUPPRESSIONS_H
#define VFLOW_ADVICE_REPORT_SUPPRESSIONS_H

#include "advice/report/finding_ids.h"
#include "util/error.h"

struct suppression {
	char *pattern, *function, *object; /* as fnmatch() takes them; NULL: any */
	char *id;                          /* NULL: any */
	char *reason;
	uint32_t line; /* of the file, where the block begins */
	uint32_t used; /* findings that it suppresses */
};

struct suppressions {
	const char *file; /* the caller's */
	struct suppression *items;
	uint32_t count, capacity;
};

/* Zeroes and fills them; an error names the file and the line. */
int suppressions_read(struct suppressions *suppressions, const char *file, struct error *error);
void suppressions_release(struct suppressions *suppressions);

/* Of each finding the suppression, NULL: none; counts those that are used.  Caller frees the array.
 */
const struct suppression **suppressions_apply(struct suppressions *suppressions,
					      const struct profile *profile,
					      const struct finding_id *ids);

#endif
