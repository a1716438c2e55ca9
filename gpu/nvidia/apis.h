/*
 * gpu/nvidia/apis.h: what the functions of the driver API do to device memory, and which functions
 * of both APIs wait for what.
 *
 * Everyone who meets names of functions asks here, and does not read them.  Nothing stays silently
 * ignored: a function that is not in the table (apis.def) is taken for one that may have written
 * anywhere.
 */
#ifndef VFLOW_GPU_NVIDIA_APIS_H
#define VFLOW_GPU_NVIDIA_APIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum api_effect {
	API_NOTHING = 1,
	API_ALLOC,
	API_FREE,
	API_COPY,
	API_SET,
	API_LAUNCH,
	API_NODE,    /* makes nodes of a graph */
	API_GRAPH,   /* changes what a graph does when it is launched */
	API_PEER,    /* changes which memory kernels reach */
	API_LOAD,    /* loads code */
	API_CLOSE,   /* destroys a stream, or captures it */
	API_ROOM,    /* takes memory of the device, which no callback reports */
	API_UNSEEN,  /* may write memory without a callback that says so */
	API_TEXTURE, /* lets kernels read memory without a patch that sees it */
	API_HOST,   /* has the host do something on a stream, or a stream wait for others' writes */
	API_SHARED, /* lets another process or API write memory from now on */
};

/* Whether a function returns before the device has done what it asks for. */
enum api_asynchronous {
	API_ASYNCHRONOUS_NO,
	API_ASYNCHRONOUS_YES,
	API_ASYNCHRONOUS_PINNED, /* if the memory of the host is pinned */
	API_ASYNCHRONOUS_DEVICE, /* if no memory of the host takes part */
};

/* What it waits for, where it does not return before. */
enum api_waits {
	API_WAITS_NOTHING,
	API_WAITS_OWN, /* what it asks for */
	API_WAITS_STREAM,
	API_WAITS_EVENT,
	API_WAITS_CONTEXT, /* all streams */
	API_WAITS_UNKNOWN, /* its manual does not say, and it may */
};

/* What has to be complete before it is called, for its result or for what it takes away. */
enum api_needs {
	API_NEEDS_NOTHING,
	API_NEEDS_EVENT,
	API_NEEDS_STREAM,
	API_NEEDS_MEMORY,      /* what uses the memory that it takes away */
	API_NEEDS_HOST_MEMORY, /* the same, and the memory is the host's */
};

/*
 * The following know functions of both APIs by the names that programs spell or that callbacks
 * have, with any suffix; NULL, and what is not in the tables, is a function that is not
 * asynchronous and neither waits nor needs anything.  Any thread may ask.
 */

enum api_asynchronous api_asynchronous(const char *name);
/*
 * Whether it returns at once, if memory of the host is pinned: cudaMemcpyAsync.  No launch, as
 * calls are named after the launch of a graph that are those of its nodes.
 */
bool api_is_asynchronous(const char *name);
/* Whether it is a copy that is over with the memory of the host when it returns: cudaMemcpy. */
bool api_is_synchronous_copy(const char *name);
enum api_waits api_waits_for(const char *name);
enum api_needs api_needs(const char *name);
/* Whether it does nothing but to wait for the device. */
bool api_is_synchronization(const char *name);

/*
 * What a function of the driver does.  `id`: the callback's; `name` as the driver spells it.  Any
 * thread may ask.
 */
enum api_effect api_effect(uint32_t id, const char *name);

/*
 * The same of an outermost function, whose event is a GPU_SYNC then.  `runtime`: the API of the
 * callback's `id`.
 */
bool api_synchronizes(bool runtime, uint32_t id, const char *name);

/* Whether an outermost function of either API returns an error, and no text or structure. */
bool api_returns_error(const char *name);

/* Whether the name of an API, without its suffix, is this one: cuMemcpy3DAsync_v2_ptsz. */
bool api_is(const char *name, const char *plain);

/*
 * The length of a function's name as programs spell it, without the suffixes that CUDA's headers
 * and tools append: cuMemAlloc_v2, cudaMemcpy_ptds, cudaMemcpyAsync_ptsz_v7000.
 */
size_t api_plain_length(const char *name);

#endif
