/*
 * gpu/sanitizer/small.cuh: the pass over few blocks of few objects: what settle.cuh does, in less
 * time.  One block of threads does it, or several, each of which looks for all and takes its part.
 *
 * After a tiny launch most of the time goes into fetching code that runs once, and into loads that
 * follow from each other.  So this is short, each thread has one chunk of 16 bytes and 64 threads a
 * block, and all that is needed of a block is loaded at once.
 */
#ifndef VFLOW_GPU_SANITIZER_SMALL_CUH
#define VFLOW_GPU_SANITIZER_SMALL_CUH

#include "gpu/sanitizer/block.cuh"

#define SMALL_OBJECTS 8u
#define GROUP_THREADS (LEAF_BYTES / CHUNK_BYTES)
#define GROUPS (PASS_THREADS / GROUP_THREADS)

/* What a pass before it left, and the launches since. */
struct before {
	uint64_t row_cursor, object_cursor, missed, missed_bytes;
};

struct small_change { /* of an object */
	u64 sum[LEAF_LANES], initialised_bytes, zero_leaf_count;
};

enum warp_flags {
	ANY_WRITTEN = 1,
	ANY_STALE = 2,
	ANY_NONZERO = 4,
	SOME_UNWRITTEN = 8,
	SOME_UNKNOWN = 16
};

static __shared__ struct {
	struct before before;
	uint32_t objects, blocks; /* ... of this block of threads */
	uint32_t found;           /* blocks of all of them, maybe with some past an object's end */
	bool unfit;
	uint32_t slots[SMALL_OBJECTS];
	struct {
		uint32_t object, block;
	} work[SPREAD_BLOCKS];
	struct small_change changes[SMALL_OBJECTS];
	uint32_t known[PASS_THREADS]; /* the mask of initialised bytes of a chunk */
	struct {
		unsigned flags, known;
		u64 nh[LEAF_LANES];
	} warps[PASS_THREADS / 32];
} small;
static __shared__ struct device_record small_records[SMALL_OBJECTS];

#define SMALL_SLOTS 32768u

/* The first warp's share of the list: its words, or those of words, where there are more. */
static __device__ uint32_t list_word(const struct device_state *view)
{
	if (view->slots == 1024)
		return view->listed[threadIdx.x];
	return threadIdx.x < view->slots / 1024 && view->slots <= SMALL_SLOTS
		       ? view->listed_words[threadIdx.x]
		       : 0;
}

/* Which objects are listed, of no more than 1024 slots. */
static __device__ void find_objects(uint32_t words)
{
	unsigned lane = threadIdx.x % 32, found;
	uint32_t count = 0;

#pragma unroll 1
	while ((found = __ballot_sync(ALL_LANES, words != 0)) && count <= SMALL_OBJECTS) {
		if (lane == (unsigned)__ffs((int)found) - 1) {
			if (count < SMALL_OBJECTS)
				small.slots[count] = lane * 32 + __ffs((int)words) - 1;
			words &= words - 1;
		}
		count++;
	}
	if (lane == 0)
		small.objects = count;
}

/* The same of more slots. */
static __device__ __noinline__ void find_in_many(const uint32_t *listed, uint32_t words)
{
	unsigned lane = threadIdx.x % 32, found;
	uint32_t count = 0, word = 0, bits = 0;

#pragma unroll 1
	while ((found = __ballot_sync(ALL_LANES, (words | bits) != 0)) && count <= SMALL_OBJECTS) {
		if (lane == (unsigned)__ffs((int)found) - 1) {
			if (!bits) {
				word = lane * 32 + __ffs((int)words) - 1;
				words &= words - 1;
				bits = listed[word];
			}
			if (count < SMALL_OBJECTS)
				small.slots[count] = word * 32 + __ffs((int)bits) - 1;
			bits &= bits - 1;
		}
		count++;
	}
	if (lane == 0)
		small.objects = count;
}

/* A copy of the record, a warp for each. */
static __device__ void copy_records(const struct device_record *records)
{
	unsigned lane = threadIdx.x % 32, object = threadIdx.x / 32;
	struct device_record *copy = &small_records[object];

	if (object >= small.objects)
		return;
	if (lane < sizeof(*copy) / 8)
		((u64 *)copy)[lane] = ((const u64 *)&records[small.slots[object]])[lane];
	__syncwarp();
	if (lane == 0 && (!copy->states || copy->coarse || copy->shared || copy->uses_origin ||
			  (gridDim.x > 1 && copy->blocks > SMALL_LOOK)))
		small.unfit = true;
}

/*
 * A word of touched blocks, the same in all lanes: each looks at one block.  Of blocks that follow
 * each other each of `parts` gets one.
 */
static __device__ void add_work(uint32_t object, uint32_t word, uint32_t bits, uint32_t parts)
{
	unsigned lane = threadIdx.x % 32, mine;
	uint32_t block = word * 32 + lane, place = 0;
	bool work = (bits >> lane & 1) && block < small_records[object].blocks;

	if (parts > 1)
		work = work && (block + object * (parts / SMALL_OBJECTS)) % parts == blockIdx.x;
	mine = __ballot_sync(ALL_LANES, work);
	if (!mine)
		return;
	if (lane == 0)
		place = atomicAdd(&small.blocks, __popc(mine));
	place = __shfl_sync(ALL_LANES, place, 0) + __popc(mine & ((1u << lane) - 1));
	if (work && place < SPREAD_BLOCKS) {
		small.work[place].object = object;
		small.work[place].block = block;
	}
}

/* The touched blocks of all objects, if they are not too many. */
static __device__ void find_blocks(uint32_t parts, uint32_t limit)
{
	unsigned lane = threadIdx.x % 32;

#pragma unroll 1
	for (uint32_t object = 0; object < small.objects; object++) {
		const uint32_t *touched = small_records[object].touched_blocks;
		uint32_t words = (small_records[object].blocks + 31) / 32;

		/* the first words of objects are not all the first warp's */
#pragma unroll 1
		for (uint32_t first = (threadIdx.x / 32 + object) % (PASS_THREADS / 32) * 32;
		     first < words; first += 4 * PASS_THREADS) {
			uint32_t bits[4];

#pragma unroll
			for (unsigned k = 0; k < 4; k++) {
				uint32_t word = first + k * PASS_THREADS + lane;

				bits[k] = word < words ? touched[word] : 0;
			}
			if (!__any_sync(ALL_LANES, bits[0] | bits[1] | bits[2] | bits[3]))
				continue;
#pragma unroll 1
			for (unsigned k = 0; k < 4; k++) {
				uint32_t these = k == 0   ? bits[0]
						 : k == 1 ? bits[1]
						 : k == 2 ? bits[2]
							  : bits[3];
				unsigned waiting = __ballot_sync(ALL_LANES, these != 0);

				for (; waiting; waiting &= waiting - 1) {
					int from = __ffs((int)waiting) - 1;
					uint32_t taken = __shfl_sync(ALL_LANES, these, from);

					if (lane == 0)
						atomicAdd(&small.found, __popc(taken));
					add_work(object, first + k * PASS_THREADS + from, taken,
						 parts);
				}
			}
			if (*(volatile uint32_t *)&small.found > limit)
				return;
		}
	}
}

/* Patches touch eight blocks at a time: those of them without a bit in their masks are left out. */
static __device__ void drop_untouched(void)
{
	uint32_t blocks = small.blocks;

	__syncthreads();
	if (threadIdx.x == 0)
		small.blocks = 0;
#pragma unroll 1
	for (uint32_t first = 0; first < blocks; first += PASS_THREADS) {
		bool mine = first + threadIdx.x < blocks;
		/* what was kept of those before is written meanwhile */
		uint32_t place = mine ? first + threadIdx.x : first;
		uint32_t object = small.work[place].object;
		uint64_t block = small.work[place].block;
		const struct device_record *record = &small_records[object];
		const ulonglong2 *units[2] = {
			(const ulonglong2 *)(record->read_units + block * BLOCK_UNIT_WORDS),
			(const ulonglong2 *)(record->written_units + block * BLOCK_UNIT_WORDS)};
		const ulonglong2 *bytes[2] = {
			(const ulonglong2 *)(record->read + block * LEAF_WORDS),
			(const ulonglong2 *)(record->written + block * LEAF_WORDS)};
		u64 any = 0;

#pragma unroll
		for (unsigned i = 0; i < 2; i++)
			any |= units[0][i].x | units[0][i].y | units[1][i].x | units[1][i].y;
		if (record->uses_bytes)
#pragma unroll
			for (unsigned i = 0; i < LEAF_WORDS / 2; i++)
				any |= bytes[0][i].x | bytes[0][i].y | bytes[1][i].x |
				       bytes[1][i].y;
		__syncthreads();
		if (mine && any) {
			place = atomicAdd(&small.blocks, 1);
			small.work[place].object = object;
			small.work[place].block = block;
		}
	}
	__syncthreads();
}

/* What memory holds now; zeros past the object's end. */
static __device__ void load_fresh(const struct device_record *record, uint64_t at, uint64_t to[2])
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

/* As add_near_row(), which is faster when it is warm. */
static __device__ void add_small_row(struct near_rows *near, struct device_rows *rows, u64 key,
				     uint32_t read, uint32_t written, uint32_t redundant)
{
#pragma unroll 1
	for (uint32_t i = 0; i < NEAR_ROWS; i++) {
		u64 old = atomicCAS(&near->keys[i], 0ull, key);

		if (old && old != key)
			continue;
		atomicAdd(&near->read[i], read);
		atomicAdd(&near->written[i], written);
		atomicAdd(&near->redundant[i], redundant);
		return;
	}
	near->full = true;
	add_row(rows, key, read, written, redundant);
}

/* Counts the touched bytes of a warp's chunks by their writers. */
static __device__ void count_chunks(struct near_rows *near, struct device_rows *rows,
				    const struct device_record *record, const struct chunk *chunk,
				    const uint32_t writers[4])
{
	unsigned left = 0, waiting;

#pragma unroll
	for (int i = 0; i < 4; i++)
		if ((chunk->read | chunk->written) >> 4 * i & 15)
			left |= 1u << i;
	while ((waiting = __ballot_sync(ALL_LANES, left != 0))) {
		uint32_t writer = left & 1   ? writers[0]
				  : left & 2 ? writers[1]
				  : left & 4 ? writers[2]
					     : writers[3];
		uint32_t read, written, redundant;
		unsigned bytes = 0;

		writer = __shfl_sync(ALL_LANES, writer, __ffs((int)waiting) - 1);
#pragma unroll
		for (int i = 0; i < 4; i++)
			if ((left >> i & 1) && writers[i] == writer)
				bytes |= 15u << 4 * i;
		left &= ~((bytes & 1) | (bytes >> 3 & 2) | (bytes >> 6 & 4) | (bytes >> 9 & 8));
		read = sum_of_lanes(__popc(chunk->read & bytes));
		written = sum_of_lanes(__popc(chunk->written & bytes));
		redundant = sum_of_lanes(__popc(chunk->redundant & bytes));
		if (threadIdx.x % 32 == 0)
			add_small_row(near, rows,
				      (u64)(record->slot + 1) << 32 | (writer ^ record->site), read,
				      written, redundant);
	}
}

/*
 * Four blocks of the list from `first` on; called by all threads.  `spread`: others are yet to look
 * for what was touched.
 */
static __device__ void settle_groups(struct near_rows *near, struct device_rows *rows,
				     const uint32_t *leaf_keys, uint32_t first, uint32_t api,
				     bool spread)
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
	struct chunk chunk = {{0, 0}, {0, 0}, 0, 0, 0, 0, 0};
	uint4 four = ((const uint4 *)record->writer)[index];
	ulonglong2 pair = ((const ulonglong2 *)record->value)[index];
	uint32_t writers[4] = {four.x, four.y, four.z, four.w}, writer = api ^ record->site;

	/* those without a block look at another's */
	chunk.initialised = ((const uint16_t *)record->initialised)[index];
	if (active) {
		unsigned units = ((const uint8_t *)record->read_units)[index / 2];

		units |= ((const uint8_t *)record->written_units)[index / 2] << 16;
		units = bytes_of_units(units >> index % 2 * 4 & 0x000f000f);
		chunk.read = units & CHUNK_ALL;
		chunk.written = units >> 16;
		if (record->uses_bytes) {
			chunk.read |= ((const uint16_t *)record->read)[index];
			chunk.written |= ((const uint16_t *)record->written)[index];
			((uint16_t *)record->read)[index] = 0;
			((uint16_t *)record->written)[index] = 0;
		}
		if (thread < LEAF_LANES && record->leaves)
			digest = record->leaves[block][thread];
	}
	load_fresh(record, index * CHUNK_BYTES, chunk.fresh);
	chunk.value[0] = pair.x, chunk.value[1] = pair.y;
	mixed = state.flags & BLOCK_MIXED;
	if (!mixed)
		writers[0] = writers[1] = writers[2] = writers[3] = state.writer;
	if (state.flags & BLOCK_WHOLE)
		chunk.initialised = CHUNK_ALL;
	after = chunk.initialised | chunk.written;
	if (chunk.written) {
		unsigned differ =
			CHUNK_ALL &
			~((unsigned)unit_equal_bytes(chunk.fresh[0], chunk.value[0]) |
			  (unsigned)unit_equal_bytes(chunk.fresh[1], chunk.value[1]) << 8);

		chunk.redundant = chunk.written & chunk.initialised & ~differ;
		differ &= chunk.written;
		stale = differ || after != chunk.initialised;
		if (differ) {
#pragma unroll
			for (int i = 0; i < 2; i++) {
				uint64_t bytes = unit_spread(differ >> 8 * i);

				chunk.value[i] =
					(chunk.value[i] & ~bytes) | (chunk.fresh[i] & bytes);
			}
			((ulonglong2 *)record->value)[index] =
				make_ulonglong2(chunk.value[0], chunk.value[1]);
		}
		if (after != chunk.initialised)
			((uint16_t *)record->initialised)[index] = (uint16_t)after;
	}
	count_chunks(near, rows, record, &chunk, writers);
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
	if (active && thread < 2 * BLOCK_UNIT_WORDS) {
		uint32_t *units =
			thread < BLOCK_UNIT_WORDS ? record->read_units : record->written_units;

		units[block * BLOCK_UNIT_WORDS + thread % BLOCK_UNIT_WORDS] = 0;
	}
	if (active && thread == 0) {
		if (!spread)
			record->touched_blocks[block / 32] = 0;
		if (flags & ANY_WRITTEN)
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

/* When all have found what was touched. */
static __device__ void clear_touched(void)
{
#pragma unroll 1
	for (uint32_t object = 0; object < small.objects; object++)
#pragma unroll 1
		for (uint32_t i = threadIdx.x; i < (small_records[object].blocks + 31) / 32;
		     i += PASS_THREADS)
			small_records[object].touched_blocks[i] = 0;
}

/* Puts what was found into the rings, where it fits, and makes ready for the next API. */
static __device__ void gather_small(struct device_state *state, const struct device_state *view,
				    struct near_rows *near, uint32_t ticket)
{
	struct result_pass *pass = &view->result_passes[ticket % PASSES];
	uint64_t cursor = small.before.row_cursor;
	unsigned thread = threadIdx.x;

	if (thread < NEAR_ROWS && near->keys[thread]) {
		struct result_row row;

		row.read = near->read[thread];
		row.written = near->written[thread];
		row.redundant = near->redundant[thread];
		row.slot = (uint32_t)(near->keys[thread] >> 32) - 1;
		row.writer = (uint32_t)near->keys[thread];
		cursor += atomicAdd(&near->gathered, 1);
		view->result_rows[cursor & view->row_mask] = row;
	}
	if (thread >= PASS_THREADS - SMALL_OBJECTS &&
	    thread - (PASS_THREADS - SMALL_OBJECTS) < small.objects) {
		uint32_t object = thread - (PASS_THREADS - SMALL_OBJECTS);
		uint32_t slot = small.slots[object];
		struct result_object result;

		change_object(&view->records[slot], object, &result);
		cursor = small.before.object_cursor + object;
		view->result_objects[cursor & view->object_mask] = result;
		view->records[slot].touched = view->records[slot].uses_bytes = 0;
		view->listed[slot / 32] = 0;
		view->listed_words[slot / 1024] = 0;
	}
	__syncthreads();
	if (thread == 0) {
		struct result_pass result;

		result.status = PASS_DONE;
		result.first_row = (uint32_t)small.before.row_cursor & view->row_mask;
		result.rows = near->gathered;
		result.first_object = (uint32_t)small.before.object_cursor & view->object_mask;
		result.objects = small.objects;
		result.way = PASS_SMALL;
		result.blocks = small.blocks;
		result.ticket = ticket - 1;
		result.missed = small.before.missed;
		result.missed_bytes = small.before.missed_bytes;
		*pass = result;
		state->missed = state->missed_bytes = 0;
		state->progress = 0;
		state->told = 0;
		state->row_cursor = small.before.row_cursor + near->gathered;
		state->object_cursor = small.before.object_cursor + small.objects;
		__threadfence_system();
		*(volatile uint32_t *)&pass->ticket = ticket;
	}
}

/*
 * Whether there is so little to do; of several blocks of threads all come to the same conclusion,
 * and each knows its part then.
 */
static __device__ bool is_small(struct device_state *state, const struct device_state *view,
				uint32_t share, uint32_t parts, uint32_t ticket)
{
	uint32_t limit = parts > 1 ? SPREAD_BLOCKS : PASS_THREADS;
	unsigned thread = threadIdx.x;

	if (view->slots > SMALL_SLOTS)
		return false;
	if (thread < 32 && view->slots > 1024)
		find_in_many(view->listed, share);
	else if (thread < 32)
		find_objects(share);
	else if (thread < 36)
		((uint64_t *)&small.before)[thread - 32] = *(thread == 32   ? &state->row_cursor
							     : thread == 33 ? &state->object_cursor
							     : thread == 34 ? &state->missed
									    : &state->missed_bytes);
	else if (thread == 36)
		small.blocks = small.found = small.unfit = 0;
	else if (thread - 64 < sizeof(small.changes) / 8)
		((u64 *)small.changes)[thread - 64] = 0;
	__syncthreads();
	if (small.objects > SMALL_OBJECTS)
		return false;
	copy_records(view->records);
	__syncthreads();
	if (small.unfit)
		return false;
	find_blocks(parts, limit);
	/* who found too many may have taken some since */
	if (parts > 1) {
		__threadfence();
		if (*(volatile uint32_t *)&state->verdict == ticket)
			small.unfit = true;
	}
	__syncthreads();
	if (small.unfit || small.found > limit) {
		if (parts > 1 && thread == 0) {
			*(volatile uint32_t *)&state->verdict = ticket;
			__threadfence();
		}
		return false;
	}
	if (small.blocks > GROUPS)
		drop_untouched();
	return parts > 1 || small.blocks <= SMALL_BLOCKS;
}

/*
 * Does it; `near` and the keys of leaves are ready when all threads are here.  False: the results
 * are not with the host.
 */
static __device__ bool settle_small(struct device_state *state, const struct device_state *view,
				    struct near_rows *near, const uint32_t *leaf_keys, uint32_t api,
				    uint32_t ticket, uint64_t rows_taken, uint64_t objects_taken,
				    bool spread)
{
	unsigned thread = threadIdx.x;

#pragma unroll 1
	for (uint32_t first = 0; first < small.blocks; first += GROUPS) {
		settle_groups(near, view->rows, leaf_keys, first, api, spread);
		__syncthreads();
	}
	if (!spread && !near->full &&
	    small.before.row_cursor + NEAR_ROWS - rows_taken <= view->row_mask &&
	    small.before.object_cursor + SMALL_OBJECTS - objects_taken <= view->object_mask) {
		gather_small(state, view, near, ticket);
		return true;
	}
	if (thread < small.objects)
		add_change(&view->records[small.slots[thread]], thread);
	if (thread == 0)
		near->blocks = small.blocks;
	__threadfence();
	__syncthreads();
	return false;
}

#endif
