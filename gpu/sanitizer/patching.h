/*
 * gpu/sanitizer/patching.h: puts our patches into the program's GPU code.
 *
 * Has a lock of its own, which is never held across calls of the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_PATCHING_H
#define VFLOW_GPU_SANITIZER_PATCHING_H

#include <stdbool.h>

#include <sanitizer.h>

/* A module was loaded: patches it.  False: it cannot be patched. */
bool patching_loaded(const Sanitizer_ResourceModuleData *data);
/* The context is gone, and with it the patches that were loaded into it. */
void patching_context_gone(CUcontext context);

#endif
