#include "collect/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/folder.h"
#include "collect/note.h"
#include "util/memory.h"
#include "util/text.h"

enum { YOUNG = 10 }; /* seconds in which its writer may be about to take the lock */

/* Whether its writer lives, or whether there is no such file. */
static bool is_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	bool held = fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
		    status.st_mtime > time(NULL) - YOUNG || flock(fd, LOCK_EX | LOCK_NB) != 0;

	if (fd >= 0)
		close(fd);
	return held;
}

/* Its writer is gone. */
static void clear_abandoned(const struct pass *const *table, const char *path, bool quiet)
{
	struct folder_run *runs;
	struct error error;
	uint32_t count, traces = 0;
	char *word;

	folder_release_space(path);
	runs = folder_find_runs(table, path, &count, &error);
	for (uint32_t i = 0; runs && i < count; i++)
		traces += runs[i].count;
	folder_free_runs(runs, runs ? count : 0);
	if (!traces) {
		folder_remove(table, path);
		return;
	}
	word = text_shell_file(path);
	note(quiet,
	     "%s is of a run that was killed: 'vflow collect --from-trace %s' makes a profile of "
	     "it, else remove it",
	     path, word);
	free(word);
}

static void clear_folder(const struct pass *const *table, const char *path, bool quiet)
{
	char *marker = folder_marker(path);
	int lock;

	if (!is_held(marker) && folder_try_lock(path, &lock) == 0) {
		clear_abandoned(table, path, quiet);
		if (lock >= 0)
			close(lock);
	}
	free(marker);
}

/* What follows the output's name: ".1234.tmp", ".trace", ".trace-1". */
static void clear(const struct pass *const *table, const char *path, const char *ending, bool quiet)
{
	size_t digits = ending[0] == '.' ? strspn(ending + 1, "0123456789") : 0;
	const char *number = !strncmp(ending, ".trace-", 7) ? ending + 7 : "";

	if (digits && !strcmp(ending + 1 + digits, ".tmp")) {
		if (!is_held(path))
			unlink(path);
	} else if (!strcmp(ending, ".trace") ||
		   (*number && !number[strspn(number, "0123456789")])) {
		clear_folder(table, path, quiet);
	}
}

void leftovers_clear(const struct pass *const *table, const char *output, bool quiet)
{
	const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
	char *folder = slash ? xstrndup(output, (size_t)(slash + 1 - output)) : xstrdup("./");
	size_t length = strlen(base);
	DIR *entries = opendir(folder);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		char *path;

		if (strncmp(entry->d_name, base, length) != 0)
			continue;
		path = xasprintf("%s%s", slash ? folder : "", entry->d_name);
		clear(table, path, entry->d_name + length, quiet);
		free(path);
	}
	if (entries)
		closedir(entries);
	free(folder);
}
