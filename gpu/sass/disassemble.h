/* gpu/sass/disassemble.h: running NVIDIA's disassembler on a cubin. */
#ifndef VFLOW_GPU_SASS_DISASSEMBLE_H
#define VFLOW_GPU_SASS_DISASSEMBLE_H

#include "gpu/sass/listing.h"

/*
 * What nvdisasm says of `count` functions (mangled names) of the image; 0: of all, which takes it
 * half a minute and 1400 bytes an instruction for a large library's.  It is the nvdisasm on PATH,
 * else that of a CUDA toolkit where those are.  NULL: there is none, it failed, it said too much,
 * or the image has none of the functions.
 */
struct sass_listing *sass_disassemble(const void *image, size_t size, const char *const *functions,
				      size_t count, struct error *error);

#endif
