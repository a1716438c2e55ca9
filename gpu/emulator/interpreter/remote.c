/*
 * gpu/emulator/interpreter/remote.c: what writes into shared memory of other blocks of the cluster
 * and completes transactions of a barrier there: st.async, red.async, multicast copies.
 */
#include <string.h>

#include "gpu/emulator/interpreter/cluster.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* The barrier operand of a lane: its address in `c`, the constant offset in `q`. */
static bool complete_tx(struct warp *w, const struct ptx_instruction *i, unsigned lane,
			uint64_t bytes)
{
	return mbarrier_complete_bytes(w, lane, warp_row(w, i->c)[lane] + warp_row(w, i->q)[0],
				       bytes);
}

static void store_async(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned size = ptx_type_size(i->type);
	struct ptx_instruction there = *i;
	uint8_t *pointers[PTX_LANES];

	there.space = PTX_MOD_SHARED;
	if (!warp_resolve(w, &there, size * i->vector, false, true, pointers))
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		for (unsigned n = 0; n < i->vector; n++)
			memcpy(pointers[l] + n * size,
			       &warp_row(w, i->vector == 1 ? i->b
							   : w->module->extras[i->extra + n])[l],
			       size);
		if (!complete_tx(w, i, l, size * i->vector))
			return;
	}
}

#define REDUCE_ASYNC(name, ctype, expression)                                                      \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint64_t *b_ = warp_row(w, i->b);                                            \
		struct ptx_instruction there = *i;                                                 \
		uint8_t *pointers[PTX_LANES];                                                      \
                                                                                                   \
		there.space = PTX_MOD_SHARED;                                                      \
		if (!warp_resolve(w, &there, sizeof(ctype), true, true, pointers))                 \
			return;                                                                    \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			const unsigned l = (unsigned)__builtin_ctz(m);                             \
			const ctype b = (ctype)b_[l];                                              \
			ctype old;                                                                 \
                                                                                                   \
			memcpy(&old, pointers[l], sizeof(old));                                    \
			old = (ctype)(expression);                                                 \
			memcpy(pointers[l], &old, sizeof(old));                                    \
			if (!complete_tx(w, i, l, sizeof(old)))                                    \
				return;                                                            \
		}                                                                                  \
	}
REDUCE_ASYNC(add_32, uint32_t, old + b)
REDUCE_ASYNC(add_64, uint64_t, old + b)
REDUCE_ASYNC(inc_32, uint32_t, old >= b ? 0 : old + 1)
REDUCE_ASYNC(dec_32, uint32_t, old == 0 || old > b ? b : old - 1)
REDUCE_ASYNC(min_u32, uint32_t, old < b ? old : b)
REDUCE_ASYNC(min_s32, int32_t, old < b ? old : b)
REDUCE_ASYNC(max_u32, uint32_t, old > b ? old : b)
REDUCE_ASYNC(max_s32, int32_t, old > b ? old : b)
REDUCE_ASYNC(and_32, uint32_t, old &b)
REDUCE_ASYNC(or_32, uint32_t, old | b)
REDUCE_ASYNC(xor_32, uint32_t, old ^ b)

/* The copy goes to the same place in each block that the mask in `d` names. */
static void multicast(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *from = warp_row(w, i->a), *to = warp_row(w, i->b),
		       *sizes = warp_row(w, i->c), *barriers = warp_row(w, i->e),
		       *masks = warp_row(w, i->d);

	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t size = (uint32_t)sizes[l], source = from[l] + (uint64_t)i->immediate;
		const uint64_t target = to[l] + warp_row(w, i->q)[0];
		const uint8_t *bytes;

		if (size % 16 || target % 16 || source % 16) {
			warp_fault(w, 1u << l, FAULT_MISALIGNED,
				   "cp.async.bulk of %llu bytes from 0x%llx to 0x%llx: not all "
				   "multiples of 16",
				   (unsigned long long)size, (unsigned long long)source,
				   (unsigned long long)target);
			return;
		}
		bytes = warp_resolve_range(w, l, PTX_MOD_GLOBAL, source, size, true, false);
		if (!bytes)
			return;
		for (uint32_t ranks = (uint16_t)masks[l]; ranks; ranks &= ranks - 1) {
			const uint32_t rank = (uint32_t)__builtin_ctz(ranks);
			uint8_t *place = warp_resolve_range(w, l, PTX_MOD_SHARED,
							    cluster_address(w, target, rank), size,
							    false, true);
			uint64_t barrier = barriers[l] + warp_row(w, i->extra)[0];

			if (!place)
				return;
			memcpy(place, bytes, size);
			if (!mbarrier_complete_bytes(w, l, cluster_address(w, barrier, rank), size))
				return;
		}
	}
}

#define TELLS ".mbarrier::complete_tx::bytes"
#define WORDS (T(B32) | T(U32) | T(S32) | T(F32) | T(B64) | T(U64) | T(S64) | T(F64))
/* clang-format off */
#define STORE(name) {name TELLS, "mSN", WORDS, 0, 0, M(V2) | M(V4), store_async}
#define RED "red.async.relaxed.cluster"
#define REDUCTION(types, operation, execute)                                                       \
	{RED ".shared::cluster" TELLS, "msN", types, 0, M(operation), 0, execute},                 \
	{                                                                                          \
		RED TELLS, "msN", types, 0, M(operation), 0, execute                               \
	}

const struct ptx_opcode interpreter_remote[] = {
	STORE("st.async.weak.shared::cluster"), STORE("st.async.shared::cluster"),
	STORE("st.async.weak"), STORE("st.async"),
	REDUCTION(T(U32) | T(S32), ADD, add_32), REDUCTION(T(U64), ADD, add_64),
	REDUCTION(T(U32), INC, inc_32), REDUCTION(T(U32), DEC, dec_32),
	REDUCTION(T(U32), MIN, min_u32), REDUCTION(T(S32), MIN, min_s32),
	REDUCTION(T(U32), MAX, max_u32), REDUCTION(T(S32), MAX, max_s32),
	REDUCTION(T(B32), AND, and_32), REDUCTION(T(B32), OR, or_32),
	REDUCTION(T(B32), XOR, xor_32),
	{"cp.async.bulk.shared::cluster.global" TELLS ".multicast::cluster", "nmuoU", 0, 0, 0, M(CACHE_HINT),
	 multicast},
	{0},
};
/* clang-format on */
