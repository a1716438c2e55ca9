/*
 * collect/budget.h: how long `vflow collect --all` may run the program: "90s", "5m", "2h", or
 * "10x", times the first run.
 */
#ifndef VFLOW_COLLECT_BUDGET_H
#define VFLOW_COLLECT_BUDGET_H

#include <stdint.h>

#include "util/error.h"

/* One of them; both 0: no limit. */
struct budget {
	double seconds, times;
};

/* Returns 0 or -1. */
int budget_parse(const char *text, struct budget *budget, struct error *error);

/*
 * Of how many launches a run may do one to be within the budget: 1 all; 0: there is nothing left.
 * first: seconds of the first run, spent: of all so far, cost: the run's, in first runs.
 */
uint64_t budget_share(const struct budget *budget, double first, double spent, unsigned cost);

/*
 * How much of what the run adds to the program's own work is within the budget: 0 to 1.  Arguments
 * as above.
 */
double budget_part(const struct budget *budget, double first, double spent, unsigned cost);

#endif
