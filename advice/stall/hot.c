/* advice/stall/hot.c: see hot.h. */
#include "advice/stall/hot.h"

#include <stdlib.h>

#include "util/memory.h"

static int by_samples(const void *a, const void *b)
{
	const struct stall_blame *left = ((const struct stall_hot *)a)->blame;
	const struct stall_blame *right = ((const struct stall_hot *)b)->blame;

	if (left->samples != right->samples)
		return left->samples > right->samples ? -1 : 1;
	if (left->stalled != right->stalled)
		return left->stalled < right->stalled ? -1 : 1;
	return (left->source > right->source) - (left->source < right->source);
}

static void find_causes(const struct stall_kernel *kernel, struct stall_hot *hot)
{
	uint32_t at = hot->blame->source;

	if (hot->blame->dependency == STALL_NO_DEPENDENCY)
		return;
	while (hot->cause_count < sizeof(hot->causes) / sizeof(*hot->causes)) {
		at = stall_cause_before(kernel->flow, &kernel->blames, at);
		if (at == SASS_NONE || at == hot->blame->source)
			return;
		for (uint32_t i = 0; i < hot->cause_count; i++)
			if (hot->causes[i] == at)
				return;
		hot->causes[hot->cause_count++] = at;
	}
}

struct stall_hot *stall_hottest(const struct stall_kernel *kernel, size_t limit, size_t *count)
{
	struct stall_hot *all = xcalloc(kernel->blames.count + 1, sizeof(*all));

	for (size_t i = 0; i < kernel->blames.count; i++)
		all[i].blame = &kernel->blames.all[i];
	if (kernel->blames.count)
		qsort(all, kernel->blames.count, sizeof(*all), by_samples);
	*count = kernel->blames.count < limit ? kernel->blames.count : limit;
	for (size_t i = 0; i < *count; i++)
		find_causes(kernel, &all[i]);
	return all;
}
