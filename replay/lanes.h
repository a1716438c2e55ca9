/* replay/lanes.h: which thread or stream of a replay's result a call and its operations are in. */
#ifndef VFLOW_REPLAY_LANES_H
#define VFLOW_REPLAY_LANES_H

#include "replay/replay.h"
#include "util/pair_map.h"

/* All zero at first. */
struct lanes {
	struct pair_map devices; /* (process, device) */
	struct pair_map threads, streams;
};

void lanes_index(struct lanes *lanes, const struct replay_result *result);
void lanes_release(struct lanes *lanes);

/* Indices into result->lanes. */
uint32_t lanes_thread(const struct lanes *lanes, const struct profile_timed_call *call);
uint32_t lanes_stream(const struct lanes *lanes, const struct profile_timed_call *call);

#endif
