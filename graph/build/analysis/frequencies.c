/*
 * graph/build/analysis/frequencies.c: the analysis that says of which objects a launch has accessed
 * some elements more often than others (DrGPUM, Definition 3.9).
 */
#include "graph/build/analysis.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/records.h"
#include "util/memory.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

_Static_assert(LENGTH(((struct gpu_frequency *)0)->parts) == PROFILE_FREQUENCY_COUNTS &&
		       LENGTH(((struct gpu_frequency *)0)->often) == PROFILE_FREQUENCY_COUNTS,
	       "table frequency_count has both");

enum { NONE = UINT32_MAX };

/* The worst launch on an object. */
struct worst {
	struct profile_frequency row;
	struct gpu_frequency frequency;
};

struct frequencies {
	struct profile *profile;
	uint32_t *rows; /* by index of the object: of `worst`, or NONE */
	uint32_t object_count;
	struct worst *worst;
	uint32_t count, capacity;
};

static void *begin(struct profile *profile)
{
	struct frequencies *frequencies = xcalloc(1, sizeof(*frequencies));

	frequencies->profile = profile;
	return frequencies;
}

static uint64_t sum(const uint64_t *numbers)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < PROFILE_FREQUENCY_COUNTS; i++)
		profile_add(&total, numbers[i]);
	return total;
}

static bool makes_sense(const struct gpu_frequency *frequency, uint64_t size)
{
	return frequency->elements && frequency->elements <= size / 4 + (size % 4 != 0) &&
	       frequency->most && frequency->most <= frequency->accesses &&
	       frequency->accesses <= PROFILE_NUMBER_MAX && frequency->granularity &&
	       sum(frequency->parts) == frequency->accesses &&
	       sum(frequency->often) == frequency->elements;
}

/* The coefficient of variation: the standard deviation over the mean. */
static double variation_of(const struct gpu_frequency *frequency)
{
	const double elements = (double)frequency->elements, accesses = (double)frequency->accesses;
	const double squares =
		(double)frequency->squares_high * 0x1p32 + (double)frequency->squares_low;
	const double square = elements * squares / (accesses * accesses) - 1;

	return square > 0 ? sqrt(square) : 0;
}

static struct worst *worst_of(struct frequencies *frequencies, uint32_t object)
{
	uint32_t *row;

	while (frequencies->object_count <= object) {
		uint32_t count = 2 * object + 64;

		frequencies->rows =
			xreallocarray(frequencies->rows, count, sizeof(*frequencies->rows));
		while (frequencies->object_count < count)
			frequencies->rows[frequencies->object_count++] = NONE;
	}
	row = &frequencies->rows[object];
	if (*row == NONE) {
		*row = frequencies->count;
		ARRAY_RESERVE(frequencies->worst, frequencies->count, frequencies->capacity);
		frequencies->worst[frequencies->count++] =
			(struct worst){.row = {.object = object, .variation = -1}};
	}
	return &frequencies->worst[*row];
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct frequencies *frequencies = state;
	const struct gpu_frequency *frequency = record->payload;
	struct worst *worst;
	double variation;

	if (!makes_sense(frequency, frequencies->profile->objects[record->object].size))
		return error_set(error, "counts of accesses that are not those of their object");
	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX)
		return 0;
	variation = variation_of(frequency);
	worst = worst_of(frequencies, record->object);
	worst->row.launches++;
	if (variation <= worst->row.variation)
		return 0;
	worst->frequency = *frequency;
	worst->row.vertex = event->vertex;
	worst->row.elements = frequency->elements;
	worst->row.accesses = frequency->accesses;
	worst->row.most = frequency->most;
	worst->row.granularity = frequency->granularity;
	worst->row.variation = variation;
	return 0;
}

static int by_object(const void *left, const void *right)
{
	const struct worst *a = left, *b = right;

	return (a->row.object > b->row.object) - (a->row.object < b->row.object);
}

static void add(struct profile *profile, const struct worst *worst)
{
	for (uint32_t i = 0; i < PROFILE_FREQUENCY_COUNTS; i++) {
		if (!worst->frequency.often[i] && !worst->frequency.parts[i])
			continue;
		ARRAY_RESERVE(profile->frequency_counts, profile->frequency_count_count,
			      profile->frequency_count_capacity);
		profile->frequency_counts[profile->frequency_count_count++] =
			(struct profile_frequency_count){.frequency = profile->frequency_count,
							 .number = i,
							 .elements = worst->frequency.often[i],
							 .accesses = worst->frequency.parts[i]};
	}
	ARRAY_RESERVE(profile->frequencies, profile->frequency_count, profile->frequency_capacity);
	profile->frequencies[profile->frequency_count++] = worst->row;
}

static void end(void *state)
{
	struct frequencies *frequencies = state;

	if (frequencies->count)
		qsort(frequencies->worst, frequencies->count, sizeof(*frequencies->worst),
		      by_object);
	for (uint32_t i = 0; i < frequencies->count; i++)
		add(frequencies->profile, &frequencies->worst[i]);
	free(frequencies->worst);
	free(frequencies->rows);
	free(frequencies);
}

const struct build_analysis build_frequencies = {
	.name = "frequencies",
	.pass = "access",
	.kinds = (const uint32_t[]){GPU_RECORD_FREQUENCY, 0},
	.begin = begin,
	.record = take_record,
	.end = end,
};
