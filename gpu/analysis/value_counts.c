/* gpu/analysis/value_counts.c: see value_counts.h. */
#include "gpu/analysis/value_counts.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/value_stats.h"

enum { LEAST_SIZE = 16 };

static uint32_t place_of(uint64_t bits)
{
	bits ^= bits >> 32;
	bits *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(bits >> 32);
}

/* Its slot, or the free one where it belongs. */
static struct value_count *find(const struct value_counts *counts, uint64_t bits)
{
	uint32_t at = place_of(bits) & (counts->size - 1);

	while (counts->slots[at].count && counts->slots[at].bits != bits)
		at = (at + 1) & (counts->size - 1);
	return &counts->slots[at];
}

/* Puts all counts that are above `lower`, less that, into new slots.  False: no memory. */
static bool move(struct value_counts *counts, uint32_t size, uint64_t lower)
{
	struct value_counts moved = {.slots = calloc(size, sizeof(*moved.slots)), .size = size};

	if (!moved.slots) {
		counts->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < counts->size; i++) {
		const struct value_count *slot = &counts->slots[i];

		if (slot->count <= lower)
			continue;
		*find(&moved, slot->bits) = (struct value_count){slot->bits, slot->count - lower};
		moved.used++;
	}
	moved.lowered = counts->lowered + lower;
	free(counts->slots);
	*counts = moved;
	return true;
}

static int by_count(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Makes room for a quarter at once: then a new value costs as much as any other, on average. */
static bool lower_all(struct value_counts *counts)
{
	uint64_t *sorted = malloc(counts->used * sizeof(*sorted)), lower;
	uint32_t n = 0;

	if (!sorted) {
		counts->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < counts->size; i++)
		if (counts->slots[i].count)
			sorted[n++] = counts->slots[i].count;
	qsort(sorted, n, sizeof(*sorted), by_count);
	lower = sorted[n / 4];
	free(sorted);
	return move(counts, counts->size, lower);
}

void value_counts_add(struct value_counts *counts, uint64_t bits, uint64_t count)
{
	struct value_count *slot = counts->size ? find(counts, bits) : NULL;

	if (counts->failed || !count)
		return;
	if (slot && slot->count) {
		slot->count += count;
		return;
	}
	if (counts->used == VALUE_COUNTS_MOST && !lower_all(counts))
		return;
	if (4 * (counts->used + 1) > 3 * counts->size &&
	    !move(counts, counts->size ? 2 * counts->size : LEAST_SIZE, 0))
		return;
	*find(counts, bits) = (struct value_count){bits, count};
	counts->used++;
}

void value_counts_join(struct value_counts *counts, const struct value_counts *more)
{
	for (uint32_t i = 0; i < more->size; i++)
		value_counts_add(counts, more->slots[i].bits, more->slots[i].count);
	counts->lowered += more->lowered;
	counts->failed |= more->failed;
}

static bool is_more(const struct value_count *slot, const struct gpu_top_value *top)
{
	return slot->count > top->count || (slot->count == top->count && slot->bits < top->bits);
}

uint32_t value_counts_top(const struct value_counts *counts,
			  struct gpu_top_value top[GPU_TOP_VALUES])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < counts->size && !counts->failed; i++) {
		const struct value_count *slot = &counts->slots[i];
		uint32_t at = count;

		if (!slot->count)
			continue;
		while (at && is_more(slot, &top[at - 1]))
			at--;
		if (at == GPU_TOP_VALUES)
			continue;
		if (count < GPU_TOP_VALUES)
			count++;
		memmove(&top[at + 1], &top[at], (count - 1 - at) * sizeof(*top));
		top[at] = (struct gpu_top_value){slot->bits, slot->count, counts->lowered};
	}
	return count;
}

/* -- with fewer bits ---------------------------------------------------------------------- */

static const unsigned *levels_of(unsigned type)
{
	static const unsigned f64[] = {46, 36, 28, 20, 12, 0}, f32[] = {20, 15, 11, 7, 3, 0},
			      f16[] = {7, 3, 0}, bf16[] = {3, 0}, none[] = {0};

	return type == GPU_VALUE_F64    ? f64
	       : type == GPU_VALUE_F32  ? f32
	       : type == GPU_VALUE_F16  ? f16
	       : type == GPU_VALUE_BF16 ? bf16
					: none;
}

struct value_near value_counts_near(const struct value_counts *counts, unsigned type,
				    uint64_t total)
{
	struct gpu_top_value top[GPU_TOP_VALUES];
	struct value_near near = {0};

	if (counts->failed || counts->lowered)
		return near;
	for (const unsigned *level = levels_of(type); *level && !near.bits; level++) {
		const uint64_t cut = (UINT64_C(1) << (value_mantissa(type) - *level)) - 1;
		struct value_counts kept = {0};

		for (uint32_t i = 0; i < counts->size; i++) {
			const uint64_t bits = counts->slots[i].bits;

			/* bits of infinity and NaN mean something else */
			if (value_is_finite(value_number(type, bits)))
				value_counts_add(&kept, bits & ~cut, counts->slots[i].count);
		}
		if (value_counts_top(&kept, top) && top[0].count >= total - total / 2)
			near = (struct value_near){*level, top[0].bits, top[0].count};
		value_counts_release(&kept);
	}
	return near;
}

void value_counts_release(struct value_counts *counts)
{
	free(counts->slots);
	*counts = (struct value_counts){0};
}
