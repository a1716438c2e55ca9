/*
 * gpu/sanitizer/callback/thread.h: what one thread's running API call has done so far.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H
#define VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "collect/coverage.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/callback/apis.h"

struct graph;

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
	bool again;                  /* an allocation that may be known already */
	bool elsewhere;              /* ... that others may write */
	enum gpu_memory memory;
	/* kernels: the mangled name; what is not seen or shared: the call, NULL: see `coverage` */
	const char *name;
	enum coverage_id coverage; /* graphs and their nodes: why they are not seen */
	CUmodule module;
	CUfunction function;
	uint64_t threads;
	unsigned instructions; /* that no patch follows: see gpu/sass/instructions.h */
	bool patched;          /* the launch carries our callback data */
	bool whole;    /* it ran with other nodes of a graph, and in what order is not known */
	bool fleeting; /* memory that is gone when it could be looked at */
	bool left_out; /* it is not to be analysed */
	/* of one that may write unseen: its parameter block; NULL: not known */
	void *parameters;
	size_t parameters_size;
};

/* What was decided at the entry of a launch's driver call: see launches.h. */
struct launch {
	const char *kernel; /* NULL: nothing was */
	bool wanted;
	void *parameters;
	size_t size;
};

enum { OPERATIONS_LIMIT = 1 << 16 };

struct thread {
	unsigned depth; /* of nested API calls */
	bool inside;    /* our own calls of the driver */
	bool loading;   /* ... which make it load what the program is about to use */
	bool stepping;  /* ... which do a part of the program's call */
	bool locked;
	bool changing;    /* a graph, without the lock */
	const char *name; /* of the outermost call */
	uint64_t start_ns;
	/* the innermost driver call */
	const char *inner;
	enum api_effect effect;
	const void *parameters;
	CUcontext context; /* current there */
	unsigned first;    /* its first operation */
	bool quick;        /* a copy or set whose pass may follow it: see calls_quick() */
	/* a graph's launch */
	struct graph *graph; /* NULL: it is not known */
	uint32_t step;       /* of the graph, or GRAPH_WHOLE */
	bool whole;          /* several nodes at once, not one after the other */
	bool unwatched;      /* nothing of it is noted */
	CUstream graph_stream;
	CUgraph instead;     /* of the one that we destroy next */
	unsigned node_first; /* operations before the node that is being launched */

	struct launch launch;
	struct operation *operations;
	unsigned count, room;
};

#endif
