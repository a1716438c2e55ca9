/*
 * gpu/emulator/interpreter/atomic.c: atom and red.
 *
 * Lanes go one after the other, in order of their numbers.  A compare-and-swap that fails has
 * read and written its operand all the same (doc/definitions.md, "Edge").
 */
#include <string.h>

#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/values.h"
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* `old` is in memory, b and c are operands, the expression is what goes there. */
#define ATOMIC(name, ctype, expression)                                                            \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint8_t *pointers[PTX_LANES];                                                      \
		uint64_t *d_ = warp_row(w, i->d), before[PTX_LANES] = {0};                         \
		const uint64_t *b_ = warp_row(w, i->b), *c_ = warp_row(w, i->c);                   \
                                                                                                   \
		if (!warp_resolve(w, i, sizeof(ctype), true, true, pointers))                      \
			return;                                                                    \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			ctype old, value;                                                          \
			ctype b, c;                                                                \
			memcpy(&old, pointers[l], sizeof(old));                                    \
			memcpy(&b, &b_[l], sizeof(b));                                             \
			memcpy(&c, &c_[l], sizeof(c));                                             \
			(void)c;                                                                   \
			value = (ctype)(expression);                                               \
			memcpy(pointers[l], &value, sizeof(value));                                \
			memcpy(&before[l], &old, sizeof(old));                                     \
		}                                                                                  \
		if (w->block->values)                                                              \
			values_saw_atomic(w, i, pointers);                                         \
		FOR_LANES(w, d_[l] = before[l];);                                                  \
	}

#define ATOMICS(bits)                                                                              \
	ATOMIC(add_##bits, uint##bits##_t, old + b)                                                \
	ATOMIC(min_u##bits, uint##bits##_t, old < b ? old : b)                                     \
	ATOMIC(min_s##bits, int##bits##_t, old < b ? old : b)                                      \
	ATOMIC(max_u##bits, uint##bits##_t, old > b ? old : b)                                     \
	ATOMIC(max_s##bits, int##bits##_t, old > b ? old : b)                                      \
	ATOMIC(and_##bits, uint##bits##_t, old &b)                                                 \
	ATOMIC(or_##bits, uint##bits##_t, old | b)                                                 \
	ATOMIC(xor_##bits, uint##bits##_t, old ^ b)                                                \
	ATOMIC(exch_##bits, uint##bits##_t, ((void)old, b))                                        \
	ATOMIC(cas_##bits, uint##bits##_t, old == b ? c : old)

ATOMICS(32)
ATOMICS(64)
ATOMIC(cas_16, uint16_t, old == b ? c : old)
ATOMIC(inc_u32, uint32_t, old >= b ? 0 : old + 1)
ATOMIC(dec_u32, uint32_t, old == 0 || old > b ? b : old - 1)

/* In global memory a NaN goes through as it is, the operand's first (H200). */
static uint64_t add_f64_at(const struct ptx_instruction *i, uint64_t before, uint64_t more)
{
	const double sum = double_of(before) + double_of(more);

	if (i->space == PTX_MOD_SHARED)
		return ordered_result(sum, before, more);
	return is_nan_64(more) ? more : is_nan_64(before) ? before : double_bits(sum);
}
ATOMIC(add_f64, uint64_t, add_f64_at(i, old, b))

/* On f32 in global memory atomics flush subnormals, in shared memory they do not. */
static float add_flushed(const struct ptx_instruction *i, float a, float b)
{
	float sum =
		i->space == PTX_MOD_GLOBAL ? flush_float(flush_float(a) + flush_float(b)) : a + b;

	return float_of(float_bits(sum));
}
ATOMIC(add_f32, float, add_flushed(i, old, b))

/* One value of f32 or a half type, or a pair of them, combined with what is in memory. */
static uint64_t combine(const struct ptx_instruction *i, uint64_t old, uint64_t b)
{
	const bool brain = i->type == PTX_BF16 || i->type == PTX_BF16X2;
	const unsigned parts = i->type == PTX_F16X2 || i->type == PTX_BF16X2 ? 2 : 1;
	uint64_t result = 0;

	if (i->type == PTX_F32)
		return float_bits(add_flushed(i, float_of(old), float_of(b)));
	for (unsigned n = 0; n < parts; n++) {
		uint16_t bits[2] = {(uint16_t)(old >> 16 * n), (uint16_t)(b >> 16 * n)};
		double x = brain ? bf16_to_float(bits[0]) : half_to_float(bits[0]);
		double y = brain ? bf16_to_float(bits[1]) : half_to_float(bits[1]), value;

		if (i->boolean == PTX_MOD_ADD)
			value = x + y;
		else if (x != x || y != y)
			value = x != x ? y : x;
		else if (x == y)
			value = signbit(x) == (i->boolean == PTX_MOD_MIN) ? x : y;
		else
			value = (x < y) == (i->boolean == PTX_MOD_MIN) ? x : y;
		result |= (uint64_t)(brain ? double_to_bf16(value, PTX_MOD_RN)
					   : double_to_half(value, PTX_MOD_RN))
			  << 16 * n;
	}
	return result;
}

/* Half types, and vectors of them or of f32: each element is an atomic operation of its own. */
static void atomic_elements(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned size = ptx_type_size(i->type);
	const bool gives = i->d != PTX_MISSING; /* red has no result */
	const uint32_t *extras = w->module->extras;
	const uint32_t sources = i->c == PTX_MISSING ? i->extra : i->c;
	uint8_t *pointers[PTX_LANES];

	if (!warp_resolve(w, i, size * i->vector, true, true, pointers))
		return;
	if (w->block->values && i->vector == 1)
		values_saw_atomic(w, i, pointers);
	else
		values_saw_other(w);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		for (unsigned n = 0; n < i->vector; n++) {
			uint64_t old = 0;
			uint64_t b = warp_row(w, i->vector == 1 ? i->b : extras[sources + n])[l];
			uint64_t value;

			memcpy(&old, pointers[l] + n * size, size);
			value = combine(i, old, b);
			memcpy(pointers[l] + n * size, &value, size);
			if (gives)
				warp_row(w, i->vector == 1 ? i->d : extras[i->extra + n])[l] = old;
		}
	}
}

#define SPACES (M(GLOBAL) | M(SHARED))
#define ORDERS                                                                                     \
	(M(RELAXED) | M(ACQUIRE) | M(RELEASE) | M(ACQ_REL) | M(CTA) | M(CLUSTER) | M(GPU) |        \
	 M(SYS) | M(NOFTZ) | M(HINT) | M(CACHE_HINT))
#define ROW(types, operation, execute)                                                             \
	{"atom", "dms", types, 0, M(operation), SPACES | ORDERS, execute},                         \
	{                                                                                          \
		"red", "ms", types, 0, M(operation), SPACES | ORDERS, execute                      \
	}
#define ROWS(bits)                                                                                 \
	ROW(T(U##bits), ADD, add_##bits), ROW(T(U##bits), MIN, min_u##bits),                       \
		ROW(T(S##bits), MIN, min_s##bits), ROW(T(U##bits), MAX, max_u##bits),              \
		ROW(T(S##bits), MAX, max_s##bits), ROW(T(B##bits), AND, and_##bits),               \
		ROW(T(B##bits), OR, or_##bits), ROW(T(B##bits), XOR, xor_##bits),                  \
		{"atom", "dms", T(B##bits), 0, M(EXCH), SPACES | ORDERS, exch_##bits},             \
	{                                                                                          \
		"atom", "dmss", T(B##bits), 0, M(CAS), SPACES | ORDERS, cas_##bits                 \
	}

#define HALVES (T(F16) | T(BF16) | T(F16X2) | T(BF16X2))
#define VECTOR_ROWS(vector, operation, types)                                                      \
	{"atom", "DmS", types, 0, M(vector) | M(operation), M(GLOBAL) | ORDERS, atomic_elements},  \
	{                                                                                          \
		"red", "mS", types, 0, M(vector) | M(operation), M(GLOBAL) | ORDERS,               \
			atomic_elements                                                            \
	}
#define VECTORS(vector, halves, single)                                                            \
	VECTOR_ROWS(vector, ADD, halves | single), VECTOR_ROWS(vector, MIN, halves),               \
		VECTOR_ROWS(vector, MAX, halves)

const struct ptx_opcode interpreter_atomic[] = {
	ROWS(32),
	ROWS(64),
	ROW(T(S32), ADD, add_32),
	{"atom", "dmss", T(B16), 0, M(CAS), SPACES | ORDERS, cas_16},
	ROW(T(U32), INC, inc_u32),
	ROW(T(U32), DEC, dec_u32),
	ROW(T(F32), ADD, add_f32),
	ROW(T(F64), ADD, add_f64),
	ROW(HALVES, ADD, atomic_elements),
	VECTORS(V2, HALVES, T(F32)),
	VECTORS(V4, HALVES, T(F32)),
	VECTORS(V8, T(F16) | T(BF16), 0),
	{0},
};
