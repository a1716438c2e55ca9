/*
 * gpu/analysis/shadow_internal.h: what the files of the shadow memory share.
 *
 * An object is cut into blocks of 1 KiB (a leaf of the digest each).  Everything here is
 * meaningful when it is all zero, so an object costs nothing until it is touched.
 */
#ifndef VFLOW_GPU_ANALYSIS_SHADOW_INTERNAL_H
#define VFLOW_GPU_ANALYSIS_SHADOW_INTERNAL_H

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/shadow.h"
#include "gpu/analysis/unit.h"
#include "gpu/analysis/values.h"

#define BLOCK_BYTES LEAF_BYTES
#define BLOCK_WORDS LEAF_WORDS
#define BLOCK_UNITS (BLOCK_BYTES / UNIT_BYTES)

/* A set of blocks: one bit each, and one bit per 64 blocks so that a walk is short. */
struct block_set {
	uint64_t *blocks, *groups;
	uint64_t group_words;
};

/* Place of an object in the list of touched objects, or of those whose digest is stale. */
struct shadow_links {
	struct shadow_object *prev, *next;
	bool listed;
};

/* What a writer (XOR `site`) left unread in units of a block that others have written to since. */
struct leftover {
	struct leftover *next;
	uint64_t bytes[BLOCK_WORDS];
	uint32_t writer;
};

struct shadow_object {
	struct shadow *shadow;
	struct shadow_links touched, stale;
	uint32_t id, site;
	const uint8_t *memory;
	uint64_t size, blocks;
	bool shared; /* the host writes to it without an API */

	uint8_t *value;        /* per byte */
	uint64_t *initialised; /* masks: one bit per byte */
	uint64_t initialised_bytes;

	/*
	 * Last writers, XOR `site`: zero means the allocation.  A block has one writer for all its
	 * units unless its bit in `mixed` is set.
	 */
	uint32_t *block_writer; /* per block */
	uint64_t *mixed;        /* one bit per block */
	uint32_t *writer;       /* per unit, for mixed blocks */

	/*
	 * Unread bytes (unit.h), a bit each: of blocks whose epoch is later than the last in which
	 * all of the object, or of all objects, was seen.  Nothing else is unread.
	 */
	uint64_t *unread;
	uint64_t *unread_epoch;             /* per block */
	uint64_t seen_epoch, written_epoch; /* the last that bytes were left unread in */
	bool exposed;
	struct leftover **leftovers; /* a list per block; valid as `unread`; NULL: not kept */
	uint64_t leftover_count;

	uint32_t known_sizes; /* values.h: of all accesses before the running API */
	uint64_t *accessed;   /* accessed.h: by all APIs that were settled; NULL: not followed */
	uint32_t *counts;     /* frequency.h: by the running API, per unit; NULL: the same */
	uint64_t made_at;     /* the shadow's all_seen then */
	bool forgotten;       /* some of it, once */
	bool replaced;        /* the memory of some of it, once */

	/* The running API; all zero between APIs. */
	uint32_t sizes;
	struct accessed_slice slice; /* of the blocks that were settled */
	struct block_set touched_blocks;
	uint64_t *read, *to_host; /* to_host is part of read */
	/*
	 * Two bits per byte:  written 1, origin 0: written;  1, 1: taken from the host;
	 * 0, 1: copied from a byte that was not initialised.
	 */
	uint64_t *written, *origin;
	bool uses_to_host, uses_origin;
	uint64_t *unwritten; /* loaded while nobody had written them: shadow_load() */
	bool uses_unwritten;

	/* Digests of the leaves, and their sum: see leaf.h. */
	struct block_set stale_blocks;
	uint64_t (*leaves)[LEAF_LANES];
	uint64_t sum[LEAF_LANES];
	uint64_t *zero_leaves; /* one bit per leaf that is initialised and all zero */
	uint64_t zero_leaf_count;
	uint8_t digest[LEAF_DIGEST];
	bool reported;

	void *storage;
	size_t storage_size;
	bool mapped;
};

/* What one API did to one object's bytes by one writer: two rows, of which only bytes and metrics
   are kept. */
struct tally {
	uint32_t writer;
	uint32_t slot;
	struct gpu_row read, written;
	struct gpu_left_bytes left; /* without its writer */
};

/* An object that the API touched with atomics. */
struct atomics {
	uint32_t object, sizes;
};

/* What the API did to a writer's leftovers in an object. */
struct object_left {
	uint32_t object;
	struct gpu_left_bytes left;
};

/* Bytes that the API loaded and nobody had written. */
struct object_unwritten {
	uint32_t object;
	uint64_t bytes;
};

/* What the API accessed of an object. */
struct object_slice {
	uint32_t object;
	struct gpu_slice slice;
};

/* How often. */
struct object_frequency {
	uint32_t object;
	struct gpu_frequency frequency;
};

/* The tallies of the object that is being settled: an open-addressing table over an array. */
struct tallies {
	struct tally *items;
	uint32_t *slots; /* index + 1 */
	uint32_t count, last;
	unsigned bits; /* of the number of slots; 0: none yet */
	bool failed;   /* no memory */
	struct tally lost;
};

struct shadow {
	struct shadow_object *touched, *stale; /* lists */
	struct tallies tallies;
	struct gpu_row *rows;
	size_t row_count, row_capacity;
	struct atomics *atomics;
	size_t atomics_count, atomics_capacity;
	struct object_slice *slices;
	size_t slice_count, slice_capacity;
	struct object_frequency *frequencies;
	size_t frequency_count, frequency_capacity;
	struct gpu_frequency frequency; /* of the object that is being settled */
	uint64_t all_seen;              /* how often all objects were */
	uint64_t epoch;                 /* grows after something was seen */
	uint64_t seen_epoch, written_epoch;
	struct object_left *left;
	size_t left_count, left_capacity;
	struct object_unwritten *unwritten;
	size_t unwritten_count, unwritten_capacity;
	bool digests, accesses, keeps_leftovers;
	uint32_t leaf_keys[LEAF_KEYS];
};

static inline bool bit_get(const uint64_t *bits, uint64_t n)
{
	return bits[n / 64] >> n % 64 & 1;
}

static inline void bit_put(uint64_t *bits, uint64_t n, bool value)
{
	uint64_t bit = UINT64_C(1) << n % 64;

	bits[n / 64] = value ? bits[n / 64] | bit : bits[n / 64] & ~bit;
}

/* The bits of word `word` that lie in [first, first + size); size is not 0. */
static inline uint64_t range_bits(uint64_t word, uint64_t first, uint64_t size)
{
	uint64_t last = first + size - 1, bits = WORD_ALL;

	if (word == first / 64)
		bits &= WORD_ALL << first % 64;
	if (word == last / 64)
		bits &= WORD_ALL >> (63 - last % 64);
	return bits;
}

/* The bytes of word `word` that the object has. */
static inline uint64_t object_bits(const struct shadow_object *object, uint64_t word)
{
	return range_bits(word, 0, object->size);
}

void block_set_add(struct block_set *set, uint64_t first, uint64_t last);
/* Takes out the lowest block at or after *cursor (0 to start).  False: none is left. */
bool block_set_take(struct block_set *set, uint64_t *cursor, uint64_t *block);

/* Clears the masks of one block. */
void shadow_clear_block(struct shadow_object *object, uint64_t block);
/* The content of these blocks changed: their digests are out of date. */
void shadow_stale(struct shadow_object *object, uint64_t first, uint64_t last);
/* Gives every unit of a block its own writer (equal ones for now). */
void shadow_mix(struct shadow_object *object, uint64_t block);

/* Keeps that the writer (XOR `site`) left these bytes of a word unread.  Returns those it keeps. */
uint64_t shadow_leave(struct shadow_object *object, uint64_t index, uint32_t writer,
		      uint64_t bytes);
/* Of a block: frees what is empty, and all.  Of an object: all. */
void shadow_prune_leftovers(struct shadow_object *object, uint64_t block);
void shadow_drop_leftovers(struct shadow_object *object, uint64_t block);
void shadow_release_leftovers(struct shadow_object *object);
/* All blocks of the object are settled: lists what its tallies have of leftovers.  False: no
 * memory.
 */
bool shadow_list_leftovers(struct shadow *shadow, uint32_t object);

/* shadow_unwritten.c: notes so many bytes for shadow_unwritten().  False: no memory. */
bool shadow_list_unwritten(struct shadow *shadow, uint32_t object, uint64_t bytes);

/* Before the block is settled: takes its masks over into what was accessed. */
void shadow_note_accessed(struct shadow_object *object, uint64_t block);
/* All blocks of the object are settled: lists its slice, and how often what was accessed.  False:
 * no memory. */
bool shadow_end_slice(struct shadow_object *object);
bool shadow_end_frequency(struct shadow_object *object);

/* The keys of leaves. */
void shadow_digest_prepare(struct shadow *shadow);

#endif
