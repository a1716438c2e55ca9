/*
 * advice/pattern.h: patterns.  Each file NAME.c in advice/pattern/ has a struct pattern
 * pattern_NAME; patterns that follow from the same facts share a file.
 *
 * A pattern looks at the whole profile and adds findings, one for each operation and site of
 * objects.  A finding states what was measured and names the fix; what the data does not show, it
 * does not say.  advice.c then makes one list of them.
 */
#ifndef VFLOW_ADVICE_PATTERN_H
#define VFLOW_ADVICE_PATTERN_H

#include "advice/run.h"

struct pattern_name {
	const char *name;  /* in files: "redundant_values" */
	const char *title; /* for people */
};

struct pattern {
	void (*detect)(const struct run *run);
	const struct pattern_name *names; /* of what it finds; ends with a row without a name */
};

/*
 * Of vertex ids.  The finding has no texts yet: evidence, advice and limits are the caller's to
 * set. `action` is one of vflow-report(1)'s words.
 */
struct profile_finding *run_add(const struct run *run, const char *pattern, const char *action,
				uint32_t vertex, uint32_t site, uint64_t bytes, uint64_t of);
/*
 * Of calls that wait or make others wait, by index into profile->apis, for so long; the run has a
 * timeline.
 */
struct profile_finding *run_add_calls(const struct run *run, const char *pattern,
				      const char *action, uint32_t api, uint64_t ns);
/* Adds to the finding's vertices; its own are left out.  list.c puts them in order, each once. */
void finding_add_other(struct profile_finding *finding, uint32_t vertex);

#endif
