/* gpu/sanitizer/callback/textures.c: see textures.h. */
#include "gpu/sanitizer/callback/textures.h"

#include <cuda.h>

#include "gpu/nvidia/apis.h"

uint64_t texture_address(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;
	const CUDA_RESOURCE_DESC *resource = (const void *)(uintptr_t)words[1];

	if (!api_is(function, "cuTexObjectCreate"))
		return words[2]; /* of cuTexRefSetAddress() and cuTexRefSetAddress2D() */
	switch (resource->resType) {
	case CU_RESOURCE_TYPE_LINEAR:
		return resource->res.linear.devPtr;
	case CU_RESOURCE_TYPE_PITCH2D:
		return resource->res.pitch2D.devPtr;
	default:
		return 0;
	}
}
