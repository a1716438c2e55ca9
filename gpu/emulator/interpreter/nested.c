/*
 * gpu/emulator/interpreter/nested.c: the device's runtime: functions that kernels call to launch
 * kernels.  nvcc links NVIDIA's own (cuda_device_runtime.cu); these take its place.
 */
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"
#include "gpu/emulator/state/nested.h"

#define INVALID_VALUE 1
#define MEMORY_ALLOCATION 2
#define INVALID_DEVICE_FUNCTION 98

static void shape(const struct warp *w, const struct ptx_call *call, unsigned number, unsigned lane,
		  uint32_t sides[3])
{
	const struct ptx_parameter *place = &w->module->arguments[call->first_argument + number];

	if (number < call->argument_count && place->size >= 12)
		memcpy(sides, w->local + lane * w->local_stride + w->now.frame_base + place->offset,
		       12);
}

/* The kernel, its grid, its block, its dynamic shared memory. */
static uint64_t prepare(struct warp *w, const struct ptx_call *call, unsigned lane)
{
	struct nested_operation what = {
		.kernel = ptx_kernel_at(w->module, warp_argument(w, call, 0, lane)),
		.shared_bytes = warp_argument(w, call, 3, lane),
	};

	shape(w, call, 1, lane, what.grid);
	shape(w, call, 2, lane, what.block);
	if (!what.kernel || !w->block->launch->nested)
		return 0;
	return nested_prepare(w->block->launch->nested, &what);
}

/* Writes a handle or an address where the program wants it. */
static bool store(struct warp *w, unsigned lane, uint64_t address, uint64_t value)
{
	uint64_t room = 0;
	uint8_t *at = address ? warp_generic(w, lane, address, &room) : NULL;

	if (!at || room < sizeof(value))
		return false;
	memcpy(at, &value, sizeof(value));
	return true;
}

static uint64_t allocate(struct warp *w, const struct ptx_call *call, unsigned lane)
{
	const struct allocation *allocation = warp_heap_allocate(w, warp_argument(w, call, 1, lane),
								 256, COVERAGE_HEAP_CUDA_MALLOC);

	if (!allocation)
		return MEMORY_ALLOCATION;
	return store(w, lane, warp_argument(w, call, 0, lane), allocation->address) ? 0
										    : INVALID_VALUE;
}

uint64_t warp_call_device_runtime(struct warp *w, const struct ptx_call *call,
				  enum ptx_builtin builtin, unsigned lane)
{
	struct nested *nested = w->block->launch->nested;

	switch (builtin) {
	case PTX_BUILTIN_NESTED_PARAMETERS:
		return prepare(w, call, lane);
	case PTX_BUILTIN_NESTED_LAUNCH:
		return nested && nested_launch(nested, warp_argument(w, call, 0, lane))
			       ? 0
			       : INVALID_DEVICE_FUNCTION;
	case PTX_BUILTIN_NESTED_COPY:
		return nested && nested_copy(nested, warp_argument(w, call, 0, lane),
					     warp_argument(w, call, 1, lane),
					     warp_argument(w, call, 2, lane))
			       ? 0
			       : MEMORY_ALLOCATION;
	case PTX_BUILTIN_NESTED_STREAM: /* all streams are one */
		return store(w, lane, warp_argument(w, call, 0, lane), 1) ? 0 : INVALID_VALUE;
	case PTX_BUILTIN_NESTED_ALLOCATE:
		return allocate(w, call, lane);
	default:
		return 0;
	}
}
