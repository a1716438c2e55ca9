/* graph/build/pairs.c: see build/pairs.h. */
#include "graph/build/pairs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build/process.h"
#include "util/memory.h"

/* A process of one of the two runs. */
struct side {
	const struct profile_process *process;
	uint32_t index; /* in its run, by start */
	uint32_t partner;
	bool paired;
};

static int compare(const struct side *a, const struct side *b, bool with_arguments)
{
	int order = strcmp(a->process->executable, b->process->executable);

	return order || !with_arguments ? order
					: strcmp(a->process->arguments, b->process->arguments);
}

static int in_order(const struct side *a, const struct side *b, int order)
{
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static int by_arguments(const void *left, const void *right)
{
	return in_order(left, right, compare(left, right, true));
}

static int by_executable(const void *left, const void *right)
{
	return in_order(left, right, compare(left, right, false));
}

/* Pairs those that are equal and not paired yet, in their order. */
static void pair_equal(struct side *left, uint32_t left_count, struct side *right,
		       uint32_t right_count, bool with_arguments)
{
	struct side *left_end = left + left_count, *right_end = right + right_count;

	qsort(left, left_count, sizeof(*left), with_arguments ? by_arguments : by_executable);
	qsort(right, right_count, sizeof(*right), with_arguments ? by_arguments : by_executable);
	while (left < left_end && right < right_end) {
		int order = left->paired    ? -1
			    : right->paired ? 1
					    : compare(left, right, with_arguments);

		if (!order) {
			left->paired = right->paired = true;
			left->partner = right->index;
			right->partner = left->index;
		}
		left += order <= 0;
		right += order >= 0;
	}
}

static uint32_t count_single(const struct side *side, uint32_t count)
{
	uint32_t single = 0;

	for (uint32_t i = 0; i < count; i++)
		single += !side[i].paired;
	return single;
}

/* Those that are left of both runs differ in their executables; more are left of one at most. */
static void say_single(struct profile *profile, const char *passes, uint32_t graphs, uint32_t runs)
{
	uint32_t both = graphs < runs ? graphs : runs;

	if (both)
		profile_add_coverage(profile, COVERAGE_PASS_EXECUTABLES_DIFFER, passes, both, 0);
	if (graphs > both)
		profile_add_coverage(profile, COVERAGE_PASS_PROCESSES_MISSING, passes,
				     graphs - both, 0);
	if (runs > both)
		profile_add_coverage(profile, COVERAGE_PASS_PROCESSES_EXTRA, passes, runs - both,
				     0);
}

/* Whether the trace says which process it is; the caller frees the texts. */
static bool read_process(const char *path, struct profile_process *process)
{
	struct error error;
	struct trace_reader *reader = trace_open(path, &error);
	const struct trace_record *record;
	bool found =
		reader && trace_next(reader, &record, &error) == 1 && record->type == TRACE_PROCESS;

	if (found)
		process_describe((const struct trace_process *)record, process);
	trace_reader_close(reader);
	return found;
}

/* Returns how many there are, in the order of the sources that say them. */
static uint32_t read_sides(const struct build_source *sources, uint32_t count,
			   struct profile_process *processes, struct side *sides)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < count; i++)
		if (read_process(sources[i].path, &processes[i]))
			sides[known++] = (struct side){.process = &processes[i], .index = i};
	return known;
}

static int by_process(const void *left, const void *right)
{
	const struct build_source *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

void pairs_find(struct profile *profile, const char *passes, struct build_source *sources,
		uint32_t count, struct profile_pass *first)
{
	uint32_t graph_count = profile->process_count, known;
	struct side *graph = xcalloc(graph_count + 1, sizeof(*graph));
	struct side *run = xcalloc(count + 1, sizeof(*run));
	struct profile_process *processes = xcalloc(count + 1, sizeof(*processes));

	for (uint32_t i = 0; i < graph_count; i++)
		graph[i] = (struct side){.process = &profile->processes[i], .index = i};
	known = read_sides(sources, count, processes, run);
	if (known) {
		first->provider = xstrdup(run->process->provider);
		first->device = xstrdup(run->process->device);
	}
	pair_equal(graph, graph_count, run, known, true);
	pair_equal(graph, graph_count, run, known, false);
	say_single(profile, passes, count_single(graph, graph_count), count_single(run, known));
	for (uint32_t i = 0; i < count; i++) {
		sources[i].process = PAIRS_UNKNOWN;
		process_release_description(&processes[i]);
	}
	for (uint32_t i = 0; i < known; i++)
		sources[run[i].index].process = run[i].paired ? run[i].partner : PAIRS_EXTRA;
	if (count)
		qsort(sources, count, sizeof(*sources), by_process);
	free(processes);
	free(run);
	free(graph);
}
