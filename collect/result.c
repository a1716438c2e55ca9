#include "collect/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "advice/advice.h"
#include "collect/trace.h"
#include "graph/build/build.h"
#include "util/memory.h"
#include "util/text.h"

#define SPARE_NAME "space-for-the-profile"
#define SPARE_MAX ((uint64_t)8 << 20)
#define SPARE_MIN ((uint64_t)64 << 10)
#define FOLDERS_MAX 1000

/* The folder that holds `path`; caller frees. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

static int not_writable(const char *output, const char *why, struct error *error)
{
	return error_set(error, "cannot write %s: %s (choose another place with -o FILE)", output,
			 why);
}

int result_check_output(const char *output, struct error *error)
{
	size_t length = strlen(output);
	char *folder, *old;
	struct stat status;
	int result = 0;

	if (!length || output[length - 1] == '/')
		return not_writable(output, "it is not the name of a file", error);
	if (stat(output, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return not_writable(output, "it is a folder", error);
		if (!S_ISREG(status.st_mode))
			return not_writable(output, "it is not a regular file", error);
		if (faccessat(AT_FDCWD, output, W_OK, AT_EACCESS) != 0)
			return not_writable(output, strerror(errno), error);
	}
	folder = parent_of(output);
	old = xasprintf("%s.old", output);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		result = not_writable(output, strerror(errno), error);
	else if (lstat(old, &status) == 0 && S_ISDIR(status.st_mode))
		result = error_set(error, "cannot keep the old profile as %s: it is a folder", old);
	free(folder);
	free(old);
	return result;
}

/* Returns 0 or an errno; after a failure there is no file. */
static int allocate(const char *path, uint64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int failure = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)size);

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && failure)
		unlink(path);
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

char *result_make_folder(const char *output, struct error *error)
{
	char *path = NULL, *absolute;
	int made = -1;

	for (unsigned i = 0; made != 0 && i < FOLDERS_MAX; i++) {
		free(path);
		path = i ? xasprintf("%s" TRACE_SUFFIX "-%u", output, i)
			 : xasprintf("%s" TRACE_SUFFIX, output);
		made = mkdir(path, 0700);
		if (made != 0 && errno != EEXIST)
			break;
	}
	if (made != 0) {
		not_writable(output, strerror(errno), error);
		free(path);
		return NULL;
	}
	absolute = realpath(path, NULL);
	made = absolute ? set_space_aside(absolute) : errno;
	if (made != 0) {
		not_writable(output, strerror(made), error);
		rmdir(path);
		free(absolute);
		absolute = NULL;
	}
	free(path);
	return absolute;
}

static void remove_file(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);

	unlink(path);
	free(path);
}

static bool is_trace(const char *name)
{
	size_t length = strlen(name), suffix = strlen(TRACE_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, TRACE_SUFFIX);
}

void result_remove_folder(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	remove_file(folder, SPARE_NAME);
	while (entries && (entry = readdir(entries)))
		if (is_trace(entry->d_name))
			remove_file(folder, entry->d_name);
	if (entries)
		closedir(entries);
	rmdir(folder); /* what others put there stays */
}

struct profile *result_build(const char *folder, const struct result_run *run, struct error *error)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	struct profile *profile;

	remove_file(folder, SPARE_NAME);
	profile = build_profile(folder, error);
	if (!profile)
		return NULL;
	/* nothing recorded must not look like nothing done; damaged traces are there already */
	if (!profile->process_count && !profile->coverage_count)
		profile_add_coverage(profile, COVERAGE_NO_TRACE, NULL, 1, 0);
	advice_detect(profile, &options);
	profile->redundancy_threshold = options.redundancy;
	profile->date = run->date;
	free(profile->command);
	if (run->command)
		profile->command = text_clean(run->command, strlen(run->command), 0);
	else
		profile->command =
			xstrdup(profile->process_count ? profile->processes[0].arguments : "");
	return profile;
}

int result_write(const struct profile *profile, const char *output, struct error *error)
{
	char *temporary = xasprintf("%s.%d.tmp", output, getpid());
	char *old = xasprintf("%s.old", output);
	struct error why;
	struct stat status;
	int result;

	/* a limit on file sizes is an error, not the end of vflow */
	signal(SIGXFSZ, SIG_IGN);
	unlink(temporary); /* of a process with our number that was killed */
	result = profile_write(profile, temporary, &why);
	if (result != 0)
		not_writable(output, why.text, error);
	if (result == 0 && lstat(output, &status) == 0 && rename(output, old) != 0)
		result = error_set(error, "cannot keep %s as %s: %s", output, old, strerror(errno));
	if (result == 0 && rename(temporary, output) != 0)
		result = not_writable(output, strerror(errno), error);
	if (result != 0)
		unlink(temporary);
	free(temporary);
	free(old);
	return result;
}
