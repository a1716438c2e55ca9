/*
 * collect/cmd_collect.h: `vflow collect` with other passes than its own, for tests.
 */
#ifndef VFLOW_COLLECT_CMD_COLLECT_H
#define VFLOW_COLLECT_CMD_COLLECT_H

#include "collect/pass.h"

/* As a command's function: returns the exit code. */
int collect_with_passes(const struct pass *const *table, int argc, char **argv);

#endif
