/*
 * gpu/emulator/interpreter/async.c: cp.async and mbarrier.
 *
 * A copy is done when its instruction is, so groups of copies are always complete.  An mbarrier
 * is 64 bits that only these instructions look into: what is pending and expected in its phase.
 */
#include <string.h>

#include "gpu/emulator/interpreter/cluster.h"
#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/values.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

#define COUNT_BITS 20u
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define BYTES_SHIFT 40u /* transactions that are still to come: 23 bits */
#define BYTES_MASK (((1ull << 23) - 1) << BYTES_SHIFT)
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
	const uint32_t ignored = i->d == PTX_MISSING ? 0 : warp_predicate(w, i->d);
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
	for (uint32_t m = partial ? all : all & ignored; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t count = partial ? (uint32_t)partial[l] : 0;

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
	values_saw_other(w);
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

	if (state & COUNT_MASK || state & BYTES_MASK)
		return state;
	return ((state ^ PHASE) & PHASE) | expected << COUNT_BITS | expected;
}

/* Bytes that are to come, modulo 2^23: they may be there before they are expected. */
static uint64_t with_bytes(uint64_t state, uint64_t more)
{
	return (state & ~BYTES_MASK) | ((state + (more << BYTES_SHIFT)) & BYTES_MASK);
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

static void pending_count(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = a[l] & COUNT_MASK;);
}

MBARRIER(inval, ((void)b, state = 0))
MBARRIER(arrive, state = completed(arrived(state, b)))
MBARRIER(arrive_pending, state = arrived(state, b))
MBARRIER(arrive_drop, state = completed(arrived(state - (b << COUNT_BITS), b)))
MBARRIER(arrive_drop_pending, state = arrived(state - (b << COUNT_BITS), b))
MBARRIER(expect_bytes, state = with_bytes(state, b))
MBARRIER(complete_bytes, state = completed(with_bytes(state, -b)))
MBARRIER(arrive_expect_bytes, state = completed(arrived(with_bytes(state, b), 1)))

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

/* From where to where a bulk copy goes, and whether a barrier counts it. */
struct bulk {
	enum ptx_modifier from, to;
	bool completes_tx;
};

bool mbarrier_complete_bytes(struct warp *w, unsigned lane, uint64_t address, uint64_t bytes)
{
	uint8_t *at = warp_resolve_range(w, lane, PTX_MOD_SHARED, address, 8, true, true);
	uint64_t state;

	if (!at)
		return false;
	state = completed(with_bytes(read_state(at), -bytes));
	memcpy(at, &state, sizeof(state));
	return true;
}

typedef void bulk_move(const struct ptx_instruction *i, uint8_t *to, const uint8_t *from,
		       uint64_t size);

static void move_bytes(const struct ptx_instruction *i, uint8_t *to, const uint8_t *from,
		       uint64_t size)
{
	(void)i;
	memmove(to, from, size);
}

#define REDUCE_AS(ctype, expression)                                                               \
	for (uint64_t n = 0; n < size / sizeof(ctype); n++) {                                      \
		ctype a, b;                                                                        \
		memcpy(&a, to + n * sizeof(a), sizeof(a));                                         \
		memcpy(&b, from + n * sizeof(b), sizeof(b));                                       \
		a = (ctype)(expression);                                                           \
		memcpy(to + n * sizeof(a), &a, sizeof(a));                                         \
	}                                                                                          \
	break
#define REDUCE_BY(ctype)                                                                           \
	switch (operation) {                                                                       \
	case PTX_MOD_ADD:                                                                          \
		REDUCE_AS(ctype, (uint64_t)a + (uint64_t)b);                                       \
	case PTX_MOD_MIN:                                                                          \
		REDUCE_AS(ctype, a < b ? a : b);                                                   \
	case PTX_MOD_INC:                                                                          \
		REDUCE_AS(ctype, a >= b ? 0 : a + 1);                                              \
	case PTX_MOD_DEC:                                                                          \
		REDUCE_AS(ctype, a == 0 || a > b ? b : a - 1);                                     \
	default:                                                                                   \
		REDUCE_AS(ctype, a > b ? a : b);                                                   \
	}                                                                                          \
	break
#define REDUCE_BITS(ctype)                                                                         \
	switch (operation) {                                                                       \
	case PTX_MOD_AND:                                                                          \
		REDUCE_AS(ctype, a &b);                                                            \
	case PTX_MOD_OR:                                                                           \
		REDUCE_AS(ctype, a | b);                                                           \
	default:                                                                                   \
		REDUCE_AS(ctype, a ^ b);                                                           \
	}                                                                                          \
	break

void bulk_reduce(enum ptx_type type, enum ptx_modifier operation, uint8_t *to, const uint8_t *from,
		 uint64_t size)
{
	const bool is_bf16 = type == PTX_BF16;

	switch (type) {
	case PTX_U32:
		REDUCE_BY(uint32_t);
	case PTX_S32:
		REDUCE_BY(int32_t);
	case PTX_U64:
		REDUCE_BY(uint64_t);
	case PTX_S64:
		REDUCE_BY(int64_t);
	case PTX_B32:
		REDUCE_BITS(uint32_t);
	case PTX_B64:
		REDUCE_BITS(uint64_t);
	case PTX_F32:
		REDUCE_AS(float, a + b);
	case PTX_F64:
		REDUCE_AS(double, a + b);
	default:
		for (uint64_t n = 0; n < size; n += 2) {
			uint16_t bits[2];
			double a, b;

			memcpy(&bits[0], to + n, 2);
			memcpy(&bits[1], from + n, 2);
			a = is_bf16 ? bf16_to_float(bits[0]) : half_to_float(bits[0]);
			b = is_bf16 ? bf16_to_float(bits[1]) : half_to_float(bits[1]);
			a = operation == PTX_MOD_ADD   ? a + b
			    : operation == PTX_MOD_MIN ? fmin(a, b)
						       : fmax(a, b);
			bits[0] = is_bf16 ? double_to_bf16(a, PTX_MOD_RN)
					  : double_to_half(a, PTX_MOD_RN);
			memcpy(to + n, bits, 2);
		}
	}
}

static void reduce_bytes(const struct ptx_instruction *i, uint8_t *to, const uint8_t *from,
			 uint64_t size)
{
	bulk_reduce(i->type, i->boolean, to, from, size);
}

/* Each lane that runs it copies; most programs have one do it. */
static void bulk(struct warp *w, const struct ptx_instruction *i, struct bulk how, bulk_move *move)
{
	const uint64_t *from = warp_row(w, i->a), *to = warp_row(w, i->b),
		       *sizes = warp_row(w, i->c);
	const uint64_t offset = warp_row(w, i->q)[0];

	values_saw_other(w);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t size = (uint32_t)sizes[l];
		const uint64_t source_address =
			i->flags & PTX_FLAG_NARROW ? (uint32_t)from[l] : from[l];
		const uint8_t *source;
		uint8_t *destination;

		if (size % 16 || (to[l] + offset) % 16 || (source_address + i->immediate) % 16) {
			warp_fault(w, 1u << l, FAULT_MISALIGNED,
				   "cp.async.bulk of %llu bytes from 0x%llx to 0x%llx: not all "
				   "multiples of 16",
				   (unsigned long long)size,
				   (unsigned long long)source_address + (uint64_t)i->immediate,
				   (unsigned long long)(to[l] + offset));
			return;
		}
		source = warp_resolve_range(w, l, how.from, source_address + (uint64_t)i->immediate,
					    size, true, false);
		if (!source)
			return;
		destination = warp_resolve_range(w, l, how.to, to[l] + offset, size,
						 move != move_bytes, true);
		if (!destination)
			return;
		move(i, destination, source, size);
		if (how.completes_tx &&
		    !mbarrier_complete_bytes(w, l, warp_row(w, i->e)[l] + warp_row(w, i->extra)[0],
					     size))
			return;
	}
}

#define BULK(name, from, to, completes_tx, move)                                                   \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		bulk(w, i, (struct bulk){PTX_MOD_##from, PTX_MOD_##to, completes_tx}, move);       \
	}
BULK(bulk_to_shared, GLOBAL, SHARED, true, move_bytes)
BULK(bulk_between_shared, SHARED, SHARED, true, move_bytes)
BULK(bulk_to_global, SHARED, GLOBAL, false, move_bytes)
BULK(bulk_reduce_shared, SHARED, SHARED, true, reduce_bytes)
BULK(bulk_reduce_global, SHARED, GLOBAL, false, reduce_bytes)

#define TELLS ".mbarrier::complete_tx::bytes"
#define BULK_REDUCTIONS                                                                            \
	(M(ADD) | M(MIN) | M(MAX) | M(INC) | M(DEC) | M(AND) | M(OR) | M(XOR) | M(NOFTZ) |         \
	 M(CACHE_HINT))
#define BULK_TYPES                                                                                 \
	(T(U32) | T(S32) | T(U64) | T(S64) | T(B32) | T(B64) | T(F32) | T(F64) | T(F16) | T(BF16))
#define PLACE (M(SHARED) | M(CTA) | M(CLUSTER) | M(RELEASE) | M(ACQUIRE) | M(RELAXED))

const struct ptx_opcode interpreter_async[] = {
	{"cp.async.ca", "nmu?I", 0, 0, M(SHARED) | M(GLOBAL), M(HINT) | M(CACHE_HINT), copy},
	{"cp.async.cg", "nmu?I", 0, 0, M(SHARED) | M(GLOBAL), M(HINT) | M(CACHE_HINT), copy},
	{"cp.async.bulk.shared::cluster.global" TELLS, "nmuo", 0, 0, 0, M(CACHE_HINT),
	 bulk_to_shared},
	{"cp.async.bulk.shared::cta.global" TELLS, "nmuo", 0, 0, 0, M(CACHE_HINT), bulk_to_shared},
	{"cp.async.bulk.shared::cluster.shared::cta" TELLS, "nmuo", 0, 0, 0, 0,
	 bulk_between_shared},
	{"cp.async.bulk.global.shared::cta.bulk_group", "nmu", 0, 0, 0, M(CACHE_HINT),
	 bulk_to_global},
	{"cp.async.bulk.prefetch.L2.global", "mu", 0, 0, 0, M(CACHE_HINT), nothing},
	{"cp.async.bulk.commit_group", "", 0, 0, 0, 0, nothing},
	{"cp.async.bulk.wait_group", "u", 0, 0, 0, 0, nothing},
	{"cp.async.bulk.wait_group.read", "u", 0, 0, 0, 0, nothing},
	{"cp.reduce.async.bulk.shared::cluster.shared::cta" TELLS, "nmuo", BULK_TYPES, 0, 0,
	 BULK_REDUCTIONS, bulk_reduce_shared},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group", "nmu", BULK_TYPES, 0, 0,
	 BULK_REDUCTIONS, bulk_reduce_global},
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
	{"mbarrier.arrive_drop.noComplete", "dmu", T(B64), 0, 0, PLACE, arrive_drop_pending},
	{"mbarrier.arrive.expect_tx", "dmu", T(B64), 0, 0, PLACE, arrive_expect_bytes},
	{"mbarrier.expect_tx", "mu", T(B64), 0, 0, PLACE, expect_bytes},
	{"mbarrier.complete_tx", "mu", T(B64), 0, 0, PLACE, complete_bytes},
	{"mbarrier.pending_count", "ds", T(B64), 0, 0, 0, pending_count},
	{"mbarrier.test_wait", "pms", T(B64), 0, 0, PLACE, wait_state},
	{"mbarrier.try_wait", "pms?u", T(B64), 0, 0, PLACE, wait_state},
	{"mbarrier.test_wait.parity", "pmu", T(B64), 0, 0, PLACE, wait_parity},
	{"mbarrier.try_wait.parity", "pmu?u", T(B64), 0, 0, PLACE, wait_parity},
	{0},
};
