/*
 * gpu/sanitizer/shadow/hints.h: which objects the patches search for an address: see
 * device_state.h.
 *
 * Each hint has entries of its own for its objects, so that a change of one object changes its
 * hints and no more.  They lie in an arena, laid out for the device: room for a device_candidates,
 * which the caller fills in, and entries behind it.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_HINTS_H
#define VFLOW_GPU_SANITIZER_SHADOW_HINTS_H

#include <stdbool.h>

#include "gpu/sanitizer/device/device_state.h"

/* Before the entries of a hint. */
#define HINT_HEADER ((sizeof(struct device_candidates) + 31) / 32 * 32)

struct hint {
	uint32_t count, capacity; /* capacity 0: the only entry is not in the arena */
	uint32_t place;           /* offset in the arena */
	bool changed;
	struct device_entry only;
};

struct hints {
	uint32_t bits;       /* a granule has 2^bits bytes */
	uint32_t hint_count; /* a power of 2, or 0: there are none */
	struct hint hints[HINTS_MAX];
	unsigned char *arena;
	uint32_t used, size;         /* bytes of the arena */
	uint16_t changed[HINTS_MAX]; /* since hints_clear_changes() */
	uint32_t changed_count;
	uint32_t count, built; /* entries; how many there were in hints_make() */
	/* the same, where an entry counts in each of its hints */
	uint64_t references, references_built;
};

/*
 * Makes the hints for entries that are sorted by address.  A hint's only entry needs no place in
 * the arena if its record lies in the `own_size` bytes from `own` on.  Returns 0, or -1: no memory.
 */
int hints_make(struct hints *hints, const struct device_entry *entries, uint32_t count,
	       uint64_t own, uint64_t own_size);
/* Add or remove one entry.  False: the hints must be made anew. */
bool hints_add(struct hints *hints, const struct device_entry *entry);
bool hints_remove(struct hints *hints, const struct device_entry *entry);
void hints_clear_changes(struct hints *hints);
void hints_free(struct hints *hints);

/* Whether the entry's record lies in this range: see hints_make(). */
static inline bool hint_is_own(const struct device_entry *entry, uint64_t own, uint64_t own_size)
{
	return (uintptr_t)entry->record - own < own_size;
}

static inline struct device_entry *hint_entries(struct hints *hints, struct hint *hint)
{
	return hint->capacity ? (struct device_entry *)(hints->arena + hint->place + HINT_HEADER)
			      : &hint->only;
}

#endif
