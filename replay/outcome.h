/* replay/outcome.h: what came out of a replay, as text and as JSON. */
#ifndef VFLOW_REPLAY_OUTCOME_H
#define VFLOW_REPLAY_OUTCOME_H

#include <stdio.h>

#include "replay/replay.h"

struct outcome {
	const struct profile *profile;
	const struct replay_change *changes;
	uint32_t change_count;
	struct replay_times times;
	const struct replay_result *result; /* NULL: by the formula of Diogenes */
	bool model_time, truncated;
};

void outcome_text(FILE *out, const struct outcome *outcome);
void outcome_json(FILE *out, const struct outcome *outcome);

/* "thread 0", "device 1, stream 3"; with the process's id where there are several.  The caller
 * frees it. */
char *outcome_lane_name(const struct profile *profile, const struct replay_lane *lane);

/* "12.3 ms, after 11.0 ms: saves 1.30 ms (10.6 %)": the caller frees it. */
char *outcome_sentence(const struct replay_times *times);

#endif
