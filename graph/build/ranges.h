/*
 * graph/build/ranges.h: the NVTX ranges of all processes and runs, as rows of the profile.
 * Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_RANGES_H
#define VFLOW_GRAPH_BUILD_RANGES_H

#include <stdint.h>

#include "graph/profile/profile.h"

struct ranges;

/* They become rows of the profile, which must live as long. */
struct ranges *ranges_new(struct profile *profile);
void ranges_free(struct ranges *ranges);

/*
 * The row of the range of this name, any bytes, inside of another one; PROFILE_NO_ROW: inside of
 * none.  Where there are too many it is the outer one.
 */
uint32_t ranges_find(struct ranges *ranges, uint32_t outer, const char *name);

/* The numbers of ranges have been of themselves so far: adds those inside of them. */
void ranges_finish(struct profile *profile);

/* What a call is in: the names from the outermost range on, with " / " between them. */
char *ranges_text(const struct profile *profile, uint32_t range);

#endif
