/*
 * advice/memory/code.h: the GPU code that a process has loaded, by the library that loaded it, and
 * what of it was never launched.
 */
#ifndef VFLOW_ADVICE_MEMORY_CODE_H
#define VFLOW_ADVICE_MEMORY_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/profile/profile.h"

/* A file's code: that of the innermost frame of the call paths that loaded the modules. */
struct memory_code {
	const char *path;           /* the profile's; NULL: not known */
	uint64_t modules, loads;    /* different ones, and how often they were loaded */
	uint64_t bytes;             /* of all images that were loaded */
	uint64_t kernels, launched; /* of each module once */
	uint64_t kernel_bytes;      /* machine code of the kernels */
	uint64_t unused_bytes;      /* ... of those that were never launched */
	bool lazy;                  /* the driver loads some of it when it is launched */
	const struct profile_gpu_function *unused; /* the largest one; NULL: none is known */
};

/*
 * Of one process, the most code that was never launched first.  Returns how many; the caller frees
 * *list.
 */
uint32_t memory_code(const struct profile *profile, uint32_t process, struct memory_code **list);

#endif
