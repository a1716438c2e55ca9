/*
 * collect/guest/unwinder.c: keeps libunwind's hands off the program's file descriptors.
 *
 * libunwind asks whether an address can be read by writing a byte from there into a pipe of its
 * own, and reads the pipe first.  A program that closes descriptors it does not know gets the
 * pipe's numbers for its own files: libunwind would then eat their bytes and put others in.  So
 * its pipe is no pipe: four of its calls come here, and those about this pipe are answered
 * without any descriptor.
 */
#include "collect/guest/guest.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#else
#error "which relocations bind functions of other libraries?"
#endif

#define NO_PIPE (INT_MAX - 1) /* both ends; closing it fails, which nobody looks at */

static int no_pipe2(int ends[2], int flags)
{
	(void)flags;
	ends[0] = ends[1] = NO_PIPE;
	return 0;
}

static ssize_t read_but_no_pipe(int fd, void *buffer, size_t size)
{
	if (fd != NO_PIPE)
		return read(fd, buffer, size);
	errno = EAGAIN; /* it is empty */
	return -1;
}

/* 1 when the byte can be read, else -1, as write(2) of one byte. */
static ssize_t probe(uintptr_t address)
{
	uintptr_t word = address & ~(uintptr_t)7; /* in the same page */
	int no_such_way = -1;

	/* Linux reads the set before it finds that this is no way to change it: EFAULT or EINVAL */
	return syscall(SYS_rt_sigprocmask, no_such_way, word, NULL, 8) && errno == EINVAL ? 1 : -1;
}

bool unwinder_can_read(uintptr_t address)
{
	return probe(address) == 1;
}

static ssize_t write_but_no_pipe(int fd, const void *buffer, size_t size)
{
	return fd == NO_PIPE ? probe((uintptr_t)buffer) : write(fd, buffer, size);
}

/* syscall(2) takes as many arguments as its caller gives; the others are whatever they are. */
static long syscall_but_no_pipe(long number, long a, long b, long c, long d, long e, long f)
{
	if (number == SYS_write && (int)a == NO_PIPE)
		return probe((uintptr_t)b);
	return syscall(number, a, b, c, d, e, f);
}

static const struct {
	const char *name;
	void (*ours)(void);
} replaced[] = {
	{"pipe2", (void (*)(void))no_pipe2},
	{"read", (void (*)(void))read_but_no_pipe},
	{"write", (void (*)(void))write_but_no_pipe},
	{"syscall", (void (*)(void))syscall_but_no_pipe},
};

/* What the loader knows of a library, from its dynamic section. */
struct dynamic {
	uintptr_t symbols, strings, calls, others;
	size_t calls_size, others_size;
};

/* glibc has added the load address to the pointers, other loaders have not. */
static uintptr_t pointer(const struct link_map *map, uintptr_t value)
{
	return value < map->l_addr ? map->l_addr + value : value;
}

static void read_dynamic(const struct link_map *map, struct dynamic *dynamic)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		switch (entry->d_tag) {
		case DT_SYMTAB:
			dynamic->symbols = pointer(map, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			dynamic->strings = pointer(map, entry->d_un.d_ptr);
			break;
		case DT_JMPREL:
			dynamic->calls = pointer(map, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			dynamic->calls_size = entry->d_un.d_val;
			break;
		case DT_RELA:
			dynamic->others = pointer(map, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			dynamic->others_size = entry->d_un.d_val;
			break;
		}
}

/* The slot may be in a page that the loader has made read-only; it stays writable. */
static void set_slot(void (**slot)(void), void (*function)(void))
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)slot & ~(size - 1);

	if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) == 0)
		__atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

static void replace(const struct link_map *map, const struct dynamic *dynamic, uintptr_t table,
		    size_t size)
{
	const ElfW(Rela) *relocation = (const void *)table;
	const ElfW(Sym) *symbols = (const void *)dynamic->symbols;

	for (size_t i = 0; table && i < size / sizeof(*relocation); i++) {
		unsigned long type = ELF64_R_TYPE(relocation[i].r_info);
		const char *name = (const char *)dynamic->strings +
				   symbols[ELF64_R_SYM(relocation[i].r_info)].st_name;

		if (type != JUMP_SLOT && type != GLOB_DAT)
			continue;
		for (size_t r = 0; r < sizeof(replaced) / sizeof(*replaced); r++)
			if (!strcmp(name, replaced[r].name))
				set_slot((void (**)(void))(map->l_addr + relocation[i].r_offset),
					 replaced[r].ours);
	}
}

/* When the guest is loaded: dladdr1() later, under its lock, could wait for dlopen() elsewhere. */
__attribute__((constructor)) static void take_over(void)
{
	struct dynamic dynamic = {0};
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((const void *)(uintptr_t)unw_backtrace, &info, (void **)&map,
		     RTLD_DL_LINKMAP) ||
	    !map)
		return;
	read_dynamic(map, &dynamic);
	if (!dynamic.symbols || !dynamic.strings)
		return;
	replace(map, &dynamic, dynamic.calls, dynamic.calls_size);
	replace(map, &dynamic, dynamic.others, dynamic.others_size);
}
