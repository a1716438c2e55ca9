/* gpu/sanitizer/callback/mappings.c: see mappings.h. */
#include "gpu/sanitizer/callback/mappings.h"

#include <stdlib.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/driver.h"

struct mapping {
	uint64_t address, size;
	CUmemGenericAllocationHandle handle;
};
static struct mapping *mappings;
static uint32_t mapping_count, mapping_capacity;

/* Handles that came from other processes or went to them. */
static CUmemGenericAllocationHandle *shared;
static uint32_t shared_count, shared_capacity;

static bool grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	uint32_t wanted = *capacity ? 2 * *capacity : 64;
	void *more;

	if (count < *capacity)
		return true;
	more = reallocarray(*(void **)array, wanted, size);
	if (!more)
		return false;
	*(void **)array = more;
	*capacity = wanted;
	return true;
}

static bool is_shared(CUmemGenericAllocationHandle handle)
{
	for (uint32_t i = 0; i < shared_count; i++)
		if (shared[i] == handle)
			return true;
	return false;
}

static void share(CUmemGenericAllocationHandle handle)
{
	if (!is_shared(handle) && grow(&shared, shared_count, &shared_capacity, sizeof(*shared)))
		shared[shared_count++] = handle;
}

static void map(uint64_t address, uint64_t size, CUmemGenericAllocationHandle handle)
{
	for (uint32_t i = 0; i < mapping_count; i++)
		if (mappings[i].handle == handle)
			share(handle); /* what is written through one mapping changes the other */
	if (grow(&mappings, mapping_count, &mapping_capacity, sizeof(*mappings)))
		mappings[mapping_count++] = (struct mapping){address, size, handle};
}

static void unmap(uint64_t address, uint64_t size)
{
	for (uint32_t i = mapping_count; i-- > 0;)
		if (mappings[i].address - address < size)
			mappings[i] = mappings[--mapping_count];
}

void mappings_call(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;

	if (api_is(function, "cuMemMap")) {
		map(words[0], words[1], words[3]);
	} else if (api_is(function, "cuMemUnmap")) {
		unmap(words[0], words[1]);
	} else if (api_is(function, "cuMemImportFromShareableHandle")) {
		share(*(const CUmemGenericAllocationHandle *)(uintptr_t)words[0]);
	} else if (api_is(function, "cuMemExportToShareableHandle")) {
		share(words[1]);
	}
}

bool mappings_is_shared(uint64_t address)
{
	for (uint32_t i = 0; shared_count && i < mapping_count; i++)
		if (address - mappings[i].address < mappings[i].size)
			return is_shared(mappings[i].handle);
	return false;
}

/* Whether cuMemSetAccess() lets another device than the current one write. */
static bool lets_others_write(const uint64_t *words)
{
	const CUmemAccessDesc *access = (const void *)(uintptr_t)words[2];
	CUdevice device;

	if (driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
		return false;
	for (uint64_t i = 0; i < words[3]; i++)
		if (access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
		    access[i].location.id != device &&
		    access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return true;
	return false;
}

static uint64_t next_of(CUmemGenericAllocationHandle handle, uint32_t *at)
{
	while (*at < mapping_count)
		if (mappings[(*at)++].handle == handle)
			return mappings[*at - 1].address;
	return 0;
}

static uint64_t next_within(uint64_t address, uint64_t size, uint32_t *at)
{
	while (*at < mapping_count) {
		const struct mapping *mapping = &mappings[(*at)++];

		if (mapping->address < address + size && address < mapping->address + mapping->size)
			return mapping->address;
	}
	return 0;
}

/* Whether the function shares the memory at the address that is its second parameter. */
static bool gives_away(const char *function)
{
	return api_is(function, "cuIpcGetMemHandle") ||
	       api_is(function, "cuMemPoolExportPointer") ||
	       api_is(function, "cuMemGetHandleForAddressRange");
}

uint64_t mappings_next(const char *function, const void *parameters, uint32_t *at)
{
	const uint64_t *words = parameters;

	if (api_is(function, "cuMemExportToShareableHandle"))
		return next_of(words[1], at);
	if (api_is(function, "cuMemMap"))
		return is_shared(words[3]) ? next_of(words[3], at) : 0;
	if (api_is(function, "cuMemSetAccess"))
		return *at || lets_others_write(words) ? next_within(words[0], words[1], at) : 0;
	return gives_away(function) && !(*at)++ ? words[1] : 0;
}
