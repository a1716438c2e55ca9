/*
 * gpu/emulator/interpreter/cluster.h: shared memory of other blocks of the cluster, and the
 * barriers that copies into it complete.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_CLUSTER_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_CLUSTER_H

#include "gpu/emulator/interpreter/warp.h"

/* interpreter/cluster.c: the shared address `address` as block `rank` of the cluster has it. */
uint64_t cluster_address(const struct warp *warp, uint64_t address, uint32_t rank);

/*
 * interpreter/async.c: `bytes` that the mbarrier at a shared address waits for are there.  False:
 * a fault is set.
 */
bool mbarrier_complete_bytes(struct warp *warp, unsigned lane, uint64_t address, uint64_t bytes);

/*
 * interpreter/async.c: to[n] = to[n] `operation` from[n] for `size` bytes of elements of that type;
 * integers wrap.
 */
void bulk_reduce(enum ptx_type type, enum ptx_modifier operation, uint8_t *to, const uint8_t *from,
		 uint64_t size);

#endif
