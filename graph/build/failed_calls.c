/* graph/build/failed_calls.c: see build/failed_calls.h. */
#include "graph/build/failed_calls.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/process.h"
#include "util/memory.h"

#define KINDS_MAX 100000 /* of a trace that lies */

struct key { /* followed by the function's name, and hashed with it */
	uint32_t error, frame;
	char function[];
};

struct failed_call {
	struct key *key;
	char *error_name, *description;
	uint64_t count;
	uint32_t process; /* whose sum was the last one, and that */
	uint64_t last;
	UT_hash_handle hh; /* in order of first appearance */
};

struct failed_calls {
	struct failed_call *table;
};

struct failed_calls *failed_calls_new(void)
{
	return xcalloc(1, sizeof(struct failed_calls));
}

/* The call with this key, which it owns. */
static struct failed_call *find(struct failed_calls *calls, struct key *key, size_t size)
{
	struct failed_call *call;

	HASH_FIND(hh, calls->table, key, size, call);
	if (call) {
		free(key);
		return call;
	}
	call = xcalloc(1, sizeof(*call));
	call->key = key;
	call->process = UINT32_MAX;
	HASH_ADD_KEYPTR(hh, calls->table, call->key, size, call);
	return call;
}

int failed_calls_take(struct failed_calls *calls, const struct trace_failed_call *record,
		      uint32_t process, uint32_t frame, struct error *error)
{
	const char *function = trace_text(&record->record, record->text, 0);
	size_t size = sizeof(struct key) + strlen(function);
	struct failed_call *call;
	struct key *key;

	if (record->count > PROFILE_NUMBER_MAX || !record->error)
		return error_set(error, "a failed call with error %u, %llu times: it cannot be",
				 record->error, (unsigned long long)record->count);
	if (HASH_COUNT(calls->table) == KINDS_MAX)
		return error_set(error, "more than %d kinds of failed calls", KINDS_MAX);
	key = xcalloc(1, size + 1);
	key->error = record->error;
	key->frame = frame;
	strcpy(key->function, function);
	call = find(calls, key, size);
	if (!call->error_name) {
		call->error_name = process_clean_name(trace_text(&record->record, record->text, 1));
		call->description =
			process_clean_name(trace_text(&record->record, record->text, 2));
	}
	if (call->process == process)
		call->count -= call->last;
	call->process = process;
	call->last = record->count;
	if (call->last > PROFILE_NUMBER_MAX - call->count)
		call->last = PROFILE_NUMBER_MAX - call->count;
	call->count += call->last;
	return 0;
}

static void add_row(struct profile *profile, struct merge *merge, const struct failed_call *call)
{
	struct profile_failed_call *row;

	ARRAY_RESERVE(profile->failed_calls, profile->failed_call_count,
		      profile->failed_call_capacity);
	row = &profile->failed_calls[profile->failed_call_count++];
	*row = (struct profile_failed_call){
		.function = process_clean_name(call->key->function),
		.error = call->key->error,
		.error_name = xstrdup(call->error_name),
		.description = xstrdup(call->description),
		.count = call->count,
		.place.frame = call->key->frame,
	};
	row->place.function = row->function;
	/* before all other places: frames are numbered in the order of what needs them */
	callpaths_place(merge_paths(merge), &row->place);
}

void failed_calls_finish(struct failed_calls *calls, struct profile *profile, struct merge *merge)
{
	struct failed_call *call, *next;

	HASH_ITER(hh, calls->table, call, next)
	{
		if (profile->failed_call_count < PROFILE_FAILED_CALLS_MAX)
			add_row(profile, merge, call);
		else
			profile_add_coverage(profile, COVERAGE_FAILED_CALLS_LEFT_OUT, NULL,
					     call->count, 0);
	}
}

void failed_calls_free(struct failed_calls *calls)
{
	struct failed_call *call, *next;

	HASH_ITER(hh, calls->table, call, next)
	{
		HASH_DEL(calls->table, call);
		free(call->key);
		free(call->error_name);
		free(call->description);
		free(call);
	}
	free(calls);
}
