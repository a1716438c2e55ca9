/*
 * gpu/sanitizer/thread.h: what one thread's running API call has done so far.
 */
#ifndef VFLOW_GPU_SANITIZER_THREAD_H
#define VFLOW_GPU_SANITIZER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "gpu/provider.h"

enum operation_kind {
	OPERATION_ALLOC,
	OPERATION_FREE,
	OPERATION_COPY,
	OPERATION_SET,
	OPERATION_KERNEL,
	OPERATION_UNSEEN, /* something ran that is not followed */
	OPERATION_UNLOAD,
};

struct operation {
	enum operation_kind kind;
	CUcontext context, from_context;
	CUstream stream;
	/* copies, sets, allocations */
	uint64_t address, from_address, size;
	uint64_t width, height, depth; /* bytes, rows, slices */
	uint64_t pitch, from_pitch, slice, from_slice;
	bool to_device, from_device; /* what the driver says */
	enum gpu_memory memory;
	/* kernels: the mangled name; otherwise why something is not seen */
	const char *name;
	CUmodule module;
	bool patched; /* the launch carries our callback data */
};

enum { OPERATIONS_MAX = 32 };

struct thread {
	unsigned depth; /* of nested API calls */
	bool inside;    /* our own calls of the driver */
	bool loading;   /* ... which make it load what the program is about to use */
	bool locked;
	const char *name;  /* of the outermost call */
	const char *inner; /* of the innermost driver call, and its parameters */
	const void *parameters;
	CUcontext context; /* current at the innermost driver call */
	uint64_t start_ns;
	struct operation operations[OPERATIONS_MAX];
	unsigned count;
};

#endif
