/*
 * gpu/sass/instructions.h: which kernels hold instructions that a patch of the Sanitizer cannot
 * follow, or is not told all of.
 *
 * An instruction has 16 bytes, its low nine bits say what it is, the next three what its operands
 * are (alike from sm_75 to sm_100; nvdisasm -hex shows them).
 */
#ifndef VFLOW_GPU_SASS_INSTRUCTIONS_H
#define VFLOW_GPU_SASS_INSTRUCTIONS_H

#include <stddef.h>

enum instructions {
	INSTRUCTIONS_TEXTURE_READ = 1,    /* TEX, TLD, TLD4, TXD, SULD */
	INSTRUCTIONS_SURFACE_STORE = 2,   /* SUST, SURED */
	INSTRUCTIONS_TENSOR_READ = 4,     /* UTMALDG */
	INSTRUCTIONS_TENSOR_WRITE = 8,    /* UTMASTG, UTMAREDG */
	INSTRUCTIONS_MULTICAST_READ = 16, /* LDGMC */
	INSTRUCTIONS_PARTIAL_COPY = 32,   /* LDGSTS.ZFILL, whose size patches are told in full */
	INSTRUCTIONS_LAUNCH = 64,         /* calls of the device's runtime that launch kernels */
	INSTRUCTIONS_PRINTED_TEXT = 128,  /* printf with %s: the driver reads the text, later */
};

/*
 * What these read no patch sees: also tensor maps that lie in memory, and what reductions add to.
 * What textures do can be read unseen anyway.
 */
#define INSTRUCTIONS_READ_UNSEEN                                                                   \
	(INSTRUCTIONS_TENSOR_READ | INSTRUCTIONS_TENSOR_WRITE | INSTRUCTIONS_MULTICAST_READ |      \
	 INSTRUCTIONS_PRINTED_TEXT)

/* The kernels of a module that hold any. */
struct instructions_list;

/* NULL: none does, the image is no cubin, or there is no memory. */
struct instructions_list *instructions_read(const void *image, size_t size);
/* What a kernel (mangled name) holds, or functions that it may call.  `list` may be NULL. */
unsigned instructions_of(const struct instructions_list *list, const char *kernel);
void instructions_free(struct instructions_list *list);

#endif
