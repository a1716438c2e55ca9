/*
 * collect/guest/ranges.h: the NVTX ranges that the program's threads are in.
 *
 * NVTX is called on any thread at any time, from before the guest's start on, so that all but
 * ranges_start() needs no lock of the guest's; where that is held, it is taken first.
 */
#ifndef VFLOW_COLLECT_GUEST_RANGES_H
#define VFLOW_COLLECT_GUEST_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the environment: once, when NVTX is first used or the guest starts. */
void ranges_start(void);

/*
 * The thread enters a range, or leaves its innermost one.  `domain`: any pointer that tells those
 * of a domain apart, which are left in their own order, and its name; NULL: the default one.
 * Returns how many of the domain are around it; -1: there was none to leave.
 */
int ranges_push(const void *domain, const char *domain_name, const char *name);
int ranges_pop(const void *domain);

/*
 * A range that begins here and may end on another thread: no call is in it, but --capture-range
 * counts it.  Returns its id, never 0.
 */
uint64_t ranges_begin(const char *domain_name, const char *name);
void ranges_end(uint64_t id);

/* The innermost range of this thread; 0: none. */
uint32_t ranges_here(void);
/* Whether launches are analysed now: some thread is in a range that --capture-range asks for. */
bool ranges_capture(void);
/* Whether the environment asks for that. */
bool ranges_limit_capture(void);

/* -- with the guest's lock held -- */

/* The range's id in the trace, which has it then; 0: of none, or there is no room. */
uint32_t ranges_id(uint32_t range);
/* Writes to the trace that the calls of the thread are in this range from now on. */
void ranges_write(uint32_t thread, uint32_t range);
/* Says in coverage what was not told apart. */
void ranges_cover(void);

#endif
