/*
 * collect/trace_check.c: the check sum of trace records.
 *
 * FNV-1a over 32-bit words with a rotation.  Each step is a bijection of the sum and of the word,
 * so a change within one word is found for certain, not only very probably.
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

uint32_t trace_check_body(uint32_t size, const void *body)
{
	uint32_t sum = add_word(FNV_BASIS, size);

	sum = add_bytes(sum, body, size - offsetof(struct trace_record, type));
	return sum ? sum : 1; /* 0 marks the end of a trace */
}

uint32_t trace_check(const struct trace_record *record)
{
	return trace_check_body(record->size, &record->type);
}

uint32_t trace_check_header(const struct trace_header *header)
{
	return add_bytes(FNV_BASIS, header, offsetof(struct trace_header, check));
}
