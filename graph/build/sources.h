/*
 * graph/build/sources.h: the traces of a run.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_SOURCES_H
#define VFLOW_GRAPH_BUILD_SOURCES_H

#include "graph/profile/profile.h"
#include "util/error.h"

struct build_source {
	char *path;
	uint64_t start_ns;
	uint32_t process; /* of a run that joins the graph: see build/pairs/pairs.h */
};

/*
 * The traces in the folder that can be opened, in start order; the others are rows of coverage
 * (`passes`: see build/coverage.h).  -1: the folder cannot be read.
 */
int build_find_sources(const char *folder, struct profile *profile, const char *passes,
		       struct build_source **sources, uint32_t *count, struct error *error);
void build_free_sources(struct build_source *sources, uint32_t count);

#endif
