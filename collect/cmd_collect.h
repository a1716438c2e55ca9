/*
 * collect/cmd_collect.h: `vflow collect` with other passes than its own, for tests.
 */
#ifndef VFLOW_COLLECT_CMD_COLLECT_H
#define VFLOW_COLLECT_CMD_COLLECT_H

#include "collect/pass/pass.h"
#include "graph/build/analysis.h"

/* `analyses`: of the traces; both lists end with NULL.  Returns the exit code, as a command does.
 */
int collect_with_passes(const struct pass *const *table,
			const struct build_analysis *const *analyses, int argc, char **argv);

#endif
