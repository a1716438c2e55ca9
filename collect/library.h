/*
 * collect/library.h: where the libraries are that `vflow collect` puts into a target.
 */
#ifndef VFLOW_COLLECT_LIBRARY_H
#define VFLOW_COLLECT_LIBRARY_H

#include "util/error.h"

#define LIBRARY_GUEST "libvflow-guest.so"

/*
 * The folder of libvflow-guest.so: build/lib or lib beside the vflow program (in the tree), or
 * ../lib/vflow (installed).  Caller frees; NULL on failure.
 */
char *library_folder(struct error *error);

#endif
