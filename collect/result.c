#include "collect/result.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advice/advice.h"
#include "collect/folder.h"
#include "collect/trace.h"
#include "gpu/provider.h"
#include "graph/build/build.h"
#include "util/memory.h"
#include "util/text.h"

enum { UNREACHED_MAX = 1000, LINES_MAX = 100000 };

/* The folder that holds `path`; caller frees. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

/* Whether the longest name that is made of the output's is too long for its folder. */
static bool is_long(const char *output, const char *folder)
{
	const char *slash = strrchr(output, '/');
	long most = pathconf(folder, _PC_NAME_MAX);

	return most > 0 &&
	       strlen(slash ? slash + 1 : output) + strlen(".2147483647.tmp") > (size_t)most;
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
		/* as FILE.old a program or its source would be kept, but only until the next run */
		if (status.st_size && !profile_is_profile(output))
			return not_writable(output, "it is no profile, but a file of another kind",
					    error);
	}
	folder = parent_of(output);
	old = xasprintf("%s.old", output);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		result = not_writable(output, strerror(errno), error);
	else if (is_long(output, folder))
		result = not_writable(output, strerror(ENAMETOOLONG), error);
	else if (lstat(old, &status) == 0 && S_ISDIR(status.st_mode))
		result = error_set(error, "cannot keep the old profile as %s: it is a folder", old);
	free(folder);
	free(old);
	return result;
}

int result_lock(const char *output, struct error *error)
{
	return folder_lock(output) == 0
		       ? 0
		       : not_writable(output, "another vflow collect is writing it", error);
}

char *result_make_folder(const char *output, struct error *error)
{
	struct error why;
	char *folder = folder_make(output, &why);

	if (!folder)
		not_writable(output, why.text, error);
	return folder;
}

/* The run that makes the graph or, where that left nothing, the first that left something. */
static const struct folder_run *find_base(const struct folder_run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (runs[i].count)
			return &runs[i];
	return runs;
}

static void add_coverage(struct profile *profile, enum coverage_id id, const struct result_run *run,
			 uint32_t passes)
{
	char *names = pass_names(run->table, passes);

	profile_add_coverage(profile, id, names, 1, 0);
	free(names);
}

struct unreached {
	long process;
	char *name; /* NULL: it was not started after all */
};

/* A line of the file, which the target may have written. */
static void take_unreached(char *line, struct unreached *programs, uint32_t *count)
{
	uint32_t at = *count;
	char *name;
	long process = strtol(line, &name, 10);

	if (process <= 0 || *name++ != ' ')
		return;
	name[strcspn(name, "\n")] = '\0';
	while (at && programs[at - 1].process != process)
		at--;
	if (!at && (*count == UNREACHED_MAX || !*name))
		return;
	at = at ? at - 1 : (*count)++;
	free(programs[at].name);
	programs[at] =
		(struct unreached){process, *name ? text_clean(name, strlen(name), 0) : NULL};
}

static bool has_trace(const char *folder, long process)
{
	char *path = xasprintf("%s/%ld" TRACE_SUFFIX, folder, process);
	bool result = access(path, F_OK) == 0;

	free(path);
	return result;
}

/* Programs that were started without the device's libraries, and left no trace: by their names. */
static void add_unreached(struct profile *profile, const char *folder)
{
	struct unreached *programs = xcalloc(UNREACHED_MAX, sizeof(*programs));
	char *path = xasprintf("%s/" GPU_UNREACHED_FILE, folder), line[512];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	uint32_t count = 0;

	for (int i = 0; file && i < LINES_MAX && fgets(line, sizeof(line), file); i++)
		take_unreached(line, programs, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (programs[i].name && !has_trace(folder, programs[i].process))
			profile_add_coverage(profile, COVERAGE_PROCESS_UNREACHED, programs[i].name,
					     1, 0);
		free(programs[i].name);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	free(programs);
	free(path);
}

/* What the runs did not give. */
static void add_gaps(struct profile *profile, const struct result_run *run,
		     const struct folder_run *runs, uint32_t count, const struct folder_run *base)
{
	/* nothing recorded must not look like nothing done; damaged traces are there already */
	if (!profile->process_count && !profile->coverage_count)
		profile_add_coverage(profile, COVERAGE_NO_TRACE, NULL, 1, 0);
	add_unreached(profile, base->folder);
	for (uint32_t i = 0; run->runs && i < run->runs->gap_count; i++)
		add_coverage(profile, run->runs->gaps[i].coverage, run, run->runs->gaps[i].passes);
	if (base != runs)
		add_coverage(profile, COVERAGE_PASS_WITHOUT_GRAPH, run, base->passes);
	for (uint32_t i = 1; base->count && i < count; i++)
		if (!runs[i].count)
			add_coverage(profile, COVERAGE_PASS_NO_TRACE, run, runs[i].passes);
}

/* How long the run for these passes took; 0: not known. */
static double seconds_of(const struct result_run *run, uint32_t passes)
{
	for (uint32_t i = 0; run->runs && i < run->runs->made_count; i++)
		if (run->runs->made[i].passes == passes)
			return run->runs->made[i].seconds;
	return 0;
}

/* The base makes the graph, the others that have traces are joined to it. */
static struct profile *build_from(const struct result_run *run, const struct folder_run *runs,
				  uint32_t count, const struct folder_run *base,
				  struct error *error)
{
	struct build_run *builds = xcalloc(count, sizeof(*builds));
	char **names = xcalloc(count, sizeof(*names));
	struct profile *profile;
	uint32_t used = 0;

	for (const struct folder_run *from = base; from < runs + count; from++) {
		if (from != base && !from->count)
			continue;
		names[used] = pass_names(run->table, from->passes);
		builds[used] = (struct build_run){.folder = from->folder,
						  .passes = names[used],
						  .seconds = seconds_of(run, from->passes)};
		used++;
	}
	profile = build_runs(builds, used, run->analyses, error);
	for (uint32_t i = 0; i < used; i++)
		free(names[i]);
	free(names);
	free(builds);
	return profile;
}

static struct profile *build(const char *folder, const struct result_run *run, struct error *error)
{
	uint32_t count;
	struct folder_run *runs = folder_find_runs(run->table, folder, &count, error);
	const struct folder_run *base;
	struct profile *profile;

	if (!runs) {
		error_prefix(error, "cannot read the folder %s", folder);
		return NULL;
	}
	base = find_base(runs, count);
	profile = build_from(run, runs, count, base, error);
	if (profile)
		add_gaps(profile, run, runs, count, base);
	folder_free_runs(runs, count);
	return profile;
}

struct profile *result_build(const char *folder, const struct result_run *run, struct error *error)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	struct profile *profile;

	folder_release_space(folder);
	profile = build(folder, run, error);
	if (!profile)
		return NULL;
	advice_detect(profile, &options);
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
