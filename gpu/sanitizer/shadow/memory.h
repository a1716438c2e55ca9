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

/* Sets the most bytes of shadows on the device, of all contexts together; 0: what is free. */
void memory_limit(uint64_t bytes);
/*
 * Allocates `size` bytes, all zero once the stream has run; leaves a part of the device's memory to
 * the program.  CUDA_ERROR_OUT_OF_MEMORY: neither the device nor the host has them.
 */
CUresult memory_get(struct shadow_memory *memory, uint64_t size, CUstream stream);
/* Frees memory that nothing on the device uses any more; see memory_defer_all(). */
void memory_release(struct shadow_memory *memory);
/*
 * The same for memory on the device, when the stream has nothing to do; does not wait for what else
 * runs.  False: it was not freed, or, if memory->device is 0, it was and the stream failed then.
 */
bool memory_release_nowait(struct shadow_memory *memory, CUstream stream);
/*
 * The same for memory that something running may still use: by the next memory_release_deferred().
 */
void memory_defer_release(struct shadow_memory *memory, CUcontext context);
/* While a queue is timed out: defers all releases. */
void memory_defer_all(bool on);
/*
 * Frees what was deferred in this context.  `abandon`: the context is gone, and so is the memory.
 */
void memory_release_deferred(CUcontext context, bool abandon);
/*
 * Keeps released memory of the device for the next memory_get() of that size in this context, if it
 * is small and nothing but the stream of memory_get() uses it.  False: the caller releases it.
 */
bool memory_cache(struct shadow_memory *memory, CUcontext context);
/* Whether some memory is cached, and perhaps less than `wanted` bytes are free. */
bool memory_is_cached(uint64_t wanted);
/* Frees what is cached; `abandon` as above.  False: nothing was. */
bool memory_release_cached(CUcontext context, bool abandon);
/* The same without waiting for what runs: see memory_release_nowait(). */
void memory_release_cached_nowait(CUcontext context, CUstream stream);
/*
 * Moves memory to the host; nothing on the device uses it meanwhile.  False: the host has no room.
 */
bool memory_to_host(struct shadow_memory *memory, CUstream stream);
/*
 * Begins to copy memory to the host: the copy is there when the stream has run.  Uses the device's
 * copy engine only.  False: the host has no room.
 */
bool memory_copy_to_host(const struct shadow_memory *memory, struct shadow_memory *copy,
			 CUstream stream);
/* The context is gone, and with it the memory on its device. */
void memory_abandon(const struct shadow_memory *memory);
/* How many bytes of shadows are on the host. */
uint64_t memory_on_host(void);
/* Whether a whole shadow of so many bytes can be allocated; releases cached memory for that. */
bool memory_available(uint64_t bytes);
/* Whether the device has room for so many bytes, besides what is cached. */
bool memory_available_on_device(uint64_t bytes);
/* An allocation has failed: the driver is asked again how much is free. */
void memory_requery(void);
/* Whether the program can allocate `bytes` on the device. */
bool memory_fits(uint64_t bytes);

#endif
