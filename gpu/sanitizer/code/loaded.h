/*
 * gpu/sanitizer/code/loaded.h: the GPU code that the program has loaded, and which of its kernels
 * it launches, as the sink learns it.  Any thread may call.
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_LOADED_H
#define VFLOW_GPU_SANITIZER_CODE_LOADED_H

#include <stdbool.h>

#include <sanitizer.h>

#include "gpu/provider.h"

/* Nothing is reported without this. */
void loaded_start(const struct gpu_sink *sink);
/* Asks the driver once whether it loads code lazily; modules that were loaded before do not say. */
void loaded_ask(void);

/*
 * A module was loaded, in the callback that says so; and its end.  in_call: the thread is in a call
 * of the program.
 */
void loaded_module(const Sanitizer_ResourceModuleData *data, bool in_call);
void loaded_gone(CUmodule module);
/*
 * The thread's call of the program has ended: reports the modules that it has loaded.  Not in the
 * callbacks above, where the driver has locks that those who change the list of loaded libraries
 * may wait for, as a look at the call path does for that list.
 */
void loaded_report(void);
/* The program launches this kernel (mangled name). */
void loaded_launch(CUmodule module, const char *kernel);

#endif
