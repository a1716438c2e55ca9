/*
 * gpu/sanitizer/device/value_slots.h: the values that a launch loads and stores, as patches count
 * them for the pass `values`.
 *
 * A patch knows how many bytes an instruction moves, and not what they are: values of 4 and of 8
 * bytes are counted both where there are 8 or more, and numbers are looked at as signed, unsigned
 * and floats. All members are zero at first, and are sums, maxima and ors.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_VALUE_SLOTS_H
#define VFLOW_GPU_SANITIZER_DEVICE_VALUE_SLOTS_H

#include <stdint.h>

#define VALUE_SLOTS 4096u /* instructions, times the objects that they access: a power of two */
#define VALUE_COUNTS 128u /* different values of a slot that are counted: a power of two */
#define VALUE_PROBES 64u  /* places that are looked at for a slot, */
#define COUNT_PROBES 16u  /* ... and for a value */

/* The low bits of the instruction's address, the object's record, and the width as a power of two.
 */
#define VALUE_PC_BITS 40
#define VALUE_RECORD_BITS 22
#define VALUE_KEY(pc, record, log)                                                                 \
	((uint64_t)(pc) << (VALUE_RECORD_BITS + 2) | (uint64_t)(record) << 2 | (log))
#define VALUE_KEY_PC(key) ((key) >> (VALUE_RECORD_BITS + 2))
#define VALUE_KEY_RECORD(key) ((uint32_t)((key) >> 2) & ((1u << VALUE_RECORD_BITS) - 1))
#define VALUE_KEY_LOG(key) ((unsigned)((key)&3))

struct value_slot {
	uint64_t key;                /* 0: free */
	uint64_t count, zeros, lost; /* lost: neither zero nor with a count of its own */
	uint64_t unset, any;         /* bits that some value lacks; that some value has */
	/* `not`: ~ the least */
	uint64_t unsigned_most, unsigned_not;
	uint64_t signed_most, signed_not, float_most,
		float_not; /* keys: gpu/analysis/value_stats.h */
	uint64_t finite, misfits, off_grid;
	uint64_t index_most, index_not; /* in the object, in steps of the width */
	/* sums over all values, modulo 2^64, of h, h * index and h * value, where h =
	 * value_hash(index) */
	uint64_t hash, hash_index, hash_value;
	double sum, squares; /* of finite floats */
	uint64_t flags; /* SANITIZER_MEMORY_DEVICE_FLAG_READ, WRITE; bytes of the access << 8 */
};

struct counted_value {
	uint64_t bits, count; /* bits 0: free; zeros are counted in the slot */
};

struct device_values {
	uint32_t nth, unused; /* of the launch's blocks those are looked at, counted in 32 bits */
	uint64_t left;        /* accesses for which there was no slot */
	struct value_slot slots[VALUE_SLOTS + 1]; /* the last is for what counts for nothing */
	struct counted_value counts[VALUE_SLOTS + 1][VALUE_COUNTS];
};

#endif
