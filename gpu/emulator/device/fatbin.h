/*
 * gpu/emulator/device/fatbin.h: finds the PTX to run in what programs hand to the CUDA loader.
 *
 * PTX text, a fat binary container (nvcc 11 to 13; stored, zstd or LZ4 entries) or the wrapper
 * that points to one.  All of it is hostile: no byte outside the sizes it states is read.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_FATBIN_H
#define VFLOW_GPU_EMULATOR_DEVICE_FATBIN_H

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

/*
 * The same for a program linked by nvcc -rdc=true: its wrapper points to the linked code, for
 * particular GPUs only, and to the fat binaries of all translation units.  Fills *list, which has
 * *count elements and is freed with fatbin_free().
 */
enum fatbin_result fatbin_find_all(const void *image, size_t size, unsigned architecture,
				   struct fatbin_ptx **list, size_t *count, struct error *error);
void fatbin_free(struct fatbin_ptx *list, size_t count);

#endif
