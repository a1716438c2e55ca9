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

#include "collect/coverage/coverage.h"
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
	OPERATION_UNSEEN, /* it ran, and what it did is not followed */
	OPERATION_SHARED, /* from now on another process or API may write memory */
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
	uint32_t value, value_size;  /* of a set; size 0: not known */
	bool to_device, from_device; /* whether the driver calls that side memory of the device */
	bool may_be_known;           /* the allocation may have been reported before */
	bool external_writers;       /* ... and others may write to it */
	enum gpu_memory memory;
	/*
	 * of kernels the mangled name; of calls that are not followed or share memory their
	 * function; NULL: see `coverage`
	 */
	const char *name;
	enum coverage_id coverage; /* of graphs and their nodes: why they are not followed */
	CUmodule module;
	CUfunction function;
	uint64_t threads;
	unsigned instructions; /* that no patch follows: see gpu/sass/instructions.h */
	bool patched;          /* the launch carries our callback data */
	bool unordered; /* it ran at once with other nodes of a graph: their order is not known */
	bool transient; /* the memory is gone by the time that it could be looked at */
	bool skipped;   /* the launch is not to be analysed */
	bool of_node;   /* it is what `node` of a graph does */
	/* of a copy to the host: the digest of what its memory held before, or why that is not
	 * known */
	bool destination_known;
	uint8_t destination[GPU_DIGEST_SIZE];
	enum coverage_id destination_coverage;
	struct gpu_node node;
	/* of a launch that may write unseen: its parameter block; NULL: not known */
	void *parameters;
	size_t parameters_size;
};

static inline const struct gpu_node *operation_node(const struct operation *operation)
{
	return operation->of_node ? &operation->node : NULL;
}

enum { OPERATIONS_LIMIT = 1 << 16 }; /* in one call */

struct api_call {
	const char *name; /* of the outermost function */
	uint64_t start_ns;
	CUcontext context;   /* current in the innermost call of the driver */
	struct graph *graph; /* the graph that it launches; NULL: none, or one that is not known */
	CUevent event;       /* of a call that waits for one */
	bool may_pend;       /* it is a copy or set whose pass may follow it on its stream: see
				calls_stream_copy() */
	bool may_hold;       /* ... that may join those that are held back */
	bool host_waited;    /* a copy's bytes are on the host when the call returns, or were taken
				from there */
	uint64_t number;     /* of the innermost call of the driver: see host_writes.h */
	bool settled;        /* all calls that may write to memory of the host before it are over */
	bool differs;        /* it is a copy to the host, which holds something else by now */
	struct operation *operations; /* in the order in which they were made */
	unsigned count, room;
};

#endif
