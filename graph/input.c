#include "graph/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/dot.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/progress.h"

#define DEFAULT_PROFILE "vflow.db"
#define STDIN_PATH "/dev/stdin"
#define READING "reading the profile"

struct input {
	char *name; /* for messages */
	char *path; /* of a profile */
	FILE *dot;  /* NULL: a profile */
	struct profile *profile;
	uint64_t graphs; /* read so far */
	bool from_stdin;
};

static struct profile *read_profile(const char *path, struct error *error)
{
	struct profile *profile;

	progress(READING);
	profile = profile_read(path, error);
	progress_end();
	return profile;
}

static int read_events(struct profile *profile, const char *path, struct error *error)
{
	int result;

	progress(READING);
	result = profile_read_events(profile, path, error);
	progress_end();
	return result;
}

/* What comes through a pipe takes as long as whoever writes it. */
static int read_dot(struct input *input, struct graph **graph, struct error *error)
{
	int result;

	if (!input->from_stdin)
		progress("reading the graph");
	result = dot_read(input->dot, input->name, graph, error);
	progress_end();
	return result;
}

static int open_profile(struct input *input, const char *path, struct error *error)
{
	input->path = xstrdup(path);
	input->profile = read_profile(path, error);
	return input->profile ? 0 : -1;
}

static int open_stdin(struct input *input, struct error *error)
{
	struct stat status;
	int first, second;

	input->name = xstrdup("standard input");
	input->from_stdin = true;
	if (fstat(STDIN_FILENO, &status) != 0)
		return error_set(error, "cannot read standard input: %s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return error_set(error, "cannot read standard input: it is a folder");
	if (S_ISREG(status.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 &&
	    profile_is_profile(STDIN_PATH))
		return open_profile(input, STDIN_PATH, error);
	input->dot = stdin;
	output_spare(STDIN_FILENO);
	first = getc(stdin);
	second = getc(stdin);
	/* "SQLite format 3"; glibc takes back what was just read */
	if (first == 'S' && second == 'Q')
		return error_set(error, "standard input is a profile: it cannot come through a "
					"pipe, name the file");
	if (second != EOF)
		ungetc(second, stdin);
	if (first != EOF)
		ungetc(first, stdin);
	return 0;
}

static int open_file(struct input *input, const char *path, struct error *error)
{
	struct stat status;

	input->name = xstrdup(path);
	if (stat(path, &status) != 0)
		return error_set(error, "cannot read %s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return error_set(error, "cannot read %s: it is a folder", path);
	if (S_ISREG(status.st_mode) && profile_is_profile(path))
		return open_profile(input, path, error);
	input->dot = fopen(path, "re");
	if (!input->dot)
		return error_set(error, "cannot read %s: %s", path, strerror(errno));
	output_spare(fileno(input->dot));
	return 0;
}

/* $VFLOW_PROFILE or ./vflow.db, when it is there. */
static const char *default_path(struct error *error)
{
	const char *path = getenv("VFLOW_PROFILE");

	if (path && *path)
		return path;
	if (access(DEFAULT_PROFILE, F_OK) == 0)
		return DEFAULT_PROFILE;
	error_set(error, "no profile: there is no ./" DEFAULT_PROFILE
			 ": run 'vflow collect PROGRAM' or name a file");
	return NULL;
}

static bool stdin_has_input(void)
{
	struct stat status;

	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

struct input *input_open(const char *file, bool use_stdin, struct error *error)
{
	struct input *input = xcalloc(1, sizeof(*input));
	int result;

	if (use_stdin && ((file && !strcmp(file, "-")) || (!file && stdin_has_input()))) {
		result = open_stdin(input, error);
	} else {
		const char *path = file ? file : default_path(error);

		result = path ? open_file(input, path, error) : -1;
	}
	if (result == 0)
		return input;
	input_close(input);
	return NULL;
}

int input_next(struct input *input, struct graph **graph, struct error *error)
{
	int result;

	*graph = NULL;
	if (input->dot) {
		result = read_dot(input, graph, error);
	} else {
		result = input->profile && input->profile->graph;
		if (result) {
			*graph = input->profile->graph;
			input->profile->graph = NULL;
		}
	}
	input->graphs += result == 1;
	if (result == 0 && !input->graphs)
		return error_set(error,
				 input->from_stdin
					 ? "%s held no graph: the command before this one may have "
					   "failed; or name a profile"
					 : "%s holds no graph: expected a profile or DOT",
				 input->name);
	return result;
}

int input_read_events(struct input *input, struct error *error)
{
	if (!input->profile)
		return error_set(error, "%s is DOT, which has no events: name a profile",
				 input->name);
	return read_events(input->profile, input->path, error);
}

int input_read_events_late(struct input *input, struct graph *graph, struct error *error)
{
	int result;

	input->profile->graph = graph;
	result = input_read_events(input, error);
	input->profile->graph = NULL;
	return result;
}

const struct profile *input_run(const struct input *input)
{
	return input->profile;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->dot) {
		dot_read_end();
		if (input->dot != stdin)
			fclose(input->dot);
	}
	profile_free(input->profile);
	free(input->name);
	free(input->path);
	free(input);
}

struct profile *input_profile(const char *file, struct error *error)
{
	const char *path = file ? file : default_path(error);

	return path ? read_profile(path, error) : NULL;
}

struct profile *input_profile_events(const char *file, struct error *error)
{
	const char *path = file ? file : default_path(error);
	struct profile *profile = path ? read_profile(path, error) : NULL;

	if (profile && read_events(profile, path, error) != 0) {
		profile_free(profile);
		return NULL;
	}
	return profile;
}

struct profile *input_timed_profile(const char *file, struct error *error)
{
	const char *path = file ? file : default_path(error);
	struct profile *profile = path ? read_profile(path, error) : NULL;

	if (!profile || !profile->api_count || read_events(profile, path, error) == 0)
		return profile;
	profile_free(profile);
	return NULL;
}
