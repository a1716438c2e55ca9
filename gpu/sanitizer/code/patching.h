/*
 * gpu/sanitizer/code/patching.h: puts our patches into the program's GPU code.
 *
 * Has a lock of its own, which is never held across calls of the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_PATCHING_H
#define VFLOW_GPU_SANITIZER_CODE_PATCHING_H

#include <stdbool.h>

#include <sanitizer.h>

/* What patches do. */
enum patching_kind {
	PATCHING_MARKS,  /* they mark what is accessed */
	PATCHING_COUNTS, /* ... and count how often */
	PATCHING_VALUES, /* they look at values (device/values.cu), and mark nothing */
};

/* `lazily`: modules are patched by patching_set() only. */
void patching_start(bool lazily, enum patching_kind kind);
/* A module was loaded: patches it.  False: it cannot be patched. */
bool patching_loaded(const Sanitizer_ResourceModuleData *data);
void patching_unloading(CUmodule module);
/* Whether the module's kernels run with our patches. */
bool patching_is_on(CUmodule module);
/*
 * Patches the module, or unpatches it.  None of its kernels may be running: the caller has waited
 * for their launches.  False: that cannot be done.
 */
bool patching_set(CUmodule module, bool on);
/*
 * The code of the module, or of all modules (NULL), must not change any more: CUDA graphs hold
 * addresses in it (measured: they run into illegal instructions otherwise).
 */
void patching_freeze(CUmodule module);
bool patching_is_frozen(CUmodule module);
/* The context was destroyed, and with it the patches that were loaded into it. */
void patching_context_gone(CUcontext context);

#endif
