/* Patches that do nothing: what remains is the cost of calling them.  See floor.c. */
#include <sanitizer_patching.h>

extern "C" __device__ __noinline__ SanitizerPatchResult floor_patch(void *state, uint64_t pc,
								    void *address, uint32_t size,
								    uint32_t flags,
								    const void *data)
{
	return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult floor_copy_async(void *state, uint64_t pc,
									 void *source,
									 uint32_t destination,
									 uint32_t size)
{
	return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
floor_bulk_read(void *state, uint64_t pc, uint64_t source, uint32_t destination, uint32_t barrier,
		uint32_t blocks, uint32_t multicast)
{
	return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult floor_bulk_write(void *state, uint64_t pc,
									 uint64_t destination,
									 uint32_t source,
									 uint32_t blocks)
{
	return SANITIZER_PATCH_SUCCESS;
}
