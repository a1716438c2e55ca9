/*
 * collect/guest/managed.h: first uses of managed memory where the provider tells which page faults
 * the host had there (gpu_provider.touches): nothing is watched, and what it tells comes late.
 *
 * A wait protects all managed memory from its end to the end of the next one that does.  It is held
 * until the process ends, and then said.  The guest's lock is held.
 */
#ifndef VFLOW_COLLECT_GUEST_MANAGED_H
#define VFLOW_COLLECT_GUEST_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/provider.h"

/*
 * A wait that protects managed memory has ended, as `use` says it; NULL: one that nobody asks
 * about.  Returns whether it is held; if not, its first use is not known.
 */
bool managed_protect(const struct gpu_use *use, uint64_t end_ns);

/*
 * What is known of the wait but for managed memory: see struct gpu_use; `gap`: not all is.  False:
 * it is not held.
 */
bool managed_finish(const struct gpu_use *use, bool gap);

/* See gpu_sink. */
void managed_touched(const struct gpu_provider *provider, uint64_t ns, uintptr_t instruction);

/* Calls `say` for each wait that is held, which is over then. */
void managed_end(const struct gpu_provider *provider, void (*say)(struct gpu_use *use, bool gap));

#endif
