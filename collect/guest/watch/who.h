/*
 * collect/guest/watch/who.h: what a thread that waits in the kernel for a page was doing.
 *
 * A thread that touched the page with an instruction is sent a signal, whose handler keeps its
 * registers and returns: the thread runs into the page again, and its stack can be unwound while it
 * waits there.  One in a system call is left alone: a signal could cut the call short.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_WHO_H
#define VFLOW_COLLECT_GUEST_WATCH_WHO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

#include "util/error.h"

enum who {
	WHO_UNKNOWN, /* not a thread of this process, or it does not wait */
	WHO_INSTRUCTION,
	WHO_SYSTEM_CALL,
};

struct who_place {
	enum who who;
	uintptr_t stack, code; /* pointers */
};

enum who_state {
	WHO_IDLE,
	WHO_ASKED, /* the signal has been sent */
	WHO_BUSY,  /* the handler keeps the registers */
	WHO_KEPT,
};

/* The registers of a thread. */
struct who_registers {
	enum who_state state; /* atomic */
	pid_t thread;
	ucontext_t registers;
};

/* Takes the signal.  0 or -1. */
int who_start(struct error *why);
/* Its number; a thread of this process may send it to another one to wake it up. */
int who_signal(void);

struct who_place who_waits(pid_t thread);

/* Asks the thread for its registers, or, NULL, for a step (step.h).  False: it cannot be asked. */
bool who_send(pid_t thread, struct who_registers *registers);

/* Asks the thread for its registers.  False: it cannot be asked. */
bool who_ask(struct who_registers *registers, pid_t thread);
/* False: they will not come any more, and the structure may be used for something else. */
bool who_give_up(struct who_registers *registers);

#endif
