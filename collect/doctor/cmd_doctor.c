/*
 * collect/doctor/cmd_doctor.c: `vflow doctor`: can programs be collected here, and what is missing
 * for the rest.  Every line that is not "ok" says what to do.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/cmd.h"
#include "collect/device/device.h"
#include "collect/doctor/doctor.h"
#include "collect/library.h"
#include "collect/pass/pass.h"
#include "collect/doctor/probe.h"
#include "collect/result.h"
#include "collect/userfaultfd.h"
#include "util/command.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/options.h"

/* `vflow doctor --known-answer` is the program that `vflow doctor` collects. */
#define KNOWN_ANSWER "--known-answer"

extern char **environ;

void doctor_line(const char *state, const char *what, const char *format, ...)
{
	va_list args;

	printf("  %-8s %-16s ", state, what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static bool loadable(const char *path, const char *after)
{
	/* the library that this one needs, lest another of its name be found */
	void *library = after ? dlopen(after, RTLD_NOW | RTLD_LOCAL) : NULL;

	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (library)
		dlclose(library);
	return library != NULL;
}

/* The libraries are loaded by a child: they are made for other people's processes. */
bool doctor_check_loadable(const char *what, const char *path, const char *after)
{
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		_exit(loadable(path, after) ? 0 : 1);
	if (child > 0)
		waitpid(child, &status, 0);
	if (status == 0)
		doctor_line("ok", what, "%s", path);
	else
		doctor_line("broken", what, "%s cannot be loaded: %s", path,
			    access(path, R_OK) == 0 ? "build vflow again on this machine ('make')"
						    : "it is not there: build it with 'make'");
	return status == 0;
}

/* Runs a command; what it says goes to `log`.  Returns as waitpid(2), or -1. */
static int run(char **argv, const char *log)
{
	posix_spawn_file_actions_t actions;
	int status = -1, failure;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT, 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	failure = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failure)
		return -1;
	waitpid(child, &status, 0);
	return status;
}

/* Runs `vflow collect` on `vflow doctor --known-answer`. */
static int collect_probe(const char *self, const char *device, const char *output, const char *log)
{
	char *argv[] = {(char *)self,   "collect", "--quiet",    "--device", (char *)device, "-o",
			(char *)output, "--",      (char *)self, "doctor",   KNOWN_ANSWER,   NULL};

	return run(argv, log);
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
	error_set(error, "%s", *text ? text : "the program ended and said nothing");
}

bool doctor_check_known_answer(const char *device)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = xasprintf("%s/vflow-doctor-XXXXXX", temporary ? temporary : "/tmp");
	char *output = NULL, *log = NULL, self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct profile *profile = NULL;
	struct error error;
	bool ran = false, good = false;

	self[length > 0 ? length : 0] = '\0';
	if (!mkdtemp(folder)) {
		doctor_line("broken", "known answer", "cannot make %s: %s (set TMPDIR)", folder,
			    strerror(errno));
		free(folder);
		return false;
	}
	output = xasprintf("%s/vflow.db", folder);
	log = xasprintf("%s/log", folder);
	ran = collect_probe(self, device, output, log) == 0;
	if (!ran)
		read_log(log, &error);
	else if ((profile = profile_read(output, &error)))
		good = probe_check(profile, &error) == 0;
	if (good)
		doctor_line("ok", "known answer",
			    "a kernel that wrote %u bytes, %u of them unchanged, was seen so",
			    PROBE_BYTES, PROBE_REDUNDANT);
	else
		doctor_line("broken", "known answer", "%s%s", error.text,
			    ran ? ": please report this" : "");
	profile_free(profile);
	unlink(output);
	unlink(log);
	rmdir(folder);
	free(output);
	free(log);
	free(folder);
	return good;
}

bool doctor_check_output(void)
{
	struct error error;

	if (result_check_output("vflow.db", &error) != 0) {
		doctor_line("broken", "output", "%s", error.text);
		return false;
	}
	doctor_line("ok", "output", "vflow.db can be written in this folder");
	return true;
}

/* What `vflow collect --all` records on the device. */
static void check_all(const struct device *device, const char *libraries)
{
	uint32_t missing;
	char *made =
		pass_names(collect_passes, pass_all(collect_passes, device, libraries, &missing));
	char *left_out = pass_names(collect_passes, missing);

	doctor_line(missing ? "missing" : "ok", "--all", "%s: %s%s%s", device->where,
		    *made ? made : "nothing", missing ? "; this vflow was built without " : "",
		    left_out);
	free(left_out);
	free(made);
}

static void check_passes(void)
{
	struct error error;
	char *libraries = library_folder(&error);
	int descriptor;

	puts("\nPasses:");
	for (size_t i = 0; libraries && devices[i]; i++)
		check_all(devices[i], libraries);
	free(libraries);
	descriptor = userfaultfd_open(&error);
	if (descriptor >= 0) {
		close(descriptor);
		doctor_line("ok", "userfaultfd", "pass use can watch memory");
	} else {
		doctor_line("missing", "userfaultfd", "pass use measures nothing: %s", error.text);
	}
}

static void check_optional(void)
{
	if (HAVE_RSVG)
		doctor_line("ok", "PNG and PDF", "vflow render -T png");
	else
		doctor_line("missing", "PNG and PDF", "install librsvg2-dev and build vflow again");
	if (HAVE_EDIT)
		doctor_line("ok", "line editing", "vflow query -i");
	else
		doctor_line("missing", "line editing", "install libedit-dev and build vflow again");
}

static int known_answer(void)
{
	struct error error;

	if (probe_run(&error) == 0)
		return EXIT_OK;
	fprintf(stderr, "vflow doctor: %s\n", error.text);
	return EXIT_FAILED;
}

/*
 * A section for each device, the one that needs least first: `auto` tries them the other way round.
 * *where: those that are here, "on the GPU and on the emulated device"; caller frees.
 */
static bool check_devices(char **where)
{
	bool good = true, here;
	size_t count = 0, found = 0;

	*where = xstrdup("");
	while (devices[count])
		count++;
	for (size_t i = count; i > 0; i--) {
		const struct device *device = devices[i - 1];
		char *before = *where;

		if (i < count)
			putchar('\n');
		good = device->doctor(&here) && good;
		if (!here)
			continue;
		*where = xasprintf("%s%s%s", device->where, found ? " and " : "", before);
		free(before);
		found++;
	}
	if (found == 1) {
		char *only = xasprintf("%s only", *where);

		free(*where);
		*where = only;
	}
	return good;
}

int cmd_doctor(int argc, char **argv)
{
	const struct command_option options[] = {{0}};
	const struct command_help help = {
		.usage = "vflow doctor",
		.summary =
			"Checks that this machine can collect and draw, and says what is missing.",
		.more = "Exit code: 0 when programs can be collected here, else 1.",
		.options = options,
	};
	int operand, code;
	char *where;
	bool good;

	if (argc == 2 && !strcmp(argv[1], KNOWN_ANSWER))
		return known_answer();
	code = options_parse(&help, argc, argv, 0, &operand);
	if (code != OPTIONS_RUN)
		return code;
	good = check_devices(&where);
	check_passes();
	puts("\nDrawing:");
	doctor_line("ok", "SVG and DOT", "vflow render");
	check_optional();
	if (good)
		printf("\nPrograms can be collected here, %s.\n", where);
	else
		puts("\nPrograms cannot be collected here: see the lines marked broken.");
	free(where);
	return good ? EXIT_OK : EXIT_FAILED;
}
