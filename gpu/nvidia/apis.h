/*
 * gpu/nvidia/apis.h: what the functions of the driver API do to device memory.
 *
 * Every provider for NVIDIA GPUs sees these functions.  Nothing stays silently ignored: a function
 * that is not in the table (apis.def) is taken for one that may have written anywhere.
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

/*
 * What a function of the driver does.  `id`: the callback's; `name` as the driver spells it.  Any
 * thread may ask.
 */
enum api_effect api_effect(uint32_t id, const char *name);

/*
 * Whether an outermost function only waits for the device: then its event is a GPU_SYNC.
 * `runtime`: the API of the callback's `id`.  Any thread may ask.
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
