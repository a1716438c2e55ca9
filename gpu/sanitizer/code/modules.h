/*
 * gpu/sanitizer/code/modules.h: the program's modules of GPU code: their patches, their variables
 * and what the patches do not follow.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_MODULES_H
#define VFLOW_GPU_SANITIZER_CODE_MODULES_H

#include <sanitizer.h>

#include "gpu/sanitizer/shadow/space.h"

/* In the callback of a loaded module.  False: it could not be patched. */
bool module_loaded(const Sanitizer_ResourceModuleData *data);
void module_unloading(CUcontext context, CUmodule module);

/* Whether there are loaded modules whose variables wait for module_variables(). */
bool modules_pending(void);
/*
 * Makes objects of the variables of the modules that were loaded into the context; calls the
 * driver.  `skipped` counts those that the driver does not give the address of, `constants` those
 * in constant memory.
 */
void modules_variables(struct space *space, uint64_t *skipped, uint64_t *constants);
/* The context is gone, and with it its modules. */
void modules_context_gone(CUcontext context);
/*
 * Which instructions that no patch follows (gpu/sass/instructions.h) a kernel holds, or functions
 * that it may call.  Any thread may ask.
 */
unsigned module_instructions(CUmodule module, const char *kernel);

#endif
