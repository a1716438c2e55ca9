/*
 * gpu/sanitizer/code/modules.h: the program's modules of GPU code: their patches, their variables
 * and what the patches do not follow.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_MODULES_H
#define VFLOW_GPU_SANITIZER_CODE_MODULES_H

#include <sanitizer.h>

#include "gpu/sanitizer/shadow/space.h"

/*
 * Patches a module, in the callback of its load, and reads it.  in_call: the thread is in a call of
 * the program.  False: it could not be patched.
 */
bool module_loaded(const Sanitizer_ResourceModuleData *data, bool in_call);
void module_unloading(CUcontext context, CUmodule module);

/* Whether some loaded modules wait for modules_variables(). */
bool modules_pending(void);
/*
 * Makes objects of the variables of the modules that were loaded into the context.  Calls the
 * driver.  Adds to what is not seen of them.
 */
struct variables_unseen {
	uint64_t skipped; /* the driver does not tell their address */
	uint64_t constants;
	uint64_t managed, managed_bytes;
};
void modules_variables(struct space *space, struct variables_unseen *unseen);
/* The context was destroyed with its modules. */
void modules_context_gone(CUcontext context);
/*
 * Which instructions that no patch follows (gpu/sass/instructions.h) are in a kernel, or in
 * functions that it may call.  Any thread may ask.
 */
unsigned module_instructions(CUmodule module, const char *kernel);

#endif
