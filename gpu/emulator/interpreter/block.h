/*
 * gpu/emulator/interpreter/block.h: blocks that are resident together: a cluster, a cooperative
 * grid, or one.  One host thread runs them, in turns.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_BLOCK_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_BLOCK_H

#include "gpu/emulator/interpreter/warp.h"

static inline uint32_t cluster_of(const struct launch *launch, unsigned dimension)
{
	return launch->cluster[dimension] ? launch->cluster[dimension] : 1;
}

static inline uint32_t cluster_size(const struct launch *launch)
{
	return cluster_of(launch, 0) * cluster_of(launch, 1) * cluster_of(launch, 2);
}

/* Writes a value for all lanes. */
static inline void set_row(uint64_t *row, uint64_t value)
{
	if (row[0] == value) /* all lanes have it: from block to block most rows stay as they are */
		return;
	for (unsigned l = 0; l < PTX_LANES; l++)
		row[l] = value;
}

/* NULL: no memory.  Whatever goes wrong in them later is said in `fault`. */
struct block *blocks_create(const struct launch *launch, struct fault *fault, struct worker *worker,
			    uint32_t count);
void blocks_destroy(struct block *blocks, uint32_t count);

/*
 * Runs the launch's blocks from number `first` on, as many as these, from their start to their end.
 * -1: a fault, or worker_look() said no.
 */
int blocks_run(struct block *blocks, uint32_t count, uint64_t first);

/* interpreter.c: called now and then while blocks run.  False: not to go on. */
bool worker_look(struct worker *worker);

#endif
