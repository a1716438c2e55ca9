/*
 * gpu/sanitizer/device/small_work.cuh: what there is to do for small.cuh, if it is little: which
 * objects and blocks of them were touched.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_SMALL_WORK_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_SMALL_WORK_CUH

#include "gpu/sanitizer/device/block.cuh"

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
	SOME_UNKNOWN = 16,
	ANY_UNREAD = 32,
	SOME_READ = 64
};

static __shared__ struct {
	struct before before;
	uint32_t objects, blocks; /* ... of this block of threads */
	uint32_t found;           /* blocks of all of them, maybe with some past an object's end */
	bool unsupported;
	uint32_t slots[SMALL_OBJECTS];
	struct {
		uint32_t object, block;
	} work[SPREAD_BLOCKS];
	struct small_change changes[SMALL_OBJECTS];
	struct notes notes[SMALL_OBJECTS]; /* of objects */
	uint32_t known[PASS_THREADS];      /* the mask of initialised bytes of a chunk */
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
static __device__ void copy_records(const struct device_state *view)
{
	unsigned lane = threadIdx.x % 32, object = threadIdx.x / 32;
	struct device_record *copy = &small_records[object];

	if (object >= small.objects)
		return;
	if (lane < sizeof(*copy) / 8)
		((u64 *)copy)[lane] = ((const u64 *)&view->records[small.slots[object]])[lane];
	__syncwarp();
	if (lane == 0)
		note_object(&small.notes[object], copy, view->epoch, view->seen_epoch);
	if (lane == 0 && (!copy->states || copy->coarse || copy->shared || copy->uses_origin ||
			  (gridDim.x > 1 && copy->blocks > SMALL_SCAN)))
		small.unsupported = true;
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
				uint32_t these = pick(bits, k);
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
		const ulonglong2 *units[2] = {of_block(record->read_units, block),
					      of_block(record->written_units, block)};
		const ulonglong2 *bytes[2] = {of_block(record->read, block),
					      of_block(record->written, block)};
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
		small.blocks = small.found = small.unsupported = 0;
	else if (thread - 64 < sizeof(small.changes) / 8)
		((u64 *)small.changes)[thread - 64] = 0;
	__syncthreads();
	if (small.objects > SMALL_OBJECTS)
		return false;
	copy_records(view);
	__syncthreads();
	if (small.unsupported)
		return false;
	find_blocks(parts, limit);
	/* who found too many may have taken some since */
	if (parts > 1) {
		__threadfence();
		if (*(volatile uint32_t *)&state->verdict == ticket)
			small.unsupported = true;
	}
	__syncthreads();
	if (small.unsupported || small.found > limit) {
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

#endif
