/* advice/worth.h: how much time findings save, each by itself and together, by replay. */
#ifndef VFLOW_ADVICE_WORTH_H
#define VFLOW_ADVICE_WORTH_H

#include "advice/run.h"

struct worth;

/*
 * NULL: the profile has no timeline, or its run cannot be replayed; then a group of kind "none"
 * says why.  It refers to the run.
 */
struct worth *worth_new(const struct run *run);
void worth_free(struct worth *worth);

/* Of all findings of the profile, one by one: before any are folded. */
void worth_take(struct worth *worth);
/* The first finding stands for the second one, too. */
void worth_fold(struct worth *worth, const struct profile_finding *into,
		const struct profile_finding *from);
/* Set what they save; what one of them does. */
void worth_estimate(struct worth *worth);
void worth_estimate_one(struct worth *worth, struct profile_finding *finding);
/*
 * By finding, whether it saves so much, alone or together with all others: of two waits for the
 * same each is worth nothing as long as the other one stays.  Of those without an estimate, of
 * which more may be saved than is known, or which nobody had the time to try, what they take
 * counts.  Those about bytes always do.  Caller frees.
 */
bool *worth_matters(struct worth *worth, uint64_t least_ns);
/* Adds groups of the findings, which are ranked. */
void worth_add_groups(struct worth *worth);

#endif
