/* collect/guest/watch/step.c: see step.h. */
#include "collect/guest/watch/step.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/guest/watch/who.h"

static uint32_t state; /* enum step_state */
static uint32_t ended; /* steps so far; a futex */
static pid_t stepping, watcher;
static uintptr_t stepping_at; /* its instruction */

enum step_state step_now(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

enum step_state step_of(pid_t thread)
{
	return stepping == thread ? step_now() : STEP_NONE;
}

static void set_state(enum step_state next)
{
	__atomic_store_n(&state, next, __ATOMIC_RELEASE);
}

#if defined(__x86_64__)

enum { TRAP_FLAG = 0x100 };

void step_prepare(void *context)
{
	ucontext_t *ours = context;

	if (step_of((pid_t)syscall(SYS_gettid)) != STEP_ASKED)
		return;
	/*
	 * A trap that is blocked would end the program; and a thread that has got its page
	 * meanwhile may be anywhere: in a system call that makes a thread, which would have the
	 * flag, too.
	 */
	if (sigismember(&ours->uc_sigmask, SIGTRAP) ||
	    (uintptr_t)ours->uc_mcontext.gregs[REG_RIP] != stepping_at) {
		set_state(STEP_REFUSED);
		return;
	}
	ours->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	set_state(STEP_READY);
}

static void trapped(int number, siginfo_t *info, void *context)
{
	ucontext_t *ours = context;
	uint32_t before = __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
	int saved = errno;

	/* the flag is ours */
	if (info->si_code <= 0 || !(ours->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG)) {
		signal(number, SIG_DFL); /* as it was before us */
		raise(number);
		errno = saved;
		return;
	}
	ours->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (step_of((pid_t)syscall(SYS_gettid)) != STEP_READY) {
		errno = saved;
		return;
	}
	set_state(STEP_MADE);
	syscall(SYS_tgkill, getpid(), watcher, who_signal());
	while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) == before)
		syscall(SYS_futex, &ended, FUTEX_WAIT_PRIVATE, before, NULL, NULL, 0);
	errno = saved;
}

/* Whether traps come to us; nobody else must want them. */
static bool take_traps(void)
{
	struct sigaction ours = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction now;

	if (sigaction(SIGTRAP, NULL, &now) != 0)
		return false;
	if (now.sa_sigaction == trapped)
		return true;
	sigfillset(&ours.sa_mask);
	return now.sa_handler == SIG_DFL && sigaction(SIGTRAP, &ours, NULL) == 0;
}

#else

void step_prepare(void *context)
{
	(void)context;
}

static bool take_traps(void)
{
	return false;
}

#endif

bool step_ask(pid_t thread, uintptr_t code)
{
	if (step_now() != STEP_NONE || !take_traps())
		return false;
	watcher = (pid_t)syscall(SYS_gettid);
	stepping = thread;
	stepping_at = code;
	set_state(STEP_ASKED);
	if (who_send(thread, NULL))
		return true;
	set_state(STEP_NONE);
	return false;
}

bool step_end(void)
{
	uint32_t asked = STEP_ASKED;

	if (step_now() == STEP_READY)
		return false;
	if (!__atomic_compare_exchange_n(&state, &asked, STEP_NONE, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		if (asked == STEP_READY)
			return false;
		set_state(STEP_NONE);
	}
	__atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &ended, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	return true;
}
