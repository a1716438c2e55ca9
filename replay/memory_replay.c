/* replay/memory_replay.c: allocations once more, with other spans; see replay/memory.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/memory/peaks.h"
#include "replay/memory.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/pair_map.h"
#include "util/size.h"
#include "util/text.h"

/* The last change of each kind to (object or site). */
struct choices {
	const struct memory_request *request;
	struct pair_map rows; /* (index, 2 * kind + one): index of the change */
	bool *used;           /* by index of the change */
};

static uint32_t key_of(const struct memory_change *change)
{
	return 2 * (uint32_t)change->kind + change->one;
}

static void choose(struct choices *choices, const struct memory_request *request)
{
	choices->request = request;
	choices->used = xcalloc(request->count + 1, sizeof(*choices->used));
	for (uint32_t i = request->count; i-- > 0;) {
		const struct memory_change *change = &request->changes[i];
		uint32_t row;

		/* of changes that others replace nobody asks whether they are about something */
		if (pair_map_find(&choices->rows, change->index, key_of(change), i, &row))
			choices->used[i] = true;
	}
}

/* What is asked of the object itself, else of its site; NULL: nothing. */
static const struct memory_change *change_of(const struct choices *choices, uint32_t object,
					     uint32_t site, enum memory_change_kind kind)
{
	const struct memory_change *changes = choices->request->changes, *found = NULL;

	for (int one = 0; one < 2; one++) {
		struct memory_change wanted = {kind, one, one ? object : site, 0};
		uint32_t row = pair_map_get(&choices->rows, wanted.index, key_of(&wanted));

		if (row == UINT32_MAX)
			continue;
		choices->used[row] = true;
		found = &changes[row];
	}
	return found;
}

/* Between a call and the next one. */
static uint64_t after(uint64_t call)
{
	return 2 * call + 1;
}

static uint64_t before(uint64_t call)
{
	return call ? 2 * call - 1 : 0;
}

static struct peaks_span move(const struct choices *choices, const struct profile *profile,
			      const struct profile_lifetime *life, struct peaks_span span,
			      struct memory_outcome *outcome)
{
	const uint32_t site = profile->objects[life->object].site;
	const struct memory_change *frees =
		change_of(choices, life->object, site, MEMORY_FREE_AFTER);
	const struct memory_change *makes =
		change_of(choices, life->object, site, MEMORY_ALLOC_BEFORE);
	const struct peaks_span was = span;
	uint64_t call;

	if ((frees && frees->call == PROFILE_UNKNOWN && !life->accesses) ||
	    (makes && makes->call == PROFILE_UNKNOWN && !life->accesses)) {
		outcome->unaccessed++;
		return span;
	}
	if (frees) {
		call = frees->call == PROFILE_UNKNOWN ? life->last.call : frees->call;
		span.to = after(call);
	}
	if (makes) {
		call = makes->call == PROFILE_UNKNOWN ? life->first.call : makes->call;
		span.from = before(call);
	}
	if (span.from == was.from && span.to == was.to)
		return span;
	outcome->objects++;
	profile_add(&outcome->bytes, span.bytes);
	outcome->unseen += life->unseen;
	outcome->accessed_outside += life->accesses && (2 * life->first.call < span.from ||
							2 * life->last.call >= span.to);
	if (span.to < span.from)
		span.to = span.from;
	return span;
}

static void keep_most(struct memory_most *most, uint64_t bytes, uint64_t place, uint32_t process)
{
	if (bytes > most->bytes)
		*most = (struct memory_most){bytes, place / 2 + place % 2, process};
}

static void replay_process(const struct choices *choices, const struct profile *profile,
			   uint32_t process, struct memory_outcome *outcome)
{
	struct peaks *peaks = peaks_new(profile, process);
	uint32_t count = peaks_count(peaks);
	struct peaks_span *spans = xcalloc(count, sizeof(*spans));
	uint64_t bytes, place;

	for (uint32_t i = 0; i < count; i++)
		spans[i] = peaks_span(peaks, i);
	bytes = peaks_most(peaks, spans, &place);
	keep_most(&outcome->before, bytes, place, process);
	for (uint32_t i = 0; i < count; i++)
		spans[i] = move(choices, profile, peaks_lifetime(peaks, i), spans[i], outcome);
	bytes = peaks_most(peaks, spans, &place);
	keep_most(&outcome->after, bytes, place, process);
	free(spans);
	peaks_free(peaks);
}

static int check_used(const struct choices *choices, struct error *error)
{
	for (uint32_t i = 0; i < choices->request->count; i++) {
		const struct memory_change *change = &choices->request->changes[i];

		if (choices->used[i])
			continue;
		if (change->one)
			return error_set(error,
					 "--%s o%" PRIu32 ": it is no object in memory of the "
					 "device",
					 memory_request_option(change->kind), change->index + 1);
		return error_set(error,
				 "--%s %" PRIu32 ": vertex %" PRIu32
				 " allocated no memory of the device",
				 memory_request_option(change->kind), change->index, change->index);
	}
	return 0;
}

int memory_replay(const struct profile *profile, const struct memory_request *request,
		  struct memory_outcome *outcome, struct error *error)
{
	struct choices choices = {0};
	int result;

	*outcome = (struct memory_outcome){0};
	if (!profile->lifetime_count)
		return error_set(error, "the profile does not say when memory was accessed: %s",
				 profile_lacks_lifetimes(profile));
	choose(&choices, request);
	for (uint32_t p = 0; p < profile->process_count; p++)
		replay_process(&choices, profile, p, outcome);
	result = check_used(&choices, error);
	pair_map_release(&choices.rows);
	free(choices.used);
	return result;
}

/* -- what is printed ---------------------------------------------------------------------- */

static char *bytes_text(uint64_t bytes)
{
	char text[16];

	if (bytes < 1024)
		return xasprintf("%" PRIu64 " byte%s", bytes, text_plural(bytes, "", "s"));
	return xstrdup(size_format(bytes, text));
}

static char *most_text(const struct profile *profile, const struct memory_most *most)
{
	char *bytes = bytes_text(most->bytes);
	char *process = profile->process_count > 1
				? xasprintf(" of process %" PRIu32, most->process + 1)
				: xstrdup("");
	char *text = xasprintf("%s, at API call %" PRIu64 "%s", bytes, most->call + 1, process);

	free(bytes);
	free(process);
	return text;
}

void memory_outcome_text(FILE *out, const struct profile *profile,
			 const struct memory_outcome *outcome)
{
	const uint64_t was = outcome->before.bytes, is = outcome->after.bytes;
	char *first = most_text(profile, &outcome->before);
	char *then = most_text(profile, &outcome->after);
	char *difference = bytes_text(was > is ? was - is : is - was);
	char *bytes = bytes_text(outcome->bytes);

	fprintf(out, "%-16s %s\n%-16s %s", "peak", first, "after", then);
	if (was && was != is)
		fprintf(out, ": %s %s (%.1f%%)", difference, was > is ? "less" : "more",
			100 * (double)(was > is ? was - is : is - was) / (double)was);
	fprintf(out, "\n%-16s %" PRIu64 " object%s at other times, %s in all\n", "",
		outcome->objects, text_plural(outcome->objects, " is there", "s are there"), bytes);
	if (outcome->accessed_outside)
		fprintf(out,
			"%-16s %" PRIu64 " of them %s accessed before or after that: the program "
			"would be wrong\n",
			"", outcome->accessed_outside,
			text_plural(outcome->accessed_outside, "is", "are"));
	if (outcome->unseen)
		fprintf(out,
			"%-16s %" PRIu64 " of them may have been accessed by what was not "
			"analysed\n",
			"", outcome->unseen);
	if (outcome->unaccessed)
		fprintf(out, "%-16s %" PRIu64 " %s not accessed: unchanged; say a call, like 7=4\n",
			"", outcome->unaccessed,
			text_plural(outcome->unaccessed, "other is", "others are"));
	free(first);
	free(then);
	free(difference);
	free(bytes);
}

static void json_most(struct json *json, const char *name, const struct profile *profile,
		      const struct memory_most *most)
{
	json_name(json, name);
	json_begin(json, '{');
	json_named_count(json, "bytes", most->bytes);
	json_named_count(json, "call", most->call + 1);
	json_named_count(json, "pid", profile->processes[most->process].pid);
	json_end(json, '}');
}

void memory_outcome_json(FILE *out, const struct profile *profile,
			 const struct memory_outcome *outcome)
{
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_most(&json, "peak_before", profile, &outcome->before);
	json_most(&json, "peak_after", profile, &outcome->after);
	json_named_count(&json, "changed_objects", outcome->objects);
	json_named_count(&json, "changed_bytes", outcome->bytes);
	json_named_count(&json, "accessed_outside", outcome->accessed_outside);
	json_named_count(&json, "unseen_objects", outcome->unseen);
	json_named_count(&json, "unaccessed_objects", outcome->unaccessed);
	json_end(&json, '}');
	fputc('\n', out);
}
