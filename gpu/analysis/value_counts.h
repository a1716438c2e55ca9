/*
 * gpu/analysis/value_counts.h: how often each value comes, in bounded memory (Misra and Gries).
 *
 * While there are few different values all are counted; later, when there is no room for a new one,
 * each count is lowered, so that no count is ever too high.  On the host only.
 */
#ifndef VFLOW_GPU_ANALYSIS_VALUE_COUNTS_H
#define VFLOW_GPU_ANALYSIS_VALUE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/records.h"

#define VALUE_COUNTS_MOST 4096u /* different values that are counted */

struct value_count {
	uint64_t bits, count; /* count 0: no value is here */
};

/* Zeroed: of no values. */
struct value_counts {
	struct value_count *slots; /* a power of two of them */
	uint32_t size, used;
	uint64_t lowered; /* from each count, at most: 0: all are exact */
	bool failed;      /* there was no memory: nothing is known */
};

void value_counts_add(struct value_counts *counts, uint64_t bits, uint64_t count);
void value_counts_join(struct value_counts *counts, const struct value_counts *more);
/* The most frequent ones, and of equal ones the lowest first; how many. */
uint32_t value_counts_top(const struct value_counts *counts,
			  struct gpu_top_value top[GPU_TOP_VALUES]);

/* What is left of values when mantissa bits are cut off. */
struct value_near {
	unsigned bits; /* of the mantissa that are kept; 0: there is none */
	uint64_t value, count;
};
/*
 * The most bits, out of 20 15 11 7 3 (f32), 46 36 28 20 12 (f64), 7 3 (f16), 3 (bf16), with which
 * one value takes half of `total` or more.  None unless all are counted.
 */
struct value_near value_counts_near(const struct value_counts *counts, unsigned type,
				    uint64_t total);
/* It is of no values then. */
void value_counts_release(struct value_counts *counts);

#endif
