/*
 * render/memory/perfetto.c: peaks of memory, and where objects are there and not needed, in the
 * host times of the calls.
 */
#include <stdlib.h>

#include "graph/dependencies.h"
#include "render/memory/wasted.h"
#include "render/perfetto/perfetto.h"
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

static void put_peak(struct perfetto *trace, const struct calls *calls, uint32_t process,
		     const struct peaks_peak *peak)
{
	struct perfetto_event out = {.type = PERFETTO_INSTANT,
				     .category = "memory",
				     .place = "peaks of memory",
				     .process = process + 1};
	char size[16], *name;

	/* the bytes are there when the call that allocates them is over */
	if (!time_of(calls, peak->place + 1, &out.start_ns))
		return;
	out.name = name = xasprintf("peak: %s", size_format(peak->bytes, size));
	perfetto_number(&out, "bytes", peak->bytes);
	perfetto_number(&out, "call", peak->place / 2 + 1);
	trace->writer->event(trace, &out);
	free(name);
}

static void add_arguments(struct perfetto_event *event, const struct memory *memory,
			  const struct memory_finding *finding)
{
	perfetto_number(event, "site", finding->site);
	perfetto_number(event, "object", finding->worst->object + UINT64_C(1));
	perfetto_number(event, "objects", finding->objects);
	perfetto_number(event, "bytes", finding->bytes);
	perfetto_number(event, "peak", memory->peak);
	if (finding->peak != PROFILE_UNKNOWN)
		perfetto_number(event, "peak_when_mended", finding->peak);
}

/*
 * On a track of its own, since it begins with a call, and the object's life with the end of one;
 * and an instant where it begins.
 */
static void put_finding(struct perfetto *trace, const struct calls *calls,
			const struct memory *memory, uint32_t index)
{
	const struct memory_finding *finding = &memory->findings[index];
	struct perfetto_event out = {.type = PERFETTO_INSTANT,
				     .category = "finding",
				     .place = "findings",
				     .name = memory_patterns[finding->pattern].title,
				     .process = memory->process + 1};
	uint64_t from, to;

	memory_wasted(finding, 2 * (uint64_t)calls->count - 1, &from, &to);
	if (!time_of(calls, from, &out.start_ns) || !time_of(calls, to, &out.end_ns))
		return;
	add_arguments(&out, memory, finding);
	trace->writer->event(trace, &out);
	out.type = PERFETTO_SPAN;
	out.place = "not needed";
	out.id = index + 1;
	trace->writer->event(trace, &out);
}

void perfetto_put_memory(struct perfetto *trace, const struct picture *picture)
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
		put_peak(trace, &calls, memory->process, &highest[i]);
	for (uint32_t i = 0; i < memory->finding_count && i < FINDINGS; i++)
		put_finding(trace, &calls, memory, i);
	free(calls.events);
	memory_free(memory);
}
