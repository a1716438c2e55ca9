/* graph/build/pairs/pairs.c: see build/pairs/pairs.h. */
#include "graph/build/pairs/pairs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build/process.h"
#include "util/memory.h"

enum { ALIKE_MAX = 1 << 20 }; /* pairs of equal processes that are compared */

/* A process of one of the two runs. */
struct side {
	const struct profile_process *process;
	const char *path; /* of the trace, in a run that joins the graph */
	struct calls calls;
	uint32_t index; /* in its run, by start */
	uint32_t partner;
	uint32_t choices; /* among those that are as many calls apart */
	bool paired;
};

/* By what processes are equal. */
enum key { BY_ARGUMENTS, BY_RANK, BY_EXECUTABLE };

static int compare(const struct side *a, const struct side *b, enum key key)
{
	int order = strcmp(a->process->executable, b->process->executable);

	if (!order && key <= BY_RANK)
		order = strcmp(a->process->rank, b->process->rank);
	if (!order && key <= BY_ARGUMENTS)
		order = strcmp(a->process->arguments, b->process->arguments);
	return order;
}

/* Those that have no partner yet come first. */
static int in_order(const void *left, const void *right, void *key)
{
	const struct side *a = left, *b = right;
	int order = a->paired - b->paired;

	if (!order)
		order = compare(a, b, *(const enum key *)key);
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static void pair(struct side *left, struct side *right)
{
	left->paired = right->paired = true;
	left->partner = right->index;
	right->partner = left->index;
}

/* -- equal ones -- */

struct candidate {
	uint64_t apart; /* calls */
	struct side *left, *right;
};

static int by_likeness(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->apart != b->apart)
		return a->apart < b->apart ? -1 : 1;
	if (a->left != b->left)
		return a->left < b->left ? -1 : 1;
	return a->right < b->right ? -1 : a->right > b->right;
}

/*
 * Pairs those that are so many calls apart and have no partner.  Returns how many of them could as
 * well have got another.
 */
static uint32_t pair_candidates(struct candidate *candidates, size_t count)
{
	uint32_t doubtful = 0;

	for (size_t i = 0; i < count; i++)
		candidates[i].left->choices = candidates[i].right->choices = 0;
	for (size_t i = 0; i < count; i++)
		if (!candidates[i].left->paired && !candidates[i].right->paired) {
			candidates[i].left->choices++;
			candidates[i].right->choices++;
		}
	for (size_t i = 0; i < count; i++) {
		struct side *left = candidates[i].left, *right = candidates[i].right;

		if (left->paired || right->paired)
			continue;
		pair(left, right);
		doubtful += left->choices > 1 || right->choices > 1;
	}
	return doubtful;
}

/* The most alike belong together, whoever started first.  Returns as pair_candidates(). */
static uint32_t pair_alike(struct merge *merge, struct side *left, size_t left_count,
			   struct side *right, size_t right_count)
{
	size_t count = left_count * right_count, end;
	struct candidate *candidates = xcalloc(count, sizeof(*candidates));
	uint32_t doubtful = 0;

	for (size_t i = 0; i < right_count; i++)
		calls_read(merge, right[i].path, &right[i].calls);
	for (size_t i = 0; i < count; i++) {
		struct candidate *candidate = &candidates[i];

		candidate->left = &left[i / right_count];
		candidate->right = &right[i % right_count];
		candidate->apart = calls_apart(&candidate->left->calls, &candidate->right->calls);
	}
	qsort(candidates, count, sizeof(*candidates), by_likeness);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && candidates[end].apart == candidates[i].apart;)
			end++;
		doubtful += pair_candidates(candidates + i, end - i);
	}
	for (size_t i = 0; i < right_count; i++)
		calls_release(&right[i].calls);
	free(candidates);
	return doubtful;
}

/* Pairs all of these, which are equal, of which one run may have more.  Returns as above. */
static uint32_t pair_group(struct merge *merge, struct side *left, size_t left_count,
			   struct side *right, size_t right_count)
{
	size_t both = left_count < right_count ? left_count : right_count;

	if (left_count * right_count > 1 && left_count <= ALIKE_MAX / right_count)
		return pair_alike(merge, left, left_count, right, right_count);
	for (size_t i = 0; i < both; i++)
		pair(&left[i], &right[i]);
	return left_count * right_count > 1 ? (uint32_t)both : 0;
}

static size_t count_equal(const struct side *side, const struct side *end, enum key key)
{
	size_t count = 0;

	while (side + count < end && !side[count].paired && !compare(side, side + count, key))
		count++;
	return count;
}

/* Pairs those that are equal and have no partner yet.  Returns as above. */
static uint32_t pair_equal(struct merge *merge, struct side *left, uint32_t left_count,
			   struct side *right, uint32_t right_count, enum key key)
{
	struct side *left_end = left + left_count, *right_end = right + right_count;
	uint32_t doubtful = 0;

	qsort_r(left, left_count, sizeof(*left), in_order, &key);
	qsort_r(right, right_count, sizeof(*right), in_order, &key);
	while (left < left_end && !left->paired && right < right_end && !right->paired) {
		int order = compare(left, right, key);
		size_t lefts = order <= 0 ? count_equal(left, left_end, key) : 0;
		size_t rights = order >= 0 ? count_equal(right, right_end, key) : 0;

		if (!order)
			doubtful += pair_group(merge, left, lefts, right, rights);
		left += lefts;
		right += rights;
	}
	return doubtful;
}

/* -- what is said of it -- */

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
			sides[known++] = (struct side){
				.process = &processes[i], .path = sources[i].path, .index = i};
	return known;
}

static int by_process(const void *left, const void *right)
{
	const struct build_source *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

void pairs_find(struct profile *profile, struct merge *merge, const struct join *join,
		const char *passes, struct build_source *sources, uint32_t count,
		struct profile_pass *first)
{
	uint32_t graph_count = profile->process_count, known, doubtful = 0;
	struct side *graph = xcalloc(graph_count + 1, sizeof(*graph));
	struct side *run = xcalloc(count + 1, sizeof(*run));
	struct profile_process *processes = xcalloc(count + 1, sizeof(*processes));

	for (uint32_t i = 0; i < graph_count; i++)
		graph[i] = (struct side){.process = &profile->processes[i],
					 .calls = join_calls(join, i),
					 .index = i};
	known = read_sides(sources, count, processes, run);
	if (known) {
		first->provider = xstrdup(run->process->provider);
		first->device = xstrdup(run->process->device);
	}
	for (enum key key = BY_ARGUMENTS; key <= BY_EXECUTABLE; key++)
		doubtful += pair_equal(merge, graph, graph_count, run, known, key);
	if (doubtful)
		profile_add_coverage(profile, COVERAGE_PASS_PROCESSES_ALIKE, passes, doubtful, 0);
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
