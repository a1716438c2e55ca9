/*
 * gpu/sanitizer/callback/thread.h: where a thread is in its running call of the API.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H
#define VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H

#include "gpu/sanitizer/api/apis.h"
#include "gpu/sanitizer/schedule/api_call.h"
#include "gpu/sanitizer/schedule/launches.h"

struct thread {
	unsigned depth; /* of nested API calls */
	bool inside;    /* our own calls of the driver */
	bool loading;   /* ... which make it load what the program is about to use */
	bool stepping;  /* ... which do a part of the program's call */
	bool locked;
	bool changing; /* a graph, without the lock */
	struct api_call call;
	/* the innermost driver call */
	const char *inner;
	enum api_effect effect;
	const void *parameters;
	unsigned first; /* its first operation */
	/* a graph's launch: see call.graph */
	uint32_t step;  /* of the graph, or GRAPH_WHOLE */
	bool whole;     /* several nodes at once, not one after the other */
	bool unwatched; /* nothing of it is noted */
	CUstream graph_stream;
	CUgraph instead;     /* of the one that we destroy next */
	unsigned node_first; /* operations before the node that is being launched */

	struct launch launch;
};

/* The calling thread's. */
extern __thread struct thread this_thread;

#endif
