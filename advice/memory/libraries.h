/*
 * advice/memory/libraries.h: which library of the program has allocated the device's memory.
 */
#ifndef VFLOW_ADVICE_MEMORY_LIBRARIES_H
#define VFLOW_ADVICE_MEMORY_LIBRARIES_H

#include "graph/memory/peaks.h"

/*
 * The objects that one ELF file has allocated: that of the innermost frame of their call paths
 * that is no allocator's (graph/library_frames.def); CUDA's own libraries are in no call path.
 */
struct memory_library {
	const char *path;     /* the profile's; NULL: not known, the call path has no such frame */
	uint64_t objects;     /* all */
	uint64_t bytes;       /* of these, summed over the run */
	uint64_t place_bytes; /* of those that were there at the place */
};

/*
 * All libraries that have allocated something, the most bytes at the place (see peaks.h) first.
 * Returns how many; the caller frees *libraries.
 */
uint32_t memory_libraries(const struct profile *profile, const struct peaks *peaks, uint64_t place,
			  struct memory_library **libraries);

#endif
