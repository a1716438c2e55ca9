/*
 * gpu/sanitizer/code/instructions.h: which kernels hold instructions that the Sanitizer cannot
 * patch, or does not tell all of.
 *
 * Read from the machine code when a module is loaded: an instruction has 16 bytes, its low nine
 * bits say what it is, the next three what its operands are (alike from sm_75 to sm_100; nvdisasm
 * -hex shows them).
 */
#ifndef VFLOW_GPU_SANITIZER_CODE_INSTRUCTIONS_H
#define VFLOW_GPU_SANITIZER_CODE_INSTRUCTIONS_H

#include <stddef.h>

#include <cuda.h>

enum instructions {
	INSTRUCTIONS_TEXTURE_READ = 1,    /* TEX, TLD, TLD4, TXD, SULD */
	INSTRUCTIONS_SURFACE_STORE = 2,   /* SUST, SURED */
	INSTRUCTIONS_TENSOR_READ = 4,     /* UTMALDG */
	INSTRUCTIONS_TENSOR_WRITE = 8,    /* UTMASTG, UTMAREDG */
	INSTRUCTIONS_MULTICAST_READ = 16, /* LDGMC */
	INSTRUCTIONS_PARTIAL_COPY = 32,   /* LDGSTS.ZFILL, whose size patches are told in full */
	INSTRUCTIONS_LAUNCH = 64,         /* calls of the device's runtime that launch kernels */
};

/* A module was loaded.  Any thread may call these, with whatever lock. */
void instructions_read(CUmodule module, const char *image, size_t size);
void instructions_gone(CUmodule module);
/* What a kernel (mangled name) holds, or functions that it may call. */
unsigned instructions_of(CUmodule module, const char *kernel);

#endif
