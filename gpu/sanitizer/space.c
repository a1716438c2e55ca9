/*
 * gpu/sanitizer/space.c: making the shadow memory of a context, and talking to its device.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/analysis/sha256.h"
#include "gpu/sanitizer/space_internal.h"

extern const unsigned char vflow_passes_image[]; /* images.S */

bool space_check(struct space *space, CUresult result)
{
	if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY)
		space->failed = true;
	return result == CUDA_SUCCESS;
}

bool space_wait(struct space *space)
{
	return !space->failed && space_check(space, driver.cuStreamSynchronize(space->stream));
}

bool space_launch(struct space *space, enum pass_kernel kernel, uint64_t blocks, uint32_t rows,
		  uint32_t threads, void **parameters)
{
	const uint64_t most = 2048; /* the passes stride */

	blocks = blocks < most ? blocks ? blocks : 1 : most;
	return !space->failed &&
	       space_check(space, driver.cuLaunchKernel(space->kernels[kernel], (unsigned)blocks,
							rows, 1, threads, 1, 1, 0, space->stream,
							parameters, NULL));
}

static bool load_kernels(struct space *space)
{
	static const char *const names[PASS_COUNT] = {
		"vflow_mark",   "vflow_mark_copy",  "vflow_settle", "vflow_clear",
		"vflow_forget", "vflow_initialise", "vflow_hash",   "vflow_gather"};
	CUmodule module;

	if (!space_check(space, driver.cuModuleLoadData(&module, vflow_passes_image)))
		return false;
	for (int i = 0; i < PASS_COUNT; i++)
		if (!space_check(space,
				 driver.cuModuleGetFunction(&space->kernels[i], module, names[i])))
			return false;
	return true;
}

/* The digests of uninitialised memory, level by level. */
static bool make_blanks(struct space *space)
{
	static const uint8_t zeros[LEAF_BYTES];
	uint64_t initialised[LEAF_WORDS] = {0};
	uint8_t children[NODE_CHILDREN][SHA256_SIZE];

	sha256_leaf(zeros, initialised, space->blank[0]);
	for (unsigned level = 1; level < TREE_LEVELS; level++) {
		for (unsigned i = 0; i < NODE_CHILDREN; i++)
			memcpy(children[i], space->blank[level - 1], SHA256_SIZE);
		sha256_node(children, space->blank[level]);
	}
	return space_check(space, driver.cuMemAlloc(&space->blanks, sizeof(space->blank))) &&
	       space_check(space, driver.cuMemcpyHtoDAsync(space->blanks, space->blank,
							   sizeof(space->blank), space->stream));
}

static bool map_host(struct space *space, void **host, CUdeviceptr *device, size_t size)
{
	if (!space_check(space, driver.cuMemHostAlloc(host, size, CU_MEMHOSTALLOC_DEVICEMAP)))
		return false;
	memset(*host, 0, size);
	return space_check(space, driver.cuMemHostGetDevicePointer(device, *host, 0));
}

static bool zeroed(struct space *space, CUdeviceptr *memory, size_t size)
{
	return space_check(space, driver.cuMemAlloc(memory, size)) &&
	       space_check(space, driver.cuMemsetD8Async(*memory, 0, size, space->stream));
}

struct space *space_create(CUcontext context, bool digests)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->context = context;
	space->digests = digests;
	space->row_buffer = calloc(ROW_LIMIT, sizeof(*space->row_buffer));
	if (space->row_buffer &&
	    space_check(space, driver.cuStreamCreate(&space->stream, CU_STREAM_NON_BLOCKING)) &&
	    load_kernels(space) && make_blanks(space) &&
	    zeroed(space, &space->state, sizeof(struct device_state)) &&
	    zeroed(space, &space->rows, sizeof(struct device_rows)) &&
	    map_host(space, (void **)&space->results, &space->device_results,
		     sizeof(*space->results)) &&
	    space_wait(space))
		return space;
	/* what there is goes with the context */
	free(space->row_buffer);
	free(space);
	return NULL;
}

void space_abandon(struct space *space)
{
	for (uint32_t i = 0; i < space->object_count; i++) {
		memory_abandon(&space->objects[i]->head);
		memory_abandon(&space->objects[i]->body);
		free(space->objects[i]->name);
		free(space->objects[i]);
	}
	free(space->objects);
	free(space->owners);
	free(space->free_slots);
	free(space->touched);
	free(space->later);
	free(space->row_buffer);
	free(space);
}

CUcontext space_context(const struct space *space)
{
	return space->context;
}

CUstream space_stream(const struct space *space)
{
	return space->stream;
}

void space_set_busy(struct space *space, bool busy)
{
	space->busy = busy;
}

uint32_t space_progress(struct space *space)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	CUresult result;

	if (space->failed ||
	    driver.cuMemcpyDtoHAsync(&space->results->progress,
				     space->state + offsetof(struct device_state, progress),
				     sizeof(space->results->progress),
				     space->stream) != CUDA_SUCCESS)
		return 0;
	for (int i = 0; i < 1000; i++) {
		result = driver.cuStreamQuery(space->stream);
		if (result != CUDA_ERROR_NOT_READY)
			break;
		nanosleep(&nap, NULL);
	}
	return result == CUDA_SUCCESS ? space->results->progress : 0;
}

bool space_failed(const struct space *space)
{
	return space->failed;
}

void *space_state(const struct space *space)
{
	return (void *)(uintptr_t)space->state;
}
