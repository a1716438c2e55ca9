/* collect/guest/watch/who.c: see who.h. */
#include "collect/guest/watch/who.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/guest/watch/step.h"

static int taken_signal;

int who_signal(void)
{
	return taken_signal;
}

static bool is_ours(const siginfo_t *info)
{
	return info->si_pid == getpid() && (info->si_code == SI_QUEUE || info->si_code == SI_TKILL);
}

static void keep_registers(struct who_registers *registers, const ucontext_t *context)
{
	enum who_state asked = WHO_ASKED;

	if (registers->thread != (pid_t)syscall(SYS_gettid) ||
	    !__atomic_compare_exchange_n(&registers->state, &asked, WHO_BUSY, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return; /* nobody wants them any more */
	/* without the signal mask, which is longer here than in the kernel's frame */
	memcpy(&registers->registers.uc_mcontext, &context->uc_mcontext,
	       sizeof(registers->registers.uc_mcontext));
	__atomic_store_n(&registers->state, WHO_KEPT, __ATOMIC_RELEASE);
}

static void take_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	struct who_registers *registers = info->si_value.sival_ptr;

	if (!is_ours(info)) { /* natively it would have ended the program */
		signal(number, SIG_DFL);
		raise(number);
	} else if (info->si_code == SI_QUEUE && registers) {
		keep_registers(registers, context);
	} else if (info->si_code == SI_QUEUE) {
		step_prepare(context);
	}
	errno = saved;
}

bool who_send(pid_t thread, struct who_registers *registers)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	struct sigaction now;

	if (sigaction(taken_signal, NULL, &now) != 0 || now.sa_sigaction != take_signal)
		return false;
	info.si_signo = taken_signal;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = registers;
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, taken_signal, &info) == 0;
}

/* One of the last real-time signals that has no handler. */
int who_start(struct error *why)
{
	struct sigaction ours = {.sa_sigaction = take_signal,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	struct sigaction theirs;

	sigfillset(&ours.sa_mask);
	for (int number = SIGRTMAX; number > SIGRTMIN; number--) {
		if (sigaction(number, NULL, &theirs) != 0 || theirs.sa_handler != SIG_DFL)
			continue;
		taken_signal = number;
		return sigaction(number, &ours, NULL) == 0 ? 0 : error_set(why, "sigaction");
	}
	return error_set(why, "the program uses all real-time signals");
}

/* Neither functions that know locales nor any that allocate: those look at memory of the heap. */
static void write_path(char path[64], pid_t thread)
{
	char digits[16], *at = stpcpy(path, "/proc/self/task/");
	int count = 0;

	do
		digits[count++] = (char)('0' + thread % 10);
	while ((thread /= 10));
	while (count)
		*at++ = digits[--count];
	strcpy(at, "/syscall");
}

/* The hexadecimal number after the last blank, which goes with it; 0: there is none. */
static uintptr_t cut_number(char *line)
{
	char *at = strrchr(line, ' ');
	uintptr_t number = 0;

	if (!at)
		return 0;
	*at = '\0';
	for (at += strlen(" 0x"); at[0] && at[0] != '\n'; at++)
		number = number * 16 + (uintptr_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	return number;
}

struct who_place who_waits(pid_t thread)
{
	struct who_place place = {WHO_UNKNOWN, 0, 0};
	char path[64], line[256] = "";

	write_path(path, thread);
	for (int tries = 0; tries < 100 && (!line[0] || line[0] == 'r'); tries++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t size;

		if (fd < 0)
			return place;
		size = read(fd, line, sizeof(line) - 1);
		line[size > 0 ? size : 0] = '\0';
		close(fd);
	}
	/* "-1 0xSP 0xPC", "NUMBER 6 ARGUMENTS 0xSP 0xPC", "running" */
	if (!line[0] || line[0] == 'r')
		return place;
	place.who = line[0] == '-' ? WHO_INSTRUCTION : WHO_SYSTEM_CALL;
	place.code = cut_number(line);
	place.stack = cut_number(line);
	return place;
}

bool who_ask(struct who_registers *registers, pid_t thread)
{
	registers->thread = thread;
	__atomic_store_n(&registers->state, WHO_ASKED, __ATOMIC_RELEASE);
	if (who_send(thread, registers))
		return true;
	__atomic_store_n(&registers->state, WHO_IDLE, __ATOMIC_RELEASE);
	return false;
}

bool who_give_up(struct who_registers *registers)
{
	enum who_state asked = WHO_ASKED;

	if (__atomic_compare_exchange_n(&registers->state, &asked, WHO_IDLE, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	while (__atomic_load_n(&registers->state, __ATOMIC_ACQUIRE) == WHO_BUSY)
		usleep(10);
	return __atomic_load_n(&registers->state, __ATOMIC_ACQUIRE) == WHO_KEPT;
}
