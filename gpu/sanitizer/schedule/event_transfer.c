/*
 * gpu/sanitizer/schedule/event_transfer.c: what copies from and to the host moved.
 *
 * The device hashes its side behind the copy, before anything else can change it.  What the host's
 * side held before a copy to it, callback/destination.c has hashed.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool events_peek(CUcontext context, uint64_t address, uint64_t bytes, void *to)
{
	static uint8_t bounce[EVENTS_PEEK_MAX]; /* the lock is held */
	struct space *space = events_find_space(context);
	const struct object *object = space ? space_find(space, address) : NULL;
	struct entered_context entered;
	bool copied;

	if (!object || object->memory != GPU_MEMORY_DEVICE || bytes > sizeof(bounce) ||
	    bytes > object->size - (address - object->address) || space_failed(space) ||
	    queues_timed_out())
		return false;
	copied = context_enter(&entered, context) &&
		 driver.cuMemcpyDtoHAsync(bounce, address, bytes, space_stream(space)) ==
			 CUDA_SUCCESS &&
		 driver.cuStreamSynchronize(space_stream(space)) == CUDA_SUCCESS;
	context_leave(&entered);
	if (copied)
		memcpy(to, bounce, bytes);
	return copied;
}

void event_transfer_begin(struct host_row *row, const struct operation *operation, CUstream stream,
			  struct transfer_box to, struct transfer_box from)
{
	const struct object *object = row->object;

	/* the memory of a coarse object may be gone */
	if (!object_is_followed(object) || object->coarse ||
	    (!events_digests && !operation->destination_known))
		return;
	transfer_join(&to, &from);
	row->in_rows = to.height > 1 || to.depth > 1;
	row->offset = (row->access == GPU_TO_HOST ? from : to).address - object->address;
	row->transfer =
		space_transfer(object->space, stream, row->access == GPU_TO_HOST ? &from : &to);
	row->destination_known = operation->destination_known;
	memcpy(row->destination, operation->destination, sizeof(row->destination));
}

void event_transfer_of_host(struct host_row *row, const struct operation *operation,
			    uint64_t offset, const void *bytes)
{
	if (!events_digests && !operation->destination_known)
		return;
	row->offset = offset;
	row->summed = true;
	transfer_add(&row->sum, 0, bytes, operation->width);
	row->destination_known = operation->destination_known;
	memcpy(row->destination, operation->destination, sizeof(row->destination));
}

bool events_read_host(void *to, uint64_t address, size_t size)
{
	static pid_t self; /* a child of fork() has no device to copy from */
	const struct iovec there = {(void *)(uintptr_t)address, size}, here = {to, size};

	self = self ? self : getpid();
	return process_vm_readv(self, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The memory of the host held before what the copy brought. */
static void received(const struct gpu_call *call, uint32_t object)
{
	const struct gpu_received payload = {.same = 1};

	events_sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_RECEIVED,
						       .object = object,
						       .payload = &payload,
						       .size = sizeof(payload)});
}

static void transferred(const struct gpu_call *call, const struct host_row *row,
			const uint8_t digest[DIGEST_BYTES], bool zero)
{
	struct gpu_transfer payload = {.offset = row->offset,
				       .bytes = row->bytes,
				       .from_host = row->access == GPU_FROM_HOST,
				       .zero = zero,
				       .host = row->host};

	memcpy(payload.digest, digest, sizeof(payload.digest));
	events_sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_TRANSFER,
						       .object = row->object->id,
						       .payload = &payload,
						       .size = sizeof(payload)});
}

void event_transfer_end(const struct gpu_call *call, const struct host_row *row)
{
	struct transfer_sum sum;
	uint8_t digest[DIGEST_BYTES];

	if (!object_is_followed(row->object))
		return;
	if (row->summed)
		sum = row->sum;
	else if (!transfer_result(row->object->space, row->transfer, &sum))
		return;
	transfer_digest(&sum, row->bytes, digest);
	if (row->destination_known && !memcmp(digest, row->destination, DIGEST_BYTES))
		received(call, row->object->id);
	if (events_digests && row->in_rows)
		events_sink->coverage(COVERAGE_TRANSFERS_IN_ROWS, NULL, 1, row->bytes);
	else if (events_digests)
		transferred(call, row, digest, !sum.nonzero);
}
