/*
 * gpu/emulator/device/copy.c: copies and sets, one row of bytes at a time.
 */
#include <string.h>

#include "gpu/emulator/device/graph.h"
#include "gpu/emulator/device/observe.h"
#include "gpu/nvidia/apis.h"

/* One side of a copy: in device memory (allocation) or on the host (NULL). */
struct side {
	uint64_t address, pitch, slice;
	struct allocation *allocation;
};

struct box {
	uint64_t width, height, depth; /* bytes, rows, slices */
};

/* The bytes from the first of the first row to the last of the last; UINT64_MAX: too many. */
static uint64_t span(const struct side *side, const struct box *box)
{
	uint64_t slices, bytes;

	if (__builtin_mul_overflow(side->slice, box->depth - 1, &slices) ||
	    __builtin_mul_overflow(side->pitch, box->height - 1, &bytes) ||
	    __builtin_add_overflow(bytes, slices, &bytes) ||
	    __builtin_add_overflow(bytes, box->width, &bytes))
		return UINT64_MAX;
	return bytes;
}

/* The allocation that holds the whole range, or NULL. */
static struct allocation *find_range(uint64_t address, uint64_t bytes)
{
	struct allocation *allocation = memory_find(address);

	if (!allocation || bytes > allocation->size - (address - allocation->address))
		return NULL;
	return allocation;
}

/*
 * Memory of the host that the device can see counts as host.  The address decides, as with
 * unified addressing; what the program said is only checked where the device would fail.
 */
static int resolve(struct side *side, enum emulator_side said, const struct box *box)
{
	side->allocation = NULL;
	if (!memory_is_device(side->address))
		return said == SIDE_DEVICE || !side->address ? INVALID_VALUE : 0;
	side->allocation = find_range(side->address, span(side, box));
	if (!side->allocation)
		return INVALID_VALUE;
	if (side->allocation->kind == GPU_MEMORY_MAPPED_HOST)
		side->allocation = NULL;
	return 0;
}

static void touch_row(const struct side *to, uint64_t to_row, const struct side *from,
		      uint64_t from_row, uint64_t width)
{
	if (to->allocation && from->allocation)
		observe_copy(to->allocation, to_row, from->allocation, from_row, width);
	else if (to->allocation)
		observe_touch(to->allocation, to_row, width, GPU_FROM_HOST);
	else
		observe_touch(from->allocation, from_row, width, GPU_TO_HOST);
}

/* Whether the bytes are there already. */
static bool is_same(uint64_t to_row, uint64_t from_row, uint64_t width)
{
	return !memcmp((const void *)(uintptr_t)to_row, (const void *)(uintptr_t)from_row, width);
}

/* Returns whether memory of the host held all of the bytes before. */
static bool copy_rows(const struct side *to, const struct side *from, const struct box *box)
{
	/* rows that overlap later rows of the source must be copied after those */
	const bool backwards = to->address > from->address;
	const bool observed = to->allocation || from->allocation;
	const uint64_t count = box->height * box->depth;
	bool same = observed && !to->allocation && observe_active();

	for (uint64_t i = 0; i < count; i++) {
		uint64_t row = backwards ? count - 1 - i : i;
		uint64_t z = row / box->height, y = row % box->height;
		uint64_t to_row = to->address + z * to->slice + y * to->pitch;
		uint64_t from_row = from->address + z * from->slice + y * from->pitch;

		if (observed)
			touch_row(to, to_row, from, from_row, box->width);
		same = same && is_same(to_row, from_row, box->width);
		memmove((void *)(uintptr_t)to_row, (const void *)(uintptr_t)from_row, box->width);
	}
	return same;
}

/* Rows and slices that lie side by side on both sides become one. */
static void join(const struct side *to, const struct side *from, struct box *box)
{
	if (box->height > 1 && to->pitch == box->width && from->pitch == box->width)
		box->width *= box->height, box->height = 1;
	if (box->depth > 1 && box->height == 1 && to->slice == box->width &&
	    from->slice == box->width)
		box->width *= box->depth, box->depth = 1;
}

/* Of a copy from or to the host. */
static void record_transfer(const struct gpu_call *call, const struct side *to,
			    const struct side *from, const struct box *box)
{
	const struct side *side = to->allocation ? to : from;
	const struct transfer_box bytes = {side->address, side->pitch, side->slice,
					   box->width,    box->height, box->depth};

	if (!to->allocation || !from->allocation)
		observe_transfer(call, side->allocation, &bytes, to->allocation,
				 to->allocation ? from->address : to->address);
}

/* Memory of the host that the device can see is pinned. */
static enum clock_way way_of(const struct side *to, const struct side *from)
{
	if (to->allocation && from->allocation)
		return CLOCK_ON_DEVICE;
	if (memory_find(to->allocation ? from->address : to->address))
		return CLOCK_PINNED;
	return to->allocation ? CLOCK_TO_GPU : CLOCK_FROM_GPU;
}

/* Whether a device would read the source after the call, which is over when that is pageable. */
static bool reads_later(const char *name, const struct side *from)
{
	const struct allocation *found = from->allocation ? NULL : memory_find(from->address);

	return found && found->kind == GPU_MEMORY_MAPPED_HOST && api_is_asynchronous(name);
}

/* Where its bytes lie side by side; 0: they do not.  Copies of a batch may be done when it returns.
 */
static uint64_t source_of(const char *name, const struct side *from, const struct box *box)
{
	const bool rows = box->height == 1 || from->pitch == box->width;
	const bool slices = box->depth == 1 || from->slice == box->width * box->height;

	return rows && slices && !strstr(name, "Batch") ? from->address : 0;
}

/* No event, but on the model's clock it is known as a call that waits. */
static void copy_on_host(const char *name, int64_t stream, const struct side *to,
			 const struct side *from, const struct box *box)
{
	struct gpu_call call;

	if (clock_is_virtual()) {
		observe_begin(&call, GPU_SYNC, name, stream);
		observe_work(&(struct clock_work){.way = CLOCK_ON_HOST,
						  .amount = box->width * box->height * box->depth});
	}
	copy_rows(to, from, box);
	if (clock_is_virtual())
		observe_end(&call);
}

int copy_now(const char *name, int64_t stream, const struct emulator_copy *what)
{
	struct side to = {what->to, what->to_pitch, what->to_slice, NULL};
	struct side from = {what->from, what->from_pitch, what->from_slice, NULL};
	struct box box = {what->width, what->height, what->depth ? what->depth : 1};
	struct gpu_call call;
	enum clock_way way;
	bool same;

	if (box.height > 1 && (to.pitch < box.width || from.pitch < box.width))
		return INVALID_PITCH;
	if (!box.width || !box.height) /* NVIDIA's runtime does not tell of these either */
		return 0;
	if (resolve(&to, what->to_side, &box) || resolve(&from, what->from_side, &box))
		return INVALID_VALUE;
	if (!to.allocation && !from.allocation) { /* host to host: no event */
		copy_on_host(name, stream, &to, &from, &box);
		return 0;
	}
	way = way_of(&to, &from);
	if (to.allocation)
		observe_known(to.allocation);
	if (from.allocation)
		observe_known(from.allocation);
	if (to.allocation && reads_later(name, &from))
		observe_begin_upload(&call, name, stream, source_of(name, &from, &box),
				     box.width * box.height * box.depth);
	else if (to.allocation)
		observe_begin(&call, GPU_COPY, name, stream);
	else
		observe_begin_download(&call, name, stream, to.address, span(&to, &box));
	observe_work(
		&(struct clock_work){.way = way, .amount = box.width * box.height * box.depth});
	join(&to, &from, &box);
	same = copy_rows(&to, &from, &box);
	observe_end(&call);
	if (same)
		observe_received(&call, from.allocation);
	record_transfer(&call, &to, &from, &box);
	if (!to.allocation && (way == CLOCK_FROM_GPU || !api_is_asynchronous(name)))
		observe_returned(&call);
	return 0;
}

int vflow_emulator_copy(const char *name, void *stream, const struct emulator_copy *what)
{
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	number = stream_number(stream);
	print_flush();
	error = stream_takes(stream);
	if (!error && stream_captures(stream))
		error = stream_capture(stream,
				       &(struct emulator_node){.kind = NODE_COPY, .copy = *what});
	else if (!error)
		error = copy_now(name, number, what);
	device_leave();
	return error;
}

/* memset() of elements: the first is stored, then what is there is doubled. */
static void fill_row(uint8_t *row, uint32_t value, uint32_t element, uint64_t width)
{
	uint64_t bytes = width * element, done = element;

	if (element == 1) {
		memset(row, (int)value, width);
		return;
	}
	memcpy(row, &value, element);
	while (done < bytes) {
		uint64_t more = done < bytes - done ? done : bytes - done;

		memcpy(row + done, row, more);
		done += more;
	}
}

static int fill(const char *name, int64_t stream, uint64_t to, uint64_t pitch, uint32_t value,
		uint32_t element, uint64_t width, uint64_t height)
{
	const struct side side = {to, pitch, 0, NULL};
	struct allocation *allocation;
	struct gpu_call call;
	uint64_t bytes;

	if (__builtin_mul_overflow(width, element, &bytes))
		return INVALID_VALUE;
	if ((height > 1 && pitch < bytes) || to % element || (height > 1 && pitch % element))
		return INVALID_VALUE;
	if (!bytes || !height)
		return 0;
	allocation = find_range(to, span(&side, &(struct box){bytes, height, 1}));
	if (!allocation)
		return INVALID_VALUE;
	observe_known(allocation);
	observe_begin(&call, GPU_SET, name, stream);
	observe_work(&(struct clock_work){.amount = bytes * height,
					  .shared = allocation->kind == GPU_MEMORY_MANAGED ||
						    allocation->kind == GPU_MEMORY_MAPPED_HOST});
	for (uint64_t row = 0; row < height; row++) {
		uint64_t at = to + row * pitch;

		observe_touch(allocation, at, bytes, GPU_WRITE);
		fill_row((uint8_t *)(uintptr_t)at, value, element, width);
	}
	observe_end(&call);
	return 0;
}

int vflow_emulator_fill(const char *name, void *stream, uint64_t to, uint64_t pitch, uint32_t value,
			uint32_t element, uint64_t width, uint64_t height)
{
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	number = stream_number(stream);
	error = stream_takes(stream);
	if (!error && stream_captures(stream))
		error = stream_capture(stream,
				       &(struct emulator_node){
					       .kind = NODE_FILL,
					       .fill = {to, pitch, width, height, value, element}});
	else if (!error)
		error = fill(name, number, to, pitch, value, element, width, height);
	device_leave();
	return error;
}
