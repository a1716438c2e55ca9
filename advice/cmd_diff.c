/* vflow diff: what changed from one run to another. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/advice.h"
#include "advice/cmd.h"
#include "advice/diff/diff.h"
#include "advice/memory/detect.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"
#include "util/progress.h"

static const struct {
	const char *name;
	void (*write)(const struct diff *diff, FILE *out);
} types[] = {
	{"text", diff_text}, {"json", diff_json}, {"markdown", diff_markdown}, {"dot", diff_dot}};

enum { TYPES = sizeof(types) / sizeof(*types) };

/* With its findings, by the defaults of `vflow report` but for such a part of `min_time`; or those
 * of memory. */
static struct profile *read_profile(const struct diff *diff, const char *file, double part,
				    struct error *error)
{
	const struct memory_options memory_options = MEMORY_DEFAULTS;
	struct advice_options options = ADVICE_DEFAULTS;
	struct profile *profile;

	if (diff->of_memory)
		return memory_read(file, &memory_options, error);
	profile = input_timed_profile(file, error);
	options.min_time *= part;
	if (profile && advice_can_detect(profile))
		advice_detect(profile, &options);
	return profile;
}

/* -1: an error. */
static int leave_out_near(struct diff_join *join, const struct diff *diff, struct error *error)
{
	struct profile *before = NULL, *after = NULL;
	int result = -1;

	/* without times nothing is near, and memory is as the calls are, which take no other time
	 */
	if (diff->of_memory || !join->before->timeline_count || !join->after->timeline_count)
		return 0;
	if ((!join->new_findings ||
	     (before = read_profile(diff, diff->before_file, DIFF_NEAR, error))) &&
	    (!join->gone_findings ||
	     (after = read_profile(diff, diff->after_file, DIFF_NEAR, error)))) {
		diff_join_near(join, before, after);
		result = 0;
	}
	profile_free(before);
	profile_free(after);
	return result;
}

static int write_diff(struct diff *diff, size_t type, const char *path, struct error *error)
{
	struct output *output = output_open(path, error);

	if (!output)
		return -1;
	diff_count(diff);
	types[type].write(diff, output_file(output));
	diff_release(diff);
	return output_commit(output, error);
}

int cmd_diff(int argc, char **argv)
{
	const char *output = NULL, *type_name = "text";
	struct diff diff = {.top = 20};
	const struct command_option options[] = {
		{'T', "type", "text|json|markdown|dot",
		 "what to write (default text); dot: both graphs as one", OPTION_TEXT, &type_name},
		{0, "memory", NULL, "compare findings of vflow report --memory instead",
		 OPTION_FLAG, &diff.of_memory},
		{0, "top", "N", "in text and Markdown, rows of each list, 0 for all (default 20)",
		 OPTION_NUMBER, &diff.top},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow diff [--memory] [-T text|json|markdown|dot] [--top N] [-o FILE] "
			 "BEFORE AFTER",
		.summary = "Says which findings are gone, new or still there from one profile to "
			   "another,\n"
			   "which operations are gone, new or did something else, and what that "
			   "gave.",
		.more = "Operations are known by their name and the functions of their call "
			"path, so that\n"
			"the program may have been edited and built again in between.\n\n"
			"  vflow diff before.db after.db\n"
			"  vflow diff --memory before.db after.db\n"
			"  vflow diff -T dot before.db after.db | vflow render -o diff.svg",
		.options = options,
	};
	struct profile *before, *after;
	struct error error;
	size_t type = 0;
	int rest, result = -1, code = options_parse(&help, argc, argv, 2, &rest);

	if (code != OPTIONS_RUN)
		return code;
	if (argc - rest < 2)
		return options_misuse("diff", "expected two profiles, BEFORE and AFTER");
	while (type < TYPES && strcmp(type_name, types[type].name) != 0)
		type++;
	if (type == TYPES)
		return options_misuse("diff", "-T takes text, json, markdown or dot, not '%s'",
				      type_name);
	signal(SIGPIPE, SIG_DFL); /* `vflow diff | head` ends quietly */
	diff.before_file = argv[rest];
	diff.after_file = argv[rest + 1];
	diff.colour = output_wants_colour(output);
	before = read_profile(&diff, diff.before_file, 1, &error);
	after = before ? read_profile(&diff, diff.after_file, 1, &error) : NULL;
	if (after) {
		struct diff_join *join;

		progress("comparing the profiles");
		join = diff_join_new(before, after);
		progress_end();
		diff.join = join;
		result = leave_out_near(join, &diff, &error);
		if (result == 0)
			result = write_diff(&diff, type, output, &error);
		diff_join_free(join);
	}
	profile_free(before);
	profile_free(after);
	if (result != 0)
		fprintf(stderr, "vflow diff: %s\n", error.text);
	return result == 0 ? EXIT_OK : EXIT_FAILED;
}
