/*
 * gpu/emulator/device/allocate.c: allocating and freeing the device's memory, and memory of the
 * host that the device can see (which lies in the same range).
 */
#include "gpu/emulator/device/capture.h"
#include "gpu/emulator/device/observe.h"

int vflow_emulator_allocate(const char *name, void *stream, enum gpu_memory kind, uint64_t size,
			    uint64_t *address)
{
	struct allocation *allocation;
	struct gpu_call call;
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	number = stream_number(stream);
	if (number < 0) {
		device_leave();
		return INVALID_HANDLE;
	}
	if (!size) { /* no driver is asked for that */
		*address = 0;
		device_leave();
		return 0;
	}
	if (stream_captures(stream)) {
		error = stream_capture_memory(stream, size, address);
		device_leave();
		return error;
	}
	error = capture_forbids_unsafe();
	if (error) {
		device_leave();
		return error;
	}
	allocation = memory_allocate(size, MEMORY_ALIGNMENT);
	if (!allocation) {
		device_leave();
		return OUT_OF_MEMORY;
	}
	*address = allocation->address;
	allocation->kind = kind;
	allocation->context = context_current();
	observe_begin(&call, GPU_ALLOC, name, number);
	observe_allocated(&call, allocation);
	observe_end(&call);
	device_leave();
	return 0;
}

int vflow_emulator_allocate_pitch(const char *name, uint64_t width, uint64_t height,
				  uint64_t *pitch, uint64_t *address)
{
	uint64_t size;

	if (width > EMULATOR_MAX_PITCH)
		return INVALID_VALUE;
	*pitch = (width + EMULATOR_PITCH_ALIGNMENT - 1) & ~(uint64_t)(EMULATOR_PITCH_ALIGNMENT - 1);
	if (__builtin_mul_overflow(*pitch, height, &size))
		return OUT_OF_MEMORY;
	return vflow_emulator_allocate(name, NULL, GPU_MEMORY_DEVICE, size, address);
}

static void release(const struct gpu_call *call, struct allocation *allocation)
{
	observe_released(call, allocation);
	memory_release(allocation);
}

/*
 * Bytes of graphs: live at once, live at most since the last trim (what a GPU keeps for their next
 * launch), and at most since a program last cleared the mark of what is used or reserved.
 */
static struct {
	uint64_t live, kept, high[2];
} graph_bytes;

static void count_graph_bytes(const struct allocation *allocation, bool live)
{
	if (!live) {
		graph_bytes.live -= allocation->size;
		return;
	}
	graph_bytes.live += allocation->size;
	if (graph_bytes.kept < graph_bytes.live)
		graph_bytes.kept = graph_bytes.live;
	for (int i = 0; i < 2; i++)
		if (graph_bytes.high[i] < graph_bytes.kept)
			graph_bytes.high[i] = graph_bytes.kept;
}

/* Between launches the memory of a graph stays reserved, but is no object. */
static int set_live(const char *name, int64_t stream, struct allocation *allocation, bool live)
{
	struct gpu_call call;

	if (allocation->live == live)
		return INVALID_VALUE;
	allocation->live = live;
	count_graph_bytes(allocation, live);
	observe_begin(&call, live ? GPU_ALLOC : GPU_FREE, name, stream);
	if (live)
		observe_allocated(&call, allocation);
	else
		observe_released(&call, allocation);
	observe_end(&call);
	if (!live && !graph_allocates(allocation->address))
		memory_release(allocation);
	return 0;
}

static struct allocation *find_in_graph(uint64_t address)
{
	struct allocation *allocation = memory_find(address);

	return allocation && allocation->in_graph && allocation->address == address ? allocation
										    : NULL;
}

int vflow_emulator_graph_memory(const char *name, void *stream, uint64_t address, bool live)
{
	struct allocation *allocation;
	int error = device_enter(true);

	if (error)
		return error;
	allocation = find_in_graph(address);
	error = stream_number(stream) < 0 ? INVALID_HANDLE
		: allocation              ? set_live(name, stream_number(stream), allocation, live)
					  : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_release(const char *name, void *stream, uint64_t address, bool host)
{
	struct allocation *allocation;
	struct gpu_call call;
	int64_t number;
	int error = device_enter(true);

	if (error || !address) {
		if (!error)
			device_leave();
		return error;
	}
	number = stream_number(stream);
	allocation = memory_find(address);
	if (number >= 0 && stream_captures(stream)) {
		error = stream_capture(
			stream, &(struct emulator_node){.kind = NODE_FREE, .address = address});
		device_leave();
		return error;
	}
	/* asynchronous ones of other streams are allowed */
	error = stream ? 0 : capture_forbids_unsafe();
	if (error) {
		device_leave();
		return error;
	}
	if (number >= 0 && !host && find_in_graph(address)) {
		error = set_live(name, number, allocation, false);
		device_leave();
		return error;
	}
	if (number < 0 || !allocation || allocation->address != address ||
	    allocation->kind == GPU_MEMORY_GLOBAL || allocation->kind == GPU_MEMORY_ARRAY ||
	    allocation->kind == MEMORY_KIND_HEAP || allocation->reserved ||
	    (allocation->kind == GPU_MEMORY_MAPPED_HOST) != host || !memory_is_device(address)) {
		device_leave();
		return number < 0 ? INVALID_HANDLE : INVALID_VALUE;
	}
	observe_begin(&call, GPU_FREE, name, number);
	release(&call, allocation);
	observe_end(&call);
	device_leave();
	return 0;
}

int vflow_emulator_register(const char *name, uint64_t address, uint64_t size)
{
	struct allocation *allocation;
	struct gpu_call call;
	int error = address && size ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	allocation = memory_register(address, size);
	if (allocation) {
		allocation->kind = GPU_MEMORY_MAPPED_HOST;
		allocation->context = context_current();
		observe_begin(&call, GPU_ALLOC, name, 0);
		observe_allocated(&call, allocation);
		observe_end(&call);
	}
	device_leave();
	return allocation ? 0 : ALREADY_REGISTERED;
}

int vflow_emulator_unregister(const char *name, uint64_t address)
{
	struct allocation *allocation;
	struct gpu_call call;
	int error = address ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	allocation = memory_is_device(address) ? NULL : memory_find(address);
	if (allocation && allocation->address == address) {
		observe_begin(&call, GPU_FREE, name, 0);
		release(&call, allocation);
		observe_end(&call);
	} else {
		error = NOT_REGISTERED;
	}
	device_leave();
	return error;
}

struct leavers {
	const struct emulator_context *context; /* NULL: all */
	struct gpu_call *call;
	const char *name;
	bool begun;
};

static void release_if_owned(struct allocation *allocation, void *data)
{
	struct leavers *leavers = data;

	if (leavers->context && allocation->context != leavers->context)
		return;
	if (allocation->live)
		count_graph_bytes(allocation, false);
	if (allocation->object && !leavers->begun) {
		observe_begin(leavers->call, GPU_FREE, leavers->name, 0);
		leavers->begun = true;
	}
	release(leavers->call, allocation);
}

/* One free that takes everything with it; none when nothing was left. */
void allocations_release(const char *name, const struct emulator_context *context)
{
	struct gpu_call call = {0};
	struct leavers leavers = {context, &call, name, false};

	memory_each(release_if_owned, &leavers);
	if (!context)
		graph_bytes.kept = graph_bytes.high[0] = graph_bytes.high[1] = 0;
	if (leavers.begun)
		observe_end(&call);
}

int vflow_emulator_graph_bytes(uint64_t *now, uint64_t high[2])
{
	int error = device_enter(true);

	if (error)
		return error;
	*now = graph_bytes.kept;
	high[0] = graph_bytes.high[0];
	high[1] = graph_bytes.high[1];
	device_leave();
	return 0;
}

int vflow_emulator_graph_trim(void)
{
	int error = device_enter(true);

	if (error)
		return error;
	graph_bytes.kept = graph_bytes.live;
	device_leave();
	return 0;
}

int vflow_emulator_graph_mark(bool reserved)
{
	int error = device_enter(true);

	if (error)
		return error;
	graph_bytes.high[reserved] = graph_bytes.kept;
	device_leave();
	return 0;
}

int vflow_emulator_memory_info(uint64_t *free, uint64_t *total)
{
	int error = device_enter(false);

	if (error)
		return error;
	*free = memory_free();
	*total = memory_total();
	device_leave();
	return 0;
}

int vflow_emulator_pointer(uint64_t address, struct emulator_pointer *pointer)
{
	const struct allocation *allocation;
	int error = device_enter(false);

	if (error)
		return error;
	allocation = memory_find(address);
	if (allocation)
		*pointer = (struct emulator_pointer){allocation->address, allocation->size,
						     (enum gpu_memory)allocation->kind};
	device_leave();
	return allocation ? 0 : INVALID_VALUE;
}
