/*
 * gpu/emulator/interpreter_async.c: cp.async and mbarrier.
 *
 * A copy is done when its instruction is, so groups of copies are always complete.  An mbarrier
 * is 64 bits that only these instructions look into: what is pending and expected in its phase.
 */
#include <string.h>

#include "gpu/emulator/interpreter_warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

#define COUNT_BITS 20u
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define BYTES_SHIFT 40u /* transactions that are still to come: 23 bits */
#define PHASE (1ull << 63)

/* The bytes of the source that a lane reads, one after the other: fewer than it writes. */
static bool copy_part(struct warp *w, const struct ptx_instruction *i, unsigned lane,
		      uint64_t count, uint8_t *to)
{
	const uint32_t all = w->mask;
	struct ptx_instruction byte = *i;
	uint8_t *pointers[PTX_LANES];
	bool fine = true;

	w->mask = 1u << lane;
	byte.space = PTX_MODIFIER_COUNT; /* a generic address: the copy is no part of the code */
	for (uint64_t n = 0; n < count && fine; n++) {
		fine = warp_resolve(w, &byte, 1, true, false, pointers);
		if (fine)
			to[n] = *pointers[lane];
		byte.immediate++;
	}
	w->mask = all;
	return fine;
}

static void copy(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t size = warp_row(w, i->c)[__builtin_ctz(w->mask)];
	const uint64_t *partial = i->e == PTX_MISSING ? NULL : warp_row(w, i->e);
	const uint32_t all = w->mask;
	struct ptx_instruction destination = *i;
	uint8_t *from[PTX_LANES], *to[PTX_LANES];
	uint32_t whole = all;

	if (size != 4 && size != 8 && size != 16) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION, "cp.async of %llu bytes",
			   (unsigned long long)size);
		return;
	}
	destination.a = i->b;
	destination.immediate = (int64_t)warp_row(w, i->q)[0];
	destination.space = PTX_MOD_SHARED;
	destination.flags = i->flags & PTX_FLAG_NARROW_TO ? PTX_FLAG_NARROW : 0;
	if (!warp_resolve(w, &destination, (unsigned)size, false, true, to))
		return;
	for (uint32_t m = partial ? all : 0; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t count = (uint32_t)partial[l];

		if (count >= size)
			continue;
		whole &= ~(1u << l);
		memset(to[l], 0, size);
		if (!copy_part(w, i, l, count, to[l]))
			return;
	}
	w->mask = whole;
	if (whole && !warp_resolve(w, i, (unsigned)size, true, false, from))
		return;
	w->mask = all;
	for (uint32_t m = whole; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		memcpy(to[l], from[l], size);
	}
}

static void nothing(struct warp *w, const struct ptx_instruction *i)
{
	(void)w;
	(void)i;
}

static uint64_t read_state(const uint8_t *at)
{
	uint64_t state;

	memcpy(&state, at, sizeof(state));
	return state;
}

/* Nothing pending and no transactions to come: the next phase begins. */
static uint64_t completed(uint64_t state)
{
	uint64_t expected = state >> COUNT_BITS & COUNT_MASK;

	if (state & COUNT_MASK || (state & ~PHASE) >> BYTES_SHIFT)
		return state;
	return ((state ^ PHASE) & PHASE) | expected << COUNT_BITS | expected;
}

/* `b` and `d` as operands; `state` is the barrier, the statement changes it. */
#define MBARRIER(name, statement)                                                                  \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint64_t *b_ = warp_row(w, i->b);                                            \
		uint64_t *d_ = warp_row(w, i->d), before[PTX_LANES] = {0};                         \
		uint8_t *pointers[PTX_LANES];                                                      \
                                                                                                   \
		if (!warp_resolve(w, i, 8, true, true, pointers))                                  \
			return;                                                                    \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			uint64_t state = read_state(pointers[l]);                                  \
			const uint64_t b = i->b == PTX_MISSING ? 1 : (uint32_t)b_[l];              \
                                                                                                   \
			before[l] = state;                                                         \
			statement;                                                                 \
			memcpy(pointers[l], &state, sizeof(state));                                \
		}                                                                                  \
		if (i->d != PTX_MISSING)                                                           \
			FOR_LANES(w, d_[l] = before[l];);                                          \
	}

static uint64_t arrived(uint64_t state, uint64_t count)
{
	return (state & ~COUNT_MASK) | ((state - count) & COUNT_MASK);
}

MBARRIER(init, state = (b & COUNT_MASK) << COUNT_BITS | (b & COUNT_MASK))
MBARRIER(inval, ((void)b, state = 0))
MBARRIER(arrive, state = completed(arrived(state, b)))
MBARRIER(arrive_pending, state = arrived(state, b))
MBARRIER(arrive_drop, state = completed(arrived(state - (b << COUNT_BITS), b)))
MBARRIER(expect_bytes, state += b << BYTES_SHIFT)
MBARRIER(complete_bytes, state = completed(state - (b << BYTES_SHIFT)))
MBARRIER(arrive_expect_bytes, state = completed(arrived(state + (b << BYTES_SHIFT), 1)))

/* Whether the phase that the operand names is over. */
static void wait(struct warp *w, const struct ptx_instruction *i, bool parity)
{
	const uint64_t *b = warp_row(w, i->b);
	uint8_t *pointers[PTX_LANES];
	uint32_t result = 0;

	if (!warp_resolve(w, i, 8, true, false, pointers))
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		bool now = read_state(pointers[l]) >> 63;
		bool then = parity ? b[l] & 1 : b[l] >> 63;

		result |= (uint32_t)(now != then) << l;
	}
	warp_set_predicate(w, i->d, result);
}

static void wait_state(struct warp *w, const struct ptx_instruction *i)
{
	wait(w, i, false);
}

static void wait_parity(struct warp *w, const struct ptx_instruction *i)
{
	wait(w, i, true);
}

#define PLACE (M(SHARED) | M(CTA) | M(CLUSTER) | M(RELEASE) | M(ACQUIRE) | M(RELAXED))

const struct ptx_opcode interpreter_async[] = {
	{"cp.async.ca", "nmu?u", 0, 0, M(SHARED) | M(GLOBAL), M(HINT), copy},
	{"cp.async.cg", "nmu?u", 0, 0, M(SHARED) | M(GLOBAL), M(HINT), copy},
	{"cp.async.commit_group", "", 0, 0, 0, 0, nothing},
	{"cp.async.wait_group", "u", 0, 0, 0, 0, nothing},
	{"cp.async.wait_all", "", 0, 0, 0, 0, nothing},
	/* counts itself in and, as the copies are done, out again */
	{"cp.async.mbarrier.arrive", "m", T(B64), 0, 0, M(SHARED), nothing},
	{"cp.async.mbarrier.arrive.noinc", "m", T(B64), 0, 0, M(SHARED), arrive},
	{"mbarrier.init", "mu", T(B64), 0, 0, PLACE, init},
	{"mbarrier.inval", "m", T(B64), 0, 0, PLACE, inval},
	{"mbarrier.arrive", "dm?u", T(B64), 0, 0, PLACE, arrive},
	{"mbarrier.arrive.noComplete", "dmu", T(B64), 0, 0, PLACE, arrive_pending},
	{"mbarrier.arrive_drop", "dm?u", T(B64), 0, 0, PLACE, arrive_drop},
	{"mbarrier.arrive.expect_tx", "dmu", T(B64), 0, 0, PLACE, arrive_expect_bytes},
	{"mbarrier.expect_tx", "mu", T(B64), 0, 0, PLACE, expect_bytes},
	{"mbarrier.complete_tx", "mu", T(B64), 0, 0, PLACE, complete_bytes},
	{"mbarrier.test_wait", "pms", T(B64), 0, 0, PLACE, wait_state},
	{"mbarrier.try_wait", "pms?u", T(B64), 0, 0, PLACE, wait_state},
	{"mbarrier.test_wait.parity", "pmu", T(B64), 0, 0, PLACE, wait_parity},
	{"mbarrier.try_wait.parity", "pmu?u", T(B64), 0, 0, PLACE, wait_parity},
	{0},
};
