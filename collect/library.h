/*
 * collect/library.h: what `vflow collect` puts into a target: where its libraries are, what a
 * target must find in its environment, and whether the machine has a GPU.
 */
#ifndef VFLOW_COLLECT_LIBRARY_H
#define VFLOW_COLLECT_LIBRARY_H

#include <stdbool.h>

#include "util/error.h"

/*
 * The folder of libvflow-guest.so: build/lib or lib beside the vflow program (in the tree), or
 * ../lib/vflow (installed).  Caller frees; NULL on failure.
 */
char *library_folder(struct error *error);

/* Libraries of the emulator that a program may link, in the order in which they are preloaded. */
extern const char *const library_emulator[]; /* ends with NULL */

/*
 * The value of LD_PRELOAD: every library of the emulator that is there, then `users` (may be
 * NULL).  Caller frees; NULL on failure.
 */
char *library_preload(const char *folder, const char *users, struct error *error);

/* Whether the NVIDIA driver reports a GPU. */
bool library_gpu_present(void);

/* The library of the GPU provider, which is built where there is a CUDA toolkit.  Caller frees. */
char *library_provider(const char *folder);

#endif
