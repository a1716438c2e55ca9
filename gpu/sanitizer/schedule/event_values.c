/* gpu/sanitizer/schedule/event_values.c: tells the sink which values launches load and store. */
#include <string.h>

#include "gpu/analysis/value_stats.h"
#include "gpu/sanitizer/code/images.h"
#include "gpu/sanitizer/device/value_slots.h"
#include "gpu/sanitizer/schedule/events_internal.h"

struct telling {
	const struct gpu_call *call;
	uint32_t function;
	uint64_t start, size; /* of its code */
	bool partly;
	const uint64_t *left; /* accesses for which there was no room */
};

/* What is at an index of the object now. */
static uint64_t bits_at(const struct object *object, uint64_t index, unsigned log)
{
	const uint64_t offset = index << log, size = UINT64_C(1) << log;
	uint64_t bits = 0;

	if (offset >= object->size || object->size - offset < size ||
	    driver.cuMemcpyDtoHAsync(&bits, (CUdeviceptr)(object->address + offset), size,
				     space_stream(object->space)) != CUDA_SUCCESS ||
	    driver.cuStreamSynchronize(space_stream(object->space)) != CUDA_SUCCESS)
		return 0;
	return bits;
}

/* The most frequent ones; zeros are one of them. */
static uint32_t top_of(const struct value_slot *slot, const struct counted_value *counts,
		       struct gpu_top_value top[GPU_TOP_VALUES], uint64_t *distinct)
{
	uint32_t count = 0;

	*distinct = 0;
	for (uint32_t i = 0; i <= VALUE_COUNTS; i++) {
		const struct gpu_top_value value = {
			.bits = i < VALUE_COUNTS ? counts[i].bits : 0,
			.count = i < VALUE_COUNTS ? counts[i].count : slot->zeros,
		};
		uint32_t at = count;

		if (!value.count)
			continue;
		++*distinct;
		while (at && (value.count > top[at - 1].count ||
			      (value.count == top[at - 1].count && value.bits < top[at - 1].bits)))
			at--;
		if (at == GPU_TOP_VALUES)
			continue;
		if (count < GPU_TOP_VALUES)
			count++;
		memmove(&top[at + 1], &top[at], (count - 1 - at) * sizeof(*top));
		top[at] = value;
	}
	return count;
}

static void tell(void *data, const struct object *object, const struct value_slot *slot,
		 const struct counted_value *counts)
{
	const struct telling *telling = data;
	const unsigned log = VALUE_KEY_LOG(slot->key);
	const uint64_t mask = UINT64_MAX >> (64 - (8u << log));
	const uint64_t pc_mask = (UINT64_C(1) << VALUE_PC_BITS) - 1;
	const uint64_t offset = (VALUE_KEY_PC(slot->key) - telling->start) & pc_mask;
	const bool here = telling->function && offset < telling->size;
	struct {
		struct gpu_top_values head;
		struct gpu_top_value values[GPU_TOP_VALUES];
	} top = {.head = {.count = 0}};
	struct gpu_raw_values record = {
		.count = slot->count,
		.zeros = slot->zeros,
		.all = ~slot->unset & mask,
		.any = slot->any,
		.unsigned_least = ~slot->unsigned_not,
		.unsigned_most = slot->unsigned_most,
		.signed_least = ~slot->signed_not ^ UINT64_C(1) << 63,
		.signed_most = slot->signed_most ^ UINT64_C(1) << 63,
		.finite = slot->finite,
		.hash = slot->hash,
		.hash_index = slot->hash_index,
		.hash_value = slot->hash_value,
		.first = ~slot->index_not,
		.last = slot->index_most,
		.off_grid = slot->off_grid,
		.misfits = slot->misfits,
		.function = here ? telling->function : 0,
		.offset = here ? (uint32_t)offset : 0,
		.log = (uint8_t)log,
		.kind = slot->flags & 1 ? GPU_VALUE_LOAD : GPU_VALUE_STORE,
		.bytes = (uint8_t)(slot->flags >> 8),
		.flags = (telling->partly || *telling->left ? GPU_VALUES_PARTLY : 0) |
			 (events_value_blocks > 1 ? GPU_VALUES_BLOCKS : 0),
	};

	if (!object->id || !slot->count)
		return;
	if (slot->finite) {
		record.float_least = value_bits_of(value_key_double(~slot->float_not));
		record.float_most = value_bits_of(value_key_double(slot->float_most));
		record.sum = value_bits_of(slot->sum);
		record.squares = value_bits_of(slot->squares);
	}
	record.first_bits = bits_at(object, record.first, log);
	record.last_bits = bits_at(object, record.last, log);
	top.head.count = top_of(slot, counts, top.values, &record.distinct);
	if (slot->lost)
		record.flags |= GPU_VALUES_MANY;
	events_sink->record(telling->call, &(struct gpu_record){.kind = GPU_RECORD_RAW_VALUES,
								.object = object->id,
								.payload = &record,
								.size = sizeof(record)});
	events_sink->record(telling->call,
			    &(struct gpu_record){.kind = GPU_RECORD_TOP_VALUES,
						 .object = object->id,
						 .payload = &top,
						 .size = sizeof(top.head) +
							 top.head.count * sizeof(*top.values)});
}

void event_values(const struct gpu_call *call, const struct operation *operation,
		  struct space *space)
{
	uint64_t left = 0;
	struct telling telling = {.call = call, .left = &left};
	CUmodule module;

	if (operation->name && driver.cuFuncGetModule &&
	    driver.cuFuncGetModule(&module, operation->function) == CUDA_SUCCESS)
		telling.function =
			images_function(module, operation->name, &telling.start, &telling.size);
	telling.partly = operation->instructions != 0;
	if (!space_has_values(space) || space_values(space, tell, &telling, &left) != 0)
		return;
	events_sink->coverage(COVERAGE_VALUES_OF_GPU, NULL, 1, 0);
	if (events_value_blocks > 1)
		events_sink->coverage(COVERAGE_VALUES_BLOCKS_OF_GPU, NULL, 1, 0);
	if (left)
		events_sink->coverage(COVERAGE_VALUES_ROOM, NULL, left, 0);
}

void event_drop_values(struct space *space)
{
	if (!events_value_blocks)
		return;
	space_drop_values(space);
	events_sink->coverage(COVERAGE_VALUES_AT_ONCE, NULL, 1, 0);
}
