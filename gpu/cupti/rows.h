/*
 * gpu/cupti/rows.h: access rows of the pass `calls`: from what a call names (named_memory.h) to the
 * objects that it may access.  The lock of pending.c is held.
 */
#ifndef VFLOW_GPU_CUPTI_ROWS_H
#define VFLOW_GPU_CUPTI_ROWS_H

#include "gpu/cupti/memory.h"
#include "gpu/cupti/named_memory.h"
#include "gpu/cupti/waits.h"

void rows_start(const struct gpu_sink *sink);

/* The call, which ends next, touches this. */
void rows_take(const struct touch *touches, uint32_t count);
/* The memory has become an object, made by the call. */
void rows_object(struct memory *memory, const struct gpu_call *call,
		 const struct gpu_object *object);
/* Ends the call, with its rows, and tells what else of memory it may have accessed. */
void rows_end(const struct gpu_call *call);

/*
 * What the call, which has just ended, waits for, as far as its function and its rows say.  False:
 * it does not.
 */
bool rows_wait(const struct wait_call *call, bool pageable, struct gpu_wait *wait);

/* Kernels can read the memory at the address as a texture from now on. */
void rows_expose(uint64_t address);

#endif
