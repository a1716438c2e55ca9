/*
 * gpu/emulator/device/texture.c: making and destroying texture and surface objects.
 */
#include "gpu/emulator/device/array.h"
#include "gpu/emulator/device/device.h"
#include "gpu/emulator/device/observe.h"

static int create(const struct emulator_texture *what, bool surface, uint64_t *handle)
{
	const struct emulator_array *array = what->array ? array_find(what->array) : NULL;
	const struct emulator_array_shape *shape = &what->shape;
	struct allocation *allocation;
	struct emulator_texture facts = *what;

	if (what->array && !array)
		return INVALID_HANDLE;
	if (!array) { /* linear memory must be there when the texture is made */
		allocation = memory_find(shape->address);
		if (!allocation || !shape->width || !shape->height ||
		    (shape->height - 1) * shape->pitch +
				    shape->width * shape->channels * shape->channel_bytes >
			    allocation->size - (shape->address - allocation->address))
			return INVALID_VALUE;
		observe_exposed(allocation);
	} else {
		facts.shape = array->shape;
	}
	*handle = surface ? surface_add(&facts) : texture_add(&facts);
	return *handle ? 0 : OUT_OF_MEMORY;
}

int vflow_emulator_texture_create(const struct emulator_texture *texture, uint64_t *handle)
{
	int error = device_enter(true);

	if (error)
		return error;
	error = create(texture, false, handle);
	device_leave();
	return error;
}

int vflow_emulator_surface_create(void *array, uint64_t *handle)
{
	const struct emulator_texture facts = {.array = array};
	int error = array ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	error = create(&facts, true, handle);
	device_leave();
	return error;
}

static int destroy(uint64_t handle, bool (*remove)(uint64_t handle))
{
	int error = device_enter(true);

	if (error)
		return error;
	error = remove(handle) || !handle ? 0 : INVALID_HANDLE;
	device_leave();
	return error;
}

int vflow_emulator_texture_destroy(uint64_t handle)
{
	return destroy(handle, texture_remove);
}

int vflow_emulator_surface_destroy(uint64_t handle)
{
	return destroy(handle, surface_remove);
}
