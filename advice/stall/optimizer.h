/*
 * advice/stall/optimizer.h: what can be done about stalls, after GPA's optimizers, and what it
 * would give.  Each is a file NAME.c in advice/stall/optimizer/ with a struct stall_optimizer
 * optimizer_NAME; the files of the folder are the table.
 */
#ifndef VFLOW_ADVICE_STALL_OPTIMIZER_H
#define VFLOW_ADVICE_STALL_OPTIMIZER_H

#include "advice/stall/kernels.h"

/* How what matches becomes an estimate; T: all samples, L: those that match and cost time. */
enum stall_estimate {
	STALL_REMOVED, /* they go: T / (T - L), GPA's rule with latency samples for all samples */
	/*
	 * and so do instructions of the sources' lines, with the cycles that issue them: by default
	 * those that are no access to memory, no branch and no barrier
	 */
	STALL_REPLACED,
	/* Others are issued meanwhile: T / (T - min(A, L)), A: samples of the loop that were no
	 * latency; twice as fast at most. */
	STALL_HIDDEN_IN_LOOP,
	STALL_HIDDEN,      /* the same of the whole function */
	STALL_MORE_WARPS,  /* by speedup(), but no more than if there were no latency */
	STALL_MORE_BLOCKS, /* by speedup() */
};

/* What an estimate is that is no range. */
enum stall_bound {
	STALL_ABOUT,
	STALL_AT_LEAST, /* what the mend takes away besides is not counted */
	STALL_AT_MOST,
};

struct stall_optimizer {
	const char *name;   /* "register_reuse" */
	const char *title;  /* "spilled registers" */
	const char *advice; /* what to do */
	const char *limits; /* what the estimate cannot know */
	enum stall_estimate estimate;
	enum stall_bound bound;
	/* Which share of the samples it takes away, 0 to 1.  NULL: of none. */
	double (*share)(const struct stall_kernel *kernel, const struct stall_blame *blame);
	/* Of a bound: whether it holds for these samples; NULL: for all. */
	bool (*certain)(const struct stall_kernel *kernel, const struct stall_blame *blame);
	/* Of STALL_REPLACED: whether this instruction of those lines goes; NULL: stall_may_go() */
	bool (*goes)(const struct sass_instruction *instruction);
	/* Of STALL_MORE_..; 0: it is of no use. */
	double (*speedup)(const struct stall_kernel *kernel);
};

/* What one gives for a kernel. */
struct stall_advice {
	const struct stall_optimizer *optimizer;
	struct stall_sum matched;
	double speedup; /* alone */
	double least;   /* of STALL_REPLACED, if as many instructions come instead; else the same */
	double further; /* when the advice before it has been followed */
	enum stall_bound bound;
	bool bounded; /* by how fast the memory is */
	/* The pair of instructions with most of the latency; SASS_NONE: it is of no instruction */
	uint32_t source, stalled, distance;
	enum stall_reason reason;
	struct stall_sum at_line; /* of all that is blamed on the source's line */
};

/* All that are worth 2 % or more, the best first; the caller frees the array. */
struct stall_advice *stall_advise(const struct stall_kernel *kernel, size_t *count);

/* Common to several. */
const struct sass_instruction *stall_source(const struct stall_kernel *kernel,
					    const struct stall_blame *blame);
/* For an instruction by name, not for a pipe or a barrier. */
bool stall_waits_for_result(const struct stall_blame *blame);
/* Precise division, roots and the like. */
bool stall_is_of_compiler(const char *function);
bool stall_may_go(const struct sass_instruction *instruction);
/* Arithmetic with a pipe of its own that takes few of them, but for double precision. */
bool stall_is_slow(const struct sass_instruction *instruction);
bool stall_fetches_much(const struct stall_kernel *kernel); /* over 30 % wait for instructions */
/* (1 - (1 - I)^W): the share of cycles in which one of W warps that each issue with I does. */
double stall_issue_share(double issue, double warps);

#endif
