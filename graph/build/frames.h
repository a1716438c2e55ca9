/*
 * graph/build/frames.h: which frames of a call path are not the program's.  Internal to the
 * builder.
 */
#ifndef VFLOW_GRAPH_BUILD_FRAMES_H
#define VFLOW_GRAPH_BUILD_FRAMES_H

#include <stdbool.h>

#include "graph/profile/profile.h"

/* How many innermost frames are nvcc's, which launch the kernel. */
uint32_t frames_of_launch(const struct profile *profile, const struct profile_callpath *path,
			  const char *kernel);

/*
 * Whether a program with the CUDA runtime linked in has called this function of its (an ELF symbol)
 * for the call that is named so in the trace; `kernel`: that is the kernel's name.
 */
bool frames_are_called(const char *function, bool kernel, const char *call);
/* The same for what captures or adds a node of a CUDA graph. */
bool frames_add_node(const char *function);

#endif
