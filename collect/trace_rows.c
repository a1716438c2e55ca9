/*
 * collect/trace_rows.c: the rows of events as they are on disk.  Packed ones leave out metrics that
 * are 0, as most are: a launch over thousands of objects has a row or two of each.
 */
#include "collect/trace.h"

#include <string.h>

#define HEAD ((uint32_t)offsetof(struct trace_row, bytes))
#define WORD ((uint32_t)sizeof(uint64_t))
#define PRESENT_BITS 32u

_Static_assert(TRACE_METRICS < 31, "a packed row has a bit of each, and of its bytes");

/* What follows the head of a row: its bytes, then its metrics. */
static uint32_t words_of(uint32_t row_size)
{
	return (row_size - HEAD) / WORD;
}

static bool is_packed(const struct trace_event *event)
{
	return event->row_size & TRACE_ROWS_PACKED;
}

static uint32_t row_size(const struct trace_event *event)
{
	return event->row_size ? event->row_size & ~TRACE_ROWS_PACKED : TRACE_ROW_USUAL;
}

size_t trace_pack_row(void *to, const struct trace_row *row, uint32_t metrics)
{
	const char *words = (const char *)row + HEAD;
	struct trace_row head = *row;
	char *at = (char *)to + HEAD;

	head.present = 0;
	for (uint32_t i = 0; i <= metrics; i++) {
		uint64_t word;

		memcpy(&word, words + i * WORD, WORD);
		if (!word)
			continue;
		head.present |= UINT32_C(1) << i;
		memcpy(at, &word, WORD);
		at += WORD;
	}
	memcpy(to, &head, HEAD);
	return (size_t)(at - (char *)to);
}

static void unpack(const char *from, struct trace_row *row)
{
	const char *at = from + HEAD;

	*row = (struct trace_row){0};
	memcpy(row, from, HEAD);
	for (uint32_t i = 0; i < PRESENT_BITS; i++) {
		if (!(row->present >> i & 1))
			continue;
		if (i < words_of(sizeof(*row)))
			memcpy((char *)row + HEAD + i * WORD, at, WORD);
		at += WORD;
	}
	row->present = 0;
}

static uint32_t packed_size(const char *from)
{
	struct trace_row head;

	memcpy(&head, from, HEAD);
	return HEAD + (uint32_t)__builtin_popcount(head.present) * WORD;
}

uint32_t trace_row(const struct trace_event *event, size_t *at, struct trace_row *row)
{
	uint32_t size = row_size(event);
	uint32_t known = size < sizeof(*row) ? size : (uint32_t)sizeof(*row);
	const char *from = (const char *)event->rows + *at;

	if (is_packed(event)) {
		unpack(from, row);
		*at += packed_size(from);
	} else {
		*row = (struct trace_row){0};
		memcpy(row, from, known);
		*at += size;
	}
	return (UINT32_C(1) << (words_of(known) - 1)) - 1;
}

/* Whether all rows of an event end within it, and have no metrics but those that it has. */
static bool packed_rows_fit(const struct trace_event *event, size_t room)
{
	const uint32_t words = words_of(row_size(event));
	const char *from = (const char *)event->rows;

	for (uint32_t i = 0; i < event->row_count; i++) {
		struct trace_row head;

		if (room < HEAD)
			return false;
		memcpy(&head, from, HEAD);
		if ((words < PRESENT_BITS && head.present >> words) || packed_size(from) > room)
			return false;
		room -= packed_size(from);
		from += packed_size(from);
	}
	return true;
}

int trace_rows_check(const struct trace_event *event, struct error *error)
{
	const uint32_t size = row_size(event);
	const size_t room = event->record.size - offsetof(struct trace_event, rows);

	if (size < TRACE_ROW_LEAST || size % WORD ||
	    (is_packed(event) && words_of(size) > PRESENT_BITS))
		return error_set(error,
				 "event with rows of %u bytes: expected a multiple of 8 from %u",
				 size, TRACE_ROW_LEAST);
	if (is_packed(event) && !packed_rows_fit(event, room))
		return error_set(error, "event with %u packed rows that %zu bytes do not hold",
				 event->row_count, room);
	if (!is_packed(event) && event->row_count > room / size)
		return error_set(error, "event with %u rows: expected %zu or fewer",
				 event->row_count, room / size);
	return 0;
}
