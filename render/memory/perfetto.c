/*
 * render/memory/perfetto.c: peaks of memory, and where objects are there and not needed, in the
 * host times of the calls.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "graph/dependencies.h"
#include "render/memory/wasted.h"
#include "render/perfetto.h"
#include "util/memory.h"
#include "util/size.h"

enum {
	PEAKS = 5,      /* that are marked */
	FINDINGS = 100, /* that are shown, of the highest rank */
};

/* Events of the process by the number of the call. */
struct calls {
	const struct profile_event **events;
	uint32_t count;
};

static void number_calls(const struct profile *profile, uint32_t process, struct calls *calls)
{
	uint32_t edges;
	uint64_t *levels = dependency_levels(profile, profile->event_rows, &edges);

	calls->count = 0;
	calls->events = xcalloc((size_t)profile->event_rows + 1, sizeof(*calls->events));
	for (uint32_t i = 0; i < profile->event_rows; i++)
		if (profile->events[i].process == process && levels[i] != NO_LEVEL)
			calls->events[calls->count++] = &profile->events[i];
	free(levels);
}

/* When a place begins; false: the profile does not hold the call. */
static bool time_of(const struct calls *calls, uint64_t at, uint64_t *ns)
{
	if (at / 2 >= calls->count)
		return false;
	*ns = at % 2 ? calls->events[at / 2]->end_ns : calls->events[at / 2]->start_ns;
	return true;
}

static void put_peak(struct json *json, const struct calls *calls, uint32_t process,
		     const struct peaks_peak *peak)
{
	char size[16], *name;
	uint64_t ns;

	/* the bytes are there when the call that allocates them is over */
	if (!time_of(calls, peak->place + 1, &ns))
		return;
	name = xasprintf("peak: %s", size_format(peak->bytes, size));
	perfetto_event(json, "i");
	json_named_text(json, "s", "p");
	json_named_text(json, "cat", "memory");
	json_named_text(json, "name", name);
	json_named_count(json, "pid", process + 1);
	json_named_count(json, "tid", 1);
	perfetto_time(json, "ts", ns);
	json_name(json, "args");
	json_begin(json, '{');
	json_named_count(json, "bytes", peak->bytes);
	json_named_count(json, "call", peak->place / 2 + 1);
	perfetto_end(json);
	free(name);
}

static void put_arguments(struct json *json, const struct memory *memory,
			  const struct memory_finding *finding)
{
	json_name(json, "args");
	json_begin(json, '{');
	json_named_count(json, "site", finding->site);
	json_named_count(json, "object", finding->worst->object + UINT64_C(1));
	json_named_count(json, "objects", finding->objects);
	json_named_count(json, "bytes", finding->bytes);
	json_named_count(json, "peak", memory->peak);
	if (finding->peak != PROFILE_UNKNOWN)
		json_named_count(json, "peak_when_mended", finding->peak);
	json_end(json, '}');
}

/*
 * On a track of its own, since it begins with a call, and the object's life with the end of one;
 * and an instant where it begins.
 */
static void put_finding(struct json *json, const struct calls *calls, const struct memory *memory,
			uint32_t index)
{
	const struct memory_finding *finding = &memory->findings[index];
	const char *name = memory_pattern_titles[finding->pattern];
	uint64_t from, to, times[2];

	memory_wasted(finding, 2 * (uint64_t)calls->count - 1, &from, &to);
	if (!time_of(calls, from, &times[0]) || !time_of(calls, to, &times[1]))
		return;
	perfetto_event(json, "i");
	json_named_text(json, "s", "p");
	json_named_text(json, "cat", "finding");
	json_named_text(json, "name", name);
	json_named_count(json, "pid", memory->process + 1);
	json_named_count(json, "tid", 1);
	perfetto_time(json, "ts", times[0]);
	put_arguments(json, memory, finding);
	json_end(json, '}');
	for (int end = 0; end < 2; end++) {
		perfetto_event(json, end ? "e" : "b");
		json_named_text(json, "cat", "finding");
		json_name(json, "id");
		json_raw(json, "\"0x%x\"", index + 1);
		json_named_count(json, "pid", memory->process + 1);
		json_named_count(json, "tid", 1);
		perfetto_time(json, "ts", times[end]);
		json_named_text(json, "name", name);
		if (!end)
			put_arguments(json, memory, finding);
		json_end(json, '}');
	}
}

void perfetto_put_memory(struct json *json, const struct picture *picture)
{
	struct profile profile;
	struct memory *memory = memory_of_picture(picture, &profile);
	struct peaks_peak highest[PEAKS];
	struct calls calls;
	uint32_t count;

	if (!memory)
		return;
	number_calls(&profile, memory->process, &calls);
	count = peaks_highest(memory->peaks, highest, PEAKS);
	for (uint32_t i = 0; i < count; i++)
		put_peak(json, &calls, memory->process, &highest[i]);
	for (uint32_t i = 0; i < memory->finding_count && i < FINDINGS; i++)
		put_finding(json, &calls, memory, i);
	free(calls.events);
	memory_free(memory);
}
