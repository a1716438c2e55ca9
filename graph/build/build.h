/*
 * graph/build/build.h: from the traces of one run to a profile: symbols, merging, vertex ids,
 * edges.
 */
#ifndef VFLOW_GRAPH_BUILD_BUILD_H
#define VFLOW_GRAPH_BUILD_BUILD_H

#include "graph/profile/profile.h"
#include "util/error.h"

/*
 * Reads every *.trace file in the folder, in start order of the processes.  A damaged trace
 * counts up to the damage, and coverage says where it was cut; a folder without any trace gives
 * a profile with only the host vertex.  NULL on failure.  Memory: O(objects + vertices + edges),
 * not O(events).
 */
struct profile *build_profile(const char *trace_folder, struct error *error);

/* The same with other analyses than all: rows, ended by NULL (build/analysis.h). */
struct build_analysis;
struct profile *build_profile_with(const char *trace_folder,
				   const struct build_analysis *const *analyses,
				   struct error *error);

#endif
