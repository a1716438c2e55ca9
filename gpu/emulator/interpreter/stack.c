/*
 * gpu/emulator/interpreter/stack.c: alloca, stacksave, stackrestore.
 *
 * What alloca gives lies behind the function's frame, at one place for all lanes of a group; the
 * frames of callees begin behind the most that a lane has.
 */
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)

static uint64_t width_of(const struct ptx_instruction *i)
{
	return i->type == PTX_U32 || i->type == PTX_B32 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t frame_end(const struct warp *w)
{
	return (uint64_t)w->now.frame_base + w->now.function->frame_bytes;
}

static void allocate(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *sizes = warp_row(w, i->a);
	const uint64_t asked = i->b == PTX_MISSING ? 8 : warp_row(w, i->b)[0];
	const uint64_t alignment = asked > 16 ? asked : 16;
	const uint64_t start = (frame_end(w) + w->now.dynamic + alignment - 1) & ~(alignment - 1);
	uint64_t *d = warp_row(w, i->d), most = 0;

	if (asked & (asked - 1) || asked > 4096) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION,
			   "alloca with an alignment of %llu", (unsigned long long)asked);
		return;
	}
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const uint64_t size = sizes[__builtin_ctz(m)] & width_of(i);

		most = size > most ? size : most;
	}
	if (!warp_make_local(w, most > UINT32_MAX ? most : start + most))
		return;
	w->now.dynamic = (uint32_t)(start + most - frame_end(w));
	FOR_LANES(w, d[l] = start;);
}

static void save(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t end = frame_end(w) + w->now.dynamic;
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, d[l] = end;);
}

/* What a lane gave back stays taken while another lane of the group has it. */
static void restore(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *ends = warp_row(w, i->a), start = frame_end(w);
	uint64_t most = w->mask == w->active ? 0 : w->now.dynamic;

	for (uint32_t m = w->mask; m; m &= m - 1) {
		const uint64_t end = ends[__builtin_ctz(m)] & width_of(i);

		if (end < start || end - start > w->now.dynamic) {
			warp_fault(w, m & -m, FAULT_ILLEGAL_ADDRESS,
				   "stackrestore to 0x%llx, which stacksave did not give",
				   (unsigned long long)end);
			return;
		}
		most = end - start > most ? end - start : most;
	}
	w->now.dynamic = (uint32_t)most;
}

#define ADDRESSES (T(U32) | T(U64) | T(B32) | T(B64))

const struct ptx_opcode interpreter_stack[] = {
	{"alloca", "ds?u", ADDRESSES, 0, 0, 0, allocate},
	{"stacksave", "d", ADDRESSES, 0, 0, 0, save},
	{"stackrestore", "s", ADDRESSES, 0, 0, 0, restore},
	{0},
};
