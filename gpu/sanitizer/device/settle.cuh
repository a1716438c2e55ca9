/*
 * gpu/sanitizer/device/settle.cuh: the pass after an API, in one kernel: finds the blocks that it
 * touched, settles them, and hands what was found to the host.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_SETTLE_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_SETTLE_CUH

#include "gpu/sanitizer/device/gather.cuh"
#include "gpu/sanitizer/device/marks.cuh"
#include "gpu/sanitizer/device/small.cuh"
#include "gpu/sanitizer/device/transfer.cuh"

#define SCAN 4 /* words of touched blocks that a lane loads at once */

/* -- the pass ----------------------------------------------------------------------------- */

/* How many blocks one warp takes at a time, as a power of 2: few when there are few. */
static __device__ unsigned portion(uint32_t blocks, uint32_t warps)
{
	return blocks / 32 >= warps ? 5 : blocks / 8 >= warps ? 3 : blocks / 2 >= warps ? 1 : 0;
}

/* Takes a portion's bits out of the object's. */
static __device__ uint32_t take_bits(struct device_record *record, uint32_t block, uint32_t mask)
{
	uint32_t *at = &record->touched_blocks[block / 32], bits;
	uint32_t left = record->blocks - block;

	if (block >= record->blocks)
		return 0;
	bits = *at >> block % 32 & mask;
	if (bits)
		atomicAnd(at, ~(bits << block % 32));
	/* patches set more than one at a time */
	return left < 32 ? bits & ((1u << left) - 1) : bits;
}

/* The warp's share of an object, in portions of 1 << shift blocks; `first` is its first. */
static __device__ void settle_object(struct walk *walk, uint32_t first, uint32_t warps,
				     unsigned shift)
{
	struct device_record *record = walk->record;
	uint32_t portions = (record->blocks + (1u << shift) - 1) >> shift;
	uint32_t mask = shift == 5 ? ~0u : (1u << (1u << shift)) - 1, found = 0;
	unsigned lane = threadIdx.x % 32;

	for (; first < portions; first += SCAN * 32 * warps) {
		uint32_t bits[SCAN];

#pragma unroll
		for (int i = 0; i < SCAN; i++)
			bits[i] =
				take_bits(record, (first + (32 * i + lane) * warps) << shift, mask);
#pragma unroll 1
		for (int i = 0; i < SCAN; i++) {
			uint32_t these = pick(bits, i);
			unsigned waiting = __ballot_sync(ALL_LANES, these != 0);

			for (; waiting; waiting &= waiting - 1) {
				int from = __ffs((int)waiting) - 1;
				uint32_t taken = __shfl_sync(ALL_LANES, these, from);

				found += __popc(taken);
				settle_blocks(walk,
					      (uint64_t)(first + (32 * i + from) * warps) << shift,
					      taken);
			}
		}
	}
	if (found) {
		add_to_object(&record->initialised_bytes, (u64)(int64_t)walk->initialised);
		if (lane == 0)
			atomicAdd(&walk->cache->blocks, found);
	}
	walk->initialised = 0;
}

/* How many are listed, and whether the pass can do its work: all objects have details. */
static __device__ uint32_t count_listed(const struct device_state *state, bool *have_bodies)
{
	unsigned lane = threadIdx.x % 32;
	uint32_t listed = 0;
	bool missing = false;

	each_listed(state, [&](uint32_t first, uint32_t bits) {
		listed += __popc(bits);
		missing |= (bits >> lane & 1) && !state->records[first + lane].states;
	});
	*have_bodies = !__any_sync(ALL_LANES, missing);
	return listed;
}

static __device__ void settle_listed(const struct device_state *state,
				     const struct device_state *view, struct walk *walk)
{
	uint32_t warps = gridDim.x * (PASS_THREADS / 32), base = 0;
	/* neighbours in an object should not be neighbours in a multiprocessor's queue */
	uint32_t warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;

	for (walk->slot = next_listed(state, 0); walk->slot != UINT32_MAX;
	     walk->slot = next_listed(state, walk->slot + 1)) {
		uint32_t count;
		unsigned shift;

		/* what was counted of the object before takes nothing from these */
		walk->record = &state->records[walk->slot];
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			note_object(notes_of_warp(), walk->record, view->epoch, view->seen_epoch);
		__syncwarp();
		count = walk->record->blocks;
		shift = portion(count, warps);
		/* objects begin where the one before ended, so that all warps have work */
		settle_object(walk, warp >= base ? warp - base : warp + warps - base, warps, shift);
		base += (count >> shift) + 1;
		/* what is often touched, their first blocks, is not for the same warps */
		if (count >> shift >= warps)
			base += warps / 8 * 3;
		base %= warps;
	}
	if (walk->key)
		flush_row(walk);
}

/*
 * Few objects are walked through by all warps, each of which takes its portions of each.  Of many,
 * those that are not large are for a team of warps each, so that no warp has to look at all.
 */
#define TEAM_BLOCKS 256 /* of an object, for each warp of a team */

/* A warp's share of an object: portions `first`, `first` + `step` and so on. */
struct share {
	uint32_t slot, first, step;
	unsigned shift; /* a portion has 1 << shift blocks */
};

/* Which of the 32 objects of a word of the list are left to the warp, or to all of them. */
struct shares {
	uint32_t word, all; /* bits of objects that all warps share */
	uint32_t teams;     /* bits of the others */
	uint32_t begin;     /* number of the first team's first share of these 32 */
	uint32_t next, end; /* of this warp; and of those 32 */
	uint32_t base;      /* the warp that begins with the next object that all share */
};

static __device__ uint32_t warp_of_grid(void)
{
	/* neighbours in an object should not be neighbours in a multiprocessor's queue */
	return threadIdx.x / 32 * gridDim.x + blockIdx.x;
}

/* `team`: how many warps share an object that is not large.  The warp does it together. */
static __device__ void share_out(const struct device_state *state, struct shares *shares,
				 uint32_t word, uint32_t bits, uint32_t team)
{
	uint32_t warps = gridDim.x * (PASS_THREADS / 32), lane = threadIdx.x % 32, blocks = 0;

	shares->word = word;
	if (bits >> lane & 1)
		blocks = state->records[word * 32 + lane].blocks;
	shares->all = __ballot_sync(ALL_LANES, blocks > TEAM_BLOCKS * team);
	shares->teams = bits & ~shares->all;
	shares->begin = shares->end;
	shares->end += __popc(shares->teams) * team;
	shares->next = shares->begin + (warp_of_grid() + warps - shares->begin % warps) % warps;
}

/* The warp's next share of the word's objects.  False: there is none. */
static __device__ bool next_share(const struct device_state *state, struct shares *shares,
				  uint32_t team, struct share *share)
{
	uint32_t warps = gridDim.x * (PASS_THREADS / 32), warp = warp_of_grid(), count;

	if (shares->next < shares->end) {
		uint32_t place = (shares->next - shares->begin) / team;

		share->slot = shares->word * 32 + __fns(shares->teams, 0, (int)place + 1);
		share->shift = portion(state->records[share->slot].blocks, team);
		share->first = (shares->next - shares->begin) % team;
		share->step = team;
		shares->next += warps;
		return true;
	}
	if (!shares->all)
		return false;
	share->slot = shares->word * 32 + __ffs((int)shares->all) - 1;
	shares->all &= shares->all - 1;
	count = state->records[share->slot].blocks;
	share->shift = portion(count, warps);
	share->first = warp >= shares->base ? warp - shares->base : warp + warps - shares->base;
	share->step = warps;
	/* objects begin where the one before ended, so that all warps have work */
	shares->base += (count >> share->shift) + 1;
	/* what is often touched, their first blocks, is not for the same warps */
	if (count >> share->shift >= warps)
		shares->base += warps / 8 * 3;
	shares->base %= warps;
	return true;
}

static __device__ void settle_many(const struct device_state *state,
				   const struct device_state *view, struct walk *walk,
				   uint32_t listed)
{
	uint32_t warps = gridDim.x * (PASS_THREADS / 32), bits;
	uint32_t team = listed && listed < warps ? warps / listed : 1;
	struct shares shares = {};
	struct share share;

	for (uint32_t word = find_listed(state, 0, &bits); word != UINT32_MAX;
	     word = find_listed(state, word + 1, &bits)) {
		share_out(state, &shares, word, bits, team);
		while (next_share(state, &shares, team, &share)) {
			walk->slot = share.slot;
			walk->record = &state->records[share.slot];
			__syncwarp();
			if (threadIdx.x % 32 == 0)
				note_object(notes_of_warp(), walk->record, view->epoch,
					    view->seen_epoch);
			__syncwarp();
			settle_object(walk, share.first, share.step, share.shift);
		}
	}
	if (walk->key)
		flush_row(walk);
}

/*
 * What the first block of threads found about itself: whether it can do all; for all blocks.  It is
 * there before others are, so that they do not wait in vain.
 */
static __device__ bool agree(struct device_state *state, uint32_t ticket, bool small_work)
{
	__shared__ uint32_t verdict;

	if (threadIdx.x == 0) {
		volatile uint32_t *shared = &state->verdict;

		verdict = small_work ? ~ticket : ticket;
		if (blockIdx.x == 0)
			*shared = verdict;
		else
			while ((verdict = *shared) != ticket && verdict != ~ticket)
				__nanosleep(100);
	}
	__syncthreads();
	return verdict != ticket;
}

/* Kernels of their own, since what one of them needs would take registers of the others. */
enum pass_variant {
	PASS_PLAIN,
	PASS_OF_COPY, /* one block of threads, which makes the digest of what a copy moves */
	PASS_OF_MANY, /* the same as the plain one, faster where an API touched many objects */
};

/*
 * The pass over the objects in the list, for the API `writer`.  The last block of threads puts what
 * was found into the rings and makes ready for the next API.  `view` is what of the state does not
 * change between passes; `way`: enum pass_strategy; `rows_taken` and `objects_taken` say what the
 * host has read of the rings; `marks`: a copy or set touches no more than this, which a single
 * block of threads marks first, and moves this, of which it makes the digest.  Three blocks a
 * multiprocessor, of 80 registers each thread, spill where two do not, and are slower.
 */
template <enum pass_variant VARIANT>
static __device__ __forceinline__ void settle(struct device_state *state,
					      const struct device_state &view, uint32_t writer,
					      uint32_t ticket, uint32_t strategy,
					      uint64_t rows_taken, uint64_t objects_taken,
					      const struct marks &marks)
{
	__shared__ __align__(16) uint32_t keys[LEAF_KEYS];
	__shared__ struct row_cache cache;
	__shared__ u64 nh[PASS_THREADS / 32][32][LEAF_LANES];
	__shared__ bool last;
	bool done = true, alone = gridDim.x == 1, spread = strategy == PASS_SPREAD && !alone;
	bool one = strategy == PASS_SMALL || alone, small_work = false;
	uint32_t listed, share = 0;
	struct walk walk = {NULL, state->rows, &cache, keys, nh[threadIdx.x / 32], 0, writer};

	if (marks.height)
		mark_first(state, &marks);
	if (VARIANT == PASS_OF_COPY)
		transfer_first(&marks.transfer, keys);
	/* while the keys are made */
	if ((spread || (one && blockIdx.x == 0)) && threadIdx.x < 32 && view.slots)
		share = list_word(&view);
#pragma unroll 1
	for (uint32_t i = threadIdx.x; i < LEAF_KEYS; i += PASS_THREADS)
		keys[i] = leaf_key(i);
	clear_cache(&cache);
	if (threadIdx.x % 32 < ROW_EXTENTS)
		notes_of_warp()->extents[threadIdx.x % 32] = 0;
	if (threadIdx.x == 0) {
		cache.gathered = cache.blocks = cache.full = 0;
		if (blockIdx.x == 0)
			view.rows->begun = ticket;
	}
	if (spread || (one && blockIdx.x == 0))
		small_work = is_small(state, &view, share, spread ? gridDim.x : 1, ticket);
	if (one && !alone)
		small_work = agree(state, ticket, small_work);
	spread = spread && small_work;
	if (small_work &&
	    ((one && blockIdx.x) || settle_small(state, &view, &cache, keys, writer, ticket,
						 rows_taken, objects_taken, spread)))
		return;
	alone |= small_work && one;
	if (small_work) {
		listed = small.objects;
	} else {
		listed = count_listed(state, &done);
		__syncthreads();
		if (done && VARIANT == PASS_OF_MANY)
			settle_many(state, &view, &walk, listed);
		else if (done)
			settle_listed(state, &view, &walk);
		__syncthreads();
	}
	if (!alone || cache.full) {
		empty_cache(&cache, state->rows);
		if (threadIdx.x == 0 && cache.blocks)
			atomicAdd(&state->rows->blocks, cache.blocks);
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			last = atomicAdd(&state->finished, 1) == (alone ? 0 : gridDim.x - 1);
		__syncthreads();
		if (!last)
			return;
		__threadfence();
	}
	if (spread)
		clear_touched();
	gather(state, alone && !cache.full ? &cache : NULL, listed, done,
	       spread ? PASS_SPREAD : PASS_LARGE, ticket, rows_taken, objects_taken);
}

#define PASS(name, VARIANT)                                                                        \
	extern "C" __global__ void __launch_bounds__(PASS_THREADS, 2)                              \
		name(struct device_state *state, const __grid_constant__ struct device_state view, \
		     uint32_t writer, uint32_t ticket, uint32_t strategy, uint64_t rows_taken,     \
		     uint64_t objects_taken, const __grid_constant__ struct marks marks)           \
	{                                                                                          \
		settle<VARIANT>(state, view, writer, ticket, strategy, rows_taken, objects_taken,  \
				marks);                                                            \
	}

PASS(vflow_pass, PASS_PLAIN)
PASS(vflow_pass_of_copy, PASS_OF_COPY)
PASS(vflow_pass_of_many, PASS_OF_MANY)

#endif
