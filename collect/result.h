/*
 * collect/result.h: the files around a run: the trace folder before it, the profile after it.
 */
#ifndef VFLOW_COLLECT_RESULT_H
#define VFLOW_COLLECT_RESULT_H

#include <stdint.h>

#include "collect/runs.h"
#include "graph/build/analysis.h"
#include "graph/profile/profile.h"
#include "util/error.h"

/* Whether a profile can be written to `output` later.  Nothing is changed. */
int result_check_output(const char *output, struct error *error);

/* Keeps others from writing `output` until folder_unlock(): see collect/folder.h.  0 or -1. */
int result_lock(const char *output, struct error *error);

/* Makes the folder for the traces, see collect/folder.h.  Caller frees; NULL on failure. */
char *result_make_folder(const char *output, struct error *error);

struct result_run {    /* what the profile says of the runs */
	char *command; /* NULL: as the first process says */
	uint64_t date; /* seconds since 1970 */
	const struct pass *const *table;
	const struct build_analysis *const *analyses; /* of the traces; ends with NULL */
	const struct runs_result *runs;               /* NULL: nothing more than the traces say */
};

/* From the traces in the folder to a profile with findings; NULL on failure. */
struct profile *result_build(const char *folder, const struct result_run *run, struct error *error);

/* Writes the profile; a file that is there is kept as "OUTPUT.old". */
int result_write(const struct profile *profile, const char *output, struct error *error);

#endif
