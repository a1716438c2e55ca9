/* advice/report/report.h: the text that `vflow report` prints. */
#ifndef VFLOW_ADVICE_REPORT_REPORT_H
#define VFLOW_ADVICE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/advice.h"

struct report {
	const struct profile *profile; /* with the findings of `options` */
	struct advice_options options;
	const char *thresholds; /* advice_other_thresholds(), before `options` were used */
	const char *file; /* operand of the command, for the commands that are suggested; or NULL */
	uint64_t top;     /* findings to show; 0: all */
	bool brief;       /* nothing but a line for each */
	bool colour;
	bool as_found; /* `options` have no effect: the findings are those of the file */
};

void report_print(const struct report *report, FILE *out);

#endif
