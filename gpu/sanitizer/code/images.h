/*
 * gpu/sanitizer/code/images.h: images of the program's modules, kept while they are loaded for
 * those who want to know what an instruction is (pass `values`).
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_IMAGES_H
#define VFLOW_GPU_SANITIZER_CODE_IMAGES_H

#include <stdint.h>

#include <sanitizer.h>

#include "gpu/provider.h"

/* From now on they are kept, and told to the sink. */
void images_start(const struct gpu_sink *sink);
void images_loaded(const Sanitizer_ResourceModuleData *data);
void images_unloading(CUmodule module);
/*
 * The number of a function of the module (mangled name) for records, told to the sink with its
 * image when it is asked for first; *start: the address of its code, *size: bytes.  0: nothing is
 * known.
 */
uint32_t images_function(CUmodule module, const char *name, uint64_t *start, uint64_t *size);

#endif
