/* gpu/cupti/hooks.c: see hooks.h. */
#include "gpu/cupti/hooks.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu/nvidia/now.h"

enum { GAP_NS = 100000 }; /* looks outside of calls that are farther apart are none of one wait */

static __thread struct {
	bool calls;   /* the thread has called CUDA */
	bool running; /* it is in a call */
	struct looks looks, reads;
} thread;

static uint64_t outside_count, outside_ns; /* atomic: a child of fork() could not have a lock */

static void add(struct looks *looks, uint64_t first_ns, uint64_t last_ns)
{
	if (!looks->count++)
		looks->first_ns = first_ns;
	looks->last_ns = last_ns;
}

/*
 * libcuda's own threads wait, too: only those count that have called it.  A single look is no wait.
 */
static void look_outside(uint64_t first_ns, uint64_t last_ns)
{
	static __thread uint64_t before_ns;
	static __thread bool counted; /* the wait that goes on */
	bool goes_on = first_ns - before_ns <= GAP_NS;
	uint64_t ns = last_ns - (goes_on ? before_ns : first_ns);

	counted &= goes_on;
	before_ns = last_ns;
	if (!ns)
		return;
	if (!counted)
		__atomic_fetch_add(&outside_count, 1, __ATOMIC_RELAXED);
	counted = true;
	__atomic_fetch_add(&outside_ns, ns, __ATOMIC_RELAXED);
}

static void look(struct looks *looks, uint64_t first_ns, uint64_t last_ns)
{
	if (thread.running)
		add(looks, first_ns, last_ns);
	else if (thread.calls && looks == &thread.looks)
		look_outside(first_ns, last_ns);
}

void hooks_enter(void)
{
	thread.calls = thread.running = true;
	thread.looks.count = thread.reads.count = 0;
}

struct looks hooks_looks(struct looks *reads)
{
	*reads = thread.reads;
	return thread.looks;
}

void hooks_leave(void)
{
	thread.running = false;
}

uint64_t hooks_outside(uint64_t *ns)
{
	*ns = __atomic_load_n(&outside_ns, __ATOMIC_RELAXED);
	return __atomic_load_n(&outside_count, __ATOMIC_RELAXED);
}

/* -- in place of libcuda's imports -- */

static int look_at_clock(clockid_t clock, struct timespec *time)
{
	uint64_t now = now_ns();

	look(&thread.looks, now, now);
	return clock_gettime(clock, time);
}

static int yield(void)
{
	uint64_t now = now_ns();

	look(&thread.looks, now, now);
	return sched_yield();
}

/* What blocks, from before to after. */
#define BLOCKING(type, name, function, looks, parameters, arguments)                               \
	static type name parameters                                                                \
	{                                                                                          \
		uint64_t before = now_ns();                                                        \
		type result = function arguments;                                                  \
                                                                                                   \
		look(looks, before, now_ns());                                                     \
		return result;                                                                     \
	}

BLOCKING(int, wait_for_condition, pthread_cond_wait, &thread.looks,
	 (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
BLOCKING(int, wait_for_condition_until, pthread_cond_timedwait, &thread.looks,
	 (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *time),
	 (condition, mutex, time))
BLOCKING(int, wait_for_semaphore, sem_wait, &thread.looks, (sem_t * semaphore), (semaphore))
BLOCKING(int, wait_for_semaphore_until, sem_timedwait, &thread.looks,
	 (sem_t * semaphore, const struct timespec *time), (semaphore, time))
BLOCKING(ssize_t, read_file, read, &thread.reads, (int file, void *buffer, size_t size),
	 (file, buffer, size))

typedef void function(void);

static struct hook {
	const char *name;
	function *replacement;
	void **at[2]; /* in the table: of calls and of pointers; NULL: not there */
	void *before[2];
} hooks[] = {
	{.name = "clock_gettime", .replacement = (function *)look_at_clock},
	{.name = "sched_yield", .replacement = (function *)yield},
	{.name = "pthread_cond_wait", .replacement = (function *)wait_for_condition},
	{.name = "pthread_cond_timedwait", .replacement = (function *)wait_for_condition_until},
	{.name = "sem_wait", .replacement = (function *)wait_for_semaphore},
	{.name = "sem_timedwait", .replacement = (function *)wait_for_semaphore_until},
	{.name = "read", .replacement = (function *)read_file},
};

/* -- libcuda's table -- */

struct library {
	const struct dl_phdr_info *info;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * calls, *pointers;
	size_t call_bytes, pointer_bytes;
};

static const void *address(const struct dl_phdr_info *info, ElfW(Addr) pointer)
{
	return (const void *)(pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer);
}

static bool find_tables(struct library *library)
{
	const struct dl_phdr_info *info = library->info;
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			library->symbols = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_STRTAB:
			library->strings = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_JMPREL:
			library->calls = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			library->call_bytes = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			library->pointers = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_RELASZ:
			library->pointer_bytes = dynamic->d_un.d_val;
			break;
		}
	return library->symbols && library->strings;
}

/*
 * Whether the page cannot be written since the library was loaded: the loader protects whole pages
 * only, and what is left of the last one the library writes.
 */
static bool is_relro(const struct dl_phdr_info *info, uintptr_t page, size_t bytes)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_RELRO && page >= (start & ~(bytes - 1)) &&
		    page < ((start + part->p_memsz) & ~(bytes - 1)))
			return true;
	}
	return false;
}

/* The word, which other threads may call through at any time, is changed as a whole. */
static bool replace(const struct dl_phdr_info *info, void **at, void *by)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)at & ~(bytes - 1);

	if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(at, by, __ATOMIC_RELEASE);
	if (is_relro(info, page, bytes))
		mprotect((void *)page, bytes, PROT_READ);
	return true;
}

/* Hooks the imports of one table of relocations: 0 calls, 1 pointers. */
static unsigned hook_table(const struct library *library, int which)
{
	const ElfW(Rela) *table = which ? library->pointers : library->calls;
	size_t bytes = which ? library->pointer_bytes : library->call_bytes;
	unsigned hooked = 0;

	for (size_t i = 0; table && i < bytes / sizeof(*table); i++) {
		size_t symbol = ELF64_R_SYM(table[i].r_info);
		const char *name = library->strings + library->symbols[symbol].st_name;

		for (size_t k = 0; symbol && k < sizeof(hooks) / sizeof(*hooks); k++) {
			struct hook *hook = &hooks[k];
			void **at = (void **)(library->info->dlpi_addr + table[i].r_offset);

			if (hook->at[which] || strcmp(name, hook->name) != 0)
				continue;
			hook->before[which] = *at;
			if (!replace(library->info, at, (void *)hook->replacement))
				continue;
			hook->at[which] = at;
			hooked++;
		}
	}
	return hooked;
}

static bool is_driver(const struct dl_phdr_info *info)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	return !strncmp(name, "libcuda.so", strlen("libcuda.so"));
}

static int hook_library(struct dl_phdr_info *info, size_t size, void *hooked)
{
	struct library library = {.info = info};

	(void)size;
	if (!is_driver(info) || !find_tables(&library))
		return 0;
	*(unsigned *)hooked += hook_table(&library, 0) + hook_table(&library, 1);
	return 0;
}

int hooks_install(void)
{
	unsigned hooked = 0;

	dl_iterate_phdr(hook_library, &hooked);
	return hooked ? 0 : -1;
}

static int restore_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (size_t i = 0; is_driver(info) && i < sizeof(hooks) / sizeof(*hooks); i++)
		for (int which = 0; which < 2; which++)
			if (hooks[i].at[which] &&
			    replace(info, hooks[i].at[which], hooks[i].before[which]))
				hooks[i].at[which] = NULL;
	return 0;
}

void hooks_remove(void)
{
	dl_iterate_phdr(restore_library, NULL);
}
