/*
 * gpu/sanitizer/shadow/memory.h: memory for shadows, on the device while it fits, else on the host.
 *
 * The device reads and writes pinned memory of the host through its bus: what lies there is as
 * exact and slower.  All functions call the driver; the context is current.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_MEMORY_H
#define VFLOW_GPU_SANITIZER_SHADOW_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct shadow_memory {
	CUdeviceptr device; /* 0: none */
	void *host;         /* NULL: on the device */
	uint64_t size;
};

/* The most bytes of shadows on the device, of all contexts together; 0: what is free. */
void memory_limit(uint64_t bytes);
/*
 * `size` bytes, all zero once the stream has run.  Leaves some of the device's memory to the
 * program.  CUDA_ERROR_OUT_OF_MEMORY: neither the device nor the host has them.
 */
CUresult memory_get(struct shadow_memory *memory, uint64_t size, CUstream stream);
/* Nothing on the device uses it any more. */
void memory_release(struct shadow_memory *memory);
/*
 * The same for memory on the device, when the stream has nothing to do: does not wait for what else
 * runs.  False: this cannot be done, or, if it is none now, was done while the stream failed.
 */
bool memory_release_nowait(struct shadow_memory *memory, CUstream stream);
/* The same for memory that what runs now may still use: by the next memory_release_deferred(). */
void memory_defer_release(struct shadow_memory *memory, CUcontext context);
/* While something runs that nobody waits for all that is released is put off. */
void memory_defer_all(bool on);
/* What was put off in this context; with `abandon` the context is gone. */
void memory_release_deferred(CUcontext context, bool abandon);
/*
 * Keeps memory on the device for the next that wants as much in this context, if it is not much and
 * nothing uses it any more but what the stream of memory_get() has to do.  False: it is to be
 * released.
 */
bool memory_cache(struct shadow_memory *memory, CUcontext context);
/* Whether something is kept, and maybe less than the `wanted` bytes are free. */
bool memory_is_cached(uint64_t wanted);
/* Releases what is kept; with `abandon` the context is gone.  False: there was nothing. */
bool memory_release_cached(CUcontext context, bool abandon);
/* The same without waiting for what runs: see memory_release_nowait(). */
void memory_release_cached_nowait(CUcontext context, CUstream stream);
/* Moves it to the host; nothing on the device uses it meanwhile.  False: there is no room. */
bool memory_to_host(struct shadow_memory *memory, CUstream stream);
/*
 * Begins a copy on the host, which is there when the stream has run; only the device's copy engine
 * is asked.  False: there is no room.
 */
bool memory_copy_to_host(const struct shadow_memory *memory, struct shadow_memory *copy,
			 CUstream stream);
/* The context is gone, and with it what lay on its device. */
void memory_abandon(const struct shadow_memory *memory);
/* Bytes of shadows on the host. */
uint64_t memory_on_host(void);
/* Whether a whole shadow of so many bytes can be had; what is kept makes way for it. */
bool memory_available(uint64_t bytes);
/* Whether there is so much on the device, besides what is kept. */
bool memory_available_on_device(uint64_t bytes);
/* There was less than the driver had said. */
void memory_requery(void);
/* Whether the program can have `bytes` of the device's memory. */
bool memory_fits(uint64_t bytes);

#endif
