/* vflow report: ranked findings with advice. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/cmd.h"
#include "advice/diff/join.h"
#include "advice/lines/lines.h"
#include "advice/memory/detect.h"
#include "advice/memory/report.h"
#include "advice/report/gate.h"
#include "advice/report/report.h"
#include "advice/report/worth.h"
#include "advice/stall/lines.h"
#include "advice/stall/report.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/output.h"
#include "util/progress.h"
#include "util/text.h"

enum { EXIT_ABOVE = 3 }; /* of --fail-above */

static const struct {
	const char *name;
	void (*print)(const struct report *report, FILE *out);
	uint64_t top; /* findings, unless --top says how many; 0: all */
} types[] = {
	{"text", report_text, 10},     {"json", report_json, 0},         {"sarif", report_sarif, 0},
	{"github", report_github, 10}, {"markdown", report_markdown, 0},
};

enum { TYPES = sizeof(types) / sizeof(*types) };

/* What the options ask for. */
struct request {
	const char *output, *by, *rules, *type, *fail_above, *fail_at_most, *baseline,
		*suppressions;
	const char *lines; /* names of kernels; NULL: not of lines */
	size_t form;       /* index into types */
	bool of_memory, of_stalls;
	struct gate gate;
};

/* Where kernels wait, of a profile that is read once more with its events. */
static int write_stalls(const struct report *report, const struct request *request,
			struct error *error)
{
	struct report_stalls stalls = {.top = report->top, .colour = report->colour};
	struct profile *profile = input_profile_events(report->file, error);
	struct stall_kernels *kernels;
	struct replay *replay;
	struct output *output;
	struct error ignored;
	int result = -1;

	if (!profile)
		return -1;
	if (report_stalls_check(profile, error) == 0 &&
	    (output = output_open(request->output, error))) {
		progress("reading machine code");
		replay = profile->timeline_count ? replay_new(profile, &ignored) : NULL;
		stalls.profile = profile;
		stalls.replay = replay;
		stalls.kernels = kernels = stall_kernels_read(profile);
		progress_end();
		result = 0;
		if (request->lines)
			result = stall_lines_print(&stalls, request->lines, output_file(output),
						   error);
		else
			(request->form == 1 ? report_stalls_json
					    : report_stalls_print)(&stalls, output_file(output));
		if (result == 0)
			result = output_commit(output, error);
		else
			output_discard(output);
		stall_kernels_free(kernels);
		replay_free(replay);
	}
	profile_free(profile);
	return result;
}

static int write_lines(const struct profile *profile, const struct request *request, bool colour,
		       struct error *error)
{
	struct line_notes notes = {0};
	struct output *output = NULL;

	if (line_notes_find(profile, request->lines, &notes, error) == 0)
		output = output_open(request->output, error);
	if (output && request->form)
		lines_json(profile, &notes, output_file(output));
	else if (output)
		lines_print(profile, &notes, colour, output_file(output));
	line_notes_release(&notes);
	return output ? output_commit(output, error) : -1;
}

/* `memory`: of --memory. */
static int write_findings(const struct report *report, const struct report_memory *memory,
			  const struct request *request, struct error *error)
{
	struct output *output = output_open(request->output, error);

	if (!output)
		return -1;
	if (report->of_memory && request->form < 2)
		(request->form ? report_memory_json : report_memory_print)(memory,
									   output_file(output));
	else
		types[request->form].print(report, output_file(output));
	return output_commit(output, error);
}

/* With its findings, by the same options; NULL: an error. */
static struct profile *baseline_profile(const struct report *report,
					const struct report_memory *memory, const char *file,
					struct error *error)
{
	struct advice_options options = report->options;
	struct profile *before;

	if (report->of_memory)
		return memory_read(file, &memory->options, error);
	before = input_timed_profile(file, error);
	options.left_out = NULL;
	options.min_time *= DIFF_NEAR; /* as vflow diff does */
	if (before && advice_can_detect(before))
		advice_detect(before, &options);
	return before;
}

/* Of each finding whether it is not in the baseline.  Caller frees; NULL: an error. */
static bool *read_baseline(const struct report *report, const struct report_memory *memory,
			   const char *file, struct error *error)
{
	const struct profile *profile = report->profile;
	struct profile *before = baseline_profile(report, memory, file, error);
	struct diff_join *join;
	bool *fresh;

	if (!before)
		return NULL;
	join = diff_join_new(before, profile);
	fresh = xcalloc((size_t)profile->finding_count + 1, sizeof(*fresh));
	for (uint32_t i = 0; i < join->new_findings; i++)
		fresh[join->findings[join->joined_findings + join->gone_findings + i].after] = true;
	diff_join_free(join);
	profile_free(before);
	return fresh;
}

/* Of each finding whether it makes the command fail.  Caller frees. */
static bool *find_failing(const struct report *report, const struct gate *gate)
{
	const struct profile *profile = report->profile;
	bool *fails = xcalloc((size_t)profile->finding_count + 1, sizeof(*fails));

	for (uint32_t f = 0; f < profile->finding_count; f++)
		fails[f] = !report_suppression(report, f) && !report_is_note(report, f) &&
			   (!report->fresh || report->fresh[f]) &&
			   gate_is_above(gate, &profile->findings[f]);
	return fails;
}

/* "vflow report: 2 findings above 1M, new since base.db: 1, 3"; whether there are any. */
static bool tell_failing(const struct report *report, const struct request *request)
{
	uint32_t count = 0, told = 0;

	for (uint32_t f = 0; report->fails && f < report->profile->finding_count; f++)
		count += report->fails[f];
	if (!count)
		return false;
	fprintf(stderr, "vflow report: %" PRIu32 " finding%s above %s%s%s:", count,
		text_plural(count, "", "s"), request->fail_above,
		request->baseline ? ", not in " : "", request->baseline ? request->baseline : "");
	for (uint32_t f = 0; f < report->profile->finding_count && told < 10; f++)
		if (report->fails[f])
			fprintf(stderr, "%s %" PRIu32, told++ ? "," : "", f + 1);
	fprintf(stderr, "%s\n", told < count ? ", ..." : "");
	return true;
}

static void warn_of_unused(const struct suppressions *suppressions)
{
	for (uint32_t i = 0; i < suppressions->count; i++)
		if (!suppressions->items[i].used)
			fprintf(stderr,
				"vflow report: %s:%" PRIu32 ": this block suppresses no finding\n",
				suppressions->file, suppressions->items[i].line);
}

/* What they save together is of the others: for struct advice_options. */
static bool *are_suppressed(const struct profile *profile, void *data)
{
	struct finding_id *ids = finding_ids(profile);
	const struct suppression **suppressed = suppressions_apply(data, profile, ids);
	bool *are = xcalloc((size_t)profile->finding_count + 1, sizeof(*are));

	for (uint32_t f = 0; f < profile->finding_count; f++)
		are[f] = suppressed[f];
	free(suppressed);
	free(ids);
	return are;
}

/* Returns an exit code, or -1 with an error. */
static int report_findings(struct report *report, const struct report_memory *memory,
			   const struct request *request, struct suppressions *suppressions,
			   struct error *error)
{
	struct finding_id *ids = finding_ids(report->profile);
	const struct suppression **suppressed = NULL;
	bool *fresh = NULL, *fails = NULL;
	int result = 0;

	report->ids = ids;
	if (request->baseline) {
		fresh = read_baseline(report, memory, request->baseline, error);
		result = fresh ? 0 : -1;
	}
	if (result == 0) {
		suppressed = suppressions_apply(suppressions, report->profile, ids);
		report->suppressed = suppressed;
		report->fresh = fresh;
		fails = request->fail_above ? find_failing(report, &request->gate) : NULL;
		report->fails = fails;
		result = write_findings(report, memory, request, error);
	}
	if (result == 0) {
		warn_of_unused(suppressions);
		result = tell_failing(report, request) ? EXIT_ABOVE : EXIT_OK;
	}
	free(suppressed);
	free(ids);
	free(fresh);
	free(fails);
	return result;
}

static bool parse_rules(const char *name, enum memory_rules *rules)
{
	*rules = !strcmp(name, "artefact") ? MEMORY_RULES_ARTEFACT : MEMORY_RULES_PAPER;
	return *rules == MEMORY_RULES_ARTEFACT || !strcmp(name, "paper");
}

/* OPTIONS_RUN, or the exit code after a line on stderr. */
static int check(struct request *request, struct report *report, struct report_memory *memory)
{
	report->options.by_path = !strcmp(request->by, "path");
	if (!report->options.by_path && strcmp(request->by, "cause") != 0)
		return options_misuse("report", "--by %s: expected cause or path", request->by);
	if (!parse_rules(request->rules, &memory->options.rules))
		return options_misuse("report", "--rules %s: expected paper or artefact",
				      request->rules);
	while (request->form < TYPES && strcmp(request->type, types[request->form].name) != 0)
		request->form++;
	if (request->form == TYPES)
		return options_misuse("report",
				      "-T takes text, json, sarif, github or markdown, not '%s'",
				      request->type);
	if (request->lines && request->of_stalls && request->form)
		return options_misuse("report", "--lines of --stalls is text");
	if (request->of_memory && request->of_stalls)
		return options_misuse("report", "--memory and --stalls exclude each other");
	if (request->of_stalls && request->form > 1)
		return options_misuse("report", "--stalls has -T text or json, not '%s'",
				      request->type);
	if (report->brief && (request->of_memory || request->of_stalls))
		return options_misuse("report", "--brief is of findings, not of --%s",
				      request->of_memory ? "memory" : "stalls");
	if (report->brief && request->form)
		return options_misuse("report", "--brief is of text, not of -T %s", request->type);
	if (request->lines && (request->of_memory || report->brief || request->form > 1))
		return options_misuse("report", "--lines has -T text or json, and no other kind of "
						"report beside it but --stalls");
	if ((request->of_stalls || request->lines) &&
	    (request->fail_above || request->fail_at_most || request->baseline ||
	     request->suppressions))
		return options_misuse("report",
				      "--fail-above, --fail-at-most, --baseline and --suppressions "
				      "are not of --%s",
				      request->lines ? "lines" : "stalls");
	if (request->fail_above && request->fail_at_most)
		return options_misuse("report",
				      "--fail-above and --fail-at-most exclude each other");
	if (request->fail_at_most) {
		request->gate.at_most = true;
		request->fail_above = request->fail_at_most;
	}
	if (request->fail_above && (gate_parse(request->fail_above, &request->gate) != 0 ||
				    (request->fail_at_most && !request->gate.is_time)))
		return options_misuse("report", "--%s %s: expected %sa time (1.5ms)",
				      request->fail_at_most ? "fail-at-most" : "fail-above",
				      request->fail_above,
				      request->fail_at_most ? "" : "bytes (64K) or ");
	if (request->of_memory && request->fail_above && request->gate.is_time)
		return options_misuse("report", "--fail-%s %s: findings of memory save bytes (64K)",
				      request->gate.at_most ? "at-most" : "above",
				      request->fail_above);
	if (report->top == UINT64_MAX)
		report->top = report->brief ? 0 : types[request->form].top;
	report->of_memory = request->of_memory;
	memory->options.min_bytes = report->options.min_bytes;
	report->colour = memory->colour = output_wants_colour(request->output);
	return OPTIONS_RUN;
}

/* A limit of time cannot be held against a profile that does not know what findings save. */
static int check_times(const struct request *request, const struct profile *profile,
		       struct error *error)
{
	if (!request->fail_above || !request->gate.is_time || !profile->finding_count ||
	    profile->timeline_count || report_run_ns(profile) != PROFILE_UNKNOWN)
		return 0;
	return error_set(error,
			 "--%s %s: the profile does not say what findings save: collect "
			 "it with --passes flow,time,waits",
			 request->fail_at_most ? "fail-at-most" : "fail-above",
			 request->fail_above);
}

static int run(const struct request *request, struct report *report, struct report_memory *memory,
	       const char *file)
{
	struct suppressions suppressions = {0};
	struct error error;
	struct profile *profile = NULL;
	struct memory *found = NULL;
	char *thresholds, *folder;
	int result = -1;
	/* in text and JSON it is a part of the report */
	const bool asks_memory = request->of_memory &&
				 (request->form > 1 || request->fail_above || request->baseline);

	report->file = file;
	if (request->of_stalls) {
		result = write_stalls(report, request, &error);
		if (result < 0)
			fprintf(stderr, "vflow report: %s\n", error.text);
		return result < 0 ? EXIT_FAILED : result;
	}
	if (!request->suppressions ||
	    suppressions_read(&suppressions, request->suppressions, &error) == 0)
		profile = input_timed_profile(file, &error);
	if (!profile) {
		fprintf(stderr, "vflow report: %s\n", error.text);
		suppressions_release(&suppressions);
		return EXIT_FAILED;
	}
	if (suppressions.count && !request->of_memory) {
		report->options.left_out = are_suppressed;
		report->options.left_out_data = &suppressions;
	}
	thresholds = advice_other_thresholds(profile, &report->options);
	folder = getcwd(NULL, 0);
	report->thresholds = thresholds;
	report->as_found = !request->of_memory && !advice_can_detect(profile);
	if (!report->as_found) {
		progress("looking for findings");
		if (request->of_memory)
			found = memory_detect(profile, &memory->options);
		else
			advice_detect(profile, &report->options);
		progress_end();
	}
	report->profile = memory->profile = profile;
	memory->memory = found;
	memory->report = report;
	report->folder = folder ? folder : "";
	if (request->lines)
		result = write_lines(profile, request, report->colour, &error);
	else if ((!asks_memory || memory_check(profile, file, &error) == 0) &&
		 check_times(request, profile, &error) == 0)
		result = report_findings(report, memory, request, &suppressions, &error);
	free(thresholds);
	free(folder);
	memory_free(found);
	profile_free(profile);
	suppressions_release(&suppressions);
	if (result < 0)
		fprintf(stderr, "vflow report: %s\n", error.text);
	return result < 0 ? EXIT_FAILED : result;
}

int cmd_report(int argc, char **argv)
{
	struct report report = {.options = ADVICE_DEFAULTS, .top = UINT64_MAX, .max_lines = 200};
	struct report_memory memory = {.options = MEMORY_DEFAULTS};
	struct request request = {.by = "cause", .rules = "paper", .type = "text"};
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
		{0, "frequent", "FRACTION",
		 "frequent values: at least this share of the accesses has one value (default 0.5)",
		 OPTION_FRACTION, &report.options.frequent},
		{0, "repeated-accesses", "FRACTION",
		 "temporal redundancy: at least this share of the accesses (default 0.33)",
		 OPTION_FRACTION, &report.options.repeated_accesses},
		{0, "min-bytes", "SIZE",
		 "leave out findings of fewer bytes (default 1K), and of a thousandth of the bytes "
		 "of the run; 0: none",
		 OPTION_SIZE, &report.options.min_bytes},
		{0, "min-time", "FRACTION",
		 "leave out what saves less of the time from the first to the last operation "
		 "(default 0.01); 0: nothing",
		 OPTION_FRACTION, &report.options.min_time},
		{0, "by", "cause|path",
		 "cause: a finding for each line and operation (default); path: for each call path "
		 "and object",
		 OPTION_TEXT, &request.by},
		{0, "top", "N",
		 "show at most N findings, 0 for all (default: of text and github 10, else all)",
		 OPTION_NUMBER, &report.top},
		{0, "brief", NULL, "a line for each finding, and nothing else", OPTION_FLAG,
		 &report.brief},
		{0, "memory", NULL,
		 "peaks of allocated memory, and memory that is allocated while nobody needs it",
		 OPTION_FLAG, &request.of_memory},
		{0, "stalls", NULL,
		 "where kernels wait, which instruction makes them, and what mending it would give",
		 OPTION_FLAG, &request.of_stalls},
		{0, "lines", "REGEX",
		 "the source of the kernels that match, and which values each line loads and "
		 "stores; with --stalls their machine code, with samples and causes",
		 OPTION_TEXT, &request.lines},
		{0, "rules", "paper|artefact",
		 "of memory, what counts as in between: paper, any API call (default), or "
		 "artefact, kernels only",
		 OPTION_TEXT, &request.rules},
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
		{0, "dead-writes", NULL,
		 "of memory, also dead writes as the paper has them, of whole objects", OPTION_FLAG,
		 &memory.options.dead_writes},
		{0, "variation", "FRACTION",
		 "non-uniform access frequency: a higher coefficient of variation (default 0.2)",
		 OPTION_FRACTION, &memory.options.variation},
		{0, "fail-above", "SIZE|TIME",
		 "exit with 3 if a finding is worth more bytes (of memory: off the peak), or saves "
		 "more time for sure; 0: any",
		 OPTION_TEXT, &request.fail_above},
		{0, "fail-at-most", "TIME",
		 "exit with 3 if a finding may save more time than that, for sure or not",
		 OPTION_TEXT, &request.fail_at_most},
		{0, "baseline", "FILE",
		 "a profile of before: what is found there, too, is not new and does not fail",
		 OPTION_TEXT, &request.baseline},
		{0, "suppressions", "FILE", "findings that are known and accepted", OPTION_TEXT,
		 &request.suppressions},
		{'T', "type", "text|json|sarif|github|markdown",
		 "what to write (default text); of stalls text or json", OPTION_TEXT,
		 &request.type},
		{0, "max-lines", "N", "of Markdown, 0 for no limit (default 200)", OPTION_NUMBER,
		 &report.max_lines},
		{'o', "output", "FILE", "write the report there instead of to standard output",
		 OPTION_TEXT, &request.output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow report [--redundancy FRACTION] [--duplicate-bytes SIZE] "
			 "[--partial-download FRACTION] [--frequent FRACTION] [--repeated-accesses "
			 "FRACTION] [--min-bytes SIZE] [--min-time FRACTION] "
			 "[--by cause|path] [--top N] [--brief] [--fail-above SIZE|TIME] "
			 "[--baseline FILE] [--suppressions FILE] "
			 "[-T text|json|sarif|github|markdown] [--max-lines N] [-o FILE] [FILE]\n"
			 "vflow report --memory [--rules paper|artefact] [--idle-calls N] "
			 "[--reuse-difference FRACTION] [--accessed FRACTION] "
			 "[--fragmentation FRACTION] [--variation FRACTION] [--dead-writes] "
			 "[--min-bytes SIZE] "
			 "[--top N] [--fail-above SIZE] [--baseline FILE] [--suppressions FILE] "
			 "[-T text|json|sarif|github|markdown] [--max-lines N] [-o FILE] [FILE]\n"
			 "vflow report --stalls [--lines REGEX] [--top N] [-T text|json] [-o FILE] "
			 "[FILE]\n"
			 "vflow report --lines REGEX [-T text|json] [-o FILE] [FILE]",
		.summary =
			"Says which of the recorded GPU work is superfluous, where it is in the\n"
			"source, and what to do about it: most time saved first where passes time "
			"and\n"
			"waits were made, else most bytes.",
		.more = "FILE is a profile, else $VFLOW_PROFILE, else ./vflow.db; standard input\n"
			"is not read.  vflow-report(1) explains the patterns.\n\n"
			"  vflow report\n"
			"  vflow report --memory\n"
			"  vflow report --stalls\n"
			"  vflow report --stalls --lines gemm\n"
			"  vflow report --lines gemm\n"
			"  vflow report --redundancy 0.9 --top 3 run.db\n"
			"  vflow report -T sarif --baseline main.db --fail-above 1M -o vflow.sarif",
		.options = options,
	};
	int rest, code = options_parse(&help, argc, argv, 1, &rest);

	if (code == OPTIONS_RUN)
		code = check(&request, &report, &memory);
	if (code != OPTIONS_RUN)
		return code;
	signal(SIGPIPE, SIG_DFL); /* `vflow report | head` ends quietly */
	return run(&request, &report, &memory, argv[rest]);
}
