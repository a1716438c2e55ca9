/*
 * graph/build/pairs/pairs.h: which process of one run stands for which of the run that makes the
 * graph.  Internal to the builder.
 *
 * Processes are told apart by their executable, their arguments and their rank, as a launcher of
 * parallel programs sets it in the environment; those that are left, whose arguments differ (names
 * of temporary files), by executable and rank, then by executable alone.  Among equal ones those
 * whose calls are most alike belong together: processes that are started at once start in any
 * order.
 */
#ifndef VFLOW_GRAPH_BUILD_PAIRS_PAIRS_H
#define VFLOW_GRAPH_BUILD_PAIRS_PAIRS_H

#include <stdint.h>

#include "graph/build/join.h"
#include "graph/build/sources.h"
#include "graph/profile/profile.h"

#define PAIRS_UNKNOWN UINT32_MAX     /* its trace does not say which process it is */
#define PAIRS_EXTRA (UINT32_MAX - 1) /* none: the process is left out */

/*
 * Sets the `process` of each source, the index into profile->processes or one of the above, and
 * sorts the sources by it: tables hold the calls of one process after those of the one before.
 * Coverage says which processes have no partner or may have another's, of which `passes` names the
 * run.  *first: provider and device of the first process that says them, for the caller to free;
 * else NULL.
 */
void pairs_find(struct profile *profile, struct merge *merge, const struct join *join,
		const char *passes, struct build_source *sources, uint32_t count,
		struct profile_pass *first);

#endif
