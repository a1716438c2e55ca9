/* advice/stall/report.h: `vflow report --stalls`, as text and as JSON. */
#ifndef VFLOW_ADVICE_STALL_REPORT_H
#define VFLOW_ADVICE_STALL_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/stall/kernels.h"
#include "replay/replay.h"
#include "util/error.h"

struct report_stalls {
	const struct profile *profile;       /* with its events */
	const struct stall_kernels *kernels; /* of it */
	const struct replay *replay;         /* of it; NULL: what the run would gain is not known */
	uint64_t top;                        /* kernels to show; 0: all */
	bool colour;
};

/* -1: the profile has no samples, and the error says why and what to do. */
int report_stalls_check(const struct profile *profile, struct error *error);
void report_stalls_print(const struct report_stalls *report, FILE *out);
void report_stalls_json(const struct report_stalls *report, FILE *out); /* without colour */

#endif
