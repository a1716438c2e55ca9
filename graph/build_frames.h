/*
 * graph/build_frames.h: which frames of a call path are not the program's.  Internal to the
 * builder.
 */
#ifndef VFLOW_GRAPH_BUILD_FRAMES_H
#define VFLOW_GRAPH_BUILD_FRAMES_H

#include "graph/profile.h"

/*
 * How many innermost frames are nvcc's, which launch the kernel `name`, or a statically linked
 * runtime's, which the program called by `name`.
 */
uint32_t frames_of_cuda(const struct profile *profile, const struct profile_callpath *path,
			const char *name);

#endif
