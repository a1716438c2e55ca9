/*
 * gpu/sanitizer/device_state.h: what the host, the patches and the passes share in GPU memory.
 *
 * A followed object has a record.  Its masks are there from its allocation on, since any kernel may
 * touch it; the rest of its shadow (the body) is made when an API has touched it.  As on the CPU
 * (gpu/analysis), everything means "untouched and uninitialised" when it is all zero.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_STATE_H
#define VFLOW_GPU_SANITIZER_DEVICE_STATE_H

#include <stdint.h>

#define TREE_LEVELS 10 /* 1 KiB * 32^9 = 2^55 bytes */
#define DIGEST_BYTES 32

struct device_record {
	uint64_t address, size;
	uint64_t blocks; /* of 1 KiB */
	uint32_t site;
	uint32_t touched; /* stands in the list of touched objects */
	uint32_t shared;  /* the host writes to it without an API */

	/* The running API: a bit per byte, and a bit per block that has one. */
	uint64_t *read, *written;
	uint32_t *touched_blocks;

	/* The body; `value` is NULL: there is none yet. */
	uint8_t *value;
	uint32_t *writer;      /* per unit, XOR `site`: 0 is the allocation */
	uint64_t *initialised; /* a bit per byte */
	uint64_t *origin;      /* copied by the running API from a byte that was not initialised */
	uint64_t initialised_bytes;

	/* The hash tree; `tree` is NULL: no digests.  A digest of zeros: uninitialised. */
	uint8_t (*tree)[DIGEST_BYTES];
	uint32_t *stale[TREE_LEVELS]; /* a bit per node that must be hashed again */
	uint64_t level_start[TREE_LEVELS];
	uint32_t *zero_leaves; /* a bit per leaf that is initialised and all zero */
	uint64_t zero_leaf_count;
	uint32_t levels;
};

/* What the patches see: the callback data of every launch. */
struct device_state {
	const uint64_t *starts; /* addresses of the followed objects, ascending */
	const uint32_t *slots;  /* their records */
	struct device_record *records;
	uint32_t *list; /* slots + 1 of the objects that the launch touched; lies on the host */
	uint32_t count;
	uint32_t touched_count;
	uint32_t progress; /* grows when a launch touches a block for the first time */
};

/* Bytes of one object, by last writer, that the running API touched. */
#define ROW_SLOTS (1u << 17)
#define ROW_LIMIT (1u << 16)

struct device_rows {
	uint64_t keys[ROW_SLOTS]; /* (record slot + 1) << 32 | writer; 0: free */
	uint64_t read[ROW_SLOTS], written[ROW_SLOTS], redundant[ROW_SLOTS];
	uint32_t used[ROW_LIMIT];
	uint32_t count; /* more than ROW_LIMIT: there were too many */
};

struct result_row {
	uint64_t read, written, redundant;
	uint32_t slot, writer;
};

struct result_object {
	uint64_t initialised_bytes, zero_leaf_count;
	uint8_t root[DIGEST_BYTES];
};

/* On the host; the device writes it. */
struct pass_results {
	uint32_t row_count;
	uint32_t progress; /* see space_progress() */
	struct result_row rows[ROW_LIMIT];
};

/* Which masks a range of bytes goes to. */
enum mark { MARK_READ = 1, MARK_WRITTEN = 2 };

#endif
