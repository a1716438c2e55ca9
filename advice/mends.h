/*
 * advice/mends.h: what a run would do otherwise if the advice of a finding were followed: changes
 * of its timeline that can be replayed.
 */
#ifndef VFLOW_ADVICE_MENDS_H
#define VFLOW_ADVICE_MENDS_H

#include "advice/run.h"
#include "replay/replay.h"

struct mend {
	/* The first `sure` ones for certain, those behind them maybe. */
	struct replay_change *changes;
	uint32_t count, capacity, sure;
	bool at_least; /* more changes than that, for the better */
	bool at_most;  /* something would have to take its place */
};

struct mend_index;

/* Of the run, which has a timeline; it must outlive the index. */
struct mend_index *mend_index_new(const struct run *run);
void mend_index_free(struct mend_index *index);

/* None where it is not known what to change: see vflow-report(1).  The caller releases it. */
struct mend mend_of(struct mend_index *index, const struct profile_finding *finding);
void mend_release(struct mend *mend);
/* Adds the changes of another one, which stays. */
void mend_add(struct mend *mend, const struct mend *other);

#endif
