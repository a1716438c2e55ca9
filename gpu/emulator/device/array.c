/* gpu/emulator/device/array.c: see array.h. */
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/emulator/device/array.h"
#include "gpu/emulator/device/capture.h"
#include "gpu/emulator/device/device.h"
#include "gpu/emulator/device/observe.h"

#define EXTENT_LIMIT (1u << 28)

struct entry {
	struct emulator_array array; /* first: programs hold its address */
	UT_hash_handle hh;
};

static struct entry *entries;

const struct emulator_array *array_find(const void *handle)
{
	struct entry *entry;

	HASH_FIND_PTR(entries, &handle, entry);
	return entry ? &entry->array : NULL;
}

static bool valid(const struct emulator_array_shape *shape)
{
	return shape->width && shape->height && shape->depth && shape->width <= EXTENT_LIMIT &&
	       shape->height <= EXTENT_LIMIT && shape->depth <= EXTENT_LIMIT &&
	       (shape->channels == 1 || shape->channels == 2 || shape->channels == 4) &&
	       (shape->channel_bytes == 1 || shape->channel_bytes == 2 ||
		shape->channel_bytes == 4);
}

static int create(const char *name, const struct emulator_array_shape *shape, void **array)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	struct allocation *allocation = NULL;
	uint64_t pitch = shape->width * shape->channels * shape->channel_bytes, slice, size;
	struct gpu_call call;

	if (entry && !__builtin_mul_overflow(pitch, shape->height, &slice) &&
	    !__builtin_mul_overflow(slice, shape->depth, &size))
		allocation = memory_allocate(size, MEMORY_ALIGNMENT);
	if (!allocation) {
		free(entry);
		return OUT_OF_MEMORY;
	}
	allocation->kind = GPU_MEMORY_ARRAY;
	allocation->context = context_current();
	entry->array = (struct emulator_array){&entry->array, allocation, *shape};
	entry->array.shape.pitch = pitch;
	entry->array.shape.slice = slice;
	entry->array.shape.address = allocation->address;
	HASH_ADD_KEYPTR(hh, entries, &entry->array.handle, sizeof(void *), entry);
	*array = &entry->array;
	observe_begin(&call, GPU_ALLOC, name, 0);
	observe_allocated(&call, allocation);
	observe_end(&call);
	return 0;
}

int vflow_emulator_array_create(const char *name, const struct emulator_array_shape *shape,
				void **array)
{
	int error = valid(shape) ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	error = capture_forbids_unsafe();
	if (!error)
		error = create(name, shape, array);
	device_leave();
	return error;
}

int vflow_emulator_array_destroy(const char *name, void *array)
{
	struct entry *entry;
	struct gpu_call call;
	int error = array ? device_enter(true) : 0;

	if (error || !array)
		return error;
	HASH_FIND_PTR(entries, &array, entry);
	if (entry) {
		HASH_DEL(entries, entry);
		observe_begin(&call, GPU_FREE, name, 0);
		observe_released(&call, entry->array.allocation);
		memory_release(entry->array.allocation);
		observe_end(&call);
		free(entry);
	}
	device_leave();
	return entry ? 0 : INVALID_HANDLE;
}

int vflow_emulator_array_shape(void *array, struct emulator_array_shape *shape)
{
	const struct emulator_array *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = array_find(array);
	if (found)
		*shape = found->shape;
	device_leave();
	return found ? 0 : INVALID_HANDLE;
}

/* The memory goes with the device's other memory. */
void arrays_release(void)
{
	struct entry *entry, *next;

	HASH_ITER(hh, entries, entry, next)
	{
		HASH_DEL(entries, entry);
		free(entry);
	}
}
