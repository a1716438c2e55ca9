/*
 * collect/guest/coverage.c: sums of what was not seen.
 *
 * A sum is written when its texts are new, whenever it has doubled, and at the end: a process
 * that is killed keeps at least half of it, and a long run does not fill the trace with sums.
 */
#include "collect/guest/guest.h"

#include <stdlib.h>
#include <string.h>

struct sum {
	char *what, *reason;
	uint64_t count, bytes;
	uint64_t written; /* `count` when it was last written */
};
static struct sum *sums;
static uint32_t sum_count, sum_capacity;

static void write_sum(struct sum *sum)
{
	size_t start = offsetof(struct trace_coverage, text);
	size_t what = strlen(sum->what) + 1, reason = strlen(sum->reason) + 1;
	struct trace_coverage *record = calloc(1, sizeof(*record) + what + reason);

	if (!record) {
		guest_give_up("no memory");
		return;
	}
	record->record.type = TRACE_COVERAGE;
	record->count = sum->count;
	record->bytes = sum->bytes;
	memcpy((char *)record + start, sum->what, what);
	memcpy((char *)record + start + what, sum->reason, reason);
	sum->written = sum->count;
	guest_append(&record->record, start + what + reason);
	free(record);
}

static struct sum *find(const char *what, const char *reason)
{
	struct sum sum = {0};
	void *moved;

	/* few: reasons are sentences in the providers */
	for (uint32_t i = 0; i < sum_count; i++)
		if (!strcmp(sums[i].what, what) && !strcmp(sums[i].reason, reason))
			return &sums[i];
	moved = guest_reserve(sums, sum_count, &sum_capacity, sizeof(*sums));
	if (moved)
		sums = moved;
	sum.what = strdup(what);
	sum.reason = strdup(reason);
	if (!moved || !sum.what || !sum.reason) {
		free(sum.what);
		free(sum.reason);
		guest_give_up("no memory");
		return NULL;
	}
	sums[sum_count] = sum;
	return &sums[sum_count++];
}

void coverage_add(const char *what, const char *reason, uint64_t count, uint64_t bytes)
{
	struct sum *sum = find(what, reason);

	if (!sum)
		return;
	sum->count += count;
	sum->bytes += bytes;
	if (sum->count >= sum->written * 2)
		write_sum(sum);
}

void coverage_write(void)
{
	for (uint32_t i = 0; i < sum_count; i++)
		if (sums[i].count != sums[i].written)
			write_sum(&sums[i]);
}
