/* graph/build/apis.h: what the functions of a timeline are, and where they were called. */
#ifndef VFLOW_GRAPH_BUILD_APIS_H
#define VFLOW_GRAPH_BUILD_APIS_H

#include "graph/build/merge.h"

/* Fills in profile->apis, of which an analysis knows the contexts. */
void apis_finish(struct profile *profile, struct merge *merge);

#endif
