/*
 * gpu/emulator/state/nested.h: what kernels launch and copy (dynamic parallelism).
 *
 * It is kept until the kernel has ended and then done in order, which is one of the orders that the
 * CUDA programming guide allows: a kernel cannot wait for what it launches.
 */
#ifndef VFLOW_GPU_EMULATOR_STATE_NESTED_H
#define VFLOW_GPU_EMULATOR_STATE_NESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"

struct nested_operation {
	struct nested_operation *next, *previous;
	const struct ptx_kernel *kernel; /* NULL: a copy */
	uint32_t grid[3], block[3];
	uint64_t shared_bytes;
	struct allocation *parameters; /* the block that device code fills in */
	bool launched;
	uint64_t to, from, bytes; /* of a copy */
};

struct nested {
	struct nested_operation *first, *last;
	uint32_t count;
};

void nested_start(struct nested *nested);
/* Memory for the parameters of a launch; 0: none is left, or too much waits. */
uint64_t nested_prepare(struct nested *nested, const struct nested_operation *what);
/* The launch whose parameters are there is to be done.  False: there is none. */
bool nested_launch(struct nested *nested, uint64_t parameters);
bool nested_copy(struct nested *nested, uint64_t to, uint64_t from, uint64_t bytes);
/* Takes the oldest; the caller ends it with nested_end().  NULL: nothing is left. */
struct nested_operation *nested_take(struct nested *nested);
void nested_end(struct nested_operation *operation);

#endif
