/*
 * gpu/emulator/driver/texture.c: driver API: texture and surface objects.
 */
#include <string.h>

#include "gpu/emulator/driver/driver.h"

/* The memory or array that the texture reads. */
static int read_resource(const CUDA_RESOURCE_DESC *resource, struct emulator_texture *texture)
{
	struct emulator_array_shape *shape = &texture->shape;
	int error;

	switch (resource->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		texture->array = resource->res.array.hArray;
		return texture->array ? vflow_emulator_array_shape(texture->array, shape)
				      : CUDA_ERROR_INVALID_VALUE;
	case CU_RESOURCE_TYPE_LINEAR:
		error = driver_channels(resource->res.linear.format,
					resource->res.linear.numChannels, shape);
		if (error)
			return error;
		shape->address = resource->res.linear.devPtr;
		shape->width =
			resource->res.linear.sizeInBytes / (shape->channels * shape->channel_bytes);
		shape->height = shape->depth = shape->dimensions = 1;
		return 0;
	case CU_RESOURCE_TYPE_PITCH2D:
		error = driver_channels(resource->res.pitch2D.format,
					resource->res.pitch2D.numChannels, shape);
		if (error)
			return error;
		shape->address = resource->res.pitch2D.devPtr;
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

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
			   const CUDA_TEXTURE_DESC *pTexDesc,
			   const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
	struct emulator_texture texture = {0};
	uint64_t handle;
	int error;

	if (!pTexObject || !pResDesc || !pTexDesc)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = pResViewDesc ? vflow_emulator_unsupported("a texture with a resource view")
			     : read_resource(pResDesc, &texture);
	if (error)
		return RESULT(error);
	texture.linear_filter = pTexDesc->filterMode == CU_TR_FILTER_MODE_LINEAR;
	texture.normalized_coordinates = pTexDesc->flags & CU_TRSF_NORMALIZED_COORDINATES;
	/* integers of 8 and 16 bits become fractions of 1 unless the program wants them as they are
	 */
	texture.normalized_values = !(pTexDesc->flags & CU_TRSF_READ_AS_INTEGER) &&
				    texture.shape.kind != CHANNEL_FLOAT &&
				    texture.shape.channel_bytes < 4;
	for (unsigned n = 0; n < 3; n++) /* reads beyond linear memory return zeros */
		texture.addressing[n] =
			pResDesc->resType == CU_RESOURCE_TYPE_LINEAR
				? ADDRESS_BORDER
				: (enum emulator_addressing)pTexDesc->addressMode[n];
	memcpy(texture.border, pTexDesc->borderColor, sizeof(texture.border));
	error = vflow_emulator_texture_create(&texture, &handle);
	if (!error)
		*pTexObject = handle;
	return RESULT(error);
}

CUresult cuTexObjectDestroy(CUtexObject texObject)
{
	return RESULT(vflow_emulator_texture_destroy(texObject));
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
	uint64_t handle;
	int error;

	if (!pSurfObject || !pResDesc || pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = vflow_emulator_surface_create(pResDesc->res.array.hArray, &handle);
	if (!error)
		*pSurfObject = handle;
	return RESULT(error);
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
	return RESULT(vflow_emulator_surface_destroy(surfObject));
}
