/*
 * collect/runs.h: runs a program as often as the passes need.
 */
#ifndef VFLOW_COLLECT_RUNS_H
#define VFLOW_COLLECT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/budget.h"
#include "collect/coverage/coverage.h"
#include "collect/pass/options.h"
#include "collect/target.h"
#include "util/error.h"

struct runs_plan {
	const struct pass *const *table;
	uint32_t passes;
	const struct pass_setting *settings;
	uint32_t setting_count;
	const struct device *device;
	const char *libraries; /* the folder of vflow's libraries */
	const struct target *target;
	char **program; /* ends with NULL */
	bool quiet;
	/* Of --all: runs in their order, each with a line of what it took, within a budget. */
	bool all;
	struct budget budget;
	uint32_t missing; /* passes that cannot be made here */
};

struct runs_made {
	uint32_t passes;
	double seconds; /* from the program's start to its end */
	/* To keep to the budget: one launch of so many is analysed; 1: all.  Or where the times of
	 * kernels are known, so many of each kernel and call path; 0: all. */
	uint64_t share, launches;
	char *waits; /* functions whose waits are watched; NULL: all */
};

struct runs_gap { /* what the runs did not give, or not as they should */
	enum coverage_id coverage;
	uint32_t passes;
};

struct measured;

struct runs_result {
	int code;   /* the exit code of the first run */
	int status; /* how the last one ended, as waitpid(2) has it */
	struct runs_made *made;
	uint32_t made_count, made_capacity;
	struct runs_gap *gaps;
	uint32_t gap_count, gap_capacity;
	struct measured
		*measured; /* by a run of --all before the one that makes the graph; or NULL */
};

/* Whether every run can read the standard input: 0 or -1. */
int runs_check_input(const struct runs_plan *plan, struct error *error);

/*
 * Makes the runs one after the other; their traces go into the folder.  When the second or a later
 * one cannot be started, or somebody stops the program, those after it are not made, and a gap says
 * so.  Returns 0, or an exit code when the first could not be started.
 */
int runs_make(const struct runs_plan *plan, const char *folder, struct runs_result *result,
	      struct error *error);

void runs_release(struct runs_result *result);

#endif
