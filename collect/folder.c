#include "collect/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collect/trace.h"
#include "gpu/provider.h"
#include "util/memory.h"

#define SPARE_NAME "space-for-the-profile"
#define SPARE_MAX ((uint64_t)8 << 20)
#define SPARE_MIN ((uint64_t)64 << 10)
#define FOLDERS_MAX 1000
#define TRACES_PATH 64 /* bytes of a trace's path in the folder, with that of its run */

/* -- making them -- */

static int marker_fd = -1; /* its lock says that the folder's maker lives */

/* Returns 0 or an errno; after a failure there is no file. */
static int allocate(const char *path, uint64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int failure;

	if (fd < 0)
		return errno;
	flock(fd, LOCK_EX | LOCK_NB); /* not every file system has locks */
	failure = posix_fallocate(fd, 0, (off_t)size);
	if (failure) {
		unlink(path);
		close(fd);
	} else {
		marker_fd = fd;
	}
	return failure;
}

/*
 * A run that fills the disk must not take the room for its own profile.  Part of what is free;
 * where not even the least fits, no profile does.  Returns 0 or an errno.
 */
static int set_space_aside(const char *folder)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	char *path = xasprintf("%s/" SPARE_NAME, folder);
	struct statvfs disk;
	uint64_t size = SPARE_MAX;
	int failure = ENOSPC;

	sigaction(SIGXFSZ, &ignore, &old);
	if (statvfs(folder, &disk) == 0 && disk.f_bavail * disk.f_frsize / 4 < size)
		size = disk.f_bavail * disk.f_frsize / 4;
	if (size > SPARE_MIN)
		failure = allocate(path, size);
	if (failure)
		failure = allocate(path, SPARE_MIN);
	sigaction(SIGXFSZ, &old, NULL);
	free(path);
	/* other failures: a file system that sets nothing aside */
	return failure == ENOSPC || failure == EDQUOT || failure == EFBIG ? failure : 0;
}

/* -- one collection of an output at a time -- */

static int lock_fd = -1;    /* of "OUTPUT.trace", whatever is in it */
static bool lock_is_unused; /* it was made for the lock, and holds no traces */

/* Makes the folder, locked before others see it.  Returns its descriptor, or -1 with errno. */
static int make_locked(const char *path)
{
	char *new = xasprintf("%s-XXXXXX", path);
	int fd = mkdtemp(new) ? open(new, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int failure = errno;

	if (fd >= 0) {
		flock(fd, LOCK_EX | LOCK_NB); /* not every file system has locks */
		if (renameat2(AT_FDCWD, new, AT_FDCWD, path, RENAME_NOREPLACE) != 0) {
			failure = errno;
			rmdir(new);
			close(fd);
			fd = -1;
		}
	}
	free(new);
	errno = failure;
	return fd;
}

/* Whether the path is still that of the open file. */
static bool is_at(int fd, const char *path)
{
	struct stat of_fd, of_path;

	return fstat(fd, &of_fd) == 0 && lstat(path, &of_path) == 0 &&
	       of_fd.st_dev == of_path.st_dev && of_fd.st_ino == of_path.st_ino;
}

int folder_try_lock(const char *path, int *fd)
{
	*fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(*fd);
	*fd = -1;
	return -1;
}

int folder_lock(const char *output)
{
	char *path = xasprintf("%s" TRACE_SUFFIX, output);
	int result = 0;

	while (lock_fd < 0 && result == 0) {
		result = folder_try_lock(path, &lock_fd);
		if (result == 0 && lock_fd < 0 && errno == ENOENT) {
			lock_fd = make_locked(path);
			lock_is_unused = lock_fd >= 0;
			if (lock_fd < 0 && errno != EEXIST)
				break; /* folder_make() will say why, or there are no locks here */
		} else if (lock_fd < 0) {
			break; /* somebody else's */
		} else if (!is_at(lock_fd, path)) {
			close(lock_fd); /* it was removed, by the one that had the lock */
			lock_fd = -1;
		}
	}
	free(path);
	return result;
}

void folder_unlock(const char *output)
{
	char *path = xasprintf("%s" TRACE_SUFFIX, output);

	if (lock_is_unused)
		rmdir(path);
	if (lock_fd >= 0)
		close(lock_fd);
	lock_is_unused = false;
	lock_fd = -1;
	free(path);
}

char *folder_make(const char *output, struct error *error)
{
	char *path = xasprintf("%s" TRACE_SUFFIX, output), *absolute;
	int made = lock_is_unused ? 0 : -1;

	lock_is_unused = false;
	for (unsigned i = 0; made != 0 && i < FOLDERS_MAX; i++) {
		free(path);
		path = i ? xasprintf("%s" TRACE_SUFFIX "-%u", output, i)
			 : xasprintf("%s" TRACE_SUFFIX, output);
		made = mkdir(path, 0700);
		if (made != 0 && errno != EEXIST)
			break;
	}
	if (made != 0) {
		error_set(error, "%s", strerror(errno));
		free(path);
		return NULL;
	}
	absolute = realpath(path, NULL);
	made = !absolute                                   ? errno
	       : strlen(absolute) + TRACES_PATH > PATH_MAX ? ENAMETOOLONG
							   : set_space_aside(absolute);
	if (made != 0) {
		error_set(error, "%s", strerror(made));
		rmdir(path);
		free(absolute);
		absolute = NULL;
	}
	free(path);
	return absolute;
}

char *folder_make_run(const struct pass *const *table, uint32_t run, const char *folder,
		      struct error *error)
{
	char *names, *path;

	if (pass_makes_graph(table, run))
		return xstrdup(folder);
	names = pass_names(table, run);
	path = xasprintf("%s/%s", folder, names);
	free(names);
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return path;
	error_set(error, "cannot make the folder %s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

/* -- finding and removing them -- */

static void remove_file(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);

	unlink(path);
	free(path);
}

char *folder_marker(const char *folder)
{
	return xasprintf("%s/" SPARE_NAME, folder);
}

void folder_release_space(const char *folder)
{
	remove_file(folder, SPARE_NAME);
	if (marker_fd >= 0)
		close(marker_fd);
	marker_fd = -1;
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(TRACE_SUFFIX);

	return length > suffix && !strcmp(entry->d_name + length - suffix, TRACE_SUFFIX);
}

/* The passes of a run whose folder has this name; 0: it is no such folder. */
static uint32_t run_of(const struct pass *const *table, const char *name)
{
	struct error error;
	uint32_t passes = 0;
	char *names;

	if (pass_parse(table, name, &passes, &error) != 0 || pass_makes_graph(table, passes))
		return 0;
	names = pass_names(table, passes);
	if (strcmp(names, name) != 0)
		passes = 0;
	free(names);
	return passes;
}

/* Whether the trace has a process; *passes: those it was made for, if they make a graph, else 0. */
static bool read_passes(const struct pass *const *table, const char *path, uint32_t *passes)
{
	struct error error;
	struct trace_reader *reader = trace_open(path, &error);
	const struct trace_record *record;
	bool found =
		reader && trace_next(reader, &record, &error) == 1 && record->type == TRACE_PROCESS;

	*passes = 0;
	if (found && (pass_parse(table, trace_passes((const void *)record), passes, &error) != 0 ||
		      !pass_makes_graph(table, *passes)))
		*passes = 0;
	trace_reader_close(reader);
	return found;
}

/*
 * What the first trace that can be read was made for; older ones do not say: the pass that makes a
 * whole graph.
 */
static uint32_t passes_of_graph(const struct pass *const *table, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_trace, alphasort);
	uint32_t passes = 0;
	bool found = false;

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", folder, entries[i]->d_name);

		found = found || read_passes(table, path, &passes);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return passes ? passes : pass_graph_of(table, UINT32_MAX);
}

static int add_run(struct folder_run **runs, uint32_t *count, uint32_t *capacity,
		   struct folder_run run)
{
	struct dirent **entries;
	int found = scandir(run.folder, &entries, is_trace, NULL);

	if (found < 0) {
		free(run.folder);
		return -1;
	}
	for (int i = 0; i < found; i++)
		free(entries[i]);
	free(entries);
	run.count = (uint32_t)found;
	ARRAY_RESERVE(*runs, *count, *capacity);
	(*runs)[(*count)++] = run;
	return 0;
}

/* The lowest bit is the row of the first pass; of the folder itself none is known yet. */
static int by_row(const void *left, const void *right)
{
	const struct folder_run *a = left, *b = right;
	uint32_t x = a->passes & -a->passes, y = b->passes & -b->passes;

	return x < y ? -1 : x > y;
}

struct folder_run *folder_find_runs(const struct pass *const *table, const char *folder,
				    uint32_t *count, struct error *error)
{
	struct folder_run *runs = NULL;
	uint32_t capacity = 0;
	struct dirent *entry;
	DIR *entries;

	*count = 0;
	if (add_run(&runs, count, &capacity, (struct folder_run){.folder = xstrdup(folder)}) != 0 ||
	    !(entries = opendir(folder))) {
		error_set(error, "%s", strerror(errno));
		folder_free_runs(runs, *count);
		return NULL;
	}
	while ((entry = readdir(entries))) {
		struct folder_run run = {.passes = run_of(table, entry->d_name)};

		if (!run.passes)
			continue;
		run.folder = xasprintf("%s/%s", folder, entry->d_name);
		add_run(&runs, count, &capacity, run); /* but for a file of that name */
	}
	closedir(entries);
	qsort(runs, *count, sizeof(*runs), by_row);
	runs->passes = passes_of_graph(table, folder);
	return runs;
}

void folder_free_runs(struct folder_run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(runs[i].folder);
	free(runs);
}

static void remove_run(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_trace, NULL);

	for (int i = 0; i < count; i++) {
		remove_file(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	remove_file(folder, GPU_UNREACHED_FILE);
	rmdir(folder); /* what others put there stays */
}

void folder_remove(const struct pass *const *table, const char *folder)
{
	struct error error;
	uint32_t count;
	struct folder_run *runs = folder_find_runs(table, folder, &count, &error);

	folder_release_space(folder);
	for (uint32_t i = count; i > 0; i--)
		remove_run(runs[i - 1].folder);
	folder_free_runs(runs, count);
}
