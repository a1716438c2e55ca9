/*
 * gpu/emulator/interpreter/memory.c: ld, st, address conversion, moves with more than one part.
 */
#include <string.h>

#include "gpu/emulator/interpreter/span.h"
#include "gpu/emulator/interpreter/values.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* Narrow signed values are extended to the register, whatever its width. */
#define LOAD(ctype)                                                                                \
	for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
		unsigned l = (unsigned)__builtin_ctz(m);                                           \
		ctype value;                                                                       \
		memcpy(&value, pointers[l] + at, sizeof(value));                                   \
		d[l] = (uint64_t)value;                                                            \
	}                                                                                          \
	break

static void load_element(const struct warp *w, enum ptx_type type, uint64_t *d,
			 uint8_t *const *pointers, unsigned at)
{
	switch (type) {
	case PTX_S8:
		LOAD(int8_t);
	case PTX_B8:
	case PTX_U8:
		LOAD(uint8_t);
	case PTX_S16:
		LOAD(int16_t);
	case PTX_B16:
	case PTX_U16:
	case PTX_F16:
	case PTX_BF16:
		LOAD(uint16_t);
	case PTX_S32:
		LOAD(int32_t);
	case PTX_B64:
	case PTX_U64:
	case PTX_S64:
	case PTX_F64:
		LOAD(uint64_t);
	default:
		LOAD(uint32_t);
	}
}

/* An element of each lane, `at` bytes behind its place. */
#define LOAD_SPAN(ctype)                                                                           \
	if (span->dense && w->mask == WARP_ALL && alone) {                                         \
		const uint8_t *from = span->base + span->offsets[0];                               \
		LANE_PRAGMA                                                                        \
		for (unsigned l = 0; l < PTX_LANES; l++) {                                         \
			ctype value;                                                               \
			memcpy(&value, from + l * sizeof(value), sizeof(value));                   \
			d[l] = (uint64_t)value;                                                    \
		}                                                                                  \
		return;                                                                            \
	}                                                                                          \
	if (span->same && w->mask == WARP_ALL) {                                                   \
		ctype value;                                                                       \
		memcpy(&value, span->base + span->offsets[0] + at, sizeof(value));                 \
		for (unsigned l = 0; l < PTX_LANES; l++)                                           \
			d[l] = (uint64_t)value;                                                    \
		return;                                                                            \
	}                                                                                          \
	FOR_LANES(w, {                                                                             \
		ctype value;                                                                       \
		memcpy(&value, span->base + span->offsets[l] + at, sizeof(value));                 \
		d[l] = (uint64_t)value;                                                            \
	});                                                                                        \
	return

static void load_span(const struct warp *w, enum ptx_type type, uint64_t *restrict d,
		      const struct span *restrict span, unsigned at, bool alone)
{
	switch (type) {
	case PTX_S8:
		LOAD_SPAN(int8_t);
	case PTX_B8:
	case PTX_U8:
		LOAD_SPAN(uint8_t);
	case PTX_S16:
		LOAD_SPAN(int16_t);
	case PTX_B16:
	case PTX_U16:
	case PTX_F16:
	case PTX_BF16:
		LOAD_SPAN(uint16_t);
	case PTX_S32:
		LOAD_SPAN(int32_t);
	case PTX_B64:
	case PTX_U64:
	case PTX_S64:
	case PTX_F64:
		LOAD_SPAN(uint64_t);
	default:
		LOAD_SPAN(uint32_t);
	}
}

#define STORE_SPAN(ctype)                                                                          \
	if (span->dense && w->mask == WARP_ALL && alone) {                                         \
		uint8_t *to = span->base + span->offsets[0];                                       \
		LANE_PRAGMA                                                                        \
		for (unsigned l = 0; l < PTX_LANES; l++) {                                         \
			ctype value = (ctype)b[l];                                                 \
			memcpy(to + l * sizeof(value), &value, sizeof(value));                     \
		}                                                                                  \
		return;                                                                            \
	}                                                                                          \
	/* in order: where lanes store to one place the last one stays */                          \
	for (unsigned l = 0; w->mask == WARP_ALL && l < PTX_LANES; l++) {                          \
		ctype value = (ctype)b[l];                                                         \
		memcpy(span->base + span->offsets[l] + at, &value, sizeof(value));                 \
	}                                                                                          \
	for (uint32_t m = w->mask == WARP_ALL ? 0 : w->mask; m; m &= m - 1) {                      \
		unsigned l = (unsigned)__builtin_ctz(m);                                           \
		ctype value = (ctype)b[l];                                                         \
		memcpy(span->base + span->offsets[l] + at, &value, sizeof(value));                 \
	}                                                                                          \
	return

static void store_span(const struct warp *w, unsigned size, const uint64_t *restrict b,
		       const struct span *restrict span, unsigned at, bool alone)
{
	switch (size) {
	case 1:
		STORE_SPAN(uint8_t);
	case 2:
		STORE_SPAN(uint16_t);
	case 4:
		STORE_SPAN(uint32_t);
	default:
		STORE_SPAN(uint64_t);
	}
}

/* warp_resolve() when find_span() has failed. */
static bool resolve(struct warp *w, const struct ptx_instruction *i, unsigned size, bool write,
		    uint8_t **pointers)
{
	uint64_t addresses[PTX_LANES];

	warp_addresses(w, i, addresses);
	return warp_resolve_at(w, i, addresses, size, !write, write, pointers);
}

/* For who looks at values: the places of a span. */
static void span_pointers(const struct warp *w, const struct span *span, uint8_t **pointers)
{
	FOR_LANES(w, pointers[l] = span->base + span->offsets[l];);
}

static void load(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned size = ptx_type_size(i->type);
	struct span span;
	uint8_t *pointers[PTX_LANES];

	if (find_span(w, i, size * i->vector, true, false, &span)) {
		for (unsigned n = 0; n < i->vector; n++)
			load_span(w, i->type,
				  warp_row(w,
					   i->vector == 1 ? i->d : w->module->extras[i->extra + n]),
				  &span, n * size, i->vector == 1);
		if (w->block->values) {
			span_pointers(w, &span, pointers);
			values_saw_load(w, i, pointers);
		}
		return;
	}
	if (!resolve(w, i, size * i->vector, false, pointers))
		return;
	if (w->block->values)
		values_saw_load(w, i, pointers);
	if (i->vector == 1) {
		load_element(w, i->type, warp_row(w, i->d), pointers, 0);
		return;
	}
	for (unsigned n = 0; n < i->vector; n++)
		load_element(w, i->type, warp_row(w, w->module->extras[i->extra + n]), pointers,
			     n * size);
}

/*
 * Four bytes of shared memory for a whole warp, which the loops of most kernels that use it are
 * made of.  Offsets have 32 bits, whatever the rows hold above them.
 */
static bool is_whole_warp(const struct warp *w, const struct ptx_instruction *i)
{
	return w->mask == WARP_ALL && i->vector == 1 && !(i->flags & PTX_FLAG_FRAME) &&
	       !w->block->races && !w->block->values && w->block->shared_bytes >= 4;
}

#define PART 8u /* lanes: tiles of 16 and 8 threads side by side lie in parts */

/* Whether those lanes lie one after the other, or all at one place. */
static inline bool is_dense(const uint64_t *rows, unsigned lanes)
{
	uint64_t gaps = 0;

	for (unsigned l = 0; l < lanes; l++)
		gaps |= rows[l] ^ (rows[0] + 4 * l);
	return !(uint32_t)gaps;
}

static inline bool is_one_place(const uint64_t *rows)
{
	uint64_t differ = 0;

	for (unsigned l = 1; l < PART; l++)
		differ |= rows[l] ^ rows[0];
	return !(uint32_t)differ;
}

/* False: not where shared memory is, or not aligned. */
static inline bool load_part(const struct block *block, const uint64_t *rows, uint32_t add,
			     uint64_t *d)
{
	const uint32_t start = (uint32_t)rows[0] + add;
	uint32_t value;

	if (is_dense(rows, PART)) {
		if (start & 3 || (uint64_t)start + 4 * PART > block->shared_bytes)
			return false;
		for (unsigned l = 0; l < PART; l++) {
			memcpy(&value, block->shared + start + 4 * l, sizeof(value));
			d[l] = value;
		}
		return true;
	}
	if (is_one_place(rows)) {
		if (start & 3 || (uint64_t)start + 4 > block->shared_bytes)
			return false;
		memcpy(&value, block->shared + start, sizeof(value));
		for (unsigned l = 0; l < PART; l++)
			d[l] = value;
		return true;
	}
	for (unsigned l = 0; l < PART; l++) {
		const uint32_t offset = (uint32_t)rows[l] + add;

		if (offset & 3 || (uint64_t)offset + 4 > block->shared_bytes)
			return false;
		memcpy(&value, block->shared + offset, sizeof(value));
		d[l] = value;
	}
	return true;
}

static void load_shared_4(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *rows = warp_row(w, i->a);
	uint64_t *d = warp_row(w, i->d), aside[PTX_LANES];
	uint64_t *to = d == rows ? aside : d; /* the addresses are needed again if this fails */

	for (unsigned part = 0; part < PTX_LANES; part += PART)
		if (!is_whole_warp(w, i) ||
		    !load_part(w->block, rows + part, (uint32_t)i->immediate, to + part)) {
			load(w, i);
			return;
		}
	if (to == aside)
		memcpy(d, aside, sizeof(aside));
}

static void store(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned size = ptx_type_size(i->type);
	struct span span;
	uint8_t *pointers[PTX_LANES];

	if (find_span(w, i, size * i->vector, false, true, &span)) {
		for (unsigned n = 0; n < i->vector; n++)
			store_span(w, size,
				   warp_row(w, i->vector == 1 ? i->b
							      : w->module->extras[i->extra + n]),
				   &span, n * size, i->vector == 1);
		if (w->block->values) {
			span_pointers(w, &span, pointers);
			values_saw_store(w, i, pointers);
		}
		return;
	}
	if (!resolve(w, i, size * i->vector, true, pointers))
		return;
	if (w->block->values)
		values_saw_store(w, i, pointers);
	for (unsigned n = 0; n < i->vector; n++) {
		const uint64_t *b =
			warp_row(w, i->vector == 1 ? i->b : w->module->extras[i->extra + n]);
		unsigned at = n * size;

		/* rows are little-endian, as memory is */
		switch (size) {
		case 1:
			FOR_LANES(w, memcpy(pointers[l] + at, &b[l], 1););
			break;
		case 2:
			FOR_LANES(w, memcpy(pointers[l] + at, &b[l], 2););
			break;
		case 4:
			FOR_LANES(w, memcpy(pointers[l] + at, &b[l], 4););
			break;
		default:
			FOR_LANES(w, memcpy(pointers[l] + at, &b[l], 8););
			break;
		}
	}
}

static void store_shared_4(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *rows = warp_row(w, i->a), *b = warp_row(w, i->b);
	const uint32_t start = (uint32_t)rows[0] + (uint32_t)i->immediate;
	uint8_t *shared = w->block->shared;

	if (!is_whole_warp(w, i) || !is_dense(rows, PTX_LANES) || start & 3 ||
	    (uint64_t)start + 4 * PTX_LANES > w->block->shared_bytes) {
		store(w, i);
		return;
	}
	LANE_PRAGMA
	for (unsigned l = 0; l < PTX_LANES; l++) {
		uint32_t value = (uint32_t)b[l];

		memcpy(shared + start + 4 * l, &value, sizeof(value));
	}
}

void execute_ld_parameter(struct warp *w, const struct ptx_instruction *i)
{
	const struct launch *launch = w->block->launch;
	const unsigned size = ptx_type_size(i->type);
	const uint64_t offset = (uint64_t)i->immediate;

	if (offset > launch->kernel->parameter_bytes ||
	    launch->kernel->parameter_bytes - offset < size * i->vector) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_ADDRESS,
			   "parameter load at offset %llu of a block of %u bytes",
			   (unsigned long long)offset, launch->kernel->parameter_bytes);
		return;
	}
	for (unsigned n = 0; n < i->vector; n++) {
		uint64_t *d = warp_row(w, i->vector == 1 ? i->d : w->module->extras[i->extra + n]);
		uint64_t value = 0;

		memcpy(&value, launch->parameters + offset + n * size, size);
		if (i->type == PTX_S8)
			value = (uint64_t)(int8_t)value;
		else if (i->type == PTX_S16)
			value = (uint64_t)(int16_t)value;
		else if (i->type == PTX_S32)
			value = (uint64_t)(int32_t)value;
		FOR_LANES(w, d[l] = value;);
	}
}

void execute_mov_frame(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	/* a function's parameters are read through .param, its variables through .local */
	uint64_t value = PTX_WINDOW_LOCAL + w->now.frame_base + (uint64_t)i->immediate;

	FOR_LANES(w, d[l] = value;);
}

void execute_mov_clock(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, d[l] = w->clock;);
}

void execute_mov_pack(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned bits = ptx_type_size(i->type) * 8 / i->vector;
	uint64_t *d = warp_row(w, i->d), packed[PTX_LANES] = {0};

	for (unsigned n = 0; n < i->vector; n++) {
		const uint64_t *a = warp_row(w, w->module->extras[i->extra + n]);

		FOR_LANES(w, packed[l] |= (a[l] & ((1ull << bits) - 1)) << n * bits;);
	}
	FOR_LANES(w, d[l] = packed[l];);
}

void execute_mov_unpack(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned bits = ptx_type_size(i->type) * 8 / i->vector;
	uint64_t packed[PTX_LANES];

	memcpy(packed, warp_row(w, i->a), sizeof(packed));
	for (unsigned n = 0; n < i->vector; n++) {
		uint64_t *d = warp_row(w, w->module->extras[i->extra + n]);

		FOR_LANES(w, d[l] = packed[l] >> n * bits & ((1ull << bits) - 1););
	}
}

/* Windows of shared and local memory; the other spaces are generic addresses already. */
static uint64_t window_of(const struct ptx_instruction *i)
{
	return i->space == PTX_MOD_SHARED  ? PTX_WINDOW_SHARED
	       : i->space == PTX_MOD_LOCAL ? PTX_WINDOW_LOCAL
					   : 0;
}

static void to_generic(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const uint64_t window = window_of(i);

	if (window)
		FOR_LANES(w, d[l] = window + (uint32_t)a[l];);
	else
		FOR_LANES(w, d[l] = a[l];);
}

static void from_generic(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	if (window_of(i))
		FOR_LANES(w, d[l] = (uint32_t)a[l];);
	else
		FOR_LANES(w, d[l] = a[l];);
}

static void is_space(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *a = warp_row(w, i->a);
	uint32_t result = 0;

	for (unsigned l = 0; l < PTX_LANES; l++) {
		uint64_t offset = a[l] - PTX_WINDOW_SHARED;
		enum ptx_modifier space =
			offset < PTX_WINDOW_SIZE                         ? PTX_MOD_SHARED
			: offset - PTX_WINDOW_SIZE < PTX_WINDOW_SIZE     ? PTX_MOD_LOCAL
			: offset - 2 * PTX_WINDOW_SIZE < PTX_WINDOW_SIZE ? PTX_MOD_PARAM
									 : PTX_MOD_GLOBAL;

		result |= (uint32_t)(space == i->space) << l;
	}
	warp_set_predicate(w, i->d, result);
}

/* membar, fence */
static void fence(struct warp *w, const struct ptx_instruction *i)
{
	(void)i;
	w->block->time++;
}

/* Says nothing about values: checked by nobody, marked by nobody. */
static void no_effect(struct warp *w, const struct ptx_instruction *i)
{
	(void)w;
	(void)i;
}

/* A cache policy: a number that only hints look at. */
static void policy(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, d[l] = 0;);
}

#define SPACES (M(GLOBAL) | M(SHARED) | M(LOCAL) | M(PARAM) | M(CONST))
#define CACHES                                                                                     \
	(M(CA) | M(CG) | M(CS) | M(CV) | M(LU) | M(WB) | M(WT) | M(NC) | M(HINT) | M(CACHE_HINT) | \
	 M(UNI))
#define ORDERS                                                                                     \
	(M(WEAK) | M(VOLATILE) | M(MMIO) | M(RELAXED) | M(ACQUIRE) | M(RELEASE) | M(ACQ_REL) |     \
	 M(SC) | M(CTA) | M(CLUSTER) | M(GPU) | M(SYS) | M(GL))
#define ANY_SCALAR                                                                                 \
	(T(B8) | T(U8) | T(S8) | T(B16) | T(U16) | T(S16) | T(B32) | T(U32) | T(S32) | T(F32) |    \
	 T(B64) | T(U64) | T(S64) | T(F64) | T(B128))
#define VECTORS (M(V2) | M(V4) | M(V8))

const struct ptx_opcode interpreter_memory[] = {
	{"ld", "Dm", T(B32) | T(U32) | T(F32), 0, M(SHARED), ORDERS, load_shared_4},
	{"ld", "Dm", ANY_SCALAR, 0, 0, SPACES | CACHES | ORDERS | VECTORS, load},
	{"ldu", "Dm", ANY_SCALAR, 0, 0, M(GLOBAL) | M(V2) | M(V4), load},
	{"st", "mS", T(B32) | T(U32) | T(F32), 0, M(SHARED), ORDERS, store_shared_4},
	{"st", "mS", ANY_SCALAR, 0, 0, (SPACES & ~M(CONST)) | CACHES | ORDERS | VECTORS, store},
	{"cvta", "ds", T(U64), 0, M(TO), SPACES, from_generic},
	{"cvta", "ds", T(U64), 0, 0, SPACES, to_generic},
	{"isspacep", "ps", 0, 0, 0, SPACES, is_space},
	{"prefetch", "m", 0, 0, 0, M(GLOBAL) | M(LOCAL) | CACHES | M(PREFETCH_L1) | M(PREFETCH_L2),
	 no_effect},
	{"prefetchu", "m", 0, 0, 0, M(PREFETCH_L1), no_effect},
	{"membar", "", 0, 0, 0, ORDERS, fence},
	{"fence", "", 0, 0, 0, ORDERS, fence},
	{"membar.proxy.alias", "", 0, 0, 0, 0, no_effect},
	{"fence.proxy.alias", "", 0, 0, 0, 0, no_effect},
	{"fence.proxy.async", "", 0, 0, 0, M(GLOBAL) | M(SHARED) | M(CTA) | M(CLUSTER), no_effect},
	{"fence.mbarrier_init", "", 0, 0, 0, ORDERS, no_effect},
	{"fence.acquire.sync_restrict::shared::cluster.cluster", "", 0, 0, 0, 0, fence},
	{"fence.release.sync_restrict::shared::cta.cluster", "", 0, 0, 0, 0, fence},
	{"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", 0, 0, 0,
	 0, fence},
	{"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", 0, 0, 0, 0,
	 fence},
	{"fence.proxy.tensormap::generic.release", "", 0, 0, 0, ORDERS, fence},
	{"fence.proxy.tensormap::generic.acquire", "mu", 0, 0, 0, ORDERS, fence},
	{"fence.proxy.tensormap", "", 0, 0, 0, 0, no_effect},
	{"applypriority", "mu", 0, 0, 0, M(GLOBAL) | M(HINT), no_effect},
	{"discard", "mu", 0, 0, 0, M(GLOBAL) | M(PREFETCH_L2), no_effect},
	{"createpolicy.fractional", "d?s", T(B64), 0, 0, M(HINT), policy},
	{"createpolicy.range", "dmuu", T(B64), 0, 0, M(HINT) | M(GLOBAL), policy},
	{"createpolicy.cvt", "ds", T(B64), 0, 0, M(PREFETCH_L2), policy},
	{"griddepcontrol.launch_dependents", "", 0, 0, 0, 0, no_effect},
	{"griddepcontrol.wait", "", 0, 0, 0, 0, no_effect},
	{"setmaxnreg.inc", "u", T(U32), 0, M(SYNC), M(ALIGNED), no_effect},
	{"setmaxnreg.dec", "u", T(U32), 0, M(SYNC), M(ALIGNED), no_effect},
	{"pmevent", "u", 0, 0, 0, 0, no_effect},
	{"pmevent.mask", "u", 0, 0, 0, 0, no_effect},
	{0},
};
