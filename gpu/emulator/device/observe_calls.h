/*
 * gpu/emulator/device/observe_calls.h: the part of observe.c that takes the place of shadows in the
 * pass `calls`: calls are observed by their arguments (gpu/analysis/object_rows.h), and kernels run
 * as if nobody watched.  Without that pass allocations have no state, and nothing here is called
 * for them.  The device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_CALLS_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/emulator/state/memory.h"
#include "gpu/provider.h"
#include "gpu/ptx/ptx.h"

/* Whether calls are to be observed so: VFLOW_CALLS is set. */
bool observe_calls_start(const struct gpu_sink *sink);

/* The call has made the object in the allocation, which gets a state; and its end. */
void observe_calls_object(const struct gpu_call *call, struct allocation *allocation,
			  const struct gpu_object *object, uint32_t id);
void observe_calls_gone(struct allocation *allocation);

/* Whether the pass is this one. */
bool observe_calls_active(void);
/* The running call launches the kernel with this block of parameters. */
void observe_calls_launch(const struct ptx_kernel *kernel, const uint8_t *parameters);

/* What the running call does; the allocations have a state. */
void observe_calls_touch(struct allocation *allocation, uint64_t size, enum gpu_access access);
void observe_calls_copy(struct allocation *to, struct allocation *from, uint64_t size);
void observe_calls_forget(struct allocation *allocation);
/* The host has copied these bytes into the allocation, which need not have a state. */
void observe_calls_uploaded(const struct allocation *allocation, uint64_t address, uint64_t size);

/* The end of the running call.  Sets *all_seen if it may have accessed any object. */
const struct gpu_row *observe_calls_settle(const struct gpu_call *call, size_t *count,
					   bool *all_seen);
/* It failed. */
void observe_calls_drop(void);

#endif
