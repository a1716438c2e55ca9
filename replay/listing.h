/* replay/listing.h: the run by functions and call paths: calls, host time, waits, GPU time. */
#ifndef VFLOW_REPLAY_LISTING_H
#define VFLOW_REPLAY_LISTING_H

#include <stdio.h>

#include "graph/profile/profile.h"
#include "replay/replay.h"

/* Of the profile's timeline, which took these times; those that took the most time first. */
void listing_text(FILE *out, const struct profile *profile, const struct replay_times *times,
		  bool model_time);
void listing_json(FILE *out, const struct profile *profile, const struct replay_times *times,
		  bool model_time);

#endif
