/*
 * gpu/sanitizer/shadow/space.c: making the shadow memory of a context, and talking to its device.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "gpu/sanitizer/shadow/hints.h"
#include "gpu/sanitizer/shadow/space_internal.h"

extern const unsigned char vflow_passes_image[], vflow_passes_access_image[]; /* images.S */

bool space_check(struct space *space, CUresult result)
{
	if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY)
		space->failed = true;
	space->faulted |= driver_is_fault(result);
	return result == CUDA_SUCCESS;
}

bool space_faulted(struct space *space, CUresult result)
{
	bool first;

	/* other errors only say that this call was wrong */
	if (driver_is_fault(result))
		space_check(space, result);
	first = space->faulted && !space->fault_reported;
	space->fault_reported |= first;
	return first;
}

bool space_wait(struct space *space)
{
	space->unfinished = false;
	return !space->failed && space_check(space, driver.cuStreamSynchronize(space->stream));
}

bool space_wait_for(struct space *space, unsigned milliseconds)
{
	const struct timespec interval = {.tv_nsec = 1000000};
	CUresult result = CUDA_ERROR_NOT_READY;

	for (unsigned i = 0; i <= milliseconds && result == CUDA_ERROR_NOT_READY; i++) {
		if (i)
			nanosleep(&interval, NULL);
		result = driver.cuStreamQuery(space->stream);
	}
	return result == CUDA_SUCCESS;
}

bool space_launch(struct space *space, CUstream stream, enum pass_kernel kernel, uint64_t blocks,
		  void **parameters)
{
	const uint64_t most = 2048;

	if ((stream != space->stream && space->unfinished && !space_wait(space)) ||
	    !commands_await(space, false))
		return false;
	blocks = blocks < most ? blocks ? blocks : 1 : most;
	space->unfinished = stream == space->stream;
	return !space->failed &&
	       space_check(space,
			   driver.cuLaunchKernel(space->kernels[kernel], (unsigned)blocks, 1, 1,
						 PASS_THREADS, 1, 1, 0, stream, parameters, NULL));
}

static bool load_kernels(struct space *space)
{
	static const char *const names[PASS_COUNT] = {
		"vflow_mark",         "vflow_mark_copy", "vflow_pass",   "vflow_pass_of_copy",
		"vflow_pass_of_many", "vflow_clear",     "vflow_forget", "vflow_transfer",
		"vflow_commands",     "vflow_copies"};
	CUmodule module;
	int resident, processors;

	if (!space_check(space, driver.cuModuleLoadData(&module, space->accesses
									 ? vflow_passes_access_image
									 : vflow_passes_image)))
		return false;
	for (int i = 0; i < PASS_COUNT; i++)
		if (!space_check(space,
				 driver.cuModuleGetFunction(&space->kernels[i], module, names[i])))
			return false;
	if (!space_check(space, driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
					&resident, space->kernels[PASS_SETTLE], PASS_THREADS, 0)) ||
	    !space_check(space, driver.cuCtxGetDevice(&space->device)) ||
	    !space_check(space, driver.cuDeviceGetAttribute(
					&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
					space->device)))
		return false;
	space->pass_blocks = (uint32_t)(resident * processors);
	return space->pass_blocks;
}

/*
 * Allocates memory that is shared with children of fork(), so that the device and this process go
 * on to see the same.
 */
bool space_map_host(struct space *space, void **host, CUdeviceptr *device, size_t size)
{
	*host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (*host == MAP_FAILED) {
		*host = NULL;
		return false;
	}
	if (!space_check(space,
			 driver.cuMemHostRegister(*host, size, CU_MEMHOSTREGISTER_DEVICEMAP)))
		return false;
	if (space_check(space, driver.cuMemHostGetDevicePointer(device, *host, 0)))
		return true;
	driver.cuMemHostUnregister(*host);
	return false;
}

void space_unmap_host(void *host, size_t size)
{
	if (host)
		munmap(host, size);
}

static bool zeroed(struct space *space, CUdeviceptr *memory, size_t size)
{
	return space_check(space, driver.cuMemAlloc(memory, size)) &&
	       space_check(space, driver.cuMemsetD8Async(*memory, 0, size, space->stream));
}

bool space_describe(struct space *space)
{
	/*
	 * patches load words of the list even where there are no objects: those of peers may be
	 * touched
	 */
	const CUdeviceptr listed_first = space->listed ? space->listed : space->state;
	const CUdeviceptr words_first = space->listed_words ? space->listed_words : space->state;
	const struct device_state state = space->view = (struct device_state){
		.records = (struct device_record *)(uintptr_t)space->records,
		.rows = (struct device_rows *)(uintptr_t)space->rows,
		.result_passes = (struct result_pass *)(uintptr_t)space->device_passes,
		.result_rows = (struct result_row *)(uintptr_t)space->device_rows,
		.result_objects = (struct result_object *)(uintptr_t)space->device_objects,
		.values = (struct device_values *)(uintptr_t)space->values,
		.row_mask = ROW_RING - 1,
		.object_mask = space->object_ring - 1,
		.slots = space->slot_capacity,
		.epoch = space->view.epoch,
		.seen_epoch = space->view.seen_epoch,
		.listed = (uint32_t *)(uintptr_t)listed_first,
		.listed_words = (uint32_t *)(uintptr_t)words_first,
	};
	const size_t listed = offsetof(struct device_state, listed);

	return space_check(space, driver.cuMemcpyHtoDAsync(space->state, &state,
							   offsetof(struct device_state, progress),
							   space->stream)) &&
	       space_check(space, driver.cuMemcpyHtoDAsync(
					  space->state + listed, &state.listed,
					  offsetof(struct device_state, granule_bits) - listed,
					  space->stream));
}

/* What the driver says is unused; 0: it does not say. */
static size_t unused_bytes(void)
{
	size_t unused, total;

	return driver.cuMemGetInfo(&unused, &total) == CUDA_SUCCESS ? unused : 0;
}

struct space *space_create(CUcontext context, bool digests, bool accesses, space_shortage *shortage)
{
	struct space *space = calloc(1, sizeof(*space));
	size_t before = unused_bytes(), after;

	if (!space)
		return NULL;
	space->context = context;
	space->digests = digests;
	space->accesses = accesses;
	space->view.epoch = 1;
	space->shortage = shortage;
	space->row_buffer = calloc(ROW_LIMIT, sizeof(*space->row_buffer));
	space->row_places = calloc(ROW_LIMIT, sizeof(*space->row_places));
	if (space->row_buffer && space->row_places &&
	    space_check(space, driver.cuStreamCreate(&space->stream, CU_STREAM_NON_BLOCKING)) &&
	    load_kernels(space) && zeroed(space, &space->state, STATE_BYTES) &&
	    zeroed(space, &space->rows, sizeof(struct device_rows)) &&
	    space_map_host(space, (void **)&space->result_passes, &space->device_passes,
			   (PASSES + 1) * sizeof(struct result_pass)) &&
	    space_map_host(space, (void **)&space->result_rows, &space->device_rows,
			   ROW_RING * sizeof(struct result_row)) &&
	    zeroed(space, &space->transfers, TRANSFERS * sizeof(struct device_transfer)) &&
	    space_map_host(space, (void **)&space->result_transfers, &space->device_transfers,
			   TRANSFERS * sizeof(struct result_transfer)) &&
	    space_describe(space) && space_wait(space)) { /* passes run even without any object */
		after = unused_bytes();
		space->own_bytes = before > after ? before - after : 0;
		return space;
	}
	/* the context frees what there is on the device */
	space_abandon(space);
	return NULL;
}

void space_abandon(struct space *space)
{
	memory_release_deferred(space->context, true);
	memory_release_cached(space->context, true);
	for (uint32_t i = 0; i < space->object_count; i++) {
		memory_abandon(&space->objects[i]->base);
		memory_abandon(&space->objects[i]->detail);
		free(space->objects[i]->name);
		free(space->objects[i]);
	}
	hints_free(space->hints);
	free(space->objects);
	free(space->owners);
	free(space->free_slots);
	free(space->touched);
	free(space->forget_list);
	free(space->value_slots);
	free(space->row_buffer);
	free(space->row_places);
	space_unmap_host((void *)space->result_passes, (PASSES + 1) * sizeof(struct result_pass));
	space_unmap_host(space->result_rows, ROW_RING * sizeof(struct result_row));
	space_unmap_host((void *)space->result_transfers,
			 TRANSFERS * sizeof(struct result_transfer));
	space_unmap_host(space->result_objects, object_ring_bytes(space, space->object_ring));
	commands_free(space);
	free(space);
}

CUcontext space_context(const struct space *space)
{
	return space->context;
}

CUdevice space_device(const struct space *space)
{
	return space->device;
}

CUstream space_stream(const struct space *space)
{
	return space->stream;
}

void space_set_busy(struct space *space, bool busy)
{
	space->busy = busy;
	space->stream_hung = false;
	if (!busy)
		memory_release_deferred(space->context, false);
}

void space_release(struct space *space, struct shadow_memory *memory)
{
	if (space->busy)
		memory_defer_release(memory, space->context);
	else if (!memory_cache(memory, space->context) && memory->device && space_wait(space))
		memory_release(memory);
	*memory = (struct shadow_memory){0};
}

bool space_progress(struct space *space, struct progress *progress)
{
	const size_t first = offsetof(struct device_state, progress);
	const size_t heartbeat = offsetof(struct device_state, heartbeat);
	/* pinned memory behind the results receives the state's words; its missed_bytes stays 0 */
	volatile struct result_pass *seen = &space->result_passes[PASSES];
	bool over;

	if (space->failed ||
	    driver.cuMemcpyDtoHAsync((void *)&seen->status, space->state + first,
				     sizeof(seen->status), space->stream) != CUDA_SUCCESS ||
	    driver.cuMemcpyDtoHAsync((void *)&seen->missed, space->state + heartbeat,
				     sizeof(seen->missed), space->stream) != CUDA_SUCCESS ||
	    driver.cuMemcpyHtoDAsync(space->state + heartbeat, (const void *)&seen->missed_bytes,
				     sizeof(seen->missed_bytes), space->stream) != CUDA_SUCCESS)
		return false;
	over = space_wait_for(space, 1000);
	*progress = (struct progress){seen->status, seen->missed};
	return over;
}

bool space_pass_began(struct space *space)
{
	const struct timespec interval = {.tv_nsec = 1000000};
	volatile struct result_pass *seen = &space->result_passes[PASSES];

	/* a pass reads records a little before it writes that it has begun */
	nanosleep(&interval, NULL);
	return space->failed ||
	       driver.cuMemcpyDtoHAsync((void *)&seen->rows,
					space->rows + offsetof(struct device_rows, begun),
					sizeof(seen->rows), space->stream) != CUDA_SUCCESS ||
	       !space_wait_for(space, 1000) || seen->rows != space->ticket_taken;
}

bool space_failed(const struct space *space)
{
	return space->failed;
}

void *space_state(const struct space *space)
{
	return (void *)(uintptr_t)space->state;
}
