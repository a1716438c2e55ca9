/*
 * gpu/emulator/fatbin.h: finds the PTX to run in what programs hand to the CUDA loader.
 *
 * PTX text, a fat binary container (nvcc 11 to 13; stored, zstd or LZ4 entries) or the wrapper
 * that points to one.  All of it is hostile: no byte outside the sizes it states is read.
 */
#ifndef VFLOW_GPU_EMULATOR_FATBIN_H
#define VFLOW_GPU_EMULATOR_FATBIN_H

#include <stddef.h>

#include "util/error.h"

struct fatbin_ptx {
	const char *text; /* not NUL-terminated */
	size_t size;
	char *unpacked; /* the same when it had to be decompressed: free() it */
};

enum fatbin_result {
	FATBIN_FOUND = 0,
	FATBIN_DAMAGED = -1,
	FATBIN_NO_PTX = -2, /* only code for particular GPUs */
	FATBIN_NO_MEMORY = -3,
	FATBIN_NO_LIBRARY = -4, /* the library that decompresses is not installed */
};

/*
 * Takes the PTX of the highest architecture up to `architecture` (90), or the lowest above it.
 * `size` SIZE_MAX: PTX text ends with a NUL, a container where its header says.
 */
enum fatbin_result fatbin_find_ptx(const void *image, size_t size, unsigned architecture,
				   struct fatbin_ptx *ptx, struct error *error);

#endif
