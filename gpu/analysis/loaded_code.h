/*
 * gpu/analysis/loaded_code.h: tells the sink which GPU code is loaded, and which of its kernels are
 * launched (GPU_RECORD_CODE, GPU_RECORD_CODE_KERNEL).
 */
#ifndef VFLOW_GPU_ANALYSIS_LOADED_CODE_H
#define VFLOW_GPU_ANALYSIS_LOADED_CODE_H

#include "gpu/provider.h"

/* A library has thousands of kernels: of a module so many, the largest, are named when it is
 * loaded. */
#define LOADED_CODE_NAMED 8

/* A module that is loaded: to be zeroed first.  Names are the caller's. */
struct loaded_code {
	struct gpu_code record;
	struct {
		const char *name;
		uint64_t bytes;
	} largest[LOADED_CODE_NAMED]; /* kernels, the largest first, of equal ones the first */
	uint32_t count;
};
/* The module has this kernel, with so many bytes of machine code. */
void loaded_code_add(struct loaded_code *code, const char *name, uint64_t bytes);
/* FNV-1a, which a hash of several texts begins with the one of those before; 0: the first. */
uint64_t loaded_code_hash(uint64_t before, const char *text);

/*
 * Tells of the module; the caller has set bytes, code_bytes and loading of the record, and frame
 * from path().  Returns the module's number, for its kernels.
 */
uint32_t loaded_code_say(const struct gpu_sink *sink, struct loaded_code *code);
/* A kernel of the module is launched, for the first time. */
void loaded_code_launched(const struct gpu_sink *sink, uint32_t code, const char *name,
			  uint64_t bytes);

#endif
