/* collect/guest/watch/unwind.c: see unwind.h. */
#include "collect/guest/watch/unwind.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FRAMES_MAX = 128 };

enum state { STATE_IDLE, STATE_BEGUN, STATE_GIVEN_UP, STATE_MADE };

static struct {
	uint32_t state; /* enum state; a futex */
	bool whole;     /* all registers are known */
	struct who_registers registers;
	struct who_place place;
	uintptr_t frames[FRAMES_MAX];
	uint32_t count;
} job;

static pid_t watcher, unwinder;

static uint32_t state_now(void)
{
	return __atomic_load_n(&job.state, __ATOMIC_ACQUIRE);
}

static bool is_given_up(void)
{
	return state_now() == STATE_GIVEN_UP;
}

/* The C library's code, which keeps no addresses of frames in registers. */
static struct {
	uintptr_t start, end;
} library;

static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t inside = (uintptr_t)data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && inside >= start &&
		    inside - start < info->dlpi_phdr[i].p_memsz) {
			library.start = start;
			library.end = start + info->dlpi_phdr[i].p_memsz;
			return 1;
		}
	}
	return 0;
}

static bool is_library(uintptr_t address)
{
	return address >= library.start && address < library.end;
}

static uint32_t path_of(const struct who_registers *registers, uintptr_t *frames, uint32_t most)
{
	ucontext_t context = registers->registers;
	uint32_t count = 0;
	unw_cursor_t cursor;
	unw_word_t address;
	int step = 1;

	if (unw_init_local2(&cursor, &context, UNW_INIT_SIGNAL_FRAME) != 0)
		return 0;
	while (!is_given_up() && count < most && step > 0 &&
	       unw_get_reg(&cursor, UNW_REG_IP, &address) == 0 && address) {
		/* those outwards are of calls, and not of the instructions after them */
		bool interrupted = !count || unw_is_signal_frame(&cursor) > 0;

		frames[count++] = address - !interrupted;
		step = unw_step(&cursor);
	}
	return count;
}

#if defined(__x86_64__)

static uint32_t path_from(const struct who_place *place, uintptr_t *frames, uint32_t most)
{
	/* RBP is not known: if it were used, its value had better be the address of something */
	unw_word_t address = place->code, base = place->stack;
	ucontext_t context = {0};
	uint32_t count = 0;
	unw_cursor_t cursor;

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)place->code;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)place->stack;
	context.uc_mcontext.gregs[REG_RBP] = (greg_t)base;
	frames[count++] = place->code;
	if (unw_init_local2(&cursor, &context, UNW_INIT_SIGNAL_FRAME) != 0)
		return count;
	/* functions of the C library may have kept RBP on the stack: then it is known again */
	while (!is_given_up() && count < most && (is_library(address) || base != place->stack) &&
	       unw_step(&cursor) > 0 && unw_get_reg(&cursor, UNW_REG_IP, &address) == 0 &&
	       address && unw_get_reg(&cursor, UNW_X86_64_RBP, &base) == 0)
		frames[count++] = address - 1;
	return count;
}

#else

static uint32_t path_from(const struct who_place *place, uintptr_t *frames, uint32_t most)
{
	frames[0] = place->code;
	return most ? 1 : 0;
}

#endif

/* -- the thread -- */

static void *unwind_all(void *unused)
{
	(void)unused;
	free(malloc(1)); /* from memory that others have not locked */
	__atomic_store_n(&unwinder, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;) {
		uint32_t state = state_now();

		if (state != STATE_BEGUN && state != STATE_GIVEN_UP) {
			syscall(SYS_futex, &job.state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
			continue;
		}
		job.count = job.whole ? path_of(&job.registers, job.frames, FRAMES_MAX)
				      : path_from(&job.place, job.frames, FRAMES_MAX);
		if (is_given_up())
			job.count = 0;
		__atomic_store_n(&job.state, STATE_MADE, __ATOMIC_RELEASE);
		syscall(SYS_tgkill, getpid(), watcher, who_signal());
	}
	return NULL;
}

int unwind_start(struct error *why)
{
	pthread_t thread;
	int error;

	watcher = (pid_t)syscall(SYS_gettid);
	dl_iterate_phdr(find_library, (void *)(uintptr_t)&write);
	error = pthread_create(&thread, NULL, unwind_all, NULL);
	if (error)
		return error_set(why, "no thread can be made: %s", strerror(error));
	pthread_detach(thread);
	return 0;
}

bool unwind_is_by(pid_t thread)
{
	return thread == __atomic_load_n(&unwinder, __ATOMIC_ACQUIRE);
}

bool unwind_is_busy(void)
{
	return state_now() != STATE_IDLE;
}

void unwind_begin(const struct who_registers *registers, const struct who_place *place)
{
	job.whole = registers;
	if (registers)
		job.registers = *registers;
	else
		job.place = *place;
	__atomic_store_n(&job.state, STATE_BEGUN, __ATOMIC_RELEASE);
	syscall(SYS_futex, &job.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool unwind_take(uintptr_t *frames, uint32_t most, uint32_t *count)
{
	if (state_now() != STATE_MADE)
		return false;
	*count = job.count < most ? job.count : most;
	memcpy(frames, job.frames, *count * sizeof(*frames));
	__atomic_store_n(&job.state, STATE_IDLE, __ATOMIC_RELEASE);
	return true;
}

void unwind_give_up(void)
{
	uint32_t begun = STATE_BEGUN;

	__atomic_compare_exchange_n(&job.state, &begun, STATE_GIVEN_UP, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
}
