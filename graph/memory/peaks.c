/* graph/memory/peaks.c: see peaks.h. */
#include "graph/memory/peaks.h"

#include <stdlib.h>

#include "util/memory.h"

struct peaks {
	const struct profile *profile;
	uint32_t *rows; /* of profile->lifetimes */
	uint32_t count;
};

/* Bytes come or go. */
struct step {
	uint64_t place, bytes;
	bool comes;
};

static const struct profile_object *object_of(const struct profile *profile,
					      const struct profile_lifetime *life)
{
	return &profile->objects[life->object];
}

struct peaks *peaks_new(const struct profile *profile, uint32_t process)
{
	struct peaks *peaks = xcalloc(1, sizeof(*peaks));

	peaks->profile = profile;
	peaks->rows = xcalloc(profile->lifetime_count, sizeof(*peaks->rows));
	for (uint32_t i = 0; i < profile->lifetime_count; i++)
		if (object_of(profile, &profile->lifetimes[i])->process == process)
			peaks->rows[peaks->count++] = i;
	return peaks;
}

void peaks_free(struct peaks *peaks)
{
	if (!peaks)
		return;
	free(peaks->rows);
	free(peaks);
}

uint32_t peaks_count(const struct peaks *peaks)
{
	return peaks->count;
}

const struct profile_lifetime *peaks_lifetime(const struct peaks *peaks, uint32_t index)
{
	return &peaks->profile->lifetimes[peaks->rows[index]];
}

struct peaks_span peaks_span(const struct peaks *peaks, uint32_t index)
{
	const struct profile_lifetime *life = peaks_lifetime(peaks, index);

	return (struct peaks_span){
		.from = 2 * life->made.call,
		.to = life->freed.call == PROFILE_UNKNOWN ? UINT64_MAX : 2 * life->freed.call,
		.bytes = object_of(peaks->profile, life)->size,
	};
}

bool peaks_holds(const struct peaks_span *span, uint64_t place)
{
	return place >= span->from && place < span->to &&
	       (place < span->gap_from || place >= span->gap_to);
}

/* What goes at a place goes before anything comes there. */
static int by_place(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->comes - b->comes;
}

/* Where bytes come and go, in order; the caller frees. */
static struct step *steps_of(const struct peaks *peaks, const struct peaks_span *spans,
			     size_t *count)
{
	struct step *steps = xcalloc(4 * (size_t)peaks->count + 1, sizeof(*steps));
	size_t used = 0;

	for (uint32_t i = 0; i < peaks->count; i++) {
		const struct peaks_span *span = &spans[i];

		if (span->from >= span->to || !span->bytes)
			continue;
		steps[used++] = (struct step){span->from, span->bytes, true};
		if (span->to != UINT64_MAX)
			steps[used++] = (struct step){span->to, span->bytes, false};
		if (span->gap_from >= span->gap_to)
			continue;
		steps[used++] = (struct step){span->gap_from, span->bytes, false};
		steps[used++] = (struct step){span->gap_to, span->bytes, true};
	}
	if (used)
		qsort(steps, used, sizeof(*steps), by_place);
	*count = used;
	return steps;
}

uint64_t peaks_most(const struct peaks *peaks, const struct peaks_span *spans, uint64_t *place)
{
	uint64_t bytes = 0, most = 0;
	size_t count;
	struct step *steps = steps_of(peaks, spans, &count);

	*place = 0;
	for (size_t i = 0; i < count; i++) {
		bytes += steps[i].comes ? steps[i].bytes : -steps[i].bytes;
		if (bytes <= most)
			continue;
		most = bytes;
		*place = steps[i].place;
	}
	free(steps);
	return most;
}

static struct peaks_span *spans_of(const struct peaks *peaks)
{
	struct peaks_span *spans = xcalloc(peaks->count, sizeof(*spans));

	for (uint32_t i = 0; i < peaks->count; i++)
		spans[i] = peaks_span(peaks, i);
	return spans;
}

/* Puts it where it belongs, if it is one of the highest. */
static void add_peak(struct peaks_peak *highest, uint32_t *count, uint32_t most,
		     struct peaks_peak peak)
{
	uint32_t at = *count;

	while (at && highest[at - 1].bytes < peak.bytes)
		at--;
	if (at == most)
		return;
	*count += *count < most;
	for (uint32_t i = *count - 1; i > at; i--)
		highest[i] = highest[i - 1];
	highest[at] = peak;
}

uint32_t peaks_highest(const struct peaks *peaks, struct peaks_peak *highest, uint32_t most)
{
	struct peaks_span *spans = spans_of(peaks);
	uint64_t bytes = 0;
	uint32_t found = 0;
	size_t count;
	struct step *steps = steps_of(peaks, spans, &count);

	for (size_t i = 0; i < count; i++) {
		bytes += steps[i].comes ? steps[i].bytes : -steps[i].bytes;
		if (steps[i].comes && (i + 1 == count || !steps[i + 1].comes))
			add_peak(highest, &found, most, (struct peaks_peak){steps[i].place, bytes});
	}
	free(steps);
	free(spans);
	return found;
}

int peaks_process(const struct profile *profile)
{
	uint64_t most = 0;
	int process = -1;

	for (uint32_t p = 0; p < profile->process_count; p++) {
		struct peaks *peaks = peaks_new(profile, p);
		struct peaks_peak peak = {0, 0};

		if (peaks_highest(peaks, &peak, 1) && peak.bytes > most) {
			most = peak.bytes;
			process = (int)p;
		}
		peaks_free(peaks);
	}
	return process;
}
