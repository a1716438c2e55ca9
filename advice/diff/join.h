/*
 * advice/diff/join.h: which operation and which finding of one run is which of another, of the same
 * program or of an edited one.
 *
 * Operations of one name (operation_names.h) are joined in the order of the source.  Where one run
 * has more of them than the other, those on equal lines are joined first: of equal binaries that is
 * right, else it is a guess which of them is gone.
 *
 * Findings are joined if their pattern, operation and object are, else if these have equal names.
 */
#ifndef VFLOW_ADVICE_DIFF_JOIN_H
#define VFLOW_ADVICE_DIFF_JOIN_H

#include "graph/profile/profile.h"

#define DIFF_NONE UINT32_MAX

struct diff_pair {
	uint32_t before, after; /* indices; one may be DIFF_NONE */
};

struct diff_join {
	const struct profile *before, *after;
	/* Vertices; those that are gone or new stand behind the others.  The host is not among
	 * them. */
	struct diff_pair *operations;
	uint32_t operation_count, joined_operations;
	/* Findings: in both runs, in the order of the second; gone; new, each by its rank. */
	struct diff_pair *findings;
	uint32_t joined_findings, gone_findings, new_findings;
	uint32_t near_findings; /* that diff_join_near() has left out */
};

/* The profiles have their findings; they have to live as long. */
struct diff_join *diff_join_new(const struct profile *before, const struct profile *after);
/*
 * No two runs take the same time: what the other run has, too, but about too little of its time to
 * be in its list, is neither gone nor new.  `before` and `after` are the same profiles with
 * findings about less time; NULL: nothing of the kind.
 */
void diff_join_near(struct diff_join *join, const struct profile *before,
		    const struct profile *after);
#define DIFF_NEAR 0.5 /* of advice_options.min_time: what is that near */
void diff_join_free(struct diff_join *join);

#endif
