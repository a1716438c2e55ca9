/*
 * gpu/sanitizer/code/patching.h: puts our patches into the program's GPU code.
 *
 * Has a lock of its own, which is never held across calls of the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_PATCHING_H
#define VFLOW_GPU_SANITIZER_CODE_PATCHING_H

#include <stdbool.h>

#include <sanitizer.h>

/* With `lazily` a module is patched by patching_set() only. */
void patching_start(bool lazily);
/* A module was loaded: patches it.  False: it cannot be patched. */
bool patching_loaded(const Sanitizer_ResourceModuleData *data);
void patching_unloading(CUmodule module);
/* Whether the module's kernels run with our patches. */
bool patching_is_on(CUmodule module);
/*
 * Patches the module, or makes its kernels run as they were.  No kernel of the module may be
 * running, so its launches must be waited for before.  False: that cannot be done.
 */
bool patching_set(CUmodule module, bool on);
/*
 * The module's code, or that of all modules (NULL), must stay as it is: CUDA graphs hold places in
 * it (measured: they run into illegal instructions otherwise).
 */
void patching_freeze(CUmodule module);
bool patching_is_frozen(CUmodule module);
/* The context is gone, and with it the patches that were loaded into it. */
void patching_context_gone(CUcontext context);

#endif
