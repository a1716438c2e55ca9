/*
 * gpu/emulator/runtime/texture.c: runtime API: texture and surface objects.
 */
#include <string.h>

#include "gpu/emulator/runtime/runtime.h"

/* The memory or array that the texture reads. */
static int read_resource(const struct cudaResourceDesc *resource, struct emulator_texture *texture)
{
	struct emulator_array_shape *shape = &texture->shape;
	int error;

	switch (resource->resType) {
	case cudaResourceTypeArray:
		texture->array = resource->res.array.array;
		return texture->array ? 0 : (int)cudaErrorInvalidValue;
	case cudaResourceTypeLinear:
		error = runtime_channels(&resource->res.linear.desc, shape);
		if (error)
			return error;
		shape->address = runtime_bits(resource->res.linear.devPtr);
		shape->width =
			resource->res.linear.sizeInBytes / (shape->channels * shape->channel_bytes);
		shape->height = shape->depth = shape->dimensions = 1;
		return 0;
	case cudaResourceTypePitch2D:
		error = runtime_channels(&resource->res.pitch2D.desc, shape);
		if (error)
			return error;
		shape->address = runtime_bits(resource->res.pitch2D.devPtr);
		shape->width = resource->res.pitch2D.width;
		shape->height = resource->res.pitch2D.height;
		shape->pitch = resource->res.pitch2D.pitchInBytes;
		shape->depth = 1;
		shape->dimensions = 2;
		return 0;
	default:
		return vflow_emulator_unsupported("a texture of a mipmapped array");
	}
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
				    const struct cudaResourceDesc *resource,
				    const struct cudaTextureDesc *desc,
				    const struct cudaResourceViewDesc *view)
{
	struct emulator_texture texture = {0};
	uint64_t handle;
	int error;

	ATTACH();
	if (!object || !resource || !desc)
		return runtime_result(cudaErrorInvalidValue);
	error = view ? vflow_emulator_unsupported("a texture with a resource view")
		     : read_resource(resource, &texture);
	texture.linear_filter = desc->filterMode == cudaFilterModeLinear;
	texture.normalized_values = desc->readMode == cudaReadModeNormalizedFloat;
	texture.normalized_coordinates = desc->normalizedCoords;
	for (unsigned n = 0; n < 3; n++) {
		/* reads beyond linear memory return zeros */
		texture.addressing[n] = resource->resType == cudaResourceTypeLinear
						? ADDRESS_BORDER
						: (enum emulator_addressing)desc->addressMode[n];
	}
	memcpy(texture.border, desc->borderColor, sizeof(texture.border));
	if (!error)
		error = vflow_emulator_texture_create(&texture, &handle);
	if (!error)
		*object = handle;
	return runtime_result(error);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	ATTACH();
	return runtime_result(vflow_emulator_texture_destroy(object));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
				    const struct cudaResourceDesc *resource)
{
	uint64_t handle;
	int error;

	ATTACH();
	if (!object || !resource || resource->resType != cudaResourceTypeArray)
		return runtime_result(cudaErrorInvalidValue);
	error = vflow_emulator_surface_create(resource->res.array.array, &handle);
	if (!error)
		*object = handle;
	return runtime_result(error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	ATTACH();
	return runtime_result(vflow_emulator_surface_destroy(object));
}
