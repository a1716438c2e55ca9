/* vflow report: ranked findings with advice. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/cmd.h"
#include "advice/memory/report.h"
#include "advice/report/report.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"

/* `memory`: the report of memory instead; NULL: not.  `json`: that report as JSON. */
static int write_report(const struct report *report, const struct report_memory *memory, bool json,
			const char *path, struct error *error)
{
	struct output *output = output_open(path, error);

	if (!output)
		return -1;
	if (memory)
		(json ? report_memory_json : report_memory_print)(memory, output_file(output));
	else
		report_print(report, output_file(output));
	return output_commit(output, error);
}

static bool parse_rules(const char *name, enum memory_rules *rules)
{
	*rules = !strcmp(name, "artefact") ? MEMORY_RULES_ARTEFACT : MEMORY_RULES_PAPER;
	return *rules == MEMORY_RULES_ARTEFACT || !strcmp(name, "paper");
}

int cmd_report(int argc, char **argv)
{
	struct report report = {.options = ADVICE_DEFAULTS, .top = UINT64_MAX};
	struct report_memory memory = {.options = MEMORY_DEFAULTS};
	const char *output = NULL, *by = "cause", *rules = "paper", *type = "text";
	bool of_memory = false;
	const struct command_option options[] = {
		{0, "redundancy", "FRACTION",
		 "redundant values: this share of unchanged bytes or more (default 0.33)",
		 OPTION_FRACTION, &report.options.redundancy},
		{0, "duplicate-bytes", "SIZE",
		 "duplicate values: objects of more bytes than this (default 1K)", OPTION_SIZE,
		 &report.options.duplicate_bytes},
		{0, "partial-download", "FRACTION",
		 "partial download: at most this share of the pages is touched (default 0.5)",
		 OPTION_FRACTION, &report.options.partial_download},
		{0, "min-bytes", "SIZE", "leave out findings of fewer bytes (default 1K)",
		 OPTION_SIZE, &report.options.min_bytes},
		{0, "min-time", "FRACTION",
		 "leave out findings about less of the run's time (default 0.01)", OPTION_FRACTION,
		 &report.options.min_time},
		{0, "by", "WHAT",
		 "cause: a finding for each line and operation (default); path: for each call path "
		 "and object",
		 OPTION_TEXT, &by},
		{0, "top", "N", "show at most N findings, 0 for all (default 10; with --brief all)",
		 OPTION_NUMBER, &report.top},
		{0, "brief", NULL, "a line for each finding, and nothing else", OPTION_FLAG,
		 &report.brief},
		{0, "memory", NULL,
		 "peaks of allocated memory, and memory that is allocated while nobody needs it",
		 OPTION_FLAG, &of_memory},
		{0, "rules", "RULES",
		 "of memory, what counts as in between: paper, any API call (default), or "
		 "artefact, kernels only",
		 OPTION_TEXT, &rules},
		{0, "idle-calls", "N",
		 "temporary idleness: so many calls between two accesses, or more (default 2)",
		 OPTION_NUMBER, &memory.options.idle_calls},
		{0, "reuse-difference", "FRACTION",
		 "redundant allocation: sizes differ by this much at most (default 0.1)",
		 OPTION_FRACTION, &memory.options.reuse_difference},
		{0, "accessed", "FRACTION",
		 "overallocation: less than this share of an object is accessed (default 0.8)",
		 OPTION_FRACTION, &memory.options.accessed},
		{0, "fragmentation", "FRACTION",
		 "overallocation: what is not accessed is less scattered than this (default 0.8)",
		 OPTION_FRACTION, &memory.options.fragmentation},
		{'T', "type", "TYPE", "of memory: text (default) or json", OPTION_TEXT, &type},
		{'o', "output", "FILE", "write the report there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow report [--redundancy FRACTION] [--duplicate-bytes SIZE] "
			 "[--partial-download FRACTION] [--min-bytes SIZE] [--min-time FRACTION] "
			 "[--by cause|path] [--top N] [--brief] [-o FILE] [FILE]\n"
			 "vflow report --memory [--rules paper|artefact] [--idle-calls N] "
			 "[--reuse-difference FRACTION] [--accessed FRACTION] "
			 "[--fragmentation FRACTION] [--min-bytes SIZE] [--top N] "
			 "[-T text|json] [-o FILE] [FILE]",
		.summary =
			"Says which of the recorded GPU work is superfluous, where it is in the\n"
			"source, and what to do about it: most time saved first where passes time "
			"and\n"
			"waits were made, else most bytes.",
		.more = "FILE is a profile, else $VFLOW_PROFILE, else ./vflow.db; standard input\n"
			"is not read.  vflow-report(1) explains the patterns.\n\n"
			"  vflow report\n"
			"  vflow report --memory\n"
			"  vflow report --redundancy 0.9 --top 3 run.db",
		.options = options,
	};
	struct profile *profile;
	struct error error;
	int rest, result, code = options_parse(&help, argc, argv, 1, &rest);

	if (code != OPTIONS_RUN)
		return code;
	report.options.by_path = !strcmp(by, "path");
	if (!report.options.by_path && strcmp(by, "cause") != 0) {
		fprintf(stderr, "vflow report: --by %s: expected cause or path\n", by);
		return EXIT_MISUSE;
	}
	if (!parse_rules(rules, &memory.options.rules)) {
		fprintf(stderr, "vflow report: --rules %s: expected paper or artefact\n", rules);
		return EXIT_MISUSE;
	}
	if (strcmp(type, "text") && (strcmp(type, "json") || !of_memory))
		return options_misuse("report", "-T takes text, or with --memory json, not '%s'",
				      type);
	if (report.top == UINT64_MAX)
		report.top = report.brief ? 0 : 10;
	signal(SIGPIPE, SIG_DFL); /* `vflow report | head` ends quietly */
	profile = input_timed_profile(argv[rest], &error);
	result = profile ? 0 : -1;
	if (profile) {
		char *thresholds = advice_other_thresholds(profile, &report.options);

		report.thresholds = thresholds;
		report.as_found = !advice_can_detect(profile);
		if (!report.as_found)
			advice_detect(profile, &report.options);
		report.profile = profile;
		report.file = argv[rest];
		report.colour = output_wants_colour(output);
		memory.profile = profile;
		memory.options.min_bytes = report.options.min_bytes;
		memory.top = report.top;
		memory.colour = report.colour;
		result = write_report(&report, of_memory ? &memory : NULL, !strcmp(type, "json"),
				      output, &error);
		free(thresholds);
		profile_free(profile);
	}
	if (result != 0)
		fprintf(stderr, "vflow report: %s\n", error.text);
	return result == 0 ? EXIT_OK : EXIT_FAILED;
}
