/* graph/build/places.h: where what tables tell was done, and what the functions of a timeline are.
 */
#ifndef VFLOW_GRAPH_BUILD_PLACES_H
#define VFLOW_GRAPH_BUILD_PLACES_H

#include "graph/build/merge.h"

/*
 * Fills in the columns of type PLACE of all tables, of which analyses know the frames, and
 * profile->apis, of which they know the contexts.
 */
void places_finish(struct profile *profile, struct merge *merge);

#endif
