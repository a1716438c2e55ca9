/*
 * collect/cmd_collect.c: `vflow collect`: runs a program with the guest inside, then builds the
 * profile from the traces.
 */
#include "collect/cmd_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/cmd.h"
#include "collect/device/device.h"
#include "collect/folder.h"
#include "collect/launch.h"
#include "collect/library.h"
#include "collect/leftovers.h"
#include "collect/note.h"
#include "collect/pass/options.h"
#include "collect/result.h"
#include "collect/runs.h"
#include "collect/target.h"
#include "collect/trace.h"
#include "util/command.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/progress.h"
#include "util/say.h"
#include "util/text.h"

#define DEFAULT_OUTPUT "vflow.db"
#define DEFAULT_PASSES "flow"

enum { PASSES_SIZE = 512 };

struct arguments {
	const struct pass *const *table;
	const struct build_analysis *const *analyses;
	const char *output, *device_name, *pass_list, *from_trace, *budget_text;
	bool keep_trace, quiet, all;
	struct budget budget;
	struct pass_setting *settings; /* of the options of passes */
	uint32_t setting_count;
	uint32_t passes;
	char **program; /* ends with NULL; program[0] is NULL: none */
};

/* "flow|time|...,..": a list of some; returns `text`. */
static const char *passes_argument(const struct pass *const *table, char text[PASSES_SIZE])
{
	const char *names[32]; /* a table has no more rows */
	uint32_t count = 0;

	for (; table[count] && count < 32; count++)
		names[count] = table[count]->name;
	text_alternatives(names, count, text, PASSES_SIZE - 3);
	return strcat(text, ",..");
}

/* The options of the command, then those of passes, then an empty row.  Caller frees. */
static struct command_option *option_rows(struct arguments *a, const char *devices,
					  const char *passes)
{
	const struct command_option own[] = {
		{'o', "output", "FILE", "the profile (default " DEFAULT_OUTPUT ")", OPTION_TEXT,
		 &a->output},
		{0, "device", devices, "where the GPU work runs (default auto)", OPTION_TEXT,
		 &a->device_name},
		{0, "passes", passes, "what is recorded, see below (default " DEFAULT_PASSES ")",
		 OPTION_TEXT, &a->pass_list},
		{0, "all", NULL, "all passes that can be made here, in the order that suits them",
		 OPTION_FLAG, &a->all},
		{0, "budget", "LIMIT",
		 "with --all: how long the program may run in all: 90s, 5m, 2h, or 10x the first "
		 "run",
		 OPTION_TEXT, &a->budget_text},
		{0, "keep-trace", NULL, "keep the raw trace, and say where", OPTION_FLAG,
		 &a->keep_trace},
		{0, "from-trace", "FOLDER", "run nothing: build the profile from a kept trace",
		 OPTION_TEXT, &a->from_trace},
		{'q', "quiet", NULL, "say nothing on stderr but errors", OPTION_FLAG, &a->quiet},
	};
	size_t count = sizeof(own) / sizeof(*own);
	struct command_option *rows = xcalloc(count + a->setting_count + 1, sizeof(*rows));

	memcpy(rows, own, sizeof(own));
	for (uint32_t i = 0; i < a->setting_count; i++)
		rows[count + i] = pass_setting_row(&a->settings[i]);
	return rows;
}

static char *more_help(const struct pass *const *table)
{
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	fputs("passes:\n", out);
	for (; *table; table++)
		fprintf(out, "  %-28s  %s\n", (*table)->name, (*table)->gives);
	fputs("\nExit code: PROGRAM's own, 128+N when signal N ended it; 125 when vflow failed,\n"
	      "126 when PROGRAM cannot be executed, 127 when it is not found.\n"
	      "An existing profile is kept as FILE.old.",
	      out);
	fclose(out);
	return text;
}

/* Whether the options make sense together.  Returns -1 to go on, else an exit code. */
static int check_arguments(struct arguments *a)
{
	struct error error;

	if (a->all && a->pass_list)
		return options_misuse("collect", "--all and --passes exclude each other");
	if (a->budget_text && !a->all)
		return options_misuse("collect", "--budget is of --all");
	if (a->budget_text && budget_parse(a->budget_text, &a->budget, &error) != 0)
		return options_misuse("collect", "%s", error.text);
	if (!a->pass_list)
		a->pass_list = DEFAULT_PASSES;
	if (pass_parse(a->table, a->pass_list, &a->passes, &error) != 0 ||
	    pass_settings_check(a->table, a->all ? UINT32_MAX : a->passes, a->settings,
				a->setting_count, &error) != 0)
		return options_misuse("collect", "%s", error.text);
	if (strcmp(a->device_name, "auto") != 0 && !device_find(a->device_name)) {
		char *names = device_names();
		int code = options_misuse("collect", "--device is %s, not '%s'", names,
					  a->device_name);

		free(names);
		return code;
	}
	if (a->from_trace && a->program[0])
		return options_misuse("collect", "--from-trace runs no program: '%s' is too much",
				      a->program[0]);
	if (!a->from_trace && !a->program[0])
		return options_misuse("collect", "no program given");
	return -1;
}

/* Returns -1 to go on, else an exit code. */
static int parse(int argc, char **argv, struct arguments *a)
{
	char *names = device_names(), *more = more_help(a->table), passes[PASSES_SIZE];
	struct command_option *options = option_rows(a, names, passes_argument(a->table, passes));
	const struct command_help help = {
		.usage = "vflow collect [OPTIONS] [--] PROGRAM [ARGUMENTS...]",
		.summary = "Runs PROGRAM on an NVIDIA GPU or, where there is none, on an emulated "
			   "device (CUDA on\n"
			   "the CPU), and records how values flow through its GPU work: "
			   "vflow-collect(1).",
		.more = more,
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, OPTIONS_PROGRAM, &operand);

	free(options);
	free(more);
	free(names);
	if (code != OPTIONS_RUN)
		return code;
	a->program = argv + operand;
	return check_arguments(a);
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
		if (!coverage_is(profile->coverage[i].id, COVERAGE_NO_TRACE) &&
		    !coverage_is(profile->coverage[i].id, COVERAGE_PROCESS_UNREACHED))
			return profile->coverage[i].reason;
	return NULL;
}

/* The first program that was started without the guest, in words; NULL: none. */
static const char *why_unreached(const struct profile *profile)
{
	const struct profile_coverage *row =
		profile_find_coverage(profile, COVERAGE_PROCESS_UNREACHED);

	return row ? row->reason : NULL;
}

static int failed_after_run(const char *folder, const struct error *error)
{
	char *word, *line;

	if (access(folder, F_OK) != 0) /* the target may have removed it */
		return note_failure(EXIT_VFLOW_FAILED, error);
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
	struct profile *profile;
	const char *unread;
	int result = -1;

	if (!a->quiet)
		progress("building the profile");
	profile = result_build(folder, run, &error);
	unread = profile ? why_unread(profile) : NULL;
	if (unread && a->from_trace)
		error_set(&error, "no trace in %s can be read: %s", folder, unread);
	else if (profile)
		result = result_write(profile, a->output, &error);
	progress_end();
	if (result != 0) {
		result = a->from_trace ? note_failure(EXIT_VFLOW_FAILED, &error)
				       : failed_after_run(folder, &error);
	} else if (!profile->event_count && !unread && why_unreached(profile)) {
		note(a->quiet, "no CUDA call was seen: %s; %s holds nothing but the host",
		     why_unreached(profile), a->output);
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

/* Whether the target can be observed on the device: 0 or -1. */
static int check_target(const struct target *target, const struct device *device,
			struct error *error)
{
	if (target->kind == TARGET_32_BIT)
		return error_set(error,
				 "%s is a 32-bit program; vflow follows 64-bit programs only",
				 target->path);
	if (target->kind == TARGET_STATIC && device->preloaded)
		return error_set(error, "%s is statically linked, so %s", target->path,
				 device->static_refusal);
	return 0;
}

/* What the user should know before the target speaks.  `why`: see pass_device(). */
static void announce(const struct arguments *a, const struct target *target,
		     const struct device *device, const char *why)
{
	if (why)
		note(a->quiet, "%s: %s runs %s", why, a->program[0], device->where);
	if (!device->preloaded)
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

/* Runs the target for all passes and makes the profile.  Returns an exit code. */
static int collect(const struct arguments *a, const struct runs_plan *plan, const char *why)
{
	struct runs_result runs = {0};
	struct result_run run = {.date = (uint64_t)time(NULL),
				 .table = a->table,
				 .analyses = a->analyses,
				 .runs = &runs};
	struct error error;
	char *folder;
	int code = EXIT_VFLOW_FAILED, built = -1;

	leftovers_clear(a->table, a->output, a->quiet);
	if (result_lock(a->output, &error) != 0)
		return note_failure(code, &error);
	folder = result_make_folder(a->output, &error);
	if (!folder)
		return note_failure(code, &error);
	announce(a, plan->target, plan->device, why);
	code = runs_make(plan, folder, &runs, &error);
	if (code) {
		note_failure(code, &error);
		folder_remove(a->table, folder);
		free(folder);
		return code;
	}
	code = runs.code;
	run.command = command_line(a->program);
	built = make_profile(a, folder, &run);
	free(run.command);
	if (built != 0)
		code = built;
	else if (a->keep_trace)
		note(a->quiet, "the trace is kept in %s", folder);
	else
		folder_remove(a->table, folder);
	free(folder);
	if (!built)
		launch_end_alike(runs.status);
	runs_release(&runs);
	return code;
}

/* Chooses the device, then collects.  Returns an exit code. */
static int collect_on_device(const struct arguments *a, const struct target *target)
{
	struct error error;
	char *libraries = library_folder(&error), *why = NULL;
	struct runs_plan plan = {
		.table = a->table,
		.passes = a->passes,
		.settings = a->settings,
		.setting_count = a->setting_count,
		.libraries = libraries,
		.target = target,
		.program = a->program,
		.quiet = a->quiet,
		.all = a->all,
		.budget = a->budget,
	};
	int code;

	if (libraries)
		plan.device = pass_device(a->table, a->passes, devices, a->device_name, libraries,
					  &why, &error);
	if (plan.device && a->all)
		plan.passes = pass_all(a->table, plan.device, libraries, &plan.missing);
	if (!plan.device || check_target(target, plan.device, &error) != 0 ||
	    runs_check_input(&plan, &error) != 0)
		code = note_failure(EXIT_VFLOW_FAILED, &error);
	else
		code = collect(a, &plan, why);
	free(libraries);
	free(why);
	return code;
}

static int collect_from_trace(const struct arguments *a)
{
	struct result_run run = {.table = a->table, .analyses = a->analyses};
	uint32_t count, traces = 0;
	struct error error;
	struct stat status;
	struct folder_run *runs = folder_find_runs(a->table, a->from_trace, &count, &error);

	if (!runs) {
		error_prefix(&error, "cannot read the trace folder %s", a->from_trace);
		return note_failure(EXIT_VFLOW_FAILED, &error);
	}
	for (uint32_t i = 0; i < count; i++)
		traces += runs[i].count;
	folder_free_runs(runs, count);
	if (!traces) {
		error_set(&error, "%s holds no *" TRACE_SUFFIX " file", a->from_trace);
		return note_failure(EXIT_VFLOW_FAILED, &error);
	}
	if (stat(a->from_trace, &status) == 0)
		run.date = (uint64_t)status.st_mtime; /* when the last process began or ended */
	if (result_lock(a->output, &error) != 0)
		return note_failure(EXIT_VFLOW_FAILED, &error);
	return make_profile(a, a->from_trace, &run);
}

int collect_with_passes(const struct pass *const *table,
			const struct build_analysis *const *analyses, int argc, char **argv)
{
	struct arguments a = {
		.table = table,
		.analyses = analyses,
		.output = DEFAULT_OUTPUT,
		.device_name = "auto",
	};
	struct target target = {0};
	struct error error;
	int code;

	a.settings = pass_settings(table, &a.setting_count);
	code = parse(argc, argv, &a);
	if (code >= 0)
		goto out;
	if (!a.from_trace && (code = target_find(a.program[0], &target, &error)) != 0)
		note_failure(code, &error);
	else if (result_check_output(a.output, &error) != 0)
		code = note_failure(EXIT_VFLOW_FAILED, &error);
	else if (a.from_trace)
		code = collect_from_trace(&a);
	else
		code = collect_on_device(&a, &target);
	folder_unlock(a.output);
	target_release(&target);
out:
	free(a.settings);
	return code;
}

int cmd_collect(int argc, char **argv)
{
	return collect_with_passes(collect_passes, build_analyses, argc, argv);
}
