/*
 * collect/cmd_collect.c: `vflow collect`: runs a program with the guest inside, then builds the
 * profile from the traces.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/cmd.h"
#include "collect/kernel_filter.h"
#include "collect/launch.h"
#include "collect/library.h"
#include "collect/result.h"
#include "collect/target.h"
#include "collect/trace.h"
#include "util/command.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/say.h"
#include "util/text.h"

#define DEFAULT_OUTPUT "vflow.db"

enum device { DEVICE_AUTO, DEVICE_GPU, DEVICE_EMULATED };

struct arguments {
	const char *output, *device_name, *from_trace;
	bool no_duplicates, keep_trace, quiet;
	const char *kernel;
	uint64_t sample_kernels, sample_blocks, memory_limit;
	bool fine;
	enum device device;
	const char *why_emulated; /* what `auto` found */
	char **program;           /* ends with NULL; program[0] is NULL: none */
};

/*
 * "vflow: MESSAGE" on stderr: something the user should know, unless --quiet.  A stderr that nobody
 * reads must not keep the target from running, nor its profile from being written.
 */
__attribute__((format(printf, 2, 3))) static void note(bool quiet, const char *format, ...)
{
	char *text, *line;
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		line = xasprintf("vflow: %s\n", text);
		say(line);
		free(line);
		free(text);
	}
	va_end(args);
}

static int failed(int code, const struct error *error)
{
	char *line = xasprintf("vflow collect: %s\n", error->text);

	say(line);
	free(line);
	return code;
}

static int parse_device(const char *name, enum device *device)
{
	static const char *const names[] = {"auto", "gpu", "emulated"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i])) {
			*device = (enum device)i;
			return 0;
		}
	return -1;
}

/* The options that say what is analysed.  Returns -1 to go on, else an exit code. */
static int check_choice(const struct arguments *a)
{
	struct kernel_filter *filter;
	struct error error;

	if (a->fine)
		return options_misuse("collect", "--fine is not in this version");
	if (!a->sample_kernels || !a->sample_blocks)
		return options_misuse("collect", "--sample-%s is 1 or more",
				      a->sample_kernels ? "blocks" : "kernels");
	if (!a->kernel)
		return -1;
	if (!*a->kernel)
		return options_misuse("collect", "--kernel is empty; '.' means every kernel");
	filter = kernel_filter_new(a->kernel, &error);
	if (!filter)
		return options_misuse("collect", "--kernel: %s", error.text);
	kernel_filter_free(filter);
	return -1;
}

/* Returns -1 to go on, else an exit code. */
static int parse(int argc, char **argv, struct arguments *a)
{
	const struct command_option options[] = {
		{'o', "output", "FILE", "the profile (default " DEFAULT_OUTPUT ")", OPTION_TEXT,
		 &a->output},
		{0, "device", "DEVICE", "auto, gpu or emulated (default auto)", OPTION_TEXT,
		 &a->device_name},
		{0, "no-duplicates", NULL, "do not compare the contents of objects", OPTION_FLAG,
		 &a->no_duplicates},
		{0, "keep-trace", NULL, "keep the raw trace, and say where", OPTION_FLAG,
		 &a->keep_trace},
		{0, "from-trace", "FOLDER", "run nothing: build the profile from a kept trace",
		 OPTION_TEXT, &a->from_trace},
		{'q', "quiet", NULL, "say nothing on stderr but errors", OPTION_FLAG, &a->quiet},
		{0, "kernel", "REGEX", "analyse only kernels whose name matches (default all)",
		 OPTION_TEXT, &a->kernel},
		{0, "sample-kernels", "N",
		 "of each kernel and call path analyse the first launch, then every Nth (default "
		 "1)",
		 OPTION_NUMBER, &a->sample_kernels},
		{0, "sample-blocks", "N",
		 "look at every Nth block only; launches then count as not analysed (default 1: "
		 "all)",
		 OPTION_NUMBER, &a->sample_blocks},
		{0, "fine", NULL, "reserved: not in this version", OPTION_FLAG, &a->fine},
		{0, "memory-limit", "SIZE",
		 "GPU memory for shadows, the rest lies on the host (default what is free); "
		 "emulated: that of the device",
		 OPTION_SIZE, &a->memory_limit},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow collect [OPTIONS] [--] PROGRAM [ARGUMENTS...]",
		.summary = "Runs PROGRAM and records how values flow through its GPU work.",
		.more = "Exit code: PROGRAM's own, 128+N when signal N ended it; 125 when vflow "
			"failed,\n"
			"126 when PROGRAM cannot be executed, 127 when it is not found.\n"
			"An existing FILE is kept as FILE.old.",
		.options = options,
	};
	int rest, code = options_parse(&help, argc, argv, OPTIONS_PROGRAM, &rest);

	if (code != OPTIONS_RUN)
		return code;
	if ((code = check_choice(a)) >= 0)
		return code;
	if (parse_device(a->device_name, &a->device) != 0)
		return options_misuse("collect", "--device is auto, gpu or emulated, not '%s'",
				      a->device_name);
	a->program = argv + rest;
	if (a->from_trace && a->program[0])
		return options_misuse("collect", "--from-trace runs no program: '%s' is too much",
				      a->program[0]);
	if (!a->from_trace && !a->program[0])
		return options_misuse("collect", "no program given");
	return -1;
}

/* The command as one could type it. */
static char *command_line(char **words)
{
	char *line = xstrdup("");

	for (; *words; words++) {
		char *word = text_shell(*words);
		char *longer = xasprintf("%s%s%s", line, *line ? " " : "", word);

		free(word);
		free(line);
		line = longer;
	}
	return line;
}

static void summarize(const struct arguments *a, const struct profile *profile)
{
	const char *set = getenv("VFLOW_PROFILE"); /* what 'vflow report' reads then */
	bool standard = !strcmp(a->output, DEFAULT_OUTPUT) && (!set || !*set);
	unsigned operations = profile->graph->vertex_count - 1; /* without the host */
	char *file = text_shell_file(a->output);

	note(a->quiet, "%u operation%s, %u edge%s, %u finding%s -> %s; see: vflow report%s%s",
	     operations, text_plural(operations, "", "s"), profile->graph->edge_count,
	     text_plural(profile->graph->edge_count, "", "s"), profile->finding_count,
	     text_plural(profile->finding_count, "", "s"), a->output, standard ? "" : " ",
	     standard ? "" : file);
	free(file);
}

/* Why no trace could be read; NULL: there was none, or one could.  Nothing else is known then. */
static const char *why_unread(const struct profile *profile)
{
	for (uint32_t i = 0; !profile->process_count && i < profile->coverage_count; i++)
		if (!coverage_is(profile->coverage[i].id, COVERAGE_NO_TRACE))
			return profile->coverage[i].reason;
	return NULL;
}

static int failed_after_run(const char *folder, const struct error *error)
{
	char *word, *line;

	if (access(folder, F_OK) != 0) /* the target may have removed it */
		return failed(EXIT_VFLOW_FAILED, error);
	word = text_shell(folder);
	line = xasprintf("vflow collect: no profile: %s; the trace is kept: "
			 "vflow collect --from-trace %s -o FILE\n",
			 error->text, word);
	say(line);
	free(line);
	free(word);
	return EXIT_VFLOW_FAILED;
}

/* Builds and writes the profile.  Returns 0 or EXIT_VFLOW_FAILED after saying why. */
static int make_profile(const struct arguments *a, const char *folder, const struct result_run *run)
{
	struct error error;
	struct profile *profile = result_build(folder, run, &error);
	const char *unread = profile ? why_unread(profile) : NULL;
	int result = -1;

	if (unread && a->from_trace)
		error_set(&error, "no trace in %s can be read: %s", folder, unread);
	else if (profile)
		result = result_write(profile, a->output, &error);
	if (result != 0) {
		result = a->from_trace ? failed(EXIT_VFLOW_FAILED, &error)
				       : failed_after_run(folder, &error);
	} else if (!profile->event_count) {
		note(a->quiet, "%s%s; %s holds nothing but the host",
		     unread ? "no CUDA call was recorded: "
		     : profile->process_count
			     ? "CUDA was called, but no allocation, copy, set or kernel was "
			       "seen to end well"
			     : "no CUDA call was seen",
		     unread ? unread : "", a->output);
	} else {
		summarize(a, profile);
	}
	profile_free(profile);
	return result;
}

/*
 * Finds out which device `auto` is, and whether the GPU can be had.  *why: what to say when auto is
 * the emulated device.  0, or an exit code with *error.
 */
static int choose_device(struct arguments *a, const char **why, struct error *error)
{
	char *folder = a->device == DEVICE_EMULATED ? NULL : library_folder(error), *provider;
	bool built, present;

	if (!folder)
		return a->device == DEVICE_EMULATED ? 0 : EXIT_VFLOW_FAILED;
	provider = library_provider(folder);
	built = access(provider, R_OK) == 0;
	present = library_gpu_present();
	if (a->device == DEVICE_AUTO) {
		*why = present ? "this vflow was built without the GPU provider (see 'vflow "
				 "doctor')"
			       : "no GPU found";
		a->device = present && built ? DEVICE_GPU : DEVICE_EMULATED;
	} else if (!built) {
		error_set(error,
			  "--device gpu: %s is missing: install the CUDA toolkit with "
			  "compute-sanitizer and build vflow again, or use --device emulated",
			  provider);
	} else if (!present) {
		error_set(error, "--device gpu: the NVIDIA driver reports no GPU; use --device "
				 "emulated");
	}
	free(provider);
	free(folder);
	return a->device == DEVICE_GPU && !(built && present) ? EXIT_VFLOW_FAILED : 0;
}

/* Whether --device can be had for this target.  0, or an exit code with *error. */
static int check_device(const struct arguments *a, const struct target *target, struct error *error)
{
	if (target->kind == TARGET_32_BIT) {
		error_set(error, "%s is a 32-bit program; vflow follows 64-bit programs only",
			  target->path);
		return EXIT_VFLOW_FAILED;
	}
	if (target->kind == TARGET_STATIC && a->device == DEVICE_EMULATED) {
		error_set(error,
			  "%s is statically linked, so the emulated device cannot be put under "
			  "it: link it dynamically, or use --device gpu on a machine with a GPU",
			  target->path);
		return EXIT_VFLOW_FAILED;
	}
	return 0;
}

/* What the user should know before the target speaks. */
static void announce(const struct arguments *a, const struct target *target)
{
	if (a->why_emulated && a->device == DEVICE_EMULATED)
		note(a->quiet, "%s: %s runs on the emulated device", a->why_emulated,
		     a->program[0]);
	if (a->device == DEVICE_GPU)
		return; /* the driver loads the guest, whatever the program is */
	if (target->kind == TARGET_SCRIPT && target->interpreter_kind == TARGET_STATIC)
		note(a->quiet,
		     "the interpreter %s is statically linked: only dynamic programs that it "
		     "starts are observed",
		     target->interpreter);
	if (target->secure)
		note(a->quiet,
		     "%s runs with another user's rights (set-user-ID or capabilities), so its "
		     "loader ignores vflow: run it as that user",
		     target->path);
}

static int target_code(const struct arguments *a, int status)
{
	int number;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	number = WTERMSIG(status);
	note(a->quiet, "%s was ended by signal %d (%s)", a->program[0], number, strsignal(number));
	return 128 + number;
}

/* From a target that can be run to an exit code. */
static int collect(const struct arguments *a, const struct target *target)
{
	struct result_run run = {.date = (uint64_t)time(NULL)};
	struct launch_environment environment = {.digests = !a->no_duplicates};
	struct error error;
	char *libraries = library_folder(&error), *preload = NULL, *guest = NULL, *folder = NULL;
	int code = EXIT_VFLOW_FAILED, status = 0, built = -1;

	environment.gpu = a->device == DEVICE_GPU;
	if (libraries && !environment.gpu)
		preload = library_preload(libraries, getenv("LD_PRELOAD"), &error);
	if (preload || (libraries && environment.gpu))
		folder = result_make_folder(a->output, &error);
	if (!folder) {
		failed(code, &error);
		goto out;
	}
	guest = xasprintf("%s/libvflow-guest.so", libraries);
	environment.preload = preload;
	environment.guest = guest;
	environment.trace = folder;
	environment.kernel = a->kernel;
	environment.sample_kernels = a->sample_kernels > 1 ? a->sample_kernels : 0;
	environment.sample_blocks = a->sample_blocks > 1 ? a->sample_blocks : 0;
	environment.memory_limit = a->memory_limit;
	announce(a, target);
	fflush(NULL);
	code = launch(target, a->program, &environment, &status, &error);
	if (code) {
		failed(code, &error);
		result_remove_folder(folder);
		goto out;
	}
	code = target_code(a, status);
	run.command = command_line(a->program);
	built = make_profile(a, folder, &run);
	free(run.command);
	if (built != 0)
		code = built;
	else if (a->keep_trace)
		note(a->quiet, "the trace is kept in %s", folder);
	else
		result_remove_folder(folder);
out:
	free(libraries);
	free(preload);
	free(guest);
	free(folder);
	if (!built)
		launch_end_alike(status);
	return code;
}

static int any_trace(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, TRACE_SUFFIX);
}

static int collect_from_trace(const struct arguments *a)
{
	struct result_run run = {0};
	struct dirent **entries;
	struct error error;
	struct stat status;
	int count = scandir(a->from_trace, &entries, any_trace, NULL);

	if (count < 0 || stat(a->from_trace, &status) != 0) {
		error_set(&error, "cannot read the trace folder %s: %s", a->from_trace,
			  strerror(errno));
		return failed(EXIT_VFLOW_FAILED, &error);
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	if (!count) {
		error_set(&error, "%s holds no *" TRACE_SUFFIX " file", a->from_trace);
		return failed(EXIT_VFLOW_FAILED, &error);
	}
	run.date = (uint64_t)status.st_mtime; /* when the last process began or ended */
	return make_profile(a, a->from_trace, &run);
}

int cmd_collect(int argc, char **argv)
{
	struct arguments a = {.output = DEFAULT_OUTPUT,
			      .device_name = "auto",
			      .sample_kernels = 1,
			      .sample_blocks = 1};
	struct target target;
	struct error error;
	int code = parse(argc, argv, &a);

	if (code >= 0)
		return code;
	if (!a.from_trace && (code = target_find(a.program[0], &target, &error)) != 0)
		return failed(code, &error);
	if (result_check_output(a.output, &error) != 0)
		code = failed(EXIT_VFLOW_FAILED, &error);
	else if (a.from_trace)
		code = collect_from_trace(&a);
	else if ((code = choose_device(&a, &a.why_emulated, &error)) != 0 ||
		 (code = check_device(&a, &target, &error)) != 0)
		failed(code, &error);
	else
		code = collect(&a, &target);
	if (!a.from_trace)
		target_release(&target);
	return code;
}
