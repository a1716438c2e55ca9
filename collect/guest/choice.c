/*
 * collect/guest/choice.c: which launches are analysed.
 *
 * Environment: VFLOW_KERNEL is the regular expression of the kernels that are wanted,
 * VFLOW_SAMPLE_KERNELS=N takes the first launch of each context and then every Nth (of the pass
 * `values` VFLOW_VALUE_LAUNCHES=N does), VFLOW_SAMPLE_LAUNCHES=N the first N of each and those
 * whose number is a power of two, VFLOW_CAPTURE_RANGE (ranges.c) takes those while a thread is in
 * such an NVTX range, VFLOW_SAMPLE_BLOCKS=N looks at part of each launch's blocks, which is too
 * little for the graph.
 */
#include "collect/guest/guest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/guest/ranges.h"
#include "collect/kernel_filter.h"
#include "util/start_environment.h"

static struct kernel_filter *filter; /* NULL: all kernels */
static uint64_t every = 1, blocks = 1;
static enum coverage_id why_every = COVERAGE_SKIPPED_BY_SAMPLE_KERNELS;
static uint64_t first; /* 0: all */

/* What the filter says of a kernel's name, id = index + 1. */
struct verdict {
	char *name;
	bool wanted;
};
static struct verdict *verdicts;
static uint32_t verdict_count, verdict_capacity;
static struct table verdict_table;

static int read_number(const char *name, uint64_t *number)
{
	const char *text = start_variable(name);
	char *end;

	if (!text || !*text)
		return 0;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end || !*number ? -1 : 0;
}

int choice_start(struct error *error)
{
	const char *expression = start_variable("VFLOW_KERNEL");
	const char *values = start_variable("VFLOW_VALUE_LAUNCHES");

	if (read_number("VFLOW_SAMPLE_KERNELS", &every) != 0 ||
	    read_number("VFLOW_VALUE_LAUNCHES", &every) != 0 ||
	    read_number("VFLOW_SAMPLE_LAUNCHES", &first) != 0 ||
	    read_number("VFLOW_SAMPLE_BLOCKS", &blocks) != 0)
		return error_set(error, "VFLOW_SAMPLE_KERNELS, VFLOW_VALUE_LAUNCHES, "
					"VFLOW_SAMPLE_LAUNCHES and VFLOW_SAMPLE_BLOCKS are "
					"numbers");
	if (values && *values)
		why_every = COVERAGE_SKIPPED_BY_VALUE_LAUNCHES;
	if (expression && *expression && !(filter = kernel_filter_new(expression, error)))
		return error_prefix(error, "VFLOW_KERNEL");
	return 0;
}

bool choice_is_made(void)
{
	return filter || every > 1 || first || blocks > 1 || ranges_limit_capture();
}

static bool ask_filter(const char *kernel)
{
	int found = kernel_filter_matches(filter, kernel);

	if (found < 0)
		coverage_add(COVERAGE_KERNEL_FILTER_SLOW, NULL, 1, 0);
	return found != 0;
}

/* The filter's verdict, which is asked for once per name. */
static bool passes(const char *kernel)
{
	uint32_t hash = table_hash(0, kernel, strlen(kernel)), id, position = 0;
	struct verdict verdict;
	void *moved;

	while ((id = table_find(&verdict_table, hash, &position)))
		if (!strcmp(verdicts[id - 1].name, kernel))
			return verdicts[id - 1].wanted;
	verdict.wanted = ask_filter(kernel);
	moved = guest_reserve(verdicts, verdict_count, &verdict_capacity, sizeof(*verdicts));
	if (moved)
		verdicts = moved;
	if (!moved || !(verdict.name = strdup(kernel)))
		return verdict.wanted;
	if (table_add(&verdict_table, hash, verdict_count + 1) != 0)
		free(verdict.name);
	else
		verdicts[verdict_count++] = verdict;
	return verdict.wanted;
}

/* Of the launches of one context, from 0. */
static bool is_sampled(uint64_t launch)
{
	return first ? launch < first || !(launch & (launch - 1)) : launch % every == 0;
}

static bool skip(enum coverage_id why)
{
	coverage_add(why, NULL, 1, 0);
	coverage_add(COVERAGE_SKIPPED_POINTERS, NULL, 1, 0);
	return false;
}

bool choice_wanted(const char *kernel, const struct gpu_node *node,
		   const struct gpu_provider *provider)
{
	uint32_t frame, context;

	if (ranges_limit_capture() && !ranges_capture())
		return skip(COVERAGE_SKIPPED_OUTSIDE_RANGE);
	if (filter && !passes(kernel))
		return skip(COVERAGE_SKIPPED_BY_KERNEL);
	if (every > 1 || first) {
		frame = node ? paths_node(node) : paths_here(provider);
		context = frame == UINT32_MAX ? 0
					      : paths_context(GPU_KERNEL, kernel, frame,
							      node ? node->ordinal : 0);
		if (context && !is_sampled(paths_launch(context)))
			return skip(first ? COVERAGE_SKIPPED_BY_BUDGET : why_every);
	}
	if (blocks > 1)
		return skip(COVERAGE_SKIPPED_BY_SAMPLE_BLOCKS);
	return true;
}
