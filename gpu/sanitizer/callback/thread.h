/*
 * gpu/sanitizer/callback/thread.h: where a thread is in its running call of the API.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H
#define VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H

#include "gpu/sanitizer/api/apis.h"
#include "gpu/sanitizer/schedule/api_call.h"
#include "gpu/sanitizer/schedule/launches.h"

/* Whose calls of the driver the thread makes.  What the Sanitizer reports of our own is ignored. */
enum driver_calls {
	CALLS_OF_PROGRAM,
	CALLS_OF_PROVIDER,
	CALLS_THAT_LOAD, /* the provider's, which make the driver load what the program is about to
			    use: modules are taken in */
	CALLS_OF_STEP,   /* the provider's, which do a part of the program's call: all is noted */
};

struct thread {
	unsigned depth; /* of nested API calls */
	enum driver_calls calls;
	bool locked;
	bool changing; /* a graph, without the lock */
	struct api_call call;
	/* the innermost driver call */
	const char *inner;
	enum api_effect effect;
	const void *parameters;
	unsigned first; /* its first operation */
	/* a graph's launch: see call.graph */
	uint32_t step;   /* of the graph, or GRAPH_WHOLE */
	bool unordered;  /* several nodes at once, not one after the other */
	bool unobserved; /* nothing of it is noted */
	CUstream graph_stream;
	CUgraph substitute;  /* of the one that we destroy next */
	unsigned node_first; /* operations before the node that is being launched */

	struct launch launch;
};

/* The calling thread's. */
extern __thread struct thread this_thread;

static inline enum driver_calls own_calls_begin(enum driver_calls calls)
{
	enum driver_calls before = this_thread.calls;

	this_thread.calls = calls;
	return before;
}

static inline void own_calls_end(const enum driver_calls *before)
{
	this_thread.calls = *before;
}

/* Whether what the Sanitizer reports of the thread is to be noted. */
static inline bool calls_are_noted(void)
{
	return this_thread.calls == CALLS_OF_PROGRAM || this_thread.calls == CALLS_OF_STEP;
}

/* The thread's calls of the driver are these from here to the end of the block. */
#define OWN_CALLS(calls)                                                                           \
	__attribute__((cleanup(own_calls_end))) const enum driver_calls before_own_calls =         \
		own_calls_begin(calls)

#endif
