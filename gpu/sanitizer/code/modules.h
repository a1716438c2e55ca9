/*
 * gpu/sanitizer/code/modules.h: the program's modules of GPU code: their patches, their variables
 * and what the patches do not follow.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_MODULES_H
#define VFLOW_GPU_SANITIZER_CODE_MODULES_H

#include <sanitizer.h>

#include "gpu/sanitizer/shadow/space.h"

/* Patches a module, in the callback of its load, and reads it.  False: it could not be patched. */
bool module_loaded(const Sanitizer_ResourceModuleData *data);
void module_unloading(CUcontext context, CUmodule module);

/* Whether some loaded modules wait for modules_variables(). */
bool modules_pending(void);
/*
 * Makes objects of the variables of the modules that were loaded into the context.  Calls the
 * driver. Adds to *skipped how many variables have no address, and to *constants how many are
 * __constant__.
 */
void modules_variables(struct space *space, uint64_t *skipped, uint64_t *constants);
/* The context was destroyed with its modules. */
void modules_context_gone(CUcontext context);
/*
 * Which instructions that no patch follows (gpu/sass/instructions.h) are in a kernel, or in
 * functions that it may call.  Any thread may ask.
 */
unsigned module_instructions(CUmodule module, const char *kernel);

#endif
