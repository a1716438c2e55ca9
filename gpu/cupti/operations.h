/*
 * gpu/cupti/operations.h: what a call of the driver has done, from its name and parameters.
 *
 * As many events, of the same kinds, as the Sanitizer's callbacks tell of the same call: the runs
 * of both providers are joined by them.
 */
#ifndef VFLOW_GPU_CUPTI_OPERATIONS_H
#define VFLOW_GPU_CUPTI_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/provider.h"

enum { OPERATION_COUNT_MAX = 1 << 16 }; /* of a batch: more are left out */

struct operation {
	enum gpu_api api;
	uintptr_t stream; /* CUstream; 0: the default stream */
	uint32_t count;   /* events: copies of a batch; 0: none */
	uint64_t kernel;  /* of launches: CUfunction, or CUkernel as the runtime has it */
	bool timed;       /* the device does it: CUPTI makes a record of each */
	/* of allocations and frees: an address or an array's handle */
	uint64_t address;
	uint64_t size;          /* 0: not known as the program asked for it */
	enum gpu_memory memory; /* where size is known */
	/* of copies to memory of the host: its bytes, from the first to the last; 0: none, or of an
	 * array or a box */
	uint64_t host_address, host_bytes;
	/* of copies from pinned memory of the host: struct gpu_call */
	uint64_t source_address, source_bytes;
	bool host_is_pageable; /* then the call returns when the copy is over */
};

/*
 * Of a function that has succeeded: `id` is that of its callback, `parameters` are its operands as
 * CUPTI lays them out.  Calls the driver.  Any thread may ask.
 */
struct operation operation_of(uint32_t id, const char *function, const void *parameters);

/* Whether the address is memory of the device, managed or not; what the driver does not know, and
 * pinned memory, is the host's. */
bool operation_is_device(uint64_t address);

#endif
