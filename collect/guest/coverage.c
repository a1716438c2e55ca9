/*
 * collect/guest/coverage.c: sums of what was not seen.
 *
 * A sum is written when its row and detail are new, whenever it has doubled, and at the end: a
 * process that is killed keeps at least half of it, and a long run does not fill the trace with
 * sums.
 */
#include "collect/guest/guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sum {
	const struct coverage_row *row;
	char *detail;
	uint64_t count, bytes;
	uint64_t written; /* `count` when it was last written */
};
static struct sum *sums;
static uint32_t sum_count, sum_capacity;

static void write_sum(struct sum *sum)
{
	size_t start = offsetof(struct trace_coverage, text);
	size_t name = strlen(sum->row->name) + 1, detail = strlen(sum->detail) + 1;
	struct trace_coverage *record = calloc(1, sizeof(*record) + name + detail);

	if (!record) {
		guest_give_up("no memory");
		return;
	}
	record->record.type = TRACE_COVERAGE;
	record->count = sum->count;
	record->bytes = sum->bytes;
	memcpy((char *)record + start, sum->row->name, name);
	memcpy((char *)record + start + name, sum->detail, detail);
	sum->written = sum->count;
	guest_append(&record->record, start + name + detail);
	free(record);
}

static struct sum *find(const struct coverage_row *row, const char *detail)
{
	struct sum sum = {.row = row};
	void *moved;

	/* few: details are names of functions and of kernels */
	for (uint32_t i = 0; i < sum_count; i++)
		if (sums[i].row == row && !strcmp(sums[i].detail, detail))
			return &sums[i];
	moved = guest_reserve(sums, sum_count, &sum_capacity, sizeof(*sums));
	if (moved)
		sums = moved;
	sum.detail = strdup(detail);
	if (!moved || !sum.detail) {
		free(sum.detail);
		guest_give_up("no memory");
		return NULL;
	}
	sums[sum_count] = sum;
	return &sums[sum_count++];
}

void coverage_add(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	const struct coverage_row *row = coverage_row(id);
	char number[16];
	struct sum *sum;

	if (!row) { /* a provider of another version */
		row = coverage_row(COVERAGE_UNKNOWN);
		snprintf(number, sizeof(number), "%u", id);
		detail = number;
	}
	sum = find(row, detail ? detail : "");
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
