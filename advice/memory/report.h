/* advice/memory/report.h: `vflow report --memory`, as text and as JSON. */
#ifndef VFLOW_ADVICE_MEMORY_REPORT_H
#define VFLOW_ADVICE_MEMORY_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/memory/findings.h"
#include "advice/report/report.h"

struct report_memory {
	const struct profile *profile;
	struct memory_options options;
	const struct memory *memory; /* of memory_detect(); NULL: nothing is known */
	const struct report *report; /* of its findings, which are the profile's */
	bool colour;
};

void report_memory_print(const struct report_memory *report, FILE *out);
void report_memory_json(const struct report_memory *report, FILE *out); /* without colour */

/* "memory: peak 96.0M, 64.0M if ...", a line of the report; NULL: nothing is known.  Caller frees.
 */
char *report_memory_line(const struct profile *profile);
/* That peak; PROFILE_UNKNOWN: nothing is known. */
uint64_t report_memory_peak(const struct profile *profile);

#endif
