/*
 * gpu/emulator/interpreter/tensor.c: cp.async.bulk.tensor: boxes of a tensor in global memory to
 * and from shared memory, as the tensor map describes them.  Tiled, not im2col.
 */
#include <string.h>

#include "gpu/emulator/interpreter/cluster.h"
#include "gpu/emulator/interpreter/values.h"
#include "gpu/emulator/state/tensor_map.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

enum direction { TO_SHARED, TO_GLOBAL, REDUCE };

/* A copy of one lane. */
struct box {
	struct tensor_map map;
	int64_t start[TENSOR_RANK];  /* of the box in the tensor */
	uint32_t count[TENSOR_RANK]; /* elements that are copied */
	unsigned element;            /* bytes */
	uint64_t bytes;              /* of the box in shared memory */
};

/* Kernels may have written to it. */
static bool is_valid(const struct tensor_map *map)
{
	if (map->magic != TENSOR_MAP_MAGIC || !map->rank || map->rank > TENSOR_RANK ||
	    !tensor_element_bytes(map->type) || map->swizzle > 3)
		return false;
	for (unsigned n = 0; n < map->rank; n++)
		if (!map->box[n] || !map->steps[n])
			return false;
	return true;
}

static bool read_box(struct warp *w, const struct ptx_instruction *i, unsigned lane,
		     struct box *box)
{
	const uint64_t address = warp_row(w, i->a)[lane];
	uint64_t room = 0;
	const uint8_t *at = warp_generic(w, lane, address, &room);

	memset(box, 0, sizeof(*box));
	if (at && room >= TENSOR_MAP_BYTES)
		memcpy(&box->map, at, sizeof(box->map));
	box->element = tensor_element_bytes(box->map.type);
	if (!is_valid(&box->map)) {
		warp_fault(w, 1u << lane, FAULT_ILLEGAL_ADDRESS,
			   "0x%llx is no tensor map of cuTensorMapEncodeTiled()",
			   (unsigned long long)address);
		return false;
	}
	if (i->compare != box->map.rank) {
		warp_fault(w, 1u << lane, FAULT_ILLEGAL_INSTRUCTION,
			   "a copy with %u coordinates of a tensor with %u dimensions", i->compare,
			   box->map.rank);
		return false;
	}
	box->bytes = box->element;
	for (unsigned n = 0; n < box->map.rank; n++) {
		const unsigned step = box->map.steps[n];

		box->start[n] = (int32_t)warp_row(w, w->module->extras[i->immediate + n])[lane];
		box->count[n] = (box->map.box[n] + step - 1) / step;
		box->bytes *= box->count[n];
	}
	return true;
}

/* The place of the element with those numbers in the box; false: outside of the tensor. */
static bool global_address(const struct box *box, const uint32_t *numbers, uint64_t *address)
{
	*address = box->map.address;
	for (unsigned n = 0; n < box->map.rank; n++) {
		const int64_t at = box->start[n] + (int64_t)numbers[n] * box->map.steps[n];

		if (at < 0 || at > box->map.last[n])
			return false;
		*address += (uint64_t)at * (n ? box->map.strides[n - 1] : box->element);
	}
	return true;
}

/* Chunks of 16 bytes change places by the number of their row of 128 bytes. */
static uint64_t swizzled(const struct box *box, uint64_t address)
{
	const uint64_t mask = (1u << box->map.swizzle) - 1;

	return address ^ (address >> 7 & mask) << 4;
}

/* What is outside reads as 0, or as a NaN that products take for 0: 0x7ff7 in 16 bits (H200). */
static void fill(const struct box *box, uint8_t *to, unsigned size)
{
	for (unsigned n = 0; n < size; n++)
		to[n] = !box->map.fill ? 0 : n % 2 ? 0x7f : 0xf7;
}

static enum ptx_type type_of(const struct box *box)
{
	static const uint8_t types[] = {PTX_U8,  PTX_U16, PTX_U32, PTX_S32, PTX_U64,
					PTX_S64, PTX_F16, PTX_F32, PTX_F64, PTX_BF16,
					PTX_F32, PTX_F32, PTX_F32};

	return types[box->map.type];
}

/* Copies up to 16 bytes: a chunk in shared memory never crosses a swizzle. */
static bool copy_chunk(struct warp *w, const struct ptx_instruction *i, unsigned lane,
		       const struct box *box, enum direction direction, const uint32_t *numbers,
		       unsigned size, uint64_t shared)
{
	uint8_t *inside = warp_resolve_range(w, lane, PTX_MOD_SHARED, swizzled(box, shared), size,
					     direction != TO_SHARED, direction == TO_SHARED);
	uint32_t number[TENSOR_RANK];

	if (!inside)
		return false;
	memcpy(number, numbers, sizeof(number));
	for (unsigned at = 0; at < size; at += box->element, number[0]++) {
		uint64_t address;
		uint8_t *outside;

		if (!global_address(box, number, &address)) {
			if (direction == TO_SHARED)
				fill(box, inside + at, box->element);
			continue;
		}
		outside = warp_resolve_range(w, lane, PTX_MOD_GLOBAL, address, box->element,
					     direction != TO_GLOBAL, direction != TO_SHARED);
		if (!outside)
			return false;
		if (direction == TO_SHARED)
			memcpy(inside + at, outside, box->element);
		else if (direction == TO_GLOBAL)
			memcpy(outside, inside + at, box->element);
		else
			bulk_reduce(type_of(box), i->boolean, outside, inside + at, box->element);
	}
	return true;
}

static bool copy_box(struct warp *w, const struct ptx_instruction *i, unsigned lane,
		     const struct box *box, enum direction direction, uint64_t shared)
{
	uint32_t numbers[TENSOR_RANK] = {0};
	const unsigned chunk = 16 / box->element;

	for (;;) {
		unsigned n = 0;

		for (numbers[0] = 0; numbers[0] < box->count[0]; numbers[0] += chunk) {
			const unsigned left = (box->count[0] - numbers[0]) * box->element;
			const unsigned size = left < 16 ? left : 16;

			if (!copy_chunk(w, i, lane, box, direction, numbers, size, shared))
				return false;
			shared += size;
		}
		for (n = 1; n < box->map.rank && ++numbers[n] == box->count[n]; n++)
			numbers[n] = 0;
		if (n >= box->map.rank)
			return true;
	}
}

static bool is_aligned(struct warp *w, unsigned lane, uint64_t shared)
{
	if (shared % 128 == 0)
		return true;
	warp_fault(w, 1u << lane, FAULT_MISALIGNED,
		   "cp.async.bulk.tensor at shared address 0x%llx, which is not a multiple of 128",
		   (unsigned long long)shared);
	return false;
}

static void copy(struct warp *w, const struct ptx_instruction *i, enum direction direction)
{
	values_saw_other(w);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t shared = (uint32_t)warp_row(w, i->b)[l] + warp_row(w, i->q)[0];
		uint64_t barrier = 0;
		struct box box;
		uint32_t ranks;

		if (!read_box(w, i, l, &box) || !is_aligned(w, l, shared))
			return;
		if (direction != TO_SHARED) {
			if (!copy_box(w, i, l, &box, direction, shared))
				return;
			continue;
		}
		barrier = (uint32_t)warp_row(w, i->e)[l] + warp_row(w, i->extra)[0];
		if (i->d == PTX_MISSING) {
			if (!copy_box(w, i, l, &box, direction, shared) ||
			    !mbarrier_complete_bytes(w, l, barrier, box.bytes))
				return;
			continue;
		}
		for (ranks = (uint16_t)warp_row(w, i->d)[l]; ranks; ranks &= ranks - 1) {
			const uint32_t rank = (uint32_t)__builtin_ctz(ranks);

			if (!copy_box(w, i, l, &box, direction, cluster_address(w, shared, rank)) ||
			    !mbarrier_complete_bytes(w, l, cluster_address(w, barrier, rank),
						     box.bytes))
				return;
		}
	}
}

static void load(struct warp *w, const struct ptx_instruction *i)
{
	copy(w, i, TO_SHARED);
}

static void store(struct warp *w, const struct ptx_instruction *i)
{
	copy(w, i, TO_GLOBAL);
}

static void reduce(struct warp *w, const struct ptx_instruction *i)
{
	copy(w, i, REDUCE);
}

static void nothing(struct warp *w, const struct ptx_instruction *i)
{
	(void)w;
	(void)i;
}

#define DIMENSIONS (M(D1) | M(D2) | M(D3) | M(D4) | M(D5))
#define WORDS (DIMENSIONS | M(SHARED) | M(GLOBAL) | M(TILE) | M(CACHE_HINT))
#define REDUCTIONS (M(ADD) | M(MIN) | M(MAX) | M(INC) | M(DEC) | M(AND) | M(OR) | M(XOR))

const struct ptx_opcode interpreter_tensor[] = {
	{"cp.async.bulk.tensor", "nXo", 0, 0, M(COMPLETES_BYTES), WORDS, load},
	{"cp.async.bulk.tensor", "nXoU", 0, 0, M(COMPLETES_BYTES) | M(MULTICAST), WORDS, load},
	{"cp.async.bulk.tensor", "Xn", 0, 0, M(BULK_GROUP), WORDS, store},
	{"cp.reduce.async.bulk.tensor", "Xn", 0, 0, M(BULK_GROUP), WORDS | REDUCTIONS, reduce},
	{"cp.async.bulk.prefetch.tensor", "X", 0, 0, 0, WORDS | M(PREFETCH_L2), nothing},
	{"prefetch.tensormap", "m", 0, 0, 0, 0, nothing},
	{"prefetch.param.tensormap", "m", 0, 0, 0, 0, nothing},
	{"prefetch.const.tensormap", "m", 0, 0, 0, 0, nothing},
	{0},
};
