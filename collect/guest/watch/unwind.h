/*
 * collect/guest/watch/unwind.h: call paths of threads that wait for a page, by a thread of its own.
 *
 * Unwinding reads the memory of the loader, of the C library and of the thread, and may allocate:
 * it may itself have to wait for the watcher, and for locks, and so must not be done by it.  The
 * watcher calls these functions, and makes one path at a time.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_UNWIND_H
#define VFLOW_COLLECT_GUEST_WATCH_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/guest/watch/who.h"
#include "util/error.h"

/* Makes the thread, which shares the caller's descriptors.  0 or -1. */
int unwind_start(struct error *why);
/* Ends the thread, which must not be busy; returns when it is gone. */
void unwind_end(void);
bool unwind_is_busy(void);
/* Whether it is the thread that unwinds. */
bool unwind_is_by(pid_t thread);

/*
 * Begins a path: of all registers, or, where they are NULL, of the place alone.  Then it ends with
 * the innermost function outside of the C library, unless that has kept the other registers.  The
 * thread's stack must stay as it is until the end, which the watcher is sent a signal for.
 */
void unwind_begin(const struct who_registers *registers, const struct who_place *place);
/*
 * Whether the path is made: addresses of code, innermost first; the next one may begin.  Of a path
 * that was given up, none.
 */
bool unwind_take(uintptr_t *frames, uint32_t most, uint32_t *count);
/* The thread goes on; nobody wants its path, which is still to be taken. */
void unwind_give_up(void);

#endif
