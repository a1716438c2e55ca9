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
#include <sys/uio.h>
#include <unistd.h>

enum { FRAMES_MAX = 128 };

enum state { STATE_IDLE, STATE_BEGUN, STATE_GIVEN_UP, STATE_MADE, STATE_OVER };

static struct {
	uint32_t state; /* enum state; a futex */
	bool whole;     /* all registers are known */
	struct who_registers registers;
	struct who_place place;
	uintptr_t frames[FRAMES_MAX];
	uint32_t count;
} job;

static pid_t watcher, unwinder;
static pthread_t thread;

static uint32_t state_now(void)
{
	return __atomic_load_n(&job.state, __ATOMIC_ACQUIRE);
}

static bool is_given_up(void)
{
	return state_now() == STATE_GIVEN_UP;
}

/* The C library's code. */
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

/* A cursor at the place, as if RBP were `base`. */
static bool begin_at(const struct who_place *place, uintptr_t base, ucontext_t *context,
		     unw_cursor_t *cursor)
{
	*context = (ucontext_t){0};
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)place->code;
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)place->stack;
	context->uc_mcontext.gregs[REG_RBP] = (greg_t)base;
	return unw_init_local2(cursor, context, UNW_INIT_SIGNAL_FRAME) == 0;
}

/* Where the stack ends that the caller of the place has, as if RBP were `base`; 0: not known. */
static uintptr_t caller_stack(const struct who_place *place, uintptr_t base)
{
	ucontext_t context;
	unw_cursor_t cursor;
	unw_word_t stack;

	return begin_at(place, base, &context, &cursor) && unw_step(&cursor) > 0 &&
			       unw_get_reg(&cursor, UNW_REG_SP, &stack) == 0
		       ? stack
		       : 0;
}

struct code {
	uintptr_t address;
	bool found;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct code *code = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !code->found; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		code->found = part->p_type == PT_LOAD && part->p_flags & PF_X &&
			      code->address >= start + 8 && code->address - start < part->p_memsz;
	}
	return code->found;
}

static bool is_code(uintptr_t address)
{
	struct code code = {.address = address};

	dl_iterate_phdr(find_code, &code);
	return code.found;
}

static uintptr_t relative(const uint8_t *end, int32_t offset)
{
	return (uintptr_t)end + (uintptr_t)(intptr_t)offset;
}

static int32_t word_at(const uint8_t *at)
{
	int32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Memory that may not be there: 0 is read then.  Returns how many bytes were. */
static size_t read_memory(void *to, uintptr_t from, size_t size)
{
	const struct iovec there = {(void *)from, size}, here = {to, size};
	ssize_t count;

	memset(to, 0, size);
	count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	return count < 0 ? 0 : (size_t)count;
}

static uintptr_t slot_at(uintptr_t address)
{
	uintptr_t slot;

	read_memory(&slot, address, sizeof(slot));
	return slot;
}

/* Where the code there goes on: behind an entry of a procedure linkage table. */
static uintptr_t through_table(uintptr_t target)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *at = (const uint8_t *)target;

	if (!is_code(target))
		return target;
	at += memcmp(at, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	at += *at == 0xf2;
	if (at[0] != 0xff || at[1] != 0x25) /* jmp *slot(%rip) */
		return target;
	return slot_at(relative(at + 6, word_at(at + 2)));
}

enum called { CALLED_NOT, CALLED_MAYBE, CALLED };

/* Whether a call of the function returns there. */
static enum called is_return(uintptr_t address, uintptr_t function)
{
	const uint8_t *at = (const uint8_t *)address;

	if (!is_code(address))
		return CALLED_NOT;
	if (at[-5] == 0xe8 && through_table(relative(at, word_at(at - 4))) == function)
		return CALLED;
	if (at[-6] == 0xff && at[-5] == 0x15) /* call *slot(%rip) */
		return slot_at(relative(at, word_at(at - 4))) == function ? CALLED : CALLED_NOT;
	for (int length = 2; length <= 7; length++) /* FF /2: by register or memory */
		if (at[-length] == 0xff && (at[-length + 1] >> 3 & 7) == 2)
			return CALLED_MAYBE;
	return CALLED_NOT;
}

enum { FRAME_MOST = 1024 }; /* bytes of the frame of a function that makes a system call */

/*
 * RBP at the place, if the way to the caller leads by it: code that keeps frame pointers (Ubuntu's
 * C library) has put its caller's there, before the address to which it returns.  Other calls may
 * have left such a pair in between, which did not call this function.  Else the end of the stack:
 * RBP is not known.
 */
static uintptr_t find_base(const struct who_place *place)
{
	const uintptr_t start = place->stack;
	uintptr_t stack[FRAME_MOST / sizeof(uintptr_t)], maybe = start;
	size_t count = read_memory(stack, start, sizeof(stack)) / sizeof(*stack);
	unw_proc_info_t info;

	if (caller_stack(place, start) == caller_stack(place, start + 64) ||
	    unw_get_proc_info_by_ip(unw_local_addr_space, place->code, &info, NULL) != 0)
		return start;
	for (size_t i = 0; i + 1 < count; i++) {
		const uintptr_t base = start + i * sizeof(*stack);
		enum called called = CALLED_NOT;

		if (stack[i] > base && stack[i] - base < 1 << 20)
			called = is_return(stack[i + 1], info.start_ip);
		if (called == CALLED)
			return base;
		if (called == CALLED_MAYBE && maybe == start)
			maybe = base;
	}
	return maybe;
}

static uint32_t path_from(const struct who_place *place, uintptr_t *frames, uint32_t most)
{
	unw_word_t address = place->code, base = find_base(place);
	ucontext_t context;
	uint32_t count = 0;
	unw_cursor_t cursor;

	frames[count++] = place->code;
	if (!begin_at(place, base, &context, &cursor))
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

		if (state == STATE_OVER)
			return NULL;
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
}

int unwind_start(struct error *why)
{
	int error;

	watcher = (pid_t)syscall(SYS_gettid);
	dl_iterate_phdr(find_library, (void *)(uintptr_t)&write);
	error = pthread_create(&thread, NULL, unwind_all, NULL);
	if (error)
		return error_set(why, "no thread can be made: %s", strerror(error));
	return 0;
}

void unwind_end(void)
{
	__atomic_store_n(&job.state, STATE_OVER, __ATOMIC_RELEASE);
	syscall(SYS_futex, &job.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
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
