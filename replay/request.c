/* replay/request.c: see replay/request.h. */
#include "replay/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "util/duration.h"
#include "util/memory.h"

enum { CHANGES_MAX = 100000 };

#define TO_MEASURE UINT64_MAX /* in the place of a time, which is at most 2^63 ns */

const char *request_option(enum replay_change_kind kind)
{
	static const char *const names[] = {
		[REPLAY_REMOVE] = "without",  [REPLAY_NO_WAIT] = "no-wait",
		[REPLAY_ASYNC] = "async",     [REPLAY_MOVE] = "after-use",
		[REPLAY_SHORTEN] = "instead", [REPLAY_HOIST] = "hoist",
		[REPLAY_NARROW] = "wait-for",
	};

	return names[kind];
}

/* A decimal number at the start of *text, which moves behind it. */
static int take_number(const char **text, uint64_t most, uint64_t *number)
{
	const char *digits = *text;

	*number = 0;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (*number > (most - digit) / 10)
			return -1;
		*number = 10 * *number + digit;
	}
	return *text == digits ? -1 : 0;
}

static int take_subject(const char **text, struct replay_change *change)
{
	uint64_t number;

	change->subject = **text == 'a' ? REPLAY_API : **text == 'c' ? REPLAY_CALL : REPLAY_VERTEX;
	*text += change->subject != REPLAY_VERTEX;
	if (take_number(text, UINT32_MAX - 1, &number) != 0)
		return -1;
	if (change->subject != REPLAY_VERTEX && !number--) /* rows of tables count from 1 */
		return -1;
	change->index = (uint32_t)number;
	if (**text != ':')
		return 0;
	++*text;
	change->some = true;
	if (change->subject == REPLAY_CALL || take_number(text, INT64_MAX, &change->first) != 0)
		return -1;
	change->last = change->first;
	if (**text != '-')
		return 0;
	++*text;
	return take_number(text, INT64_MAX, &change->last) != 0 || change->last < change->first ? -1
												: 0;
}

/* "40%" of what it took, a time, for MOVE a later call, or for NARROW the number of a stream. */
static int take_value(const char *text, struct replay_change *change)
{
	size_t size = strlen(text);
	uint64_t number;
	char *end;

	if (change->kind == REPLAY_NARROW) {
		if (take_number(&text, UINT32_MAX - 1, &number) != 0 || *text)
			return -1;
		change->stream = (uint32_t)number;
		return 0;
	}
	if (change->kind == REPLAY_MOVE && *text == 'c') {
		text++;
		change->at_call = true;
		if (take_number(&text, UINT32_MAX - 1, &number) != 0 || *text || !number)
			return -1;
		change->call = (uint32_t)number - 1;
		return 0;
	}
	if (change->kind == REPLAY_SHORTEN && size && text[size - 1] == '%') {
		if (strspn(text, "0123456789.") != size - 1)
			return -1;
		change->scaled = true;
		change->fraction = strtod(text, &end) / 100;
		return *end == '%' && change->fraction <= 1 ? 0 : -1;
	}
	return duration_parse(text, &change->ns);
}

static int add_item(struct request *request, enum replay_change_kind kind, const char *item,
		    struct error *error)
{
	const bool wants_value =
		kind == REPLAY_SHORTEN || kind == REPLAY_MOVE || kind == REPLAY_NARROW;
	struct replay_change change = {.kind = kind};
	const char *text = item;

	if (take_subject(&text, &change) != 0 || (*text && *text != '='))
		return error_set(error,
				 "--%s %s: expected a vertex like 31, a function like a7 or a call "
				 "like c120, with :2-5 for some invocations",
				 request_option(kind), item);
	if (!*text && kind == REPLAY_MOVE)
		change.ns = TO_MEASURE;
	else if ((*text == '=') != wants_value || (*text && take_value(text + 1, &change) != 0))
		return error_set(error, "--%s %s: %s", request_option(kind), item,
				 kind == REPLAY_SHORTEN ? "expected what it takes, like 31=2us or "
							  "31=40%"
				 : kind == REPLAY_NARROW
					 ? "expected the stream that it waits for, like a9=3"
				 : kind == REPLAY_MOVE
					 ? "expected how much later it waits, like 9=150us, or "
					   "before which call, like c9=c12"
					 : "takes no value");
	if (request->count == CHANGES_MAX)
		return error_set(error, "more than %d changes", CHANGES_MAX);
	ARRAY_RESERVE(request->changes, request->count, request->capacity);
	request->changes[request->count++] = change;
	return 0;
}

int request_add(struct request *request, enum replay_change_kind kind,
		const struct option_list *list, struct error *error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const char *rest = list->items[i];

		do {
			size_t size = strcspn(rest, ",");
			char *item = xstrndup(rest, size);
			int result = add_item(request, kind, item, error);

			free(item);
			if (result != 0)
				return -1;
			rest += size;
		} while (*rest++ == ',');
	}
	return 0;
}

static bool is_of(const struct profile *profile, const struct replay_change *change, uint32_t api)
{
	switch (change->subject) {
	case REPLAY_VERTEX:
		return profile->apis[api].vertex == change->index;
	case REPLAY_API:
		return api == change->index;
	case REPLAY_CALL:
		return change->index < profile->timeline_count &&
		       profile->timeline[change->index].api == api;
	}
	return false;
}

static int measure(struct replay_change *change, const struct profile *profile, struct error *error)
{
	char *subject = request_subject(change);
	const char *why = "the profile has no first use of it (pass use)";
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < profile->first_use_count; i++) {
		const struct profile_first_use *use = &profile->first_uses[i];

		if (!is_of(profile, change, use->api))
			continue;
		if (use->kind == GPU_USE_UNKNOWN) {
			why = "not all that it protects could be watched";
			least = UINT64_MAX;
			break;
		}
		why = "the host never used what it protects: try --no-wait";
		if (use->min_ns < least)
			least = use->min_ns;
	}
	if (least == UINT64_MAX)
		error_set(error,
			  "--after-use: %s: %s; or say how much later it waits, like 9=150us",
			  subject, why);
	change->ns = least;
	free(subject);
	return least == UINT64_MAX ? -1 : 0;
}

int request_measure(struct request *request, const struct profile *profile, struct error *error)
{
	for (uint32_t i = 0; i < request->count; i++) {
		struct replay_change *change = &request->changes[i];

		if (change->kind == REPLAY_MOVE && !change->at_call && change->ns == TO_MEASURE &&
		    measure(change, profile, error) != 0)
			return -1;
	}
	return 0;
}

void request_release(struct request *request)
{
	free(request->changes);
	*request = (struct request){NULL, 0, 0};
}

char *request_subject(const struct replay_change *change)
{
	static const char *const names[] = {
		[REPLAY_VERTEX] = "vertex ", [REPLAY_API] = "a", [REPLAY_CALL] = "call "};
	const char *name = names[change->subject];
	const uint32_t number = change->index + (change->subject != REPLAY_VERTEX);

	if (!change->some)
		return xasprintf("%s%" PRIu32, name, number);
	if (change->first == change->last)
		return xasprintf("%s%" PRIu32 ", invocation %" PRIu64, name, number, change->first);
	return xasprintf("%s%" PRIu32 ", invocations %" PRIu64 " to %" PRIu64, name, number,
			 change->first, change->last);
}
