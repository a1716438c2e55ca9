/*
 * gpu/sanitizer/device/device_state.h: what the host, the patches and the passes share in GPU
 * memory.
 *
 * A followed object has a record.  Its masks are there from its allocation on, since any kernel may
 * touch it; the rest of its shadow (the detail) is made at once while such details are not much,
 * else when an API has touched it, and is coarse when there is no memory for all of it.  As on the
 * CPU (gpu/analysis), everything means "untouched and uninitialised" when it is all zero.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_DEVICE_STATE_H
#define VFLOW_GPU_SANITIZER_DEVICE_DEVICE_STATE_H

#include <assert.h>
#include <stdint.h>

#include "gpu/analysis/accessed.h"
#include "gpu/analysis/frequency.h"
#include "gpu/analysis/transfer.h"
#include "gpu/provider.h"

#define PASS_THREADS 256      /* in a block of them */
#define SMALL_BLOCKS 64u      /* of objects: one block of threads can do them in little time */
#define SMALL_SCAN (1u << 17) /* ... and look through so many of an object */
#define SPREAD_BLOCKS 1024u   /* ... several blocks of threads share so many */
#define DIGEST_BYTES 32
#define DIGEST_LANES 4

/* A block of 1 KiB, a leaf of the digest. */
enum block_flags {
	BLOCK_MIXED = 1,  /* its units have their own writers */
	BLOCK_WHOLE = 2,  /* all of its bytes are initialised */
	BLOCK_ZERO = 4,   /* ... those that the object has, and they are all zero */
	BLOCK_UNREAD = 8, /* all of its bytes are unread; else only those in the mask */
};

/*
 * The flags from this bit on: the epoch in which bytes of the block were left unread.  When it is
 * not later than one in which all of the object, or of all objects, was seen, nothing is unread.
 */
#define BLOCK_EPOCH 4
#define EPOCH_LAST (UINT32_MAX >> BLOCK_EPOCH)

struct device_block {
	uint32_t writer; /* of all its units unless BLOCK_MIXED, XOR `site`: 0 is the allocation */
	uint32_t flags;
};

/*
 * What is touched is in two masks of units, or in two of bytes, or in both.  A bit of a unit stands
 * for 4 bytes which are touched as a whole, from a multiple of 4 on: 32 bytes, one sector of a
 * cache, for a block.
 */
#define UNIT_MASK_BYTES(size) ((size) / 1024 * 32 + 32)
#define MASK_BYTES(size) ((size) / 1024 * 128 + 128)

/* Who writes to an object without an API. */
enum sharing { NOT_SHARED, SHARED_HOST, SHARED_EXTERNAL };

/* What is accessed of an object: by the running API, and by all before it, a bit per unit. */
struct device_accessed {
	struct accessed_slice slice;
	struct gpu_frequency frequency; /* of the blocks that were settled */
	uint32_t units[];
};

struct device_record {
	/* What the patches need of it each time: one sector of a cache. */
	uint64_t address;
	uint32_t limit; /* see PATCH_LIMIT */
	/*
	 * What patches have seen in `sizes`, or some of it: each stores it over what others have
	 * stored, for its multiprocessor's own cache.
	 */
	uint32_t seen_sizes;
	/*
	 * By the running API; then written_units and touched_blocks, each UNIT_MASK_BYTES after the
	 * one before it: a patch need not load where they are.
	 */
	uint32_t *read_units;
	uint32_t touched; /* is listed */
	uint32_t slot;    /* which record it is */

	struct device_state *state; /* of the object's context */
	uint64_t size;
	uint64_t *read, *written; /* by the running API: a bit per byte; MASK_BYTES apart */

	uint32_t *written_units;
	uint32_t *touched_blocks; /* a bit per block that has bits in them, and maybe others */
	uint8_t uses_bytes;       /* some of what is touched is in the masks of bytes */
	uint8_t uses_origin;
	uint8_t shared; /* enum sharing */
	uint8_t coarse; /* the detail has nothing but `states`: a writer per block */
	uint32_t site;
	uint32_t blocks;

	/* The detail; `states` is NULL: there is none yet. */
	uint8_t *value;
	struct device_block *states;
	uint32_t *writer;      /* per unit of mixed blocks, XOR `site` */
	uint64_t *initialised; /* a bit per byte */
	uint64_t *origin;      /* copied by the running API from a byte that was not initialised */
	uint64_t *unread;      /* a bit per byte; see BLOCK_UNREAD */
	uint64_t initialised_bytes;

	/* Digests of the leaves, and their sum (gpu/analysis/leaf.h); NULL: no digests. */
	uint64_t (*leaves)[DIGEST_LANES];
	uint64_t sum[DIGEST_LANES];
	uint64_t zero_leaf_count;

	uint32_t seen_epoch; /* see BLOCK_EPOCH; EPOCH_LAST: it can always be read unseen */
	/* Kept when the detail is made: from here on. */
	uint32_t sizes;       /* of the running API's accesses (gpu/analysis/values.h) */
	uint32_t known_sizes; /* of all before it */
	uint32_t count_shift; /* so many units (a power of 2) share one of `counts` */
	struct device_accessed *accessed; /* NULL: accesses are not followed */
	uint32_t *counts; /* of accesses by threads of the running API; or NULL, the same */
} __attribute__((aligned(64)));

/*
 * In stretches of 32 bytes.  Accesses that begin below it lie on one side of each multiple of 32
 * bytes from the object's start on, and end in the object, whose masks of units have less than 4
 * GiB.  The patches look closer at all others.
 */
#define PATCH_LIMIT(address, size) ((uint32_t)((address) % 32 || (size) >> 36 ? 0 : (size) / 32))

/* Bytes of one object, by last writer, that the running API touched: see gpu/rows.def. */
#define ROW_SLOTS (1u << 17)
#define ROW_LIMIT (1u << 16)

enum row_count {
	ROW_READ, /* the bytes of rows of this access */
	ROW_WRITTEN,
#define ROW_SUM(FLAG) ROW_##FLAG, /* of a SUM */
#define ROW_MIN(FLAG)
#define ROW_MAX(FLAG)
#define ROW_METRIC(member, FLAG, access, aggregate) ROW_##aggregate(FLAG)
#include "gpu/rows.def"
#undef ROW_SUM
#undef ROW_MIN
#undef ROW_MAX
	ROW_COUNTS
};

/*
 * A count is of what was read or of what was written, and there are extents for one MIN and one MAX
 * of each access.
 */
#define ASSERT_SUM(FLAG, of)                                                                       \
	static_assert(GPU_ROWS_##of != GPU_ROWS_BOTH,                                              \
		      #FLAG ": a SUM is of READ or of WRITE; make it two metrics");
#define ASSERT_MIN(FLAG, of)                                                                       \
	static_assert(GPU_METRIC_##FLAG == GPU_METRIC_FIRST_BLOCK, #FLAG                           \
		      ": a second MIN needs an extent of its own, and make_row() to take it");
#define ASSERT_MAX(FLAG, of)                                                                       \
	static_assert(GPU_METRIC_##FLAG == GPU_METRIC_LAST_BLOCK, #FLAG                            \
		      ": a second MAX needs an extent of its own, and make_row() to take it");
#define ROW_METRIC(member, FLAG, of, aggregate) ASSERT_##aggregate(FLAG, of)
#include "gpu/rows.def"
#undef ASSERT_SUM
#undef ASSERT_MIN
#undef ASSERT_MAX

/* Blocks, as numbers of which the largest is kept; 0: none. */
enum row_extent {
	ROW_READ_FROM, /* ~ the first */
	ROW_READ_TO,   /* the last + 1 */
	ROW_WRITTEN_FROM,
	ROW_WRITTEN_TO,
	ROW_EXTENTS
};

struct device_row {
	uint64_t key; /* (record slot + 1) << 32 | writer; 0: free */
	uint64_t counts[ROW_COUNTS];
	uint32_t extents[ROW_EXTENTS];
};

struct device_rows {
	struct device_row slots[ROW_SLOTS];
	uint32_t used[ROW_LIMIT];
	uint32_t count;  /* more than ROW_LIMIT: there were too many */
	uint32_t blocks; /* of objects that the running pass looked at */
	uint32_t begun;  /* the ticket of the last pass that did */
};

/* -- results, on the host; the device writes them into rings ------------------------------ */

struct result_row {
	uint64_t counts[ROW_COUNTS];
	uint32_t extents[ROW_EXTENTS];
	uint32_t slot, writer;
};

struct result_object { /* that the API touched */
	uint64_t initialised_bytes, zero_leaf_count;
	uint64_t sum[DIGEST_LANES];
	uint32_t slot;
	uint32_t sizes; /* of its accesses */
};

/*
 * Where accesses are followed: the API's slices of the objects, behind the ring of their results,
 * and how often it accessed what; there without elements where it did so evenly.
 */
#define RESULT_SLICES(objects, mask) ((struct accessed_slice *)((objects) + (mask) + 1))
#define RESULT_FREQUENCIES(objects, mask)                                                          \
	((struct gpu_frequency *)(RESULT_SLICES(objects, mask) + (mask) + 1))

/* How a pass is made: as it was asked for, or, if there is too much to do, by the last of these. */
enum pass_strategy {
	PASS_SMALL,  /* the first block of threads does all: see small.cuh */
	PASS_SPREAD, /* each does the same for its part */
	PASS_LARGE,
};

enum pass_status {
	PASS_DONE = 1,
	PASS_NEEDS_DETAILS, /* nothing was done, because an object has none */
	PASS_TOO_MANY,      /* rows or objects, which are lost */
};

struct result_pass {
	uint32_t status;
	uint32_t first_row, rows;
	uint32_t first_object, objects;
	uint32_t strategy;             /* enum pass_strategy: how it was made */
	uint32_t blocks;               /* of objects that were looked at */
	uint32_t ticket;               /* of the pass; written last */
	uint64_t missed, missed_bytes; /* see struct device_state */
};

#define PASSES 256 /* whose results wait at most */
#define ROW_RING (2 * ROW_LIMIT)

/* -- digests of what copies move: transfer.cuh ---------------------------------------------- */

struct device_transfer { /* of one that runs: what its blocks of threads have added up */
	uint64_t sum[DIGEST_LANES];
	uint32_t nonzero, finished;
};

struct result_transfer { /* on the host, in a ring */
	uint64_t sum[DIGEST_LANES];
	uint32_t nonzero;
	uint32_t number; /* of the digest in its space; written last */
};

#define TRANSFERS PASSES /* whose results wait at most */

/* Stands for the site of a variable, whose allocation gets an id when an API touches it first. */
#define SITE_OF_VARIABLE (UINT32_MAX - 1)

/*
 * How the patches find the object of an address: by one of HINTS_MAX hints.  It names the objects
 * that lie in the same granule of memory: mostly one or two.  Granules whose numbers end alike have
 * the same hint, which names the objects of all of them.
 */
#define HINTS_MAX 8192

struct device_entry { /* the followed objects by address */
	uint64_t start, size;
	struct device_record *record; /* maybe another context's */
	struct device_record
		*miss_record; /* this context's, without bytes: what is after the object */
};

/* Looks like the first sector of a record, of which no access is. */
struct device_candidates {
	uint64_t address; /* 0 */
	uint32_t limit;   /* 0 */
	uint32_t tag;     /* CANDIDATES: no record's sizes */
	const struct device_entry *first;
	uint32_t count;
};

#define CANDIDATES UINT32_MAX

/*
 * A hint is the address of the record of the only object, which is this context's; or of one
 * without bytes; or of a device_candidates.
 */

struct device_values;

/* What the patches see: the callback data of every launch; and what the passes share. */
struct device_state {
	struct device_record *records;
	struct device_rows *rows;
	struct result_pass *result_passes;
	struct result_row *result_rows;
	struct result_object *result_objects;
	struct device_values *values;   /* NULL: they are not looked at; value_slots.h */
	uint32_t row_mask, object_mask; /* of places in the rings */
	uint32_t slots;                 /* there are; a multiple of 1024 */
	/* Of a pass: see BLOCK_EPOCH.  All objects were seen at the end of `seen_epoch`. */
	uint32_t epoch, seen_epoch;
	/* of launches since the last pass: */
	uint32_t progress;  /* grows when they touch blocks for the first time */
	uint64_t heartbeat; /* bits for blocks of which some were touched; the host clears it */
	/* kept by the passes */
	uint64_t row_cursor, object_cursor;
	uint32_t finished; /* blocks of threads of the running pass */
	uint32_t verdict;  /* its ticket: PASS_LARGE, ~ticket: PASS_SMALL */
	/* accesses of launches to memory that is not in the table, until the next pass */
	uint64_t missed, missed_bytes;

	/*
	 * The list of the objects that the running API touched: a bit per slot, and a bit per word
	 * of those that is not 0.  So nobody waits to find a place in it.
	 */
	uint32_t *listed __attribute__((aligned(32))), *listed_words;
	/* In one sector with the first hint, which is all that a small program needs. */
	uint32_t granule_bits, hint_mask; /* of 1 << granule_bits bytes, granule_bits < 32 */
	uint64_t hints[1];                /* HINTS_MAX: of address >> granule_bits & hint_mask */
};

#define STATE_BYTES (sizeof(struct device_state) + (HINTS_MAX - 1) * sizeof(uint64_t))

/* Which masks a range of bytes goes to. */
enum mark { MARK_READ = 1, MARK_WRITTEN = 2 };

/* A digest that a pass makes before all else: of one row of TRANSFER_IN_PASS bytes at most. */
#define TRANSFER_IN_PASS 8192 /* a leaf for each warp */

struct transfer_in_pass {
	struct transfer_box box;
	struct result_transfer *result;
	uint32_t number; /* 0: none */
};

/* Rows of bytes of an object that a copy or set touches. */
struct marks {
	uint64_t offset, pitch, width, height; /* height 0: nothing */
	uint32_t slot, marks;
	struct transfer_in_pass transfer; /* ... of a pass that marks them itself */
};

/* -- calls whose bytes the host has: commands.cuh ------------------------------------------- */

/*
 * What one small copy or set did to one object, or that the object is to be forgotten.  The host
 * puts commands into a ring; one block of threads takes them out, and leaves the results of each
 * as a pass does.  It reads none of the program's memory.
 */
enum command_kind { COMMAND_READ, COMMAND_WRITE, COMMAND_FORGET };

#define COMMANDS 256        /* in the ring */
#define COMMAND_MOST 4096u  /* bytes that one reads or writes */
#define COMMAND_INLINE 64u  /* bytes, from a multiple of 16 on, that are in the command itself */
#define COMMAND_FORGETS 64u /* blocks of an object that is forgotten */
#define COMMAND_BLOCKS (COMMAND_MOST / 1024 + 1)

struct command {
	uint64_t offset, rows_taken;
	uint32_t kind, width, slot;
	uint32_t writer; /* the API; of COMMAND_FORGET what stands for an unknown one */
	uint32_t ticket, epoch, seen_epoch;
	uint32_t repeats;  /* the first 16 of `bytes` are all that is written, again and again */
	uint32_t transfer; /* of a held copy: the number of the digest of what it moves; 0: none */
	uint32_t reserved[3];
	/* what is written, from the last multiple of 16 in the object before it on */
	uint8_t bytes[COMMAND_INLINE];
};

/*
 * On the host.  A launch of the kernel ends when there was nothing to do for some time, when it is
 * told to by `stop`, or when it is old.  It says so in `closed`, and looks for commands once more;
 * `done`: it will take no more.  Who adds a command and finds the kernel closed waits until it is
 * done, and launches the next if the command was not taken.
 */
struct command_ring {
	uint32_t added, stop; /* by the host: number of commands; of a launch that is to end */
	uint32_t padding[30];
	uint32_t taken;        /* by the device: of commands whose results are there */
	uint32_t closed, done; /* ... of the last launch that is */
	uint32_t unused[29];
	struct command commands[COMMANDS];
	uint8_t bytes[COMMANDS][COMMAND_MOST + 16]; /* ... of those that have more of them */
};

/*
 * Copies that the host holds back, to make one pass for several behind the last of them on their
 * stream: they are commands in a ring of their own, which has HELD_RING places.  What they wrote is
 * where they wrote it.
 */
#define HELD_RING COMMANDS
#define HELD_MOST 16

#endif
