/* advice/report/worth.h: what findings save, as the report says it. */
#ifndef VFLOW_ADVICE_REPORT_WORTH_H
#define VFLOW_ADVICE_REPORT_WORTH_H

#include "advice/report/report.h"

/* Whether times are those of the emulated device's model. */
bool report_is_model(const struct profile *profile);

/* How long the run took; PROFILE_UNKNOWN: nobody knows what findings save. */
uint64_t report_run_ns(const struct profile *profile);
/*
 * Of that, from the first operation to the last, which is what savings are parts of; of older
 * profiles the whole run.  And before the first; PROFILE_UNKNOWN: not known.
 */
uint64_t report_span_ns(const struct profile *profile);
uint64_t report_startup_ns(const struct profile *profile);

/*
 * "saves 3.10 ms of 42.0 ms, 7.4%", "saves at least ...", "saves at most ...", "saves 1.00 to 3.10
 * ms of ...", "saves no time: off the critical path"; NULL: there is no estimate.  Caller frees.
 */
char *report_saving(uint64_t saves_ns, uint64_t saves_most_ns, uint64_t span_ns);

/* "most time saved first", or by what else they are ranked. */
const char *report_order(const struct report *report);

/* What findings save together, or why that is not known; nothing without a timeline. */
void report_groups(const struct report *report, FILE *out);

#endif
