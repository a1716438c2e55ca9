/*
 * collect/guest/watch/step.h: lets a thread make one instruction, and has it wait after that: so
 * the page that it touches can be taken away again.  One thread at a time; only the watcher calls.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_STEP_H
#define VFLOW_COLLECT_GUEST_WATCH_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum step_state {
	STEP_NONE,
	STEP_ASKED,
	STEP_READY,   /* its next instruction will be the only one */
	STEP_REFUSED, /* it cannot: it goes on as always */
	STEP_MADE,    /* it waits for step_end() */
};

/*
 * The thread waits for a page in the instruction at `code`, and will again before it makes the
 * step.  False: it cannot.
 */
bool step_ask(pid_t thread, uintptr_t code);
/* Of the thread that was asked; STEP_NONE: it was another one. */
enum step_state step_of(pid_t thread);
/* Of whichever was asked. */
enum step_state step_now(void);
/* The thread goes on.  False: it is about to make the step, and the end must wait. */
bool step_end(void);

/* In the thread, in the handler of the signal that asks it: `context` is what it goes back to. */
void step_prepare(void *context);

#endif
