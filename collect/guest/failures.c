/*
 * collect/guest/failures.c: calls that returned an error.
 *
 * They are summed by function, error and call path; a sum is written as those of coverage are (see
 * coverage.c).
 */
#include "collect/guest/guest.h"

#include <stdlib.h>
#include <string.h>

#define FAILURES_MAX 1000 /* sums; what is in none of them is counted in coverage */
#define NAME_MAX_BYTES 256

/* Numbers of errors. */
enum {
	DEINITIALIZED = 4,
	NOT_READY = 600,
	PEER_ACCESS_ALREADY_ENABLED = 704,
	PEER_ACCESS_NOT_ENABLED = 705,
	GRAPH_UPDATE_FAILED = 910,
};

struct failure { /* id = index + 1 */
	char *name;
	uint32_t error, frame;
	uint64_t count;
	uint64_t written; /* `count` when it was last written */
};
static struct failure *failures;
static uint32_t failure_count, failure_capacity;
static struct table failure_table;

static const struct {
	uint32_t number;
	const char *driver, *runtime, *description;
} errors[] = {
#define ERROR(number, driver, runtime, description) {number, driver, runtime, description},
#include "gpu/errors.def"
};

bool failures_is_expected(const char *name, uint32_t error)
{
	switch (error) {
	case 0:
	case DEINITIALIZED: /* destructors run after the runtime's */
	case NOT_READY:
	case PEER_ACCESS_ALREADY_ENABLED:
	case PEER_ACCESS_NOT_ENABLED:
	case GRAPH_UPDATE_FAILED: /* then the program instantiates anew */
		return true;
	}
	/* questions, to which an error is an answer; cudaGetLastError() returns those of others */
	return strstr(name, "Get") || !strcmp(name, "cudaPeekAtLastError");
}

/* Length of a name without _v2, _ptsz, _ptds. */
static size_t plain_length(const char *name)
{
	size_t length = strnlen(name, NAME_MAX_BYTES);

	for (;;)
		if (length > 5 && (!strncmp(name + length - 5, "_ptsz", 5) ||
				   !strncmp(name + length - 5, "_ptds", 5)))
			length -= 5;
		else if (length > 3 && !strncmp(name + length - 3, "_v", 2))
			length -= 3;
		else
			return length;
}

/* The error's name in the API of the function, and what it says; "" for one that is not known. */
static void describe(const struct failure *failure, const char **name, const char **description)
{
	bool runtime = !strncmp(failure->name, "cuda", 4);

	*name = *description = "";
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == failure->error) {
			*name = runtime ? errors[i].runtime : errors[i].driver;
			*name = *name ? *name : "";
			*description = errors[i].description;
		}
}

static void write_sum(struct failure *failure)
{
	size_t start = offsetof(struct trace_failed_call, text), size = start;
	const char *texts[3] = {failure->name};
	struct trace_failed_call *record;

	describe(failure, &texts[1], &texts[2]);
	for (int i = 0; i < 3; i++)
		size += strlen(texts[i]) + 1;
	record = calloc(1, size < sizeof(*record) ? sizeof(*record) : size);
	if (!record) {
		guest_give_up("no memory");
		return;
	}
	record->record.type = TRACE_FAILED_CALL;
	record->frame = failure->frame;
	record->error = failure->error;
	record->count = failure->count;
	for (int i = 0; i < 3; i++) {
		strcpy((char *)record + start, texts[i]);
		start += strlen(texts[i]) + 1;
	}
	failure->written = failure->count;
	guest_append(&record->record, size);
	free(record);
}

/* NULL: one too many, or no memory. */
static struct failure *find(const char *name, size_t length, uint32_t error, uint32_t frame)
{
	struct failure failure = {.error = error, .frame = frame};
	uint32_t hash = table_hash(frame * UINT32_C(0x9e3779b1) ^ error, name, length);
	uint32_t id, position = 0;
	void *moved;

	while ((id = table_find(&failure_table, hash, &position))) {
		struct failure *other = &failures[id - 1];

		if (other->frame == frame && other->error == error &&
		    !strncmp(other->name, name, length) && !other->name[length])
			return other;
	}
	if (failure_count == FAILURES_MAX)
		return NULL;
	moved = guest_reserve(failures, failure_count, &failure_capacity, sizeof(*failures));
	if (moved)
		failures = moved;
	if (!moved || !(failure.name = strndup(name, length)) ||
	    table_add(&failure_table, hash, failure_count + 1) != 0) {
		free(failure.name);
		guest_give_up("no memory");
		return NULL;
	}
	failures[failure_count] = failure;
	return &failures[failure_count++];
}

void failures_add(const char *name, uint32_t error, uint32_t frame)
{
	struct failure *failure = find(name, plain_length(name), error, frame);

	if (!failure) {
		coverage_add(COVERAGE_FAILED_CALLS_LEFT_OUT, NULL, 1, 0);
		return;
	}
	if (++failure->count >= failure->written * 2)
		write_sum(failure);
}

void failures_write(void)
{
	for (uint32_t i = 0; i < failure_count; i++)
		if (failures[i].count != failures[i].written)
			write_sum(&failures[i]);
}
