/*
 * gpu/emulator/driver/virtual.c: driver API: virtual memory management.
 *
 * A reservation takes device memory from the start, and becomes the program's object when its first
 * mapping can be accessed.  A handle has bytes of its own, which the address shows where it is
 * mapped. It is mapped once at a time: two objects of the same bytes would not know what was
 * written through the other.  What comes back with a handle that was accessible before was written
 * by somebody unknown: no object remembers it.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/device.h"
#include "gpu/emulator/driver/driver.h"
#include "gpu/emulator/device/observe.h"

#define GRANULARITY MEMORY_RIGHTS_PAGE

struct handle {
	uint64_t size;
	uint64_t mapped; /* address; 0: the handle is not mapped */
	bool released;   /* released by the program, kept alive by its mapping */
	bool accessible; /* now, or at some time since it was mapped */
	bool written;    /* it may have been, in a mapping before */
	void *store;
	struct handle *next;
};

static struct handle *handles;
static uint64_t generation; /* of the device when they were made: a reset frees all */

static void drop(struct handle *handle)
{
	struct handle **link = &handles;

	while (*link != handle)
		link = &(*link)->next;
	*link = handle->next;
	memory_store_free(handle->store, handle->size);
	free(handle);
}

static int enter(void)
{
	int error = device_enter(true);

	if (error || generation == vflow_emulator_generation())
		return error;
	while (handles)
		drop(handles);
	generation = vflow_emulator_generation();
	return 0;
}

static struct handle *find(CUmemGenericAllocationHandle value)
{
	struct handle *each = handles;

	while (each && (uintptr_t)each != value)
		each = each->next;
	return each;
}

/* The reservation that holds the whole range, or NULL. */
static struct allocation *reservation_of(uint64_t address, uint64_t size)
{
	struct allocation *found = memory_find(address);

	if (!found || !found->reserved || size > found->size - (address - found->address))
		return NULL;
	return found;
}

static bool is_mapped_in(const struct handle *handle, uint64_t address, uint64_t size)
{
	return handle->mapped && handle->mapped < address + size &&
	       handle->mapped + handle->size > address;
}

/* The first handle mapped inside the range, or NULL. */
static struct handle *mapped_in(uint64_t address, uint64_t size)
{
	struct handle *each = handles;

	while (each && !is_mapped_in(each, address, size))
		each = each->next;
	return each;
}

static bool is_accessible(const struct allocation *reservation)
{
	for (const struct handle *each = handles; each; each = each->next)
		if (each->accessible && is_mapped_in(each, reservation->address, reservation->size))
			return true;
	return false;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	int error = vflow_emulator_check(false);

	(void)option;
	if (error || !granularity || !prop)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	*granularity = GRANULARITY;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
			     unsigned long long flags)
{
	struct allocation *made;
	int error =
		ptr && size && size % GRANULARITY == 0 && !flags && !(alignment & (alignment - 1))
			? enter()
			: CUDA_ERROR_INVALID_VALUE;

	(void)addr; /* the address is a hint */
	if (error)
		return RESULT(error);
	made = memory_allocate(size, alignment < GRANULARITY ? GRANULARITY : alignment);
	if (made) {
		made->rights = calloc(size / GRANULARITY, 1);
		if (!made->rights) {
			memory_release(made);
			made = NULL;
		}
	}
	if (made) {
		made->kind = GPU_MEMORY_DEVICE;
		made->reserved = true;
		*ptr = made->address;
	}
	device_leave();
	return RESULT(made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	struct allocation *found;
	int error = enter();

	if (error)
		return RESULT(error);
	found = reservation_of(ptr, size);
	if (!found || found->address != ptr || found->size != size || mapped_in(ptr, size))
		error = INVALID_VALUE;
	else
		memory_release(found);
	device_leave();
	return RESULT(error);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags)
{
	struct handle *made;
	int error = handle && size && size % GRANULARITY == 0 && prop && !flags
			    ? enter()
			    : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->location.id)
		error = prop->location.id ? INVALID_DEVICE : INVALID_VALUE;
	else if (size > memory_total())
		error = OUT_OF_MEMORY;
	made = error ? NULL : calloc(1, sizeof(*made));
	if (made && !(made->store = memory_store(size))) {
		free(made);
		made = NULL;
	}
	if (made) {
		made->size = size;
		made->next = handles;
		handles = made;
		*handle = (uintptr_t)made;
	}
	device_leave();
	return RESULT(error ? (CUresult)error : made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct handle *found;
	int error = enter();

	if (error)
		return RESULT(error);
	found = find(handle);
	if (!found || found->released)
		error = INVALID_VALUE;
	else if (found->mapped)
		found->released = true;
	else
		drop(found);
	device_leave();
	return RESULT(error);
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	struct allocation *reservation;
	struct handle *found;
	int error = enter();

	if (error)
		return RESULT(error);
	found = find(handle);
	reservation = reservation_of(ptr, size);
	if (!found || found->released || !reservation || offset || flags || size != found->size ||
	    ptr % GRANULARITY || mapped_in(ptr, size)) {
		error = INVALID_VALUE;
	} else if (found->mapped) {
		device_say("cuMemMap: the same memory at two addresses is not supported on the "
			   "emulated device");
		observe_coverage(COVERAGE_CALL_UNSUPPORTED, "cuMemMap of one handle twice", 1, 0);
		error = NOT_SUPPORTED;
	} else if (memory_show(reservation, ptr, found->store, size) != 0) {
		error = OUT_OF_MEMORY;
	} else {
		found->mapped = ptr;
	}
	device_leave();
	return RESULT(error);
}
PER_THREAD(cuMemMap, cuMemMap_ptsz);

/* Only whole mappings can be unmapped. */
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	struct allocation *reservation;
	struct gpu_call call;
	struct handle *found;
	uint64_t bytes = 0;
	bool accessible;
	int error = enter();

	if (error)
		return RESULT(error);
	reservation = reservation_of(ptr, size);
	for (found = handles; reservation && found; found = found->next)
		if (found->mapped >= ptr && found->mapped < ptr + size)
			bytes += found->size;
	if (!reservation || !size || bytes != size) {
		device_leave();
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	}
	accessible = is_accessible(reservation);
	if (memory_hide(ptr, size) != 0) {
		device_leave();
		return RESULT(CUDA_ERROR_OUT_OF_MEMORY);
	}
	memset(reservation->rights + (ptr - reservation->address) / GRANULARITY, 0,
	       size / GRANULARITY);
	observe_seen(reservation); /* the memory keeps its content and may be mapped elsewhere */
	while ((found = mapped_in(ptr, size)) != NULL) {
		if (found->accessible)
			observe_replaced(reservation, found->mapped - reservation->address,
					 found->size);
		found->written |= found->accessible;
		found->mapped = 0;
		found->accessible = false;
		if (found->released)
			drop(found);
	}
	observe_begin(&call, GPU_FREE, "cuMemUnmap", 0);
	if (accessible && !is_accessible(reservation))
		observe_released(&call, reservation);
	observe_end(&call);
	device_leave();
	return CUDA_SUCCESS;
}

/* Those of the part of the mapping that lies in the range. */
static void set_rights(const struct allocation *reservation, struct handle *handle,
		       uint64_t address, uint64_t size, const CUmemAccessDesc *desc, size_t count)
{
	const uint64_t start = address > handle->mapped ? address : handle->mapped;
	const uint64_t end = address + size < handle->mapped + handle->size
				     ? address + size
				     : handle->mapped + handle->size;

	for (size_t i = 0; i < count; i++) {
		if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
			continue;
		for (uint64_t at = start / GRANULARITY * GRANULARITY; at < end; at += GRANULARITY)
			reservation->rights[(at - reservation->address) / GRANULARITY] =
				(uint8_t)desc[i].flags;
		handle->accessible |= desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
	}
}

/* What was written elsewhere and can now be read here. */
static void forget_written(struct allocation *reservation)
{
	for (struct handle *each = handles; each; each = each->next)
		if (each->written && each->accessible &&
		    is_mapped_in(each, reservation->address, reservation->size)) {
			observe_replaced(reservation, each->mapped - reservation->address,
					 each->size);
			each->written = false;
		}
}

/* From now on the memory is accessible: here the Sanitizer reports the allocation, too. */
CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	int error = desc && count ? enter() : CUDA_ERROR_INVALID_VALUE;
	struct allocation *reservation;
	struct gpu_call call;
	bool first;

	if (error)
		return RESULT(error);
	reservation = reservation_of(ptr, size);
	if (!reservation || !size || !mapped_in(ptr, size))
		error = INVALID_VALUE;
	for (size_t i = 0; i < count && !error; i++)
		error = desc[i].location.type == CU_MEM_LOCATION_TYPE_INVALID ? INVALID_VALUE
			: desc[i].location.id                                 ? INVALID_DEVICE
									      : 0;
	if (!error) {
		first = !is_accessible(reservation);
		for (struct handle *found = handles; found; found = found->next)
			if (is_mapped_in(found, ptr, size))
				set_rights(reservation, found, ptr, size, desc, count);
		if (first && is_accessible(reservation)) {
			observe_begin(&call, GPU_ALLOC, "cuMemSetAccess", 0);
			observe_allocated(&call, reservation);
			observe_end(&call);
		}
		forget_written(reservation);
	}
	device_leave();
	return RESULT(error);
}
