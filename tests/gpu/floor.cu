/* The patch that does nothing: what remains is the cost of calling it.  See floor.c. */
#include <sanitizer_patching.h>

extern "C" __device__ __noinline__ SanitizerPatchResult floor_patch(void *state, uint64_t pc,
								    void *address, uint32_t size,
								    uint32_t flags,
								    const void *data)
{
	return SANITIZER_PATCH_SUCCESS;
}
