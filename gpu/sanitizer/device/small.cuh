/*
 * gpu/sanitizer/device/small.cuh: the pass over few blocks of few objects: what settle.cuh does, in
 * less time.  One block of threads does it, or several, each of which looks for all and takes its
 * part.
 *
 * After a tiny launch most of the time goes into fetching code that runs once, and into loads that
 * follow from each other.  So this is short, each thread has one chunk of 16 bytes and 64 threads a
 * block, and all that is needed of a block is loaded at once.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_SMALL_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_SMALL_CUH

#include "gpu/sanitizer/device/small_work.cuh"

/* What memory holds now; zeros past the object's end. */
static __device__ void load_current(const struct device_record *record, uint64_t at, uint64_t to[2])
{
	const uint8_t *memory = (const uint8_t *)(record->address + at);

	if (at + CHUNK_BYTES <= record->size && record->address % CHUNK_BYTES == 0) {
		ulonglong2 pair = *(const ulonglong2 *)memory;

		to[0] = pair.x, to[1] = pair.y;
		return;
	}
	to[0] = to[1] = 0;
#pragma unroll 1
	for (unsigned i = 0; i < CHUNK_BYTES && at + i < record->size; i++) {
		uint64_t byte = (uint64_t)memory[i] << i % 8 * 8;

		to[0] |= i < 8 ? byte : 0;
		to[1] |= i < 8 ? 0 : byte;
	}
}

/* As add_cached_row(), which is faster when it is warm. */
static __device__ void add_small_row(struct row_cache *cache, struct device_rows *rows, u64 key,
				     uint32_t number)
{
#pragma unroll 1
	for (uint32_t i = 0; i < CACHED_ROWS; i++) {
		u64 old = atomicCAS(&cache->keys[i], 0ull, key);

		if (old && old != key)
			continue;
		add_at(cache, i, number);
		return;
	}
	cache->full = true;
	add_row(rows, key, number);
}

/* Counts the touched bytes of a warp's chunks of a block by their writers. */
static __device__ void count_chunks(struct row_cache *cache, struct device_rows *rows,
				    const struct device_record *record, uint32_t block,
				    const struct notes *notes, const struct chunk *chunk,
				    const uint32_t writers[4])
{
	unsigned left = 0, waiting, lane = threadIdx.x % 32;

#pragma unroll
	for (int i = 0; i < 4; i++)
		if ((chunk->read | chunk->written) >> 4 * i & 15)
			left |= 1u << i;
	while ((waiting = __ballot_sync(ALL_LANES, left != 0))) {
		uint32_t writer = left & 1   ? writers[0]
				  : left & 2 ? writers[1]
				  : left & 4 ? writers[2]
					     : writers[3];
		unsigned which = lane - ROW_COUNTS;
		uint32_t number = which % 2 ? block + 1 : ~block;
		struct counts counts;
		unsigned bytes = 0;

		writer = __shfl_sync(ALL_LANES, writer, __ffs((int)waiting) - 1);
#pragma unroll
		for (int i = 0; i < 4; i++)
			if ((left >> i & 1) && writers[i] == writer)
				bytes |= 15u << 4 * i;
		left &= ~((bytes & 1) | (bytes >> 3 & 2) | (bytes >> 6 & 4) | (bytes >> 9 & 8));
		counts = count_chunk(chunk, bytes, notes->width, notes->epoch);
#pragma unroll
		for (unsigned i = 0; i < COUNT_PAIRS; i++)
			counts.pairs[i] = sum_of_lanes(counts.pairs[i]);
		if (lane < ROW_COUNTS)
			number = count_of_lane(&counts);
		else if (!get_count(&counts, which < ROW_WRITTEN_FROM ? ROW_READ : ROW_WRITTEN))
			number = 0;
		if (lane < ROW_LANES)
			add_small_row(cache, rows,
				      (u64)(record->slot + 1) << 32 | (writer ^ record->site),
				      number);
	}
}

/* What a command does to a chunk, instead of what the masks and the program's memory say. */
static __device__ void load_command(const struct command *command, const uint8_t *bytes,
				    uint64_t at, struct chunk *chunk)
{
	uint64_t from = command->offset, to = from + command->width;
	unsigned touched = CHUNK_ALL;

	if (at >= to || at + CHUNK_BYTES <= from)
		return;
	if (at < from)
		touched &= CHUNK_ALL << (from - at);
	if (to - at < CHUNK_BYTES)
		touched &= (1u << (to - at)) - 1;
	if (command->kind == COMMAND_READ) {
		chunk->read = touched;
	} else {
		ulonglong2 pair =
			*(const ulonglong2 *)&bytes[command->repeats ? 0
								     : at - from / CHUNK_BYTES *
										       CHUNK_BYTES];

		chunk->written = touched;
		chunk->current[0] = pair.x, chunk->current[1] = pair.y;
	}
}

/*
 * Four blocks of the list from `first` on; called by all threads.  `spread`: others are yet to look
 * for what was touched.  `command`: it says what was, and `bytes` are what it wrote; else NULL.
 */
static __device__ __forceinline__ void settle_groups(struct row_cache *cache,
						     struct device_rows *rows,
						     const uint32_t *leaf_keys, uint32_t first,
						     uint32_t api, bool spread,
						     const struct command *command,
						     const uint8_t *bytes)
{
	unsigned group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, flags, known, after = 0;
	bool active = first + group < small.blocks, mixed, stale = false;
	uint32_t place = active ? first + group : 0, object = small.work[place].object;
	uint64_t block = small.work[place].block, index = block * GROUP_THREADS + thread;
	const struct device_record *record = &small_records[object];
	struct small_change *change = &small.changes[object];
	uint64_t nh[LEAF_LANES] = {0, 0, 0, 0}, digest = 0;
	struct device_block *at = &record->states[block], state = *at;
	struct chunk chunk = {};
	const struct notes *notes = &small.notes[object];
	bool was_unread = notes->epoch && state.flags >> BLOCK_EPOCH > notes->seen;
	unsigned unread;
	uint4 four = ((const uint4 *)record->writer)[index];
	ulonglong2 pair = ((const ulonglong2 *)record->value)[index];
	uint32_t writers[4] = {four.x, four.y, four.z, four.w}, writer = api ^ record->site;

	/* those without a block look at another's */
	chunk.initialised = ((const uint16_t *)record->initialised)[index];
	unread = ((const uint16_t *)record->unread)[index];
	if (was_unread)
		chunk.unread = state.flags & BLOCK_UNREAD ? CHUNK_ALL : unread;
	if (active && command)
		load_command(command, bytes, index * CHUNK_BYTES, &chunk);
	if (active && !command) {
		unsigned units = touched_units(record, index);

		chunk.read = units & CHUNK_ALL;
		chunk.written = units >> 16;
		if (record->uses_bytes) {
			chunk.read |= ((const uint16_t *)record->read)[index];
			chunk.written |= ((const uint16_t *)record->written)[index];
			((uint16_t *)record->read)[index] = 0;
			((uint16_t *)record->written)[index] = 0;
		}
	}
	NOTE_ACCESSED_CHUNK(record, index, chunk.read | chunk.written, !command);
	if (active && thread < LEAF_LANES && record->leaves)
		digest = record->leaves[block][thread];
	if (!command)
		load_current(record, index * CHUNK_BYTES, chunk.current);
	chunk.value[0] = pair.x, chunk.value[1] = pair.y;
	mixed = state.flags & BLOCK_MIXED;
	if (!mixed)
		writers[0] = writers[1] = writers[2] = writers[3] = state.writer;
	chunk.own = written_by(writers, writer);
	if (state.flags & BLOCK_WHOLE)
		chunk.initialised = CHUNK_ALL;
	chunk.known = chunk.initialised;
	after = chunk.initialised | chunk.written;
	if (chunk.written) {
		unsigned differ = CHUNK_ALL & ~equal_bytes(&chunk);

		chunk.redundant = chunk.written & chunk.initialised & ~differ;
		differ &= chunk.written;
		stale = differ || after != chunk.initialised;
		if (differ) {
#pragma unroll
			for (int i = 0; i < 2; i++) {
				uint64_t bytes = unit_spread(differ >> 8 * i);

				chunk.value[i] =
					(chunk.value[i] & ~bytes) | (chunk.current[i] & bytes);
			}
			((ulonglong2 *)record->value)[index] =
				make_ulonglong2(chunk.value[0], chunk.value[1]);
		}
		if (after != chunk.initialised)
			((uint16_t *)record->initialised)[index] = (uint16_t)after;
	}
	count_chunks(cache, rows, record, (uint32_t)block, notes, &chunk, writers);
	unread = unread_after(&chunk);
	known = sum_of_lanes(__popc(after));
	if (record->leaves) {
		const uint32_t *keys = leaf_keys + thread * 4;
		uint64_t values[2];

#pragma unroll
		for (int i = 0; i < 2; i++) {
			values[i] = chunk.value[i] & unit_spread(after >> 8 * i);
			leaf_add(nh, keys + 2 * i, (uint32_t)values[i],
				 (uint32_t)(values[i] >> 32));
		}
		flags = __any_sync(ALL_LANES, (values[0] | values[1]) != 0) ? ANY_NONZERO : 0;
	} else {
		flags = 0;
	}
	small.known[threadIdx.x] = after;
	flags |= __any_sync(ALL_LANES, chunk.written) ? ANY_WRITTEN : 0;
	flags |= __any_sync(ALL_LANES, stale) ? ANY_STALE : 0;
	flags |= __any_sync(ALL_LANES, chunk.written != CHUNK_ALL) ? SOME_UNWRITTEN : 0;
	flags |= __any_sync(ALL_LANES, after != CHUNK_ALL) ? SOME_UNKNOWN : 0;
	flags |= __any_sync(ALL_LANES, unread) ? ANY_UNREAD : 0;
	flags |= __any_sync(ALL_LANES, unread != CHUNK_ALL) ? SOME_READ : 0;
	if (flags & ANY_STALE) {
		uint32_t more = known - sum_of_lanes(__popc(chunk.initialised));

		if (lane == 0 && more)
			atomicAdd(&change->initialised_bytes, (u64)more);
	}
	if (lane == 0) {
		small.warps[warp].flags = flags;
		small.warps[warp].known = known;
	}
	__syncthreads();
	flags = small.warps[2 * group].flags | small.warps[2 * group + 1].flags;
	known = small.warps[2 * group].known + small.warps[2 * group + 1].known;
	if (flags & ANY_WRITTEN) {
		if (!(flags & SOME_UNWRITTEN)) {
			state.writer = writer;
			state.flags &= ~BLOCK_MIXED;
		} else if (mixed || state.writer != writer) {
			set_writers(writers, chunk.written, writer);
			if (!mixed || chunk.written)
				((uint4 *)record->writer)[index] =
					make_uint4(writers[0], writers[1], writers[2], writers[3]);
			state.flags |= BLOCK_MIXED;
		}
		state.flags = flags & SOME_UNKNOWN ? state.flags & ~BLOCK_WHOLE
						   : state.flags | BLOCK_WHOLE;
	}
	if (active && notes->epoch && (was_unread || flags & ANY_WRITTEN)) {
		state.flags = unread_flags(state.flags, flags & ANY_UNREAD, !(flags & SOME_READ),
					   notes->epoch);
		if ((flags & (ANY_UNREAD | SOME_READ)) == (ANY_UNREAD | SOME_READ))
			((uint16_t *)record->unread)[index] = (uint16_t)unread;
	}
	if ((flags & ANY_STALE) && record->leaves) {
		uint64_t left = record->size - block * LEAF_BYTES;
		bool zero =
			!(flags & ANY_NONZERO) && known == (left < LEAF_BYTES ? left : LEAF_BYTES);
		u64 sum;

		if (zero != !!(state.flags & BLOCK_ZERO)) {
			state.flags ^= BLOCK_ZERO;
			if (thread == 0)
				atomicAdd(&change->zero_leaf_count, zero ? 1ull : ~0ull);
		}
		if (thread < LEAF_PARTS)
			leaf_add_mask(nh, leaf_keys + LEAF_BYTES / 4 + 2 * thread,
				      small.known[threadIdx.x], small.known[threadIdx.x + 32]);
		sum = add_up(nh);
		if (lane % 8 == 0)
			small.warps[warp].nh[lane / 8] = sum;
	}
	if (active && !command && thread < 2 * BLOCK_UNIT_WORDS) {
		uint32_t *units =
			thread < BLOCK_UNIT_WORDS ? record->read_units : record->written_units;

		units[block * BLOCK_UNIT_WORDS + thread % BLOCK_UNIT_WORDS] = 0;
	}
	if (active && thread == 0) {
		if (!spread && !command)
			record->touched_blocks[block / 32] = 0;
		if (flags & ANY_WRITTEN || was_unread)
			*at = state;
	}
	__syncthreads();
	if ((flags & ANY_STALE) && record->leaves && thread < LEAF_LANES) {
		uint64_t after_it = 0;

		if (known)
			after_it = leaf_finish_lane(block, thread,
						    small.warps[2 * group].nh[thread] +
							    small.warps[2 * group + 1].nh[thread]);
		record->leaves[block][thread] = after_it;
		atomicAdd(&change->sum[thread], (u64)(after_it - digest));
	}
}

/* The numbers of an object, with their change. */
static __device__ void change_object(struct device_record *record, uint32_t object,
				     struct result_object *result)
{
	const struct device_record *copy = &small_records[object];
	const struct small_change *change = &small.changes[object];

	result->slot = copy->slot;
	result->sizes = copy->sizes;
	record->initialised_bytes = result->initialised_bytes =
		copy->initialised_bytes + change->initialised_bytes;
	record->zero_leaf_count = result->zero_leaf_count =
		copy->zero_leaf_count + change->zero_leaf_count;
#pragma unroll
	for (int i = 0; i < DIGEST_LANES; i++)
		record->sum[i] = result->sum[i] = copy->sum[i] + change->sum[i];
}

/* The same, where others change them, too. */
static __device__ void add_change(struct device_record *record, uint32_t object)
{
	const struct small_change *change = &small.changes[object];

	if (change->initialised_bytes)
		atomicAdd((u64 *)&record->initialised_bytes, change->initialised_bytes);
	if (change->zero_leaf_count)
		atomicAdd((u64 *)&record->zero_leaf_count, change->zero_leaf_count);
#pragma unroll
	for (int i = 0; i < DIGEST_LANES; i++)
		if (change->sum[i])
			atomicAdd((u64 *)&record->sum[i], change->sum[i]);
}

/* Puts what was found into the rings, where it fits, and makes ready for the next API. */
static __device__ void gather_small(struct device_state *state, const struct device_state *view,
				    struct row_cache *cache, uint32_t ticket)
{
	struct result_pass *pass = &view->result_passes[ticket % PASSES];
	uint64_t cursor = small.before.row_cursor;
	unsigned thread = threadIdx.x;

	if (thread < CACHED_ROWS && cache->keys[thread]) {
		cursor += atomicAdd(&cache->gathered, 1);
		put_cached_row(&view->result_rows[cursor & view->row_mask], cache, thread);
	}
	if (thread >= PASS_THREADS - SMALL_OBJECTS &&
	    thread - (PASS_THREADS - SMALL_OBJECTS) < small.objects) {
		uint32_t object = thread - (PASS_THREADS - SMALL_OBJECTS);
		uint32_t slot = small.slots[object];
		struct result_object result;

		change_object(&view->records[slot], object, &result);
		cursor = small.before.object_cursor + object;
		view->result_objects[cursor & view->object_mask] = result;
		HAND_SLICE(view, &view->records[slot], cursor, true);
		reset_object(&view->records[slot],
			     result.sizes | small_records[object].known_sizes);
		view->listed[slot / 32] = 0;
		view->listed_words[slot / 1024] = 0;
	}
	__syncthreads();
	if (thread == 0) {
		struct result_pass result;

		result.status = PASS_DONE;
		result.first_row = (uint32_t)small.before.row_cursor & view->row_mask;
		result.rows = cache->gathered;
		result.first_object = (uint32_t)small.before.object_cursor & view->object_mask;
		result.objects = small.objects;
		result.strategy = PASS_SMALL;
		result.blocks = small.blocks;
		result.ticket = ticket - 1;
		result.missed = small.before.missed;
		result.missed_bytes = small.before.missed_bytes;
		*pass = result;
		state->missed = state->missed_bytes = 0;
		state->progress = 0;
		state->heartbeat = 0;
		state->row_cursor = small.before.row_cursor + cache->gathered;
		state->object_cursor = small.before.object_cursor + small.objects;
		__threadfence_system();
		*(volatile uint32_t *)&pass->ticket = ticket;
	}
}

/*
 * Does it; `near` and the keys of leaves are ready when all threads are here.  False: the results
 * are not with the host.
 */
static __device__ bool settle_small(struct device_state *state, const struct device_state *view,
				    struct row_cache *cache, const uint32_t *leaf_keys,
				    uint32_t api, uint32_t ticket, uint64_t rows_taken,
				    uint64_t objects_taken, bool spread)
{
	unsigned thread = threadIdx.x;

#pragma unroll 1
	for (uint32_t first = 0; first < small.blocks; first += GROUPS) {
		settle_groups(cache, view->rows, leaf_keys, first, api, spread, NULL, NULL);
		__syncthreads();
	}
	if (!spread && !cache->full &&
	    small.before.row_cursor + CACHED_ROWS - rows_taken <= view->row_mask &&
	    small.before.object_cursor + SMALL_OBJECTS - objects_taken <= view->object_mask) {
		gather_small(state, view, cache, ticket);
		return true;
	}
	if (thread < small.objects)
		add_change(&view->records[small.slots[thread]], thread);
	if (thread == 0)
		cache->blocks = small.blocks;
	__threadfence();
	__syncthreads();
	return false;
}

#endif
