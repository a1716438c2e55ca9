/*
 * gpu/emulator/interpreter/span.h: the quick way to the memory of an access.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_SPAN_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_SPAN_H

#include "gpu/emulator/interpreter/warp.h"

/* Where the lanes of an access go, when all of them may go there. */
struct span {
	uint8_t *base;
	uint64_t offsets[PTX_LANES];
	bool dense; /* lane after lane, without gaps */
	bool same;  /* all at one place */
};

/*
 * The usual access, for less than warp_resolve() costs: aligned, inside shared memory or inside
 * one allocation.  False: look closer; nothing is marked then.
 */
static inline bool find_span(struct warp *w, const struct ptx_instruction *i, unsigned size,
			     bool read, bool write, struct span *span)
{
	const uint64_t *rows = warp_row(w, i->a);
	const unsigned first = (unsigned)__builtin_ctz(w->mask);
	const bool shared = i->space == PTX_MOD_SHARED;
	const bool alone = !(w->mask & (w->mask - 1)); /* one lane */
	struct allocation *allocation = NULL;
	uint64_t subtract, limit, bad = 0, low = 0, gaps = 0, differ = 0, start, skew = 0, next;

	if (shared) {
		if (w->block->shared_bytes < size || w->block->races)
			return false;
		span->base = w->block->shared;
		subtract = 0;
		limit = w->block->shared_bytes - size;
	} else if (i->space == PTX_MOD_GLOBAL || i->space == PTX_MODIFIER_COUNT ||
		   i->space == PTX_MOD_CONST) {
		const uint64_t address = rows[first] + (uint64_t)i->immediate;
		struct allocation **cached = warp_cached(w, i);

		if (address - PTX_WINDOW_SHARED < 3 * PTX_WINDOW_SIZE)
			return false; /* generic, and not global */
		allocation = *cached;
		if (!allocation || address - allocation->address >= allocation->size) {
			allocation = memory_find(address);
			if (!allocation)
				return false;
			*cached = allocation;
		}
		if (allocation->size < size)
			return false;
		span->base = (uint8_t *)(uintptr_t)allocation->address;
		subtract = allocation->address;
		skew = allocation->address % 64; /* registered memory begins anywhere */
		limit = allocation->size - size;
	} else {
		return false;
	}
	if (i->flags & (PTX_FLAG_FRAME | (shared ? 0 : PTX_FLAG_NARROW)))
		return false;
	subtract -= (uint64_t)i->immediate;
	start = shared ? (uint32_t)(rows[first] - subtract) : rows[first] - subtract;
	if (alone) {
		span->offsets[first] = start;
		bad = start | (limit - start);
		low = start + skew;
		gaps = 1;
	} else {
		for (unsigned l = 0; l < PTX_LANES; l++)
			span->offsets[l] =
				shared ? (uint32_t)(rows[l] - subtract) : rows[l] - subtract;
		if (w->mask != WARP_ALL)
			for (unsigned l = 0; l < PTX_LANES; l++)
				span->offsets[l] = w->mask >> l & 1 ? span->offsets[l] : start;
		next = start;
		for (unsigned l = 0; l < PTX_LANES; l++) {
			/* the top bit says that an offset is beyond the limit */
			bad |= span->offsets[l] | (limit - span->offsets[l]);
			low |= span->offsets[l] + skew;
			gaps |= span->offsets[l] ^ next;
			differ |= span->offsets[l] ^ start;
			next += size;
		}
	}
	if (bad >> 63 || low & (size - 1))
		return false;
	if (allocation && allocation->rights)
		for (uint32_t m = w->mask; m; m &= m - 1)
			if (!memory_allows(allocation,
					   allocation->address + span->offsets[__builtin_ctz(m)],
					   size, read, write))
				return false;
	span->dense = !gaps;
	span->same = !differ;
	if (i->space == PTX_MOD_CONST || !allocation || !w->block->launch->observed ||
	    !allocation->shadow)
		return true;
	if (w->block->launch->counted)
		warp_count_lanes(w, allocation, span->offsets, size);
	if (gaps && differ)
		warp_touch_lanes(w, allocation, span->offsets, size, read, write);
	else
		warp_touch(w, allocation, start, gaps ? size : (uint64_t)size * PTX_LANES, size,
			   read, write);
	return true;
}

#endif
