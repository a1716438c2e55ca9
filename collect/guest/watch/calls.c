/* collect/guest/watch/calls.c: see calls.h.  Without the guest's lock, in any thread. */
#include "collect/guest/watch/calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "collect/guest/imports.h"
#include "collect/guest/watch/watch.h"

/* As the program would have found them, a sanitizer's among them. */
static struct {
	void *(*mremap)(void *, size_t, size_t, int, ...);
	int (*prctl)(int, ...);
	long (*syscall)(long, ...);
	int (*open)(const char *, int, ...);
	int (*openat)(int, const char *, int, ...);
	FILE *(*fopen)(const char *, const char *);
} original;

/* A child that shares our memory, or has a copy of it, has no threads of ours. */
static pid_t process;

/* -- memory that moves -- */

static void give_back(uintptr_t start, size_t old_size, size_t size)
{
	/* of a size of 0 there is a second mapping afterwards */
	if (getpid() == process)
		watch_give_back(start, old_size ? old_size : size);
}

static void *our_mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list more;
	void *to;

	va_start(more, flags);
	to = va_arg(more, void *);
	va_end(more);
	give_back((uintptr_t)old, old_size, size);
	return original.mremap(old, old_size, size, flags, to);
}

/* -- system calls that are forbidden -- */

static void forbid_calls(void)
{
	if (getpid() == process)
		watch_end_all("the program forbids itself system calls (seccomp)", true);
}

static int our_prctl(int option, ...)
{
	unsigned long words[4];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(more, unsigned long);
	va_end(more);
	if (option == PR_SET_SECCOMP)
		forbid_calls();
	return original.prctl(option, words[0], words[1], words[2], words[3]);
}

static long our_syscall(long number, ...)
{
	long words[6];
	va_list more;

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(more, long);
	va_end(more);
	if (number == SYS_mremap)
		give_back((uintptr_t)words[0], (size_t)words[1], (size_t)words[2]);
	if ((number == SYS_prctl && words[0] == PR_SET_SECCOMP) ||
	    (number == SYS_seccomp &&
	     (words[0] == SECCOMP_SET_MODE_FILTER || words[0] == SECCOMP_SET_MODE_STRICT)))
		forbid_calls();
	return original.syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* -- memory as a file -- */

static bool is_number_of_ours(const char *digits, size_t length)
{
	char own[16];

	return length == (size_t)snprintf(own, sizeof(own), "%d", getpid()) &&
	       !memcmp(digits, own, length);
}

/* "/proc/self/mem", "/proc/thread-self/mem", "/proc/PID/task/TID/mem" and so on. */
static bool is_memory(const char *path)
{
	const char *process = path + strlen("/proc/"), *last = strrchr(path, '/');
	size_t length;

	if (!last || strcmp(last, "/mem") != 0 || strncmp(path, "/proc/", strlen("/proc/")) != 0)
		return false;
	length = strcspn(process, "/");
	return !strncmp(process, "self/", 5) || !strncmp(process, "thread-self/", 12) ||
	       is_number_of_ours(process, length);
}

bool calls_has_memory_open(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	bool result = false;

	while (folder && !result && (entry = readdir(folder))) {
		char path[64];
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, path, sizeof(path) - 1);

		path[length > 0 ? length : 0] = '\0';
		result = is_memory(path);
	}
	if (folder)
		closedir(folder);
	return result;
}

static void look_at(const char *path)
{
	if (path && is_memory(path) && getpid() == process)
		watch_end_all(CALLS_MEMORY_OPEN, false);
}

static mode_t mode_of(int flags, va_list more)
{
	/* O_TMPFILE has bits of other flags */
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

static int our_open(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = mode_of(flags, more);
	va_end(more);
	look_at(path);
	return original.open(path, flags, mode);
}

static int our_openat(int folder, const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = mode_of(flags, more);
	va_end(more);
	look_at(path);
	return original.openat(folder, path, flags, mode);
}

static FILE *our_fopen(const char *path, const char *how)
{
	look_at(path);
	return original.fopen(path, how);
}

/* What a compiler makes of open(PATH, FLAGS) where flags are no constant. */
static int our_open_2(const char *path, int flags)
{
	look_at(path);
	return original.open(path, flags);
}

static int our_openat_2(int folder, const char *path, int flags)
{
	look_at(path);
	return original.openat(folder, path, flags);
}

/*
 * -- the imports of loaded files; where files have sizes of 64 bits, as wherever CUDA runs, the
 *    functions with 64 in their names do the same as those without
 */

static struct import imports[] = {
	{.name = "mremap", .replacement = (void *)our_mremap},
	{.name = "prctl", .replacement = (void *)our_prctl},
	{.name = "syscall", .replacement = (void *)our_syscall},
	{.name = "open", .replacement = (void *)our_open},
	{.name = "open64", .replacement = (void *)our_open},
	{.name = "openat", .replacement = (void *)our_openat},
	{.name = "openat64", .replacement = (void *)our_openat},
	{.name = "fopen", .replacement = (void *)our_fopen},
	{.name = "fopen64", .replacement = (void *)our_fopen},
	{.name = "__open_2", .replacement = (void *)our_open_2},
	{.name = "__open64_2", .replacement = (void *)our_open_2},
	{.name = "__openat_2", .replacement = (void *)our_openat_2},
	{.name = "__openat64_2", .replacement = (void *)our_openat_2},
};

enum { IMPORTS = sizeof(imports) / sizeof(*imports) };

static bool started;

void calls_start(void)
{
	*(void **)&original.mremap = dlsym(RTLD_DEFAULT, "mremap");
	*(void **)&original.prctl = dlsym(RTLD_DEFAULT, "prctl");
	*(void **)&original.syscall = dlsym(RTLD_DEFAULT, "syscall");
	*(void **)&original.open = dlsym(RTLD_DEFAULT, "open");
	*(void **)&original.openat = dlsym(RTLD_DEFAULT, "openat");
	*(void **)&original.fopen = dlsym(RTLD_DEFAULT, "fopen");
	process = getpid();
	started = original.mremap && original.prctl && original.syscall && original.open &&
		  original.openat && original.fopen;
}

void calls_find(const struct dl_phdr_info *info)
{
	if (started)
		imports_replace(info, imports, IMPORTS);
}
