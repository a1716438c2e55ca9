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

/* Whether this vflow was built with what the pass needs on the device. */
static bool is_built(const struct pass_provider *provider, const char *libraries)
{
	char *path;
	bool built;

	if (!provider || !provider->library)
		return provider;
	path = xasprintf("%s/%s", libraries, provider->library->name);
	built = access(path, R_OK) == 0;
	free(path);
	return built;
}

/* "on the GPU and on the emulated device: what it gives" */
static void check_pass(const struct pass *pass, const char *libraries)
{
	char *where = xstrdup(""), *missing = xstrdup("");

	for (size_t i = 0; devices[i]; i++) {
		const struct pass_provider *provider = pass_provider(pass, devices[i]);
		char *before = where;

		if (is_built(provider, libraries)) {
			where = xasprintf("%s%s%s", before, *before ? " and " : "",
					  devices[i]->where);
			free(before);
		} else if (provider) {
			free(missing);
			missing = xasprintf("; %s: install %s and build vflow again",
					    devices[i]->where, provider->library->install);
		}
	}
	doctor_line(*missing ? "missing" : "ok", pass->name, "%s: %s%s", where, pass->gives,
		    missing);
	free(where);
	free(missing);
}

static void check_passes(void)
{
	struct error error;
	char *libraries = library_folder(&error);
	int descriptor;

	puts("\nPasses:");
	for (size_t i = 0; libraries && collect_passes[i]; i++)
		check_pass(collect_passes[i], libraries);
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
	if (!HAVE_RSVG)
		doctor_line("missing", "PNG and PDF", "install librsvg2-dev and build vflow again");
	else if (dlopen(RSVG_LIBRARY, RTLD_LAZY))
		doctor_line("ok", "PNG and PDF", "vflow render -T png");
	else
		doctor_line("missing", "PNG and PDF", "install librsvg: %s", dlerror());
	if (HAVE_EDIT)
		doctor_line("ok", "line editing", "vflow query -i");
	else
		doctor_line("missing", "line editing", "install libedit-dev and build vflow again");
}

static int known(int (*run)(struct error *error))
{
	struct error error;

	if (run(&error) == 0)
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

	if (argc == 2 && !strcmp(argv[1], DOCTOR_KNOWN_ANSWER))
		return known(probe_run);
	if (argc == 2 && !strcmp(argv[1], DOCTOR_KNOWN_WAIT))
		return known(probe_run_wait);
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
