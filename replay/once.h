/* replay/once.h: what the first call of a kind pays for all that come after it. */
#ifndef VFLOW_REPLAY_ONCE_H
#define VFLOW_REPLAY_ONCE_H

#include "graph/profile/profile.h"

/*
 * By call of the timeline, ns: the part of its own time that goes into the context, a module, a
 * pool: without this call the next one would pay it.  It is what the first call of a function on a
 * device takes, without its waits, beyond the median of its later calls; of those of the same kind
 * where it has none; or else beyond a few microseconds.  Of a copy it is over when its
 * operation begins.  Nothing on the emulated device, whose clock has no such costs.  Caller frees.
 */
uint64_t *replay_once(const struct profile *profile);

#endif
