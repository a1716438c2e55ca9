/* vflow whatif: how long the run would take with other calls. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/input.h"
#include "replay/cmd.h"
#include "replay/diogenes.h"
#include "replay/listing.h"
#include "replay/outcome.h"
#include "replay/picture.h"
#include "replay/request.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"

struct whatif {
	const char *type, *estimate, *output;
	struct request request;
	struct profile *profile;
};

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
	struct output *output = output_open(whatif->output, error);

	if (!output)
		return -1;
	if (!strcmp(whatif->type, "json"))
		outcome_json(output_file(output), outcome);
	else if (!strcmp(whatif->type, "svg"))
		picture_svg(output_file(output), outcome);
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
	output = output_open(whatif->output, error);
	if (!output)
		return -1;
	if (!strcmp(whatif->type, "json"))
		listing_json(output_file(output), whatif->profile, times.measured_ns, model_time);
	else
		listing_text(output_file(output), whatif->profile, times.measured_ns, model_time);
	return output_commit(output, error);
}

static int run(const struct whatif *whatif, struct error *error)
{
	struct replay *replay = replay_new(whatif->profile, error);
	int code;

	if (!replay)
		return -1;
	if (!whatif->request.count && strcmp(whatif->type, "svg") != 0)
		code = list(whatif, replay, error);
	else
		code = answer(whatif, replay, error);
	replay_free(replay);
	return code;
}

int cmd_whatif(int argc, char **argv)
{
	struct whatif whatif = {.type = "text"};
	static struct option_list lists[REPLAY_HOIST + 1]; /* items live until the process ends */
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
		{0, "estimate", "HOW", "replay (default); diogenes: the formula of that paper",
		 OPTION_TEXT, &whatif.estimate},
		{'T', "type", "TYPE", "text (default), json, svg: both timelines", OPTION_TEXT,
		 &whatif.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &whatif.output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow whatif [--without LIST] [--no-wait LIST] [--async LIST] "
			 "[--instead X=TIME] [--after-use X=TIME] [--hoist LIST] "
			 "[--estimate HOW] [-T TYPE] [-o FILE] [FILE]",
		.summary = "Says how long the run would have taken with other calls; without "
			   "changes,\n"
			   "what the run did.",
		.more = "LIST: vertices as 31, functions as a7, calls as c120; 31:4 or 31:2-5 are\n"
			"some invocations.  FILE is a profile with the passes time and waits, "
			"else\n"
			"$VFLOW_PROFILE, else ./vflow.db; standard input is not read.\n\n"
			"  vflow collect --passes flow,time,waits ./app\n"
			"  vflow whatif\n"
			"  vflow whatif --without 31,40 --no-wait a7",
		.options = options,
	};
	struct error error;
	int operand, result = 0, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (strcmp(whatif.type, "text") && strcmp(whatif.type, "json") &&
	    strcmp(whatif.type, "svg"))
		return options_misuse("whatif", "-T takes text, json or svg, not '%s'",
				      whatif.type);
	if (whatif.estimate && !strcmp(whatif.estimate, "replay"))
		whatif.estimate = NULL;
	if (whatif.estimate && strcmp(whatif.estimate, "diogenes") != 0)
		return options_misuse("whatif", "--estimate takes replay or diogenes, not '%s'",
				      whatif.estimate);
	if (whatif.estimate && !strcmp(whatif.type, "svg"))
		return options_misuse("whatif", "there is no picture of the formula of Diogenes");
	for (unsigned kind = 0; kind <= REPLAY_HOIST && !result; kind++)
		result = request_add(&whatif.request, (enum replay_change_kind)kind, &lists[kind],
				     &error);
	if (result != 0) {
		request_release(&whatif.request);
		return options_misuse("whatif", "%s", error.text);
	}
	signal(SIGPIPE, SIG_DFL); /* `vflow whatif | head` ends quietly */
	whatif.profile = input_profile_events(argv[operand], &error);
	result = whatif.profile ? request_measure(&whatif.request, whatif.profile, &error) : -1;
	if (result == 0)
		result = run(&whatif, &error);
	profile_free(whatif.profile);
	request_release(&whatif.request);
	if (result != 0)
		fprintf(stderr, "vflow whatif: %s\n", error.text);
	return result == 0 ? EXIT_OK : EXIT_FAILED;
}
