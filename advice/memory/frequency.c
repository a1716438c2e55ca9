/* advice/memory/frequency.c: see frequency.h. */
#include "advice/memory/frequency.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { ELEMENT = 4 /* bytes */ };

/* The rows of a frequency: *count of them. */
static const struct profile_frequency_count *counts_of(const struct profile *profile,
						       const struct profile_frequency *frequency,
						       uint32_t *count)
{
	const struct profile_frequency_count *all = profile->frequency_counts;
	const uint32_t index = (uint32_t)(frequency - profile->frequencies);
	uint32_t low = 0, high = profile->frequency_count_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all[middle].frequency < index)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0;
	     low + *count < profile->frequency_count_count && all[low + *count].frequency == index;)
		++*count;
	return all + low;
}

/* Part `number` of the object: from *offset on, up to *end. */
static void part_of(const struct profile *profile, const struct profile_frequency *frequency,
		    uint32_t number, uint64_t *offset, uint64_t *end)
{
	const uint64_t size = profile->objects[frequency->object].size;
	const uint64_t elements = size / ELEMENT + (size % ELEMENT != 0);
	const uint64_t length =
		(elements / PROFILE_FREQUENCY_COUNTS + (elements % PROFILE_FREQUENCY_COUNTS != 0)) *
		ELEMENT;

	*offset = number * length < size ? number * length : size;
	*end = length < size - *offset ? *offset + length : size;
}

/* The part with most accesses; NULL: the profile does not say. */
static const struct profile_frequency_count *hottest_of(const struct profile *profile,
							const struct profile_frequency *frequency)
{
	const struct profile_frequency_count *hottest = NULL;
	uint32_t count;
	const struct profile_frequency_count *counts = counts_of(profile, frequency, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!hottest || counts[i].accesses > hottest->accesses)
			hottest = &counts[i];
	return hottest;
}

static char *kernel_words(const struct profile *profile, const struct profile_frequency *frequency)
{
	const uint32_t v = graph_find(profile->graph, frequency->vertex);

	return v == UINT32_MAX ? xstrdup("an unknown kernel") : words_vertex(profile, v);
}

char *frequency_title(const struct memory_finding *finding)
{
	return xasprintf("coefficient of variation %.0f%%",
			 100 * finding->access.frequency->variation);
}

char *frequency_histogram(const struct profile *profile, const struct memory_finding *finding)
{
	uint32_t count;
	const struct profile_frequency_count *counts =
		counts_of(profile, finding->access.frequency, &count);
	char *text = xstrdup("elements by accesses:"), *before;
	bool first = true;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t from = UINT64_C(1) << counts[i].number;
		const char *comma = first ? " " : ", ";

		if (!counts[i].elements)
			continue;
		first = false;
		before = text;
		if (from == 1)
			text = xasprintf("%s%s1: %" PRIu64, before, comma, counts[i].elements);
		else if (counts[i].number == PROFILE_FREQUENCY_COUNTS - 1)
			text = xasprintf("%s%s%" PRIu64 " or more: %" PRIu64, before, comma, from,
					 counts[i].elements);
		else
			text = xasprintf("%s%s%" PRIu64 " to %" PRIu64 ": %" PRIu64, before, comma,
					 from, 2 * from - 1, counts[i].elements);
		free(before);
	}
	return text;
}

char *frequency_evidence(const struct profile *profile, const struct memory_finding *finding)
{
	const struct profile_frequency *frequency = finding->access.frequency;
	char *kernel = kernel_words(profile, frequency), *text, *coarse;

	coarse = frequency->granularity > ELEMENT
			 ? xasprintf(" Accesses were counted by stretches of %" PRIu32
				     " bytes: what differs inside of one is not seen.",
				     frequency->granularity)
			 : xstrdup("");
	text = xasprintf("A launch of %s accesses %" PRIu64 " element%s of it, of 4 bytes, %.3g "
			 "times each on average, and one %" PRIu64
			 " times: a coefficient of variation of %.0f%%.%s",
			 kernel, frequency->elements, text_plural(frequency->elements, "", "s"),
			 (double)frequency->accesses / (double)frequency->elements, frequency->most,
			 100 * frequency->variation, coarse);
	free(kernel);
	free(coarse);
	return text;
}

/* Where what is accessed often lies together; else it lies everywhere. */
char *frequency_advice(const struct profile *profile, const struct memory_finding *finding)
{
	const struct profile_frequency *frequency = finding->access.frequency;
	const struct profile_frequency_count *hottest = hottest_of(profile, frequency);
	const uint64_t size = profile->objects[frequency->object].size;
	uint64_t offset = 0, end = 0;
	char *length, *share, *text;

	if (hottest)
		part_of(profile, frequency, hottest->number, &offset, &end);
	/* twice what its length alone would give it */
	if (!hottest || (double)hottest->accesses * (double)size <
				2 * (double)(end - offset) * (double)frequency->accesses)
		return xstrdup("Sort the elements so that those which are accessed often lie "
			       "together, and keep these in shared memory, or in L2 with an access "
			       "policy window of the stream.");
	length = words_bytes(end - offset);
	share = words_percent(hottest->accesses, frequency->accesses);
	text = xasprintf("Keep the %s from byte %" PRIu64 " on, which have %s of the accesses, in "
			 "shared memory, or in L2 with an access policy window of the stream.",
			 length, offset, share);
	free(length);
	free(share);
	return text;
}

void frequency_json(const struct profile *profile, const struct memory_finding *finding,
		    struct json *json)
{
	const struct profile_frequency *frequency = finding->access.frequency;
	uint32_t count;
	const struct profile_frequency_count *counts = counts_of(profile, frequency, &count);
	uint64_t offset, end;

	json_named_real(json, "variation", frequency->variation);
	json_named_count(json, "kernel_vertex", frequency->vertex);
	json_named_count(json, "launches", frequency->launches);
	json_named_count(json, "elements", frequency->elements);
	json_named_count(json, "accesses", frequency->accesses);
	json_named_count(json, "most_accesses", frequency->most);
	json_named_count(json, "granularity", frequency->granularity);
	json_name(json, "histogram");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (!counts[i].elements)
			continue;
		json_begin(json, '{');
		json_named_count(json, "accesses_from", UINT64_C(1) << counts[i].number);
		json_named_count(json, "elements", counts[i].elements);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_name(json, "parts");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (!counts[i].accesses)
			continue;
		part_of(profile, frequency, counts[i].number, &offset, &end);
		json_begin(json, '{');
		json_named_count(json, "offset", offset);
		json_named_count(json, "bytes", end - offset);
		json_named_count(json, "accesses", counts[i].accesses);
		json_end(json, '}');
	}
	json_end(json, ']');
}
