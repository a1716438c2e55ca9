/*
 * gpu/sanitizer/callback/thread.h: where a thread is in its running call of the API.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H
#define VFLOW_GPU_SANITIZER_CALLBACK_THREAD_H

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/schedule/api_call.h"
#include "gpu/sanitizer/schedule/launches.h"

/*
 * Whose calls of the driver the thread makes.  What the Sanitizer reports of the provider's is
 * ignored.
 */
enum driver_calls {
	CALLS_OF_PROGRAM,
	CALLS_OF_PROVIDER,
	CALLS_THAT_LOAD, /* the provider's, by which the driver loads what the program is about to
			    use: modules are taken in */
	CALLS_OF_STEP,   /* the provider's, which do a part of the program's call: operations are
			    noted */
};

struct thread {
	unsigned depth; /* of nested API calls */
	enum driver_calls calls;
	bool locked;
	bool changing; /* it changes a graph without the lock */
	struct api_call call;
	/* of the innermost call of the driver */
	const char *inner;
	enum api_effect effect;
	const void *parameters;
	unsigned first; /* ... index of its first operation */
	/* of a launch of call.graph: */
	uint32_t step;   /* its number, or GRAPH_WHOLE */
	bool unordered;  /* several nodes run at once */
	bool unobserved; /* no operation is noted */
	CUstream graph_stream;
	CUgraph substitute;  /* the graph that the provider's next cuGraphDestroy() destroys instead
				of its parameter */
	unsigned node_first; /* count of operations before the node that is being launched */
	bool of_node;        /* operations are what `node` of the graph does */
	struct gpu_node node;

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

/* Whether operations are noted of what the Sanitizer reports of the thread. */
static inline bool calls_are_noted(void)
{
	return this_thread.calls == CALLS_OF_PROGRAM || this_thread.calls == CALLS_OF_STEP;
}

/* Says whose calls of the driver the thread makes from here to the end of the block. */
#define OWN_CALLS(calls)                                                                           \
	__attribute__((cleanup(own_calls_end), unused)) const enum driver_calls before_own_calls = \
		own_calls_begin(calls)

#endif
