/*
 * gpu/emulator/interpreter/address.c: where an access goes, whether it may, and its marks.
 */
#include <stdio.h>

#include "gpu/emulator/interpreter/span.h"
#include "util/text.h"

static const char *access_name(bool read, bool write)
{
	return read && write ? "atomic" : write ? "store" : "load";
}

struct nearest {
	uint64_t address, distance, size;
	bool behind, found;
};

static void compare_distance(struct allocation *allocation, void *data)
{
	struct nearest *nearest = data;
	uint64_t end = allocation->address + allocation->size;
	bool behind = nearest->address >= end;
	uint64_t distance =
		behind ? nearest->address - end : allocation->address - nearest->address;

	if (nearest->found && distance >= nearest->distance)
		return;
	nearest->found = true;
	nearest->behind = behind;
	nearest->distance = distance;
	nearest->size = allocation->size;
}

/* "4 bytes past the end of a 4096-byte allocation"; 0: right there */
static void describe(uint64_t address, unsigned size, char *text, size_t room)
{
	struct allocation *allocation = memory_find(address);
	struct nearest nearest = {.address = address};

	if (allocation && size <= allocation->size &&
	    address - allocation->address <= allocation->size - size) {
		snprintf(text, room,
			 "reserved, but not mapped or without this right "
			 "(cuMemMap, cuMemSetAccess)");
		return;
	}
	if (allocation) {
		const uint64_t past = address + size - allocation->address - allocation->size;

		snprintf(text, room, "its last %llu byte%s past the end of a %llu-byte allocation",
			 (unsigned long long)past, text_plural(past, " is", "s are"),
			 (unsigned long long)allocation->size);
		return;
	}
	if (address < 4096) {
		snprintf(text, room, "a null pointer");
		return;
	}
	if (!memory_is_device(address)) {
		snprintf(text, room, "not an address of the device (memory of the host?)");
		return;
	}
	memory_each(compare_distance, &nearest);
	if (!nearest.found)
		snprintf(text, room, "there is no allocation");
	else if (!nearest.distance)
		snprintf(text, room, "right past the end of a %llu-byte allocation",
			 (unsigned long long)nearest.size);
	else
		snprintf(text, room, "%llu byte%s %s of a %llu-byte allocation",
			 (unsigned long long)nearest.distance,
			 text_plural(nearest.distance, "", "s"),
			 nearest.behind ? "past the end" : "before the start",
			 (unsigned long long)nearest.size);
}

static void illegal(struct warp *w, unsigned lane, uint64_t address, unsigned size, bool read,
		    bool write)
{
	char where[160];

	describe(address, size, where, sizeof(where));
	w->block->fault->address = address;
	warp_fault(w, 1u << lane, FAULT_ILLEGAL_ADDRESS, "%u-byte %s at 0x%llx: %s", size,
		   access_name(read, write), (unsigned long long)address, where);
}

static void outside(struct warp *w, unsigned lane, uint64_t offset, unsigned size, uint64_t limit,
		    const char *space, bool read, bool write)
{
	w->block->fault->address = offset;
	warp_fault(w, 1u << lane, FAULT_ILLEGAL_ADDRESS,
		   "%u-byte %s at offset 0x%llx of %s memory, which has %llu bytes here", size,
		   access_name(read, write), (unsigned long long)offset, space,
		   (unsigned long long)limit);
}

/* The allocation of a global access of one lane; NULL: a fault is set. */
static struct allocation *allocation_of(struct warp *w, struct allocation **cached, unsigned lane,
					uint64_t address, unsigned size, bool read, bool write)
{
	struct allocation *allocation = *cached;

	if (!allocation || address - allocation->address >= allocation->size)
		allocation = memory_find(address);
	if (!allocation || allocation->size < size ||
	    address - allocation->address > allocation->size - size) {
		illegal(w, lane, address, size, read, write);
		return NULL;
	}
	*cached = allocation;
	return allocation;
}

void warp_touch_lanes(const struct warp *w, const struct allocation *allocation,
		      const uint64_t offsets[PTX_LANES], unsigned size, bool read, bool write)
{
	uint64_t start = offsets[__builtin_ctz(w->mask)], end = start + size;

	for (uint32_t m = w->mask & (w->mask - 1); m; m &= m - 1) {
		const uint64_t offset = offsets[__builtin_ctz(m)];

		if (offset == end) {
			end += size;
		} else if (offset < start || offset + size > end) {
			warp_touch(w, allocation, start, end - start, size, read, write);
			start = offset;
			end = offset + size;
		}
	}
	warp_touch(w, allocation, start, end - start, size, read, write);
}

void warp_count_lanes(const struct warp *w, const struct allocation *allocation,
		      const uint64_t offsets[PTX_LANES], unsigned size)
{
	for (uint32_t m = w->mask; m; m &= m - 1)
		shadow_count(allocation->shadow, offsets[__builtin_ctz(m)], size);
}

/* Global bytes: checked, and marked in runs of lanes that lie side by side. */
static bool resolve_global(struct warp *w, const struct ptx_instruction *i, unsigned size,
			   bool read, bool write, const uint64_t *addresses, uint32_t lanes,
			   uint8_t **pointers)
{
	const bool observed = w->block->launch->observed && i->space != PTX_MOD_CONST;
	struct allocation **const cached = warp_cached(w, i);
	struct allocation *run = NULL;
	uint64_t start = 0, end = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint64_t address = addresses[lane];
		struct allocation *allocation = *cached;

		if (!allocation || allocation->size < size ||
		    address - allocation->address > allocation->size - size) {
			allocation = allocation_of(w, cached, lane, address, size, read, write);
			if (!allocation)
				return false;
		}
		if (allocation->rights && !memory_allows(allocation, address, size, read, write)) {
			illegal(w, lane, address, size, read, write);
			return false;
		}
		pointers[lane] = (uint8_t *)(uintptr_t)address;
		if (!observed || !allocation->shadow)
			continue;
		if (w->block->launch->counted)
			shadow_count(allocation->shadow, address - allocation->address, size);
		if (allocation == run && address == end) {
			end += size;
		} else if (allocation != run || address < start || address + size > end) {
			if (run)
				warp_touch(w, run, start - run->address, end - start, size, read,
					   write);
			run = allocation;
			start = address;
			end = address + size;
		}
	}
	if (run)
		warp_touch(w, run, start - run->address, end - start, size, read, write);
	return true;
}

/* The lanes whose generic addresses lie in a window; their offsets in it. */
static uint32_t in_window(const uint64_t *addresses, uint32_t lanes, uint64_t window)
{
	uint32_t result = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);

		if (addresses[lane] - window < PTX_WINDOW_SIZE)
			result |= 1u << lane;
	}
	return result;
}

/* The block whose shared memory that is; the offset becomes one in there.  NULL: nobody's. */
static const struct block *owner(const struct warp *w, uint32_t *offset)
{
	const uint32_t rank = *offset >> PTX_RANK_SHIFT;

	if (!rank)
		return w->block;
	*offset &= (1u << PTX_RANK_SHIFT) - 1;
	return rank <= w->block->cluster_size ? &w->block->cluster[rank - 1] : NULL;
}

static bool resolve_shared(struct warp *w, unsigned size, bool read, bool write,
			   const uint64_t *addresses, uint32_t lanes, uint8_t **pointers)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint32_t offset = (uint32_t)addresses[lane];
		const struct block *block = owner(w, &offset);

		if (!block || (uint64_t)offset + size > block->shared_bytes) {
			outside(w, lane, (uint32_t)addresses[lane], size, w->block->shared_bytes,
				"shared", read, write);
			return false;
		}
		pointers[lane] = block->shared + offset;
		if (w->block->races && block == w->block)
			race_access(w, offset, size, read, write);
	}
	return true;
}

static bool resolve_local(struct warp *w, unsigned size, bool read, bool write,
			  const uint64_t *addresses, uint32_t lanes, uint8_t **pointers)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint32_t offset = (uint32_t)addresses[lane];

		if ((uint64_t)offset + size > w->local_stride) {
			outside(w, lane, offset, size, w->local_stride, "local", read, write);
			return false;
		}
		pointers[lane] = w->local + lane * w->local_stride + offset;
	}
	return true;
}

/* The parameter block: one for all lanes, read only. */
static bool resolve_parameters(struct warp *w, unsigned size, bool read, bool write,
			       const uint64_t *addresses, uint32_t lanes, uint8_t **pointers)
{
	const struct launch *launch = w->block->launch;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint32_t offset = (uint32_t)addresses[lane];

		if (write || (uint64_t)offset + size > launch->kernel->parameter_bytes) {
			outside(w, lane, offset, size, launch->kernel->parameter_bytes, "parameter",
				read, write);
			return false;
		}
		pointers[lane] = (uint8_t *)(uintptr_t)launch->parameters + offset;
	}
	return true;
}

uint8_t *warp_resolve_range(struct warp *w, unsigned lane, enum ptx_modifier space,
			    uint64_t address, uint64_t size, bool read, bool write)
{
	struct allocation *allocation;

	if (space == PTX_MODIFIER_COUNT && address - PTX_WINDOW_SHARED < PTX_WINDOW_SIZE)
		space = PTX_MOD_SHARED;
	if (space == PTX_MOD_SHARED) {
		uint32_t offset = (uint32_t)address;
		const struct block *block = owner(w, &offset);

		if (block && size <= block->shared_bytes && offset <= block->shared_bytes - size)
			return block->shared + offset;
		outside(w, lane, (uint32_t)address, (unsigned)size, w->block->shared_bytes,
			"shared", read, write);
		return NULL;
	}
	allocation = memory_find(address);
	if (!allocation || size > allocation->size ||
	    address - allocation->address > allocation->size - size ||
	    (allocation->rights && size &&
	     !memory_allows(allocation, address, size, read, write))) {
		illegal(w, lane, address, (unsigned)size, read, write);
		return NULL;
	}
	if (w->block->launch->counted && w->block->launch->observed && allocation->shadow)
		shadow_count(allocation->shadow, address - allocation->address, size);
	if (w->block->launch->observed && allocation->shadow)
		warp_touch(w, allocation, address - allocation->address, size, VALUES_WIDE, read,
			   write);
	return (uint8_t *)(uintptr_t)address;
}

uint8_t *warp_generic(struct warp *w, unsigned lane, uint64_t address, uint64_t *room)
{
	const struct ptx_kernel *kernel = w->block->launch->kernel;
	const struct {
		uint64_t window, size;
		uint8_t *base;
	} spaces[] = {
		{PTX_WINDOW_SHARED, w->block->shared_bytes, w->block->shared},
		{PTX_WINDOW_LOCAL, w->local_stride,
		 w->local ? w->local + lane * w->local_stride : NULL},
		{PTX_WINDOW_PARAM, kernel->parameter_bytes,
		 (uint8_t *)(uintptr_t)w->block->launch->parameters},
	};
	struct allocation *allocation = memory_find(address);

	for (unsigned n = 0; n < sizeof(spaces) / sizeof(*spaces); n++)
		if (address - spaces[n].window < spaces[n].size) {
			*room = spaces[n].size - (address - spaces[n].window);
			return spaces[n].base + (address - spaces[n].window);
		}
	if (!allocation)
		return NULL;
	if (allocation->shadow) {
		__atomic_store_n(&allocation->looked_at, true, __ATOMIC_RELAXED);
		if (w->block->launch->stored)
			__atomic_store_n(w->block->launch->stored, true, __ATOMIC_RELAXED);
	}
	*room = allocation->size - (address - allocation->address);
	return (uint8_t *)(uintptr_t)address;
}

/* Sorts generic addresses by the space that they point into. */
static bool resolve_generic(struct warp *w, const struct ptx_instruction *i, unsigned size,
			    bool read, bool write, const uint64_t *addresses, uint8_t **pointers)
{
	uint32_t global = w->mask, lanes;

	lanes = in_window(addresses, global, PTX_WINDOW_SHARED);
	global &= ~lanes;
	if (!resolve_shared(w, size, read, write, addresses, lanes, pointers))
		return false;
	lanes = in_window(addresses, global, PTX_WINDOW_LOCAL);
	global &= ~lanes;
	if (!resolve_local(w, size, read, write, addresses, lanes, pointers))
		return false;
	lanes = in_window(addresses, global, PTX_WINDOW_PARAM);
	global &= ~lanes;
	if (!resolve_parameters(w, size, read, write, addresses, lanes, pointers))
		return false;
	return resolve_global(w, i, size, read, write, addresses, global, pointers);
}

void warp_addresses(const struct warp *w, const struct ptx_instruction *i,
		    uint64_t addresses[PTX_LANES])
{
	const uint64_t *base = warp_row(w, i->a);
	const uint64_t narrow = i->flags & PTX_FLAG_NARROW ? UINT32_MAX : UINT64_MAX;
	const uint64_t offset =
		(uint64_t)i->immediate + (i->flags & PTX_FLAG_FRAME ? w->now.frame_base : 0);

	for (unsigned l = 0; l < PTX_LANES; l++)
		addresses[l] = (base[l] & narrow) + offset;
}

bool warp_resolve_at(struct warp *w, const struct ptx_instruction *i,
		     const uint64_t addresses[PTX_LANES], unsigned size, bool read, bool write,
		     uint8_t *pointers[PTX_LANES])
{
	uint64_t all = 0;

	for (uint32_t m = w->mask; m; m &= m - 1)
		all |= addresses[__builtin_ctz(m)];
	if (all & (size - 1)) {
		unsigned lane = 0;

		for (uint32_t m = w->mask; m; m &= m - 1) {
			lane = (unsigned)__builtin_ctz(m);
			if (addresses[lane] & (size - 1))
				break;
		}
		w->block->fault->address = addresses[lane];
		warp_fault(w, 1u << lane, FAULT_MISALIGNED,
			   "%u-byte %s at 0x%llx, which is not a multiple of %u", size,
			   access_name(read, write), (unsigned long long)addresses[lane], size);
		return false;
	}
	if (i->flags & PTX_FLAG_FRAME)
		return resolve_local(w, size, read, write, addresses, w->mask, pointers);
	switch (i->space) {
	case PTX_MOD_GLOBAL:
	case PTX_MOD_CONST:
		return resolve_global(w, i, size, read, write, addresses, w->mask, pointers);
	case PTX_MOD_SHARED:
		return resolve_shared(w, size, read, write, addresses, w->mask, pointers);
	case PTX_MOD_LOCAL:
		return resolve_local(w, size, read, write, addresses, w->mask, pointers);
	default:
		return resolve_generic(w, i, size, read, write, addresses, pointers);
	}
}

bool warp_resolve(struct warp *w, const struct ptx_instruction *i, unsigned size, bool read,
		  bool write, uint8_t *pointers[PTX_LANES])
{
	uint64_t addresses[PTX_LANES];
	struct span span;

	if (find_span(w, i, size, read, write, &span)) {
		FOR_LANES(w, pointers[l] = span.base + span.offsets[l];);
		return true;
	}
	warp_addresses(w, i, addresses);
	return warp_resolve_at(w, i, addresses, size, read, write, pointers);
}
