/*
 * advice/memory/frequency.h: how often a launch accesses which elements of an object: sentences,
 * which the caller frees, and numbers (DrGPUM, Definition 3.9).
 */
#ifndef VFLOW_ADVICE_MEMORY_FREQUENCY_H
#define VFLOW_ADVICE_MEMORY_FREQUENCY_H

#include "advice/memory/report.h"
#include "util/json.h"

/* "coefficient of variation 58%" */
char *frequency_title(const struct memory_finding *finding);
char *frequency_evidence(const struct profile *profile, const struct memory_finding *finding);
/* "elements by accesses: 1: 300, 2 to 3: 20, 16 to 31: 4" */
char *frequency_histogram(const struct profile *profile, const struct memory_finding *finding);
char *frequency_advice(const struct profile *profile, const struct memory_finding *finding);
/* Members of the finding's object. */
void frequency_json(const struct profile *profile, const struct memory_finding *finding,
		    struct json *json);

#endif
