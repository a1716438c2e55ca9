/*
 * gpu/sanitizer/schedule/event_array.c: arrays.  Their memory has no address, so each has a mirror:
 * linear memory of ours as large as the array (on the host if need be), whose shadow is the
 * array's.  What a copy wrote into the array is copied into the mirror before the pass looks at it.
 */
#include <stdlib.h>

#include "gpu/sanitizer/api/device_bytes.h"
#include "gpu/sanitizer/schedule/events_internal.h"

struct array {
	struct array *next;
	CUarray handle;
	struct object *object;
	struct shadow_memory mirror;
	uint64_t pitch, height, depth; /* bytes, rows, slices */
	bool stores;                   /* kernels may store into it through surfaces */
};
static struct array *arrays;

static struct array *find(CUarray handle)
{
	struct array *array = arrays;

	while (array && array->handle != handle)
		array = array->next;
	return array;
}

static void not_followed(uint64_t bytes)
{
	events_sink->coverage(COVERAGE_ARRAY_NOT_FOLLOWED, NULL, 1, bytes);
}

void event_array(const struct api_call *api_call, const struct operation *operation)
{
	struct space *space = events_find_space(operation->context);
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	struct array *array;
	struct gpu_call call;
	uint64_t size;

	if (driver.cuArray3DGetDescriptor(&descriptor, operation->array.array) != CUDA_SUCCESS)
		return;
	array = calloc(1, sizeof(*array));
	if (!array)
		return;
	array->handle = operation->array.array;
	array->pitch =
		operation->width * api_channel_bytes(descriptor.Format) * descriptor.NumChannels;
	array->height = operation->height;
	array->depth = operation->depth;
	array->stores = descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST;
	size = array->pitch * array->height * array->depth;
	if (!size || memory_get(&array->mirror, size, space_stream(space)) != CUDA_SUCCESS) {
		not_followed(size);
		free(array);
		return;
	}
	array->object = space_add(space, array->mirror.device, size, GPU_MEMORY_ARRAY, true);
	if (!array->object) {
		memory_release(&array->mirror);
		free(array);
		return;
	}
	array->next = arrays;
	arrays = array;
	event_begin(&call, GPU_ALLOC, event_public_name(api_call->name), NULL, api_call, NULL);
	object_identify(array->object, event_introduce(&call, array->object), call.context);
	events_sink->end(&call, NULL, 0);
	if (array->object->slot == NO_SLOT)
		not_followed(size);
}

static void drop(struct array *array)
{
	struct array **at = &arrays;

	while (*at != array)
		at = &(*at)->next;
	*at = array->next;
	free(array);
}

void event_array_gone(const struct api_call *api_call, const struct operation *operation)
{
	struct array *array = find(operation->array.array);
	struct space *space;

	if (!array)
		return;
	space = array->object->space;
	event_release(api_call, NULL, array->object);
	space_release(space, &array->mirror);
	drop(array);
}

void event_arrays_abandon(const struct space *space)
{
	struct array *next;

	for (struct array *array = arrays; array; array = next) {
		next = array->next;
		if (array->object->space != space)
			continue;
		memory_abandon(&array->mirror);
		drop(array);
	}
}

struct object *event_array_find(const struct array_place *place, uint64_t *address, uint64_t *pitch,
				uint64_t *slice)
{
	const struct array *array = find(place->array);

	if (!array)
		return NULL;
	*pitch = array->pitch;
	*slice = array->pitch * array->height;
	*address = array->object->address + place->z * *slice + place->y * *pitch + place->x;
	return array->object;
}

bool event_array_mirror(const struct array_place *place, uint64_t width, uint64_t height,
			uint64_t depth)
{
	const struct array *array = find(place->array);
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			      .srcArray = place->array,
			      .srcXInBytes = place->x,
			      .srcY = place->y,
			      .srcZ = place->z,
			      .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
			      .dstXInBytes = place->x,
			      .dstY = place->y,
			      .dstZ = place->z,
			      .WidthInBytes = width,
			      .Height = height,
			      .Depth = depth};

	if (!array)
		return false;
	copy.dstDevice = array->object->address;
	copy.dstPitch = array->pitch;
	copy.dstHeight = array->height;
	return driver.cuMemcpy3DAsync(&copy, space_stream(array->object->space)) == CUDA_SUCCESS;
}

void event_arrays_stored(const struct space *space)
{
	for (struct array *array = arrays; array; array = array->next)
		if (array->stores && array->object->space == space)
			space_forget_later(array->object);
}
