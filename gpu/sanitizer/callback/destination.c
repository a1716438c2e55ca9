/*
 * gpu/sanitizer/callback/destination.c: what memory of the host holds before a copy writes there.
 *
 * It is read by the kernel, which fails where a load of ours would raise a signal.
 */
#include <string.h>

#include "gpu/analysis/transfer.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/host_writes.h"

#define DESTINATION_MAX (UINT64_C(1) << 30) /* bytes that are hashed, 0.4 ns each */

#define PEEK_FROM (UINT64_C(1) << 20) /* bytes of which both ends are looked at first */

enum { STEP = 64 * LEAF_BYTES, PEEK = 512 };

/* Adds one row, which begins with the leaf number `leaf`.  False: it cannot be read. */
static bool add_row(struct transfer_sum *sum, uint64_t leaf, uint64_t address, uint64_t size)
{
	static uint8_t bytes[STEP]; /* the lock is held, and threads may have small stacks */

	for (uint64_t at = 0; at < size; at += STEP) {
		const size_t count = size - at < STEP ? size - at : STEP;

		if (!events_read_host(bytes, address + at, count))
			return false;
		transfer_add(sum, leaf + at / LEAF_BYTES, bytes, count);
	}
	return true;
}

static bool hash(const struct transfer_box *box, uint8_t digest[LEAF_DIGEST])
{
	struct transfer_sum sum = {.nonzero = 0};
	const uint64_t leaves = transfer_leaves(box), step = transfer_row_leaves(box);

	for (uint64_t leaf = 0; leaf < leaves; leaf += step) {
		uint64_t size, address = transfer_leaf(box, leaf, &size);

		if (!add_row(&sum, leaf, address, box->width))
			return false;
	}
	transfer_digest(&sum, box->width * box->height * box->depth, digest);
	return true;
}

/* Whether the box has so many bytes at most, and ends in the address space. */
static bool is_bounded(const struct operation *operation)
{
	uint64_t rows, bytes;

	return !__builtin_mul_overflow(operation->height, operation->depth, &rows) &&
	       !__builtin_mul_overflow(rows, operation->width, &bytes) && bytes <= DESTINATION_MAX;
}

/*
 * Whether one end of a large copy already shows that it brings something else: mostly it does, and
 * then nothing need be hashed.
 */
static bool differs(CUcontext context, uint64_t to, uint64_t from, uint64_t bytes)
{
	uint8_t host[PEEK], device[PEEK];

	for (uint64_t at = 0; bytes >= PEEK_FROM && at < bytes; at += bytes - PEEK)
		if (events_peek(context, from + at, PEEK, device) &&
		    events_read_host(host, to + at, PEEK) && memcmp(host, device, PEEK) != 0)
			return true;
	return false;
}

bool destination_settled(const Sanitizer_CallbackData *data, const CUstream *stream, bool waits)
{
	const uint64_t *words = data->functionParams;
	CUstream other;

	if (!this_thread.locked || this_thread.effect != API_COPY)
		return false; /* nodes of graphs: see calls_graph.c */
	if (!stream)          /* all pending calls have ended, but not what is not analysed */
		return calls_copy_stream(data->functionName, words, &other) &&
		       events_settled(data->context, other, false);
	if (events_is_device_memory(data->context, words[0]))
		return false;
	if (!host_writes_are_over(data->context, *stream, this_thread.call.number)) {
		if (!events_settled(data->context, *stream, waits))
			return false;
		host_writes_over(data->context, *stream, this_thread.call.number);
	}
	this_thread.call.differs = differs(data->context, words[0], words[1], words[2]);
	return true;
}

void destination_note(struct operation *operation)
{
	struct transfer_box to = {.address = operation->address,
				  .pitch = operation->pitch,
				  .slice = operation->slice,
				  .width = operation->width,
				  .height = operation->height,
				  .depth = operation->depth};
	struct transfer_box from = {.address = operation->from_address,
				    .pitch = operation->from_pitch,
				    .slice = operation->from_slice};

	if (operation->kind != OPERATION_COPY || operation->to_device || !operation->from_device ||
	    operation->unordered)
		return;
	/* no digest of anything is all zero */
	operation->destination_known = this_thread.call.differs;
	if (operation->destination_known)
		return;
	if (!this_thread.call.settled)
		operation->destination_coverage = COVERAGE_DOWNLOADS_BEHIND_WORK;
	else if (!is_bounded(operation))
		operation->destination_coverage = COVERAGE_DOWNLOADS_LARGE;
	if (operation->destination_coverage)
		return;
	transfer_join(&to, &from);
	operation->destination_known = hash(&to, operation->destination);
	if (!operation->destination_known)
		operation->destination_coverage = COVERAGE_DOWNLOADS_UNREADABLE;
}
