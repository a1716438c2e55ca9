/*
 * graph/build/pairs.h: which process of one run stands for which of the run that makes the graph.
 * Internal to the builder.
 *
 * The n-th of an executable and its arguments, in the order in which they started, stands for the
 * n-th of the same; of those that are left, whose arguments differ (names of temporary files), the
 * n-th of an executable for the n-th of the same.
 */
#ifndef VFLOW_GRAPH_BUILD_PAIRS_H
#define VFLOW_GRAPH_BUILD_PAIRS_H

#include <stdint.h>

#include "graph/build/sources.h"
#include "graph/profile/profile.h"

#define PAIRS_UNKNOWN UINT32_MAX     /* its trace does not say which process it is */
#define PAIRS_EXTRA (UINT32_MAX - 1) /* none: the process is left out */

/*
 * Sets the `process` of each source, the index into profile->processes or one of the above, and
 * sorts the sources by it: tables hold the calls of one process after those of the one before.
 * Coverage says which processes have no partner, of which `passes` names the run.  *first: provider
 * and device of the first process that says them, for the caller to free; else NULL.
 */
void pairs_find(struct profile *profile, const char *passes, struct build_source *sources,
		uint32_t count, struct profile_pass *first);

#endif
