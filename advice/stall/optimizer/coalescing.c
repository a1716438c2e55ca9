/*
 * advice/stall/optimizer/coalescing.c: waits for global memory that neighbouring threads access far
 * apart, as the machine code says: HPCToolkit's coalescing of global memory, which does not know.
 */
#include <stdlib.h>

#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

enum { SECTOR = 32, WARP = 32 };

/* The share of a request's sectors that would not be asked for if its bytes lay side by side. */
static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	enum stall_opcode opcode = stall_opcode_of(stall_source(kernel, blame));
	struct stride stride;
	double sectors, ideal;

	if ((opcode != OPCODE_GLOBAL && opcode != OPCODE_GLOBAL_STORE) ||
	    stall_is_atomic(stall_source(kernel, blame)))
		return 0;
	stride = kernel->strides[blame->source];
	ideal = stride.size * (double)WARP / SECTOR;
	if (stride.kind == STRIDE_RUNTIME) /* as if each thread had a sector of its own */
		sectors = stride.size > SECTOR ? ideal : WARP;
	else if (stride.kind == STRIDE_KNOWN && llabs(stride.bytes) < SECTOR)
		sectors = (double)llabs(stride.bytes) * WARP / SECTOR;
	else if (stride.kind == STRIDE_KNOWN)
		sectors = WARP;
	else
		return 0;
	return sectors > ideal ? 1 - ideal / sectors : 0;
}

const struct stall_optimizer optimizer_coalescing = {
	.name = "coalescing",
	.title = "threads of a warp that access memory far apart",
	.advice = "Let neighbouring threads (threadIdx.x) access neighbouring elements: swap the "
		  "loops "
		  "or the indices, turn an array of structures into a structure of arrays, or go "
		  "through shared memory. Each request takes up to 32 sectors of 32 bytes now.",
	.limits = "what other threads of the block use of the same sectors meanwhile is not known",
	.estimate = STALL_REMOVED,
	.share = matches,
};
