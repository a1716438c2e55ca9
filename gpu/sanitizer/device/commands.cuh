/*
 * gpu/sanitizer/device/commands.cuh: the passes of small copies and sets whose bytes the host has
 * (struct command): one block of threads takes them from a ring for as long as more come, so that
 * such a call launches no kernel.
 *
 * No pass runs meanwhile, but launches may, whose marks the next pass finds: masks, and what
 * patches write in records, are not touched.
 *
 * And the pass of several copies that the host held back, which is one on their stream.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_COMMANDS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_COMMANDS_CUH

#include "gpu/sanitizer/device/gather.cuh"
#include "gpu/sanitizer/device/marks.cuh"
#include "gpu/sanitizer/device/small.cuh"
#include "gpu/sanitizer/device/transfer.cuh"

#define COMMANDS_AT_ONCE 16
/* Clocks: 20 us without a command, and 20 ms: kernels may wait for the place that we take up. */
#define IDLE_CLOCKS 40000
#define LIFE_CLOCKS 40000000

static_assert(sizeof(struct command) == 128 &&
		      COMMANDS_AT_ONCE * sizeof(struct command) == PASS_THREADS * 8,
	      "each thread loads 8 bytes of them");
static_assert(HELD_MOST <= COMMANDS_AT_ONCE && COMMAND_MOST <= TRANSFER_IN_PASS,
	      "one block of threads makes the pass of held copies");

/* The running command. */
static __shared__ struct {
	__align__(16) struct command commands[COMMANDS_AT_ONCE];
	uint32_t added;
	bool closed;
} ring_work;

/*
 * Waits for commands behind the first `taken` ones; by one thread.  There are none then, or the
 * launch is closed: those that there are by then are its last.
 */
static __device__ void await_commands(volatile struct command_ring *ring, uint32_t launch,
				      uint32_t taken, long long born)
{
	long long start = clock64(), now = start;
	uint32_t added = ring->added;

	while (added == taken && now - start < IDLE_CLOCKS && ring->stop != launch) {
		added = ring->added;
		now = clock64();
	}
	if (added == taken || now - born >= LIFE_CLOCKS) {
		ring->closed = launch;
		__threadfence_system();
		added = ring->added;
		ring_work.closed = true;
	}
	ring_work.added = added;
	__threadfence_system(); /* the commands, and what else changed on the device */
}

/*
 * The object of a command as its record has it, and its blocks, for settle_groups().  `same`: it is
 * that of the command before it, whose copy gather_command() has kept up to date.
 */
static __device__ void prepare_command(const struct device_state *view,
				       const struct command *command, struct row_cache *cache,
				       bool same)
{
	uint32_t thread = threadIdx.x, first = (uint32_t)(command->offset / LEAF_BYTES);
	uint32_t last = (uint32_t)((command->offset + command->width - 1) / LEAF_BYTES);
	struct device_record *copy = &small_records[0];

	clear_cache(cache);
	if (!same && thread < sizeof(*copy) / 8)
		((u64 *)copy)[thread] = ((const u64 *)&view->records[command->slot])[thread];
	else if (thread - 64 < sizeof(small.changes[0]) / 8)
		((u64 *)&small.changes[0])[thread - 64] = 0;
	else if (thread - 96 <= last - first)
		small.work[thread - 96].object = 0,
				    small.work[thread - 96].block = first + thread - 96;
	__syncthreads();
	if (thread)
		return;
	copy->sizes = command->kind == COMMAND_WRITE ? values_sizes(VALUES_BULK, VALUES_WIDE) : 0;
	note_object(&small.notes[0], copy, command->epoch, command->seen_epoch);
	small.slots[0] = command->slot;
	small.blocks = last - first + 1;
	cache->gathered = cache->full = 0;
}

/* Puts what was found into the rings, all but the ticket. */
static __device__ void gather_command(struct device_state *state, const struct device_state *view,
				      const struct command *command, struct row_cache *cache)
{
	struct device_record *record = &view->records[command->slot];
	uint32_t thread = threadIdx.x, rows;
	uint64_t cursor = small.before.row_cursor;

	if (cache->full) {
		empty_cache(cache, view->rows);
		if (thread == 0)
			state->row_cursor = cursor;
		__threadfence();
		__syncthreads();
		rows = gather_rows(state, command->rows_taken);
	} else {
		if (thread < CACHED_ROWS && cache->keys[thread]) {
			uint64_t place = cursor + atomicAdd(&cache->gathered, 1);

			put_cached_row(&view->result_rows[place & view->row_mask], cache, thread);
		}
		__syncthreads();
		rows = cache->gathered;
	}
	if (thread == 32) {
		uint64_t place = small.before.object_cursor;
		struct result_object object;

		change_object(record, 0, &object);
		record->known_sizes = small_records[0].known_sizes |= object.sizes;
		small_records[0].initialised_bytes = object.initialised_bytes;
		small_records[0].zero_leaf_count = object.zero_leaf_count;
#pragma unroll
		for (int i = 0; i < DIGEST_LANES; i++)
			small_records[0].sum[i] = object.sum[i];
		view->result_objects[place & view->object_mask] = object;
	}
	if (thread == 0) {
		volatile struct result_pass *pass = &view->result_passes[command->ticket % PASSES];

		if (cache->full)
			state->rows->count = 0;
		pass->status = rows > ROW_LIMIT ? PASS_TOO_MANY : PASS_DONE;
		rows = rows > ROW_LIMIT ? 0 : rows;
		pass->first_row = (uint32_t)cursor & view->row_mask;
		pass->rows = rows;
		pass->first_object = (uint32_t)small.before.object_cursor & view->object_mask;
		pass->objects = 1;
		pass->strategy = PASS_SMALL;
		pass->blocks = small.blocks;
		pass->missed = pass->missed_bytes = 0;
	}
	__syncthreads();
	if (thread == 0) {
		small.before.row_cursor = cursor + rows;
		small.before.object_cursor++;
	}
}

/* As vflow_forget() does. */
static __device__ void forget_object(struct device_record *record, uint32_t unknown)
{
	for (uint64_t word = thread_of_grid(); word < record->blocks * LEAF_WORDS;
	     word += threads_of_grid()) {
		if (!record->coarse)
			record->initialised[word] = 0;
		if (word % LEAF_WORDS == 0) {
			record->states[word / LEAF_WORDS].writer = unknown ^ record->site;
			record->states[word / LEAF_WORDS].flags = 0;
		}
		if (record->leaves && word % LEAF_WORDS < DIGEST_LANES)
			record->leaves[word / LEAF_WORDS][word % LEAF_WORDS] = 0;
	}
	if (thread_of_grid() == 0) {
		record->initialised_bytes = record->zero_leaf_count = 0;
		for (int i = 0; i < DIGEST_LANES; i++)
			record->sum[i] = 0;
	}
}

static __device__ void run_command(struct device_state *state, const struct device_state *view,
				   const struct command *command, const uint8_t *bytes,
				   struct row_cache *cache, const uint32_t *keys, bool same)
{
	if (command->kind == COMMAND_FORGET) {
		struct device_record *record = &view->records[command->slot];

		forget_object(record, command->writer);
		if (threadIdx.x == 0)
			record->seen_epoch = command->seen_epoch;
		__syncthreads();
		return;
	}
	prepare_command(view, command, cache, same);
	__syncthreads();
#pragma unroll 1
	for (uint32_t first = 0; first < small.blocks; first += GROUPS) {
		settle_groups(cache, view->rows, keys, first, command->writer, false, command,
			      bytes);
		__syncthreads();
	}
	gather_command(state, view, command, cache);
	__syncthreads();
}

/* Hands the results of commands over; by one thread. */
static __device__ void publish_commands(struct device_state *state, const struct device_state *view,
					uint32_t count)
{
	state->row_cursor = small.before.row_cursor;
	state->object_cursor = small.before.object_cursor;
	__threadfence_system();
	for (uint32_t i = 0; i < count; i++)
		if (ring_work.commands[i].kind != COMMAND_FORGET) {
			uint32_t ticket = ring_work.commands[i].ticket;

			*(volatile uint32_t *)&view->result_passes[ticket % PASSES].ticket = ticket;
		}
}

/* Copies at most COMMANDS_AT_ONCE commands, from number `first` of a ring on. */
static __device__ void load_commands(const struct command *commands, uint32_t first)
{
	const struct command *from = &commands[(first + threadIdx.x / 16) % COMMANDS];

	((volatile u64 *)ring_work.commands)[threadIdx.x] =
		((const volatile u64 *)from)[threadIdx.x % 16];
	__syncthreads();
}

/*
 * Whether the object of a command is that of the one before it; in between others may have changed
 * its record.
 */
static __device__ bool is_of_same(uint32_t i)
{
	const struct command *command = &ring_work.commands[i];

	return i && command[-1].kind != COMMAND_FORGET && command[-1].slot == command->slot;
}

/* Takes commands from the one number `taken` on; `launch` is this launch's number. */
extern "C" __global__ void __launch_bounds__(PASS_THREADS, 2)
	vflow_commands(struct device_state *state, const __grid_constant__ struct device_state view,
		       struct command_ring *ring, uint32_t launch, uint32_t taken)
{
	__shared__ __align__(16) uint32_t keys[LEAF_KEYS];
	__shared__ struct row_cache cache;
	uint32_t thread = threadIdx.x;
	long long born = clock64();

#pragma unroll 1
	for (uint32_t i = thread; i < LEAF_KEYS; i += PASS_THREADS)
		keys[i] = leaf_key(i);
	if (thread == 0) {
		small.before.row_cursor = state->row_cursor;
		small.before.object_cursor = state->object_cursor;
		ring_work.closed = false;
	}
	do {
		if (thread == 0)
			await_commands(ring, launch, taken, born);
		__syncthreads();
		while (taken != ring_work.added) {
			uint32_t count = ring_work.added - taken;

			count = count < COMMANDS_AT_ONCE ? count : COMMANDS_AT_ONCE;
			load_commands(ring->commands, taken);
#pragma unroll 1
			for (uint32_t i = 0; i < count; i++) {
				const struct command *command = &ring_work.commands[i];
				bool is_inline = command->repeats ||
						 command->offset % CHUNK_BYTES + command->width <=
							 COMMAND_INLINE;

				run_command(state, &view, command,
					    is_inline ? command->bytes
						      : ring->bytes[(taken + i) % COMMANDS],
					    &cache, keys, is_of_same(i));
			}
			taken += count;
			if (thread == 0) {
				publish_commands(state, &view, count);
				*(volatile uint32_t *)&ring->taken = taken;
			}
			__syncthreads();
		}
	} while (!ring_work.closed);
	if (thread == 0) {
		__threadfence_system();
		*(volatile uint32_t *)&ring->done = launch;
	}
}

/*
 * The pass of `count` copies that were held back, from number `first` of their ring on: between the
 * host and one object each, whose address is a multiple of CHUNK_BYTES.  Nothing has changed the
 * bytes that they moved since.
 */
extern "C" __global__ void __launch_bounds__(PASS_THREADS, 2)
	vflow_copies(struct device_state *state, const __grid_constant__ struct device_state view,
		     const struct command *commands, struct result_transfer *transfers,
		     uint32_t first, uint32_t count)
{
	__shared__ __align__(16) uint32_t keys[LEAF_KEYS];
	__shared__ struct row_cache cache;
	uint32_t thread = threadIdx.x;

#pragma unroll 1
	for (uint32_t i = thread; i < LEAF_KEYS; i += PASS_THREADS)
		keys[i] = leaf_key(i);
	if (thread == 0) {
		small.before.row_cursor = state->row_cursor;
		small.before.object_cursor = state->object_cursor;
	}
	load_commands(commands, first);
#pragma unroll 1
	for (uint32_t i = 0; i < count; i++) {
		const struct command *command = &ring_work.commands[i];
		uint64_t address = view.records[command->slot].address;

		if (command->transfer) {
			const struct transfer_box box = {
				address + command->offset, 0, 0, command->width, 1, 1};

			transfer_few(&box, &transfers[command->transfer % TRANSFERS],
				     command->transfer, keys);
		}
		run_command(
			state, &view, command,
			(const uint8_t *)(address + command->offset / CHUNK_BYTES * CHUNK_BYTES),
			&cache, keys, is_of_same(i));
	}
	if (thread == 0)
		publish_commands(state, &view, count);
}

#endif
