/*
 * gpu/sanitizer/shadow/hints.h: which objects the patches have to look at for an address: see
 * device_state.h.
 *
 * Each hint has the entries of its objects by itself, so that the change of an object touches its
 * own hints, and not all that lies behind it.  They lie in an arena, as the device is to have them:
 * a place for a device_candidates, which the caller fills in, and entries behind it.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_HINTS_H
#define VFLOW_GPU_SANITIZER_SHADOW_HINTS_H

#include <stdbool.h>

#include "gpu/sanitizer/device/device_state.h"

/* Before the entries of a hint. */
#define HINT_HEADER ((sizeof(struct device_candidates) + 31) / 32 * 32)

struct hint {
	uint32_t count, capacity; /* room 0: its only entry is not in the arena */
	uint32_t place;           /* in the arena */
	bool changed;
	struct device_entry only;
};

struct hints {
	uint32_t bits, hint_count; /* of granules; how many hints, a power of 2, or 0: none */
	struct hint hints[HINTS_MAX];
	unsigned char *arena;
	uint32_t used, size;         /* bytes of it */
	uint16_t changed[HINTS_MAX]; /* since hints_clear_changes() */
	uint32_t changed_count;
	uint32_t count, built; /* entries, and those that were there when they were made */
	uint64_t references,
		references_built; /* the same of all hints: entries count for each granule */
};

/*
 * Makes them for entries that are in order of their addresses.  The only entry of a hint needs no
 * place in the arena if its record lies in the `own_size` bytes from `own` on.  Returns 0, or -1:
 * no memory.
 */
int hints_make(struct hints *hints, const struct device_entry *entries, uint32_t count,
	       uint64_t own, uint64_t own_size);
/* Adds or takes away one entry of hints that were made.  False: they are to be made anew. */
bool hints_add(struct hints *hints, const struct device_entry *entry);
bool hints_remove(struct hints *hints, const struct device_entry *entry);
void hints_clear_changes(struct hints *hints);
void hints_free(struct hints *hints);

/* Whether a record lies there: see hints_make(). */
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
