/*
 * collect/trace_check.c: the check sum of trace records.
 *
 * FNV-1a over 32-bit words with a rotation.  Each step is a bijection of the sum and of the word,
 * so a change within one word is found for certain, not only very probably.  A step takes as long
 * as five others of today's processors, which is why four sums go on side by side.
 */
#include "collect/trace.h"

#include <string.h>

#define FNV_BASIS UINT32_C(0x811c9dc5)
#define FNV_PRIME UINT32_C(0x01000193)

static uint32_t add_word(uint32_t sum, uint32_t word)
{
	sum = (sum ^ word) * FNV_PRIME;
	return sum << 13 | sum >> 19;
}

/* `size` is a multiple of 4. */
static uint32_t add_bytes(uint32_t sum, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		sum = add_word(sum, word);
	}
	return sum;
}

enum { LANES = 4 };

/* Word i goes into sum i % 4; the sums are the words of the result. */
static uint32_t add_lanes(uint32_t sum, const void *bytes, size_t size)
{
	uint32_t sums[LANES] = {FNV_BASIS, FNV_BASIS, FNV_BASIS, FNV_BASIS}, words[LANES] = {0};
	const unsigned char *at = bytes;
	size_t i = 0;

	for (; i + sizeof(words) <= size; i += sizeof(words)) {
		memcpy(words, at + i, sizeof(words));
		for (unsigned k = 0; k < LANES; k++)
			sums[k] = add_word(sums[k], words[k]);
	}
	memcpy(words, at + i, size - i);
	for (unsigned k = 0; k < (size - i) / sizeof(*words); k++)
		sums[k] = add_word(sums[k], words[k]);
	return add_bytes(sum, sums, sizeof(sums));
}

static uint32_t never_0(uint32_t sum)
{
	return sum ? sum : 1; /* 0 marks the end of a trace */
}

uint32_t trace_check_body(uint32_t size, const void *body)
{
	return never_0(add_lanes(add_word(FNV_BASIS, size), body,
				 size - offsetof(struct trace_record, type)));
}

uint32_t trace_check(uint64_t features, const struct trace_record *record)
{
	const size_t start = offsetof(struct trace_record, type);

	if (features & TRACE_FEATURE_LANES)
		return trace_check_body(record->size, &record->type);
	return never_0(add_bytes(add_word(FNV_BASIS, record->size), (const char *)record + start,
				 record->size - start));
}

uint32_t trace_check_header(const struct trace_header *header)
{
	return add_bytes(FNV_BASIS, header, offsetof(struct trace_header, check));
}
