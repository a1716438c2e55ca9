/*
 * graph/build/build.h: from the traces of a program's runs to a profile: symbols, merging, vertex
 * ids, edges, and what other runs recorded of the same operations.
 */
#ifndef VFLOW_GRAPH_BUILD_BUILD_H
#define VFLOW_GRAPH_BUILD_BUILD_H

#include "graph/build/analysis.h"
#include "graph/profile/profile.h"
#include "util/error.h"

/* One run of the program. */
struct build_run {
	const char *folder; /* all *.trace files in it */
	const char *passes; /* that it was made for, "time,waits"; of the first may be NULL */
	double seconds;     /* that it took; 0: not known */
};

/*
 * Reads the traces of the runs, in start order of the processes.  The first run makes the graph,
 * what the others recorded is joined to it: the n-th call of a call path in one process is the n-th
 * in the process that stands for it (build/join.h, build/pairs/pairs.h).  In what the runs differ,
 * coverage says.  `analyses`: rows, ended by NULL.
 *
 * A damaged trace counts up to the damage, and coverage says where it was cut; a folder without any
 * trace gives a profile with only the host vertex.  NULL: the first folder cannot be read.  Memory:
 * O(contexts of all processes + objects + vertices + edges), not O(events).
 */
struct profile *build_runs(const struct build_run *runs, uint32_t count,
			   const struct build_analysis *const *analyses, struct error *error);

/* Builds the profile of one run, with all analyses. */
struct profile *build_profile(const char *folder, struct error *error);

#endif
