/*
 * collect/doctor/known.c: collects programs whose profiles are known beforehand: `vflow doctor`
 * itself, with a word that its help does not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/doctor/doctor.h"
#include "collect/doctor/probe.h"
#include "util/error.h"
#include "util/memory.h"

extern char **environ;

/* As waitpid(2), or -1: it does not end. */
static int await(pid_t child)
{
	const struct timespec interval = {.tv_nsec = 10000000};
	int status;

	for (int i = 0; i < DOCTOR_PATIENCE * 100; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		nanosleep(&interval, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return -1;
}

/* Runs a command; what it says goes to `log`.  Returns as await(). */
static int run(char **argv, const char *log)
{
	posix_spawn_file_actions_t actions;
	int failure;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT, 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	failure = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failure ? -1 : await(child);
}

/* The first line that the run said; "nothing" when it was silent. */
static void read_log(const char *log, struct error *error)
{
	FILE *file = fopen(log, "r");
	char text[512] = "";

	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	error_set(error, "%s", *text ? text : "the program said nothing, or did not end");
}

/* *ran: whether the program did, so that it is the profile that is wrong. */
static struct profile *collect(char **argv, const char *output, const char *log, bool *ran,
			       struct error *error)
{
	struct profile *profile;

	*ran = run(argv, log) == 0;
	if (!*ran) {
		read_log(log, error);
		return NULL;
	}
	profile = profile_read(output, error);
	if (profile && profile_read_events(profile, output, error) != 0) {
		profile_free(profile);
		profile = NULL;
	}
	return profile;
}

/* The profile of `vflow doctor WORD`, with its events; NULL: there is none. */
static struct profile *profile_of(const char *word, const char *device, const char *passes,
				  bool *ran, struct error *error)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = xasprintf("%s/vflow-doctor-XXXXXX", temporary ? temporary : "/tmp");
	char self[PATH_MAX], *output, *log;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct profile *profile;

	*ran = false;
	self[length > 0 ? length : 0] = '\0';
	if (!mkdtemp(folder)) {
		error_set(error, "cannot make %s: %s (set TMPDIR)", folder, strerror(errno));
		free(folder);
		return NULL;
	}
	output = xasprintf("%s/vflow.db", folder);
	log = xasprintf("%s/log", folder);
	profile = collect((char *[]){self, "collect", "--quiet", "--device", (char *)device,
				     "--passes", (char *)passes, "-o", output, "--", self, "doctor",
				     (char *)word, NULL},
			  output, log, ran, error);
	unlink(output);
	unlink(log);
	rmdir(folder);
	free(output);
	free(log);
	free(folder);
	return profile;
}

bool doctor_check_known_answer(const char *device)
{
	struct error error;
	bool ran;
	struct profile *profile = profile_of(DOCTOR_KNOWN_ANSWER, device, "flow", &ran, &error);
	bool good = profile && probe_check(profile, &error) == 0;

	if (good)
		doctor_line("ok", "known answer",
			    "a kernel that wrote %u bytes, %u of them unchanged, was seen so",
			    PROBE_BYTES, PROBE_REDUNDANT);
	else
		doctor_line("broken", "known answer", "%s%s", error.text,
			    ran ? ": please report this" : "");
	profile_free(profile);
	return good;
}

void doctor_check_known_wait(const char *device)
{
	struct error error;
	bool ran;
	struct profile *profile = profile_of(DOCTOR_KNOWN_WAIT, device, "time,waits", &ran, &error);
	uint64_t wait_ns, kernel_ns;

	if (profile && probe_check_wait(profile, &wait_ns, &kernel_ns, &error) == 0)
		doctor_line("ok", "known wait",
			    "for a kernel of %.2f ms, it was seen to take %.2f ms",
			    (double)kernel_ns / 1e6, (double)wait_ns / 1e6);
	else
		doctor_line("missing", "known wait", "%s%s", error.text,
			    ran ? ": do not rely on the pass waits here" : "");
	profile_free(profile);
}
