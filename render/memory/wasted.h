/* render/memory/wasted.h: findings of memory, for pictures. */
#ifndef VFLOW_RENDER_MEMORY_WASTED_H
#define VFLOW_RENDER_MEMORY_WASTED_H

#include "advice/memory/findings.h"
#include "render/picture.h"

/*
 * Of the picture's profile, which is copied to *profile with the picture's graph; both must outlive
 * the result, which the caller frees.  NULL: nothing was allocated, it is not known, or vertices
 * are groups.
 */
struct memory *memory_of_picture(const struct picture *picture, struct profile *profile);

/* From which place to which one (peaks.h) the finding's worst object is not needed; `end`: of the
 * run. */
void memory_wasted(const struct memory_finding *finding, uint64_t end, uint64_t *from,
		   uint64_t *to);

#endif
