/*
 * gpu/sanitizer/hints.h: which objects the patches have to look at for an address: see
 * device_state.h.
 */
#ifndef VFLOW_GPU_SANITIZER_HINTS_H
#define VFLOW_GPU_SANITIZER_HINTS_H

#include "gpu/sanitizer/device_state.h"

struct device_hint {
	uint32_t first, count;
};

/*
 * Fills in the hints for entries that are in order of their addresses.  Returns how many there are,
 * a power of 2, or 0: no memory; and what the granules' bits are.
 */
uint32_t hints_make(struct device_hint hints[HINTS_MAX], uint32_t *granule_bits,
		    const struct device_entry *entries, uint32_t count);

#endif
