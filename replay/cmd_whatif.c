/* vflow whatif: how long the run would take with other calls, and how much memory. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/input.h"
#include "replay/cmd.h"
#include "replay/diogenes.h"
#include "replay/listing.h"
#include "replay/memory.h"
#include "replay/outcome.h"
#include "replay/perfetto.h"
#include "replay/picture.h"
#include "replay/request.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"
#include "util/progress.h"

struct whatif {
	const char *type, *estimate, *output;
	struct request request;
	struct memory_request memory; /* of this and of `request` one is empty */
	struct profile *profile;
};

/* Whether the type shows timelines: of the run, if nothing is changed. */
static bool is_picture(const char *type)
{
	return !strcmp(type, "svg") || !strcmp(type, "perfetto");
}

static bool is_emulated(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->pass_count; i++)
		if (!strcmp(profile->passes[i].name, "time"))
			return !strcmp(profile->passes[i].provider, "emulated");
	return false;
}

static int write_outcome(const struct whatif *whatif, const struct outcome *outcome,
			 struct error *error)
{
	struct output *output;

	progress_end();
	output = output_open(whatif->output, error);
	if (!output)
		return -1;
	if (!strcmp(whatif->type, "json"))
		outcome_json(output_file(output), outcome);
	else if (!strcmp(whatif->type, "svg"))
		picture_svg(output_file(output), outcome);
	else if (!strcmp(whatif->type, "perfetto"))
		replay_perfetto(output_file(output), outcome);
	else
		outcome_text(output_file(output), outcome);
	return output_commit(output, error);
}

static int answer(const struct whatif *whatif, const struct replay *replay, struct error *error)
{
	struct outcome outcome = {
		.profile = whatif->profile,
		.changes = whatif->request.changes,
		.change_count = whatif->request.count,
		.model_time = is_emulated(whatif->profile),
		.truncated = replay_is_truncated(replay),
	};
	struct replay_result *result = NULL;
	int code;

	if (whatif->estimate) {
		if (diogenes_estimate(replay, outcome.changes, outcome.change_count, &outcome.times,
				      error) != 0)
			return -1;
	} else {
		result = replay_run(replay, outcome.changes, outcome.change_count, error);
		if (!result)
			return -1;
		outcome.result = result;
		outcome.times = result->times;
	}
	code = write_outcome(whatif, &outcome, error);
	replay_result_free(result);
	return code;
}

static int list(const struct whatif *whatif, const struct replay *replay, struct error *error)
{
	const bool model_time = is_emulated(whatif->profile);
	struct replay_times times;
	struct output *output;

	if (replay_estimate(replay, NULL, 0, &times, error) != 0)
		return -1;
	progress_end();
	output = output_open(whatif->output, error);
	if (!output)
		return -1;
	if (!strcmp(whatif->type, "json"))
		listing_json(output_file(output), whatif->profile, &times, model_time);
	else
		listing_text(output_file(output), whatif->profile, &times, model_time);
	return output_commit(output, error);
}

static int run(const struct whatif *whatif, struct error *error)
{
	struct replay *replay = replay_new(whatif->profile, error);
	int code;

	if (!replay)
		return -1;
	if (!whatif->request.count && !is_picture(whatif->type))
		code = list(whatif, replay, error);
	else
		code = answer(whatif, replay, error);
	replay_free(replay);
	return code;
}

/* Of allocations: no pass `time` is needed. */
static int run_memory(const struct whatif *whatif, struct error *error)
{
	struct memory_outcome outcome;
	struct output *output;

	if (memory_replay(whatif->profile, &whatif->memory, &outcome, error) != 0)
		return -1;
	progress_end();
	output = output_open(whatif->output, error);
	if (!output)
		return -1;
	(!strcmp(whatif->type, "json") ? memory_outcome_json : memory_outcome_text)(
		output_file(output), whatif->profile, &outcome);
	return output_commit(output, error);
}

static int run_time(struct whatif *whatif, struct error *error)
{
	return request_measure(&whatif->request, whatif->profile, error) != 0 ? -1
									      : run(whatif, error);
}

static void release(struct whatif *whatif)
{
	profile_free(whatif->profile);
	request_release(&whatif->request);
	memory_request_release(&whatif->memory);
}

/* -1: an option is not understood. */
static int take_changes(struct whatif *whatif, const struct option_list *times,
			const struct option_list *memory, struct error *error)
{
	for (unsigned kind = 0; kind <= REPLAY_NARROW; kind++)
		if (request_add(&whatif->request, (enum replay_change_kind)kind, &times[kind],
				error) != 0)
			return -1;
	for (unsigned kind = 0; kind < MEMORY_CHANGES; kind++)
		if (memory_request_add(&whatif->memory, (enum memory_change_kind)kind,
				       &memory[kind], error) != 0)
			return -1;
	if (!whatif->memory.count)
		return 0;
	if (whatif->request.count)
		return error_set(error, "--free-after and --alloc-before are about memory, and go "
					"with no change of time");
	if (whatif->estimate || is_picture(whatif->type))
		return error_set(error, "of memory there is %s",
				 whatif->estimate ? "one estimate only" : "no picture");
	return 0;
}

int cmd_whatif(int argc, char **argv)
{
	struct whatif whatif = {.type = "text"};
	/* items live until the process ends */
	static struct option_list lists[REPLAY_NARROW + 1], memory_lists[MEMORY_CHANGES];
	const struct command_option options[] = {
		{0, "without", "LIST", "these calls are not made", OPTION_LIST,
		 &lists[REPLAY_REMOVE]},
		{0, "no-wait", "LIST", "they return without waiting; later waits wait instead",
		 OPTION_LIST, &lists[REPLAY_NO_WAIT]},
		{0, "async", "LIST", "copies that do not wait, as from pinned memory", OPTION_LIST,
		 &lists[REPLAY_ASYNC]},
		{0, "instead", "X=TIME,..",
		 "their operations take this long, or 40% of what it was", OPTION_LIST,
		 &lists[REPLAY_SHORTEN]},
		{0, "after-use", "X[=TIME],..",
		 "they wait so much of the host's own time later; else at the first use",
		 OPTION_LIST, &lists[REPLAY_MOVE]},
		{0, "hoist", "LIST", "only the first call, of frees the last, as out of a loop",
		 OPTION_LIST, &lists[REPLAY_HOIST]},
		{0, "wait-for", "X=STREAM,..",
		 "of all streams they wait for this one only; the default stream's work moves "
		 "there",
		 OPTION_LIST, &lists[REPLAY_NARROW]},
		{0, "free-after", "X[=CALL],..",
		 "of memory: objects are freed after this API call; else after their last access",
		 OPTION_LIST, &memory_lists[MEMORY_FREE_AFTER]},
		{0, "alloc-before", "X[=CALL],..",
		 "of memory: allocated before this API call; else before their first access",
		 OPTION_LIST, &memory_lists[MEMORY_ALLOC_BEFORE]},
		{0, "estimate", "replay|diogenes",
		 "how (default replay); diogenes: the formula of that paper", OPTION_TEXT,
		 &whatif.estimate},
		{'T', "type", "text|json|svg|perfetto",
		 "what to write (default text); svg, perfetto: both timelines", OPTION_TEXT,
		 &whatif.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &whatif.output},
		{0},
	};
	const struct command_help help = {
		.usage =
			"vflow whatif [--without LIST] [--no-wait LIST] [--async LIST] "
			"[--instead X=TIME] [--after-use X=TIME] [--hoist LIST] "
			"[--wait-for X=STREAM] "
			"[--estimate HOW] [-T TYPE] [-o FILE] [FILE]\n"
			"vflow whatif [--free-after X=CALL] [--alloc-before X=CALL] [-T text|json] "
			"[-o FILE] [FILE]",
		.summary = "Says how long the run would have taken with other calls, or how much "
			   "memory it\n"
			   "would have had allocated; without changes, what the run did.",
		.more = "LIST: vertices as 31, functions as a7, calls as c120; 31:4 or 31:2-5 are\n"
			"some invocations; X of memory: vertices that allocate as 7, objects as "
			"o12.\n"
			"FILE is a profile, of time with the passes time and waits, else "
			"$VFLOW_PROFILE,\n"
			"else ./vflow.db; standard input is not read.\n\n"
			"  vflow collect --passes flow,time,waits ./app\n"
			"  vflow whatif\n"
			"  vflow whatif --without 31,40 --no-wait a7\n"
			"  vflow whatif --free-after 7 --alloc-before 9=120",
		.options = options,
	};
	struct error error;
	int operand, result, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (strcmp(whatif.type, "text") && strcmp(whatif.type, "json") && !is_picture(whatif.type))
		return options_misuse("whatif", "-T takes text, json, svg or perfetto, not '%s'",
				      whatif.type);
	if (whatif.estimate && !strcmp(whatif.estimate, "replay"))
		whatif.estimate = NULL;
	if (whatif.estimate && strcmp(whatif.estimate, "diogenes") != 0)
		return options_misuse("whatif", "--estimate takes replay or diogenes, not '%s'",
				      whatif.estimate);
	if (whatif.estimate && is_picture(whatif.type))
		return options_misuse("whatif", "there is no picture of the formula of Diogenes");
	if (take_changes(&whatif, lists, memory_lists, &error) != 0) {
		release(&whatif);
		return options_misuse("whatif", "%s", error.text);
	}
	signal(SIGPIPE, SIG_DFL); /* `vflow whatif | head` ends quietly */
	whatif.profile = whatif.memory.count ? input_profile(argv[operand], &error)
					     : input_profile_events(argv[operand], &error);
	progress("replaying the run");
	result = !whatif.profile       ? -1
		 : whatif.memory.count ? run_memory(&whatif, &error)
				       : run_time(&whatif, &error);
	progress_end();
	release(&whatif);
	if (result != 0)
		fprintf(stderr, "vflow whatif: %s\n", error.text);
	return result == 0 ? EXIT_OK : EXIT_FAILED;
}
