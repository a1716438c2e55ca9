/*
 * replay/diogenes.h: the expected benefit as Diogenes (SC '19, figure 5) works it out, to compare.
 *
 * A list of what the host did, each with a duration.  A wait that is removed saves what the host
 * does until the next wait, at most its own duration; the rest is added to the next wait, which, if
 * it is removed too, may save it.  A wait that is moved saves what it moves by.  Another call that
 * is removed saves its duration.  Each thread of the host is a list of its own.
 */
#ifndef VFLOW_REPLAY_DIOGENES_H
#define VFLOW_REPLAY_DIOGENES_H

#include "replay/replay.h"

/*
 * after_ns is before_ns less the benefit, but not below 0; after_most_ns the same.  -1: as
 * replay_estimate(), or the formula has no such change (REPLAY_SHORTEN; REPLAY_NARROW; REPLAY_MOVE
 * to a call).
 */
int diogenes_estimate(const struct replay *replay, const struct replay_change *changes,
		      uint32_t count, struct replay_times *times, struct error *error);

#endif
