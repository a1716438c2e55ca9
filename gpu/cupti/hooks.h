/*
 * gpu/cupti/hooks.h: whether libcuda waits inside of a call.
 *
 * A call that waits for the device looks at the clock, yields, or blocks, through functions that
 * libcuda imports: these are replaced in its global offset table, and each look is noted with its
 * time.  Calls that do not wait do none of that (driver 580; whether it holds is checked against
 * what the device did: waits.h).
 */
#ifndef VFLOW_GPU_CUPTI_HOOKS_H
#define VFLOW_GPU_CUPTI_HOOKS_H

#include <stdint.h>

/* Looks of one thread; count 0: none. */
struct looks {
	uint32_t count;
	uint64_t first_ns, last_ns;
};

/* Returns 0, or -1: libcuda imports none of these functions. */
int hooks_install(void);
void hooks_remove(void);

/* The calling thread enters a call of the program: its looks count from now on. */
void hooks_enter(void);
/* By now.  *reads: those by read(2), which waits as well as it loads code; the others are returned.
 */
struct looks hooks_looks(struct looks *reads);
/* The thread leaves it.  What it has vflow do in between is none of the program's. */
void hooks_leave(void);

/* How often threads that call CUDA have waited while no call was running; *ns: how long. */
uint64_t hooks_outside(uint64_t *ns);

#endif
