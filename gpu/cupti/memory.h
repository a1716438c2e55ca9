/*
 * gpu/cupti/memory.h: what the program has allocated, by address or array.  The lock of pending.c
 * is held.
 */
#ifndef VFLOW_GPU_CUPTI_MEMORY_H
#define VFLOW_GPU_CUPTI_MEMORY_H

#include <stdint.h>

#include "gpu/analysis/object_rows.h"
#include "gpu/provider.h"

struct memory {
	uint64_t address; /* first: the key */
	uint64_t size;    /* 0: it is no object of the sink's */
	enum gpu_memory kind;
	uint32_t device;
	uint32_t object;           /* the sink's, once its call has ended; 0: none */
	struct object_state state; /* of the pass `calls`: of that object */
};

/* Returns what is allocated there; NULL: nothing. */
struct memory *memory_find(uint64_t address);
/* What holds the address; arrays have none, but their handle.  NULL: nothing. */
struct memory *memory_holding(uint64_t address);
/* Adds it, in place of what there was; the table owns it.  NULL: no memory. */
struct memory *memory_add(uint64_t address);
/* Takes it out of the table; the caller frees it.  NULL: there is none. */
struct memory *memory_take(uint64_t address);

#endif
