#include "collect/runs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/folder.h"
#include "collect/launch.h"
#include "collect/library.h"
#include "collect/measured.h"
#include "collect/note.h"
#include "util/command.h"
#include "util/memory.h"

#define SHARE_LEAST 1000 /* one launch of so many, when nothing of the budget is left */

static uint32_t next_run(const struct runs_plan *plan, uint32_t passes)
{
	return plan->all ? pass_next_in_order(plan->table, passes)
			 : pass_next_run(plan->table, passes);
}

static unsigned count_runs(const struct runs_plan *plan)
{
	uint32_t left = plan->passes;
	unsigned count = 0;

	for (; left; count++)
		left &= ~next_run(plan, left);
	return count;
}

int runs_check_input(const struct runs_plan *plan, struct error *error)
{
	unsigned count = count_runs(plan);
	struct stat input;

	if (count < 2 || fstat(STDIN_FILENO, &input) != 0 ||
	    !(S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)))
		return 0;
	return error_set(error,
			 "the passes need %u runs of %s, and standard input, a pipe, can be read "
			 "by one only: give a file (< FILE), or nothing (< /dev/null)",
			 count, plan->program[0]);
}

static void add_gap(struct runs_result *result, enum coverage_id coverage, uint32_t passes)
{
	ARRAY_RESERVE(result->gaps, result->gap_count, result->gap_capacity);
	result->gaps[result->gap_count++] = (struct runs_gap){coverage, passes};
}

void runs_release(struct runs_result *result)
{
	for (uint32_t i = 0; i < result->made_count; i++)
		free(result->made[i].waits);
	free(result->made);
	measured_free(result->measured);
	free(result->gaps);
	*result = (struct runs_result){0};
}

static int target_code(const struct runs_plan *plan, int status)
{
	int number;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	number = WTERMSIG(status);
	note(plan->quiet, "%s was ended by signal %d (%s)", plan->program[0], number,
	     strsignal(number));
	return 128 + number;
}

/* The run does a part of its work only. */
static void put_share(const struct runs_plan *plan, const struct runs_made *run,
		      struct environment *environment)
{
	char *number = xasprintf("%llu", (unsigned long long)run->share);

	environment_set(environment, pass_sampling(plan->table, run->passes)->variable, number);
	free(number);
}

static void put_launches(const struct runs_made *run, struct environment *environment)
{
	char *number = run->launches ? xasprintf("%llu", (unsigned long long)run->launches) : NULL;

	environment_set(environment, "VFLOW_SAMPLE_LAUNCHES", number);
	free(number);
}

/* The guest hears of NVTX ranges, unless another tool does. */
static void put_nvtx(const struct runs_plan *plan, struct environment *environment)
{
	char *guest = xasprintf("%s/" LIBRARY_GUEST, plan->libraries);
	const char *set = getenv("NVTX_INJECTION64_PATH");

	if (!set || !*set)
		environment_set(environment, "NVTX_INJECTION64_PATH", guest);
	else
		note(plan->quiet, "NVTX_INJECTION64_PATH is set: NVTX ranges and memory "
				  "annotations are not seen");
	free(guest);
}

/* What the target finds in its environment.  Returns 0 or -1. */
static int prepare(const struct runs_plan *plan, const struct runs_made *made, const char *traces,
		   struct environment *environment, struct error *error)
{
	const uint32_t run = made->passes;
	char *names = pass_names(plan->table, run);
	char *provider = pass_library_path(plan->table, run, plan->device, plan->libraries);

	environment_set(environment, "VFLOW_TRACE_DIR", traces);
	environment_set(environment, "VFLOW_PASS", names);
	environment_set(environment, "VFLOW_PROVIDER", provider);
	put_nvtx(plan, environment);
	pass_providers_put(plan->table, run, plan->device, environment);
	pass_settings_put(plan->table, run, plan->settings, plan->setting_count, environment);
	put_launches(made, environment);
	if (made->share > 1 && !made->launches)
		put_share(plan, made, environment);
	if (made->waits)
		environment_set(environment, "VFLOW_USE_WAITS", made->waits);
	free(provider);
	free(names);
	return plan->device->put_guest(plan->libraries, environment, error);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* One run; *status is as waitpid(2) gives it.  Returns 0 or an exit code. */
static int make_run(const struct runs_plan *plan, struct runs_made *run, const char *folder,
		    int *status, struct runs_result *result, struct error *error)
{
	char *traces = folder_make_run(plan->table, run->passes, folder, error);
	struct environment environment = {0};
	int code = EXIT_VFLOW_FAILED;

	if (traces && prepare(plan, run, traces, &environment, error) == 0) {
		double start = now();

		fflush(NULL);
		code = launch(plan->target, plan->program, &environment, status, error);
		run->seconds = now() - start;
		if (!code && plan->all && !result->measured &&
		    !pass_makes_graph(plan->table, run->passes))
			result->measured = measured_read(traces);
	}
	if (code && traces && !pass_makes_graph(plan->table, run->passes))
		rmdir(traces);
	environment_release(&environment);
	free(traces);
	return code;
}

static void announce_run(const struct runs_plan *plan, const struct runs_made *run, unsigned number,
			 unsigned count)
{
	char *names = pass_names(plan->table, run->passes);

	if (run->launches)
		note(plan->quiet,
		     "run %u of %u: %s; to keep to --budget, the first %llu launch%s of each "
		     "kernel "
		     "and call path, and few later ones",
		     number, count, names, (unsigned long long)run->launches,
		     run->launches == 1 ? "" : "es");
	else if (run->share > 1)
		note(plan->quiet,
		     "run %u of %u: %s; to keep to --budget, one launch in %llu of each kernel and "
		     "call path",
		     number, count, names, (unsigned long long)run->share);
	else if (count > 1)
		note(plan->quiet, "run %u of %u: %s", number, count, names);
	free(names);
}

/* What the run took, in comparison to the first. */
static void sum_up_run(const struct runs_plan *plan, const struct runs_result *result)
{
	const struct runs_made *first = result->made, *run = first + result->made_count - 1;
	char *names = pass_names(plan->table, run->passes);

	if (run == first)
		note(plan->quiet, "%s took %.2f s", names, run->seconds);
	else
		note(plan->quiet, "%s took %.2f s, %.1f times the run for the first pass", names,
		     run->seconds, first->seconds > 0 ? run->seconds / first->seconds : 1);
	free(names);
}

static bool is_set(const struct runs_plan *plan, const struct pass_option *option)
{
	for (uint32_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].option == option)
			return plan->settings[i].value.number != option->standard;
	return false;
}

/*
 * How much of the run the budget leaves, by what the runs so far took.  False: nothing.  The run
 * that makes the graph is always made: without it there is no profile.
 */
static bool keep_to_budget(const struct runs_plan *plan, const struct runs_result *result,
			   struct runs_made *run)
{
	const struct pass_option *sampling = pass_sampling(plan->table, run->passes);
	double spent = 0;

	run->share = 1;
	if (!result->made_count)
		return true;
	for (uint32_t i = 0; i < result->made_count; i++)
		spent += result->made[i].seconds;
	run->share = budget_share(&plan->budget, result->made[0].seconds, spent,
				  pass_cost(plan->table, run->passes));
	if (pass_makes_graph(plan->table, run->passes) && !run->share)
		run->share = SHARE_LEAST;
	if (run->share > 1 && sampling && !is_set(plan, sampling) && result->measured)
		run->launches = measured_launches(
			result->measured, budget_part(&plan->budget, result->made[0].seconds, spent,
						      pass_cost(plan->table, run->passes)));
	if (!sampling || is_set(plan, sampling)) {
		if (run->share != 1 && !pass_makes_graph(plan->table, run->passes))
			return false;
		run->share = 1;
	}
	return run->share;
}

/* The part of the time from the first to the last operation that waits of a function take which
 * are worth a look at what they are for. */
#define WAITS_LEAST 0.01

/* Chooses the waits that a run of the pass `use` watches.  False: there are none. */
static bool choose_waits(const struct runs_plan *plan, const struct runs_result *result,
			 struct runs_made *run)
{
	char *names = pass_names(plan->table, run->passes);
	const char *given = getenv("VFLOW_USE_WAITS"); /* by the user */

	if (plan->all && result->measured && !strcmp(names, "use") && !(given && *given))
		run->waits = measured_waits(result->measured, WAITS_LEAST);
	free(names);
	return !run->waits || *run->waits;
}

static void leave_out(const struct runs_plan *plan, uint32_t passes, enum coverage_id why,
		      struct runs_result *result)
{
	char *names = pass_names(plan->table, passes);

	note(plan->quiet, "%s is left out: %s", names,
	     why == COVERAGE_PASS_OVER_BUDGET ? "it would take more than --budget allows"
					      : "no function's waits took a hundredth of the "
						"time from the first to the last operation");
	add_gap(result, why, passes);
	free(names);
}

/* A regular file is read again by every run, from where the first one found it. */
static void rewind_input(off_t start)
{
	struct stat input;

	if (start >= 0 && fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode))
		lseek(STDIN_FILENO, start, SEEK_SET);
}

/* The first run says the exit code; another that ends otherwise may have done other work. */
static void take_run(const struct runs_plan *plan, const struct runs_made *run, int status,
		     struct runs_result *result)
{
	int code = target_code(plan, status);

	if (!result->made_count)
		result->code = code;
	else if (code != result->code)
		add_gap(result, COVERAGE_PASS_ENDED_OTHERWISE, run->passes);
	result->status = status;
	ARRAY_RESERVE(result->made, result->made_count, result->made_capacity);
	result->made[result->made_count++] = *run;
}

/*
 * Whether the last run's program ended by Ctrl-C, though vflow was not sent it: so it did, or so
 * the shell or launcher says that it waited for it.  SIGTERM may be how a server is always ended.
 */
static bool was_interrupted(const struct runs_result *result)
{
	const int status = result->status;

	return result->made_count && (WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT
							  : WEXITSTATUS(status) == 128 + SIGINT);
}

/* Why passes are missing: a run could not be started, or somebody wants the program to end. */
static void take_missing(uint32_t passes, int failure, const struct error *error,
			 struct runs_result *result)
{
	bool idle;
	int stopped = launch_stopped(&idle);

	if (failure) {
		note_failure(failure, error);
		add_gap(result, COVERAGE_PASS_NOT_STARTED, passes);
		return;
	}
	add_gap(result, COVERAGE_PASS_STOPPED, passes);
	if (idle)
		result->status = stopped; /* as if it had reached a target */
}

int runs_make(const struct runs_plan *plan, const char *folder, struct runs_result *result,
	      struct error *error)
{
	off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
	unsigned number = 0, count = count_runs(plan);
	uint32_t left = plan->passes;
	bool idle;
	int code = 0;

	*result = (struct runs_result){0};
	if (plan->missing)
		add_gap(result, COVERAGE_PASS_NOT_BUILT, plan->missing);
	while (left && !(number && (launch_stopped(&idle) || was_interrupted(result)))) {
		struct runs_made run = {.passes = next_run(plan, left)};
		int status = 0;

		const bool fits = keep_to_budget(plan, result, &run);

		if (!fits || !choose_waits(plan, result, &run)) {
			leave_out(plan, run.passes,
				  fits ? COVERAGE_PASS_NOT_WORTH : COVERAGE_PASS_OVER_BUDGET,
				  result);
			free(run.waits);
			left &= ~run.passes;
			number++;
			continue;
		}
		if (number)
			rewind_input(start);
		announce_run(plan, &run, ++number, count);
		code = make_run(plan, &run, folder, &status, result, error);
		if (code)
			break;
		take_run(plan, &run, status, result);
		if (plan->all)
			sum_up_run(plan, result);
		left &= ~run.passes;
	}
	launch_end();
	if (number == 1 && code)
		return code;
	if (left)
		take_missing(left, code, error, result);
	return 0;
}
