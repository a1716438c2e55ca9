/*
 * gpu/sanitizer/schedule/api_call.h: a call of the program, as the callbacks note it and the
 * scheduler turns it into events.
 *
 * Calls nest (cudaMalloc calls cuMemAlloc): this is the outermost one, and its operations are all
 * that was done inside it.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_API_CALL_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_API_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "collect/coverage.h"
#include "gpu/provider.h"

enum operation_kind {
	OPERATION_ALLOC,
	OPERATION_FREE,
	OPERATION_ARRAY,      /* an array was made */
	OPERATION_ARRAY_GONE, /* ... destroyed */
	OPERATION_COPY,
	OPERATION_SET,
	OPERATION_KERNEL,
	OPERATION_GRAPH,  /* the end of a graph that was launched as a whole */
	OPERATION_UNSEEN, /* something ran that is not followed */
	OPERATION_SHARED, /* somebody else may write memory from now on */
	OPERATION_UNLOAD,
};

/* A side of a copy that is an array: its first byte, row and slice. */
struct array_place {
	CUarray array; /* NULL: memory */
	uint64_t x, y, z;
};

struct operation {
	enum operation_kind kind;
	CUcontext context, from_context;
	CUcontext api_context; /* of the stream; NULL: `context` */
	CUstream stream;
	/* copies, sets, allocations */
	uint64_t address, from_address, size;
	uint64_t width, height, depth; /* bytes, rows, slices */
	uint64_t pitch, from_pitch, slice, from_slice;
	struct array_place array, from_array;
	bool to_device, from_device; /* what the driver says */
	bool may_be_known;           /* an allocation that may be known already */
	bool external_writers;       /* ... that others may write */
	enum gpu_memory memory;
	/* kernels: the mangled name; what is not seen or shared: the call, NULL: see `coverage` */
	const char *name;
	enum coverage_id coverage; /* graphs and their nodes: why they are not seen */
	CUmodule module;
	CUfunction function;
	uint64_t threads;
	unsigned instructions; /* that no patch follows: see gpu/sass/instructions.h */
	bool patched;          /* the launch carries our callback data */
	bool unordered; /* it ran with other nodes of a graph, and in what order is not known */
	bool transient; /* memory that is gone when it could be looked at */
	bool skipped;   /* it is not to be analysed */
	/* of one that may write unseen: its parameter block; NULL: not known */
	void *parameters;
	size_t parameters_size;
};

enum { OPERATIONS_LIMIT = 1 << 16 }; /* of a call */

struct api_call {
	const char *name; /* of the outermost function */
	uint64_t start_ns;
	CUcontext context;   /* current in the innermost call of the driver */
	struct graph *graph; /* whose launch it is; NULL: of none, or of one that is not known */
	bool may_pend;       /* a copy or set whose pass may follow it: see calls_stream_copy() */
	struct operation *operations; /* in the order in which they were made */
	unsigned count, room;
};

#endif
