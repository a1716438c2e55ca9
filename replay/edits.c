/*
 * replay/edits.c: which calls the changes are about.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "replay/replay_internal.h"
#include "util/memory.h"

struct maker {
	struct edits *edits;
	const struct replay *replay;
	const struct replay_change *change;
	uint32_t number; /* of the change */
	struct error *error;
	bool unsorted;
	bool narrow;     /* a change of that kind has found calls */
	uint32_t stream; /* the last one that was looked for, on `device` */
	uint32_t device;
};

/* NONE: the device has no such stream. */
static uint32_t find_stream(struct maker *maker, uint32_t device)
{
	const struct replay *replay = maker->replay;

	if (maker->device == device)
		return maker->stream;
	maker->device = device;
	maker->stream = NONE;
	for (uint32_t i = 0; i < replay->stream_count; i++)
		if (replay->streams[i].device == device &&
		    replay->streams[i].number == maker->change->stream)
			maker->stream = i;
	return maker->stream;
}

/* Whether the call waits for a stream or more, or does something in the default stream. */
static bool is_wide(const struct replay *replay, const struct call *call)
{
	if (call->operation < call[1].operation)
		return !replay->streams[call->stream].number;
	for (uint32_t i = call->wait; i < call[1].wait; i++)
		if (replay->waits[i].scope <= GPU_WAIT_STREAM)
			return true;
	return false;
}

static int edit_call(struct maker *maker, uint32_t call)
{
	const struct replay *replay = maker->replay;
	const struct replay_change *change = maker->change;
	struct edits *edits = maker->edits;
	struct edit *edit = &edits->of[call];
	uint32_t stream = NONE;

	if (change->kind == REPLAY_NARROW) {
		if (is_wide(replay, &replay->calls[call]))
			stream = find_stream(maker, replay->calls[call].device);
		if (stream == NONE)
			return 0;
		maker->narrow = true;
	}
	if (change->kind == REPLAY_MOVE && change->at_call &&
	    (change->call >= replay->call_count || change->call <= call ||
	     replay->calls[change->call].thread != replay->calls[call].thread))
		return error_set(maker->error,
				 "call %u cannot be moved to call %u, which is not a later one of "
				 "its thread",
				 call + 1, change->call + 1);
	if (!edit->flags) {
		ARRAY_RESERVE(edits->changed, edits->changed_count, edits->changed_capacity);
		maker->unsorted |=
			edits->changed_count && edits->changed[edits->changed_count - 1] > call;
		edits->changed[edits->changed_count++] = call;
	}
	switch (change->kind) {
	case REPLAY_REMOVE:
	case REPLAY_HOIST:
		edit->flags |= EDIT_REMOVE;
		break;
	case REPLAY_NO_WAIT:
		edit->flags |= EDIT_NO_WAIT;
		break;
	case REPLAY_ASYNC:
		edit->flags |= EDIT_NO_WAIT | EDIT_ASYNC;
		break;
	case REPLAY_MOVE:
		edit->flags |= EDIT_MOVE;
		edit->move = maker->number;
		break;
	case REPLAY_SHORTEN:
		edit->flags |= EDIT_SHORTEN;
		edit->shorten = maker->number;
		break;
	case REPLAY_NARROW:
		edit->flags |= EDIT_NARROW;
		edit->narrow = stream;
		break;
	}
	return 0;
}

/* Of calls of one api and process: which stays, when it is hoisted out of its loop. */
static bool stays(const struct maker *maker, uint32_t api, uint32_t at)
{
	const struct replay *replay = maker->replay;
	const struct profile *profile = replay->profile;
	const uint32_t *calls = replay->api_calls;
	const uint32_t process = profile->timeline[calls[at]].process;

	if (!strcmp(profile->apis[api].kind, "free"))
		return at + 1 == replay->api_first[api + 1] ||
		       profile->timeline[calls[at + 1]].process != process;
	return at == replay->api_first[api] || profile->timeline[calls[at - 1]].process != process;
}

static int edit_api(struct maker *maker, uint32_t api)
{
	const struct replay *replay = maker->replay;
	const struct replay_change *change = maker->change;

	for (uint32_t i = replay->api_first[api]; i < replay->api_first[api + 1]; i++) {
		uint32_t call = replay->api_calls[i];
		uint64_t invocation = replay->profile->timeline[call].invocation;

		if (change->some && (invocation < change->first || invocation > change->last))
			continue;
		if (change->kind == REPLAY_HOIST && stays(maker, api, i))
			continue;
		if (edit_call(maker, call) != 0)
			return -1;
	}
	return 0;
}

static bool has_calls(const struct replay *replay, uint32_t api)
{
	return replay->api_first[api] < replay->api_first[api + 1];
}

static int make(struct maker *maker)
{
	const struct replay *replay = maker->replay;
	const struct replay_change *change = maker->change;
	const struct profile *profile = replay->profile;
	bool found = false;

	switch (change->subject) {
	case REPLAY_CALL:
		if (change->index >= replay->call_count)
			return error_set(maker->error, "the timeline has no call %u: it has %u",
					 change->index + 1, replay->call_count);
		return edit_call(maker, change->index);
	case REPLAY_API:
		if (change->index >= profile->api_count || !has_calls(replay, change->index))
			return error_set(maker->error,
					 "there is no a%u: 'vflow whatif' without options lists "
					 "what there is",
					 change->index + 1);
		return edit_api(maker, change->index);
	case REPLAY_VERTEX:
		for (uint32_t i = 0; i < profile->api_count; i++)
			if (profile->apis[i].vertex == change->index && has_calls(replay, i)) {
				found = true;
				if (edit_api(maker, i) != 0)
					return -1;
			}
		if (!found)
			return error_set(maker->error,
					 "vertex %u made no call in the run of the pass time",
					 change->index);
	}
	return 0;
}

/* Nothing was narrowed: then the change says what is not there. */
static int check_narrow(const struct maker *maker)
{
	if (maker->narrow)
		return 0;
	return error_set(maker->error,
			 "no call waits for stream %u among others: there is no such stream on its "
			 "device, or it waits for no stream",
			 maker->change->stream);
}

static int compare_calls(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int edits_make(struct edits *edits, const struct replay *replay,
	       const struct replay_change *changes, uint32_t count, struct error *error)
{
	struct maker maker = {.edits = edits, .replay = replay, .error = error};

	*edits = (struct edits){.changes = changes,
				.of = xcalloc(replay->call_count + 1, sizeof(*edits->of))};
	for (maker.number = 0; maker.number < count; maker.number++) {
		maker.change = &changes[maker.number];
		maker.device = NONE;
		maker.narrow = maker.change->kind != REPLAY_NARROW;
		if (make(&maker) != 0 || check_narrow(&maker) != 0) {
			edits_release(edits);
			return -1;
		}
	}
	if (maker.unsorted)
		qsort(edits->changed, edits->changed_count, sizeof(*edits->changed), compare_calls);
	return 0;
}

void edits_release(struct edits *edits)
{
	free(edits->of);
	free(edits->changed);
}
