/* advice/worth_internal.h: what worth.c and worth_groups.c share. */
#ifndef VFLOW_ADVICE_WORTH_INTERNAL_H
#define VFLOW_ADVICE_WORTH_INTERNAL_H

#include "advice/mends.h"
#include "advice/worth.h"

struct worth {
	const struct run *run;
	struct mend_index *index;
	struct replay *replay;
	struct mend *mends; /* by profile_finding.mend */
	uint32_t mend_count;
	uint64_t run_ns, span_ns, startup_ns; /* see struct replay_times */
	uint64_t estimates_left;              /* replays that are not too many */
	bool *left_out;                       /* of each ranked finding; NULL: none is */
};

/* What is saved, less where operations may slow each other down, and else. */
struct worth_saving {
	uint64_t least_ns, most_ns;
};

/* False: it is not known. */
bool worth_of_changes(struct worth *worth, const struct replay_change *changes, uint32_t count,
		      struct worth_saving *saving);
/* Whether the finding's advice can be followed together with others'. */
bool worth_is_sure(const struct worth *worth, const struct profile_finding *finding);

#endif
