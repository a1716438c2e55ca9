/*
 * advice/memory/words.h: findings of memory as sentences; the caller frees each.
 */
#ifndef VFLOW_ADVICE_MEMORY_WORDS_H
#define VFLOW_ADVICE_MEMORY_WORDS_H

#include "advice/memory/report.h"
#include "advice/words.h"

/* What to do, for programs: vflow-report(1) has the words. */
const char *memory_action(const struct profile *profile, const struct memory *memory,
			  const struct memory_finding *finding);
/* What was seen of the worst object. */
char *memory_evidence(const struct report_memory *report, const struct words_site *sites,
		      const struct memory_finding *finding);
/* `memory`: which the finding is of. */
char *memory_advice(const struct profile *profile, const struct memory *memory,
		    const struct memory_finding *finding);
/* "4.0M times API calls between, 21 byte seconds of model time; at the peak: 1.0M" */
char *memory_cost(const struct report_memory *report, const struct memory_finding *finding);

#endif
