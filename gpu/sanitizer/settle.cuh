/*
 * gpu/sanitizer/settle.cuh: the pass after an API, in one kernel: finds the blocks that it touched,
 * settles them, and hands what was found to the host.
 */
#include "gpu/sanitizer/block.cuh"

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

	if (block >= (uint32_t)record->blocks)
		return 0;
	bits = *at >> block % 32 & mask;
	if (bits)
		atomicAnd(at, ~(bits << block % 32));
	return bits;
}

/*
 * The warp's share of an object, in portions of 1 << shift blocks: every `warps`th from `first` on;
 * in large objects a warp of the only block of threads has many side by side, so that it loads few
 * lines of the cache.
 */
static __device__ void settle_object(struct walk *walk, uint32_t first, uint32_t warps,
				     unsigned shift)
{
	struct device_record *record = walk->record;
	uint32_t portions = ((uint32_t)record->blocks + (1u << shift) - 1) >> shift;
	uint32_t step = warps;
	uint32_t mask = shift == 5 ? ~0u : (1u << (1u << shift)) - 1;
	unsigned lane = threadIdx.x % 32;
	bool found = false;

	if (gridDim.x == 1 && portions > SCAN * 32) {
		first *= SCAN * 32;
		step = 1;
	}
	for (; first < portions; first += SCAN * 32 * warps) {
		uint32_t bits[SCAN];

#pragma unroll
		for (int i = 0; i < SCAN; i++)
			bits[i] = take_bits(record, (first + (32 * i + lane) * step) << shift,
					    mask);
#pragma unroll 1
		for (int i = 0; i < SCAN; i++) {
			uint32_t these = i == 0   ? bits[0]
					 : i == 1 ? bits[1]
					 : i == 2 ? bits[2]
						  : bits[3];
			unsigned waiting = __ballot_sync(ALL_LANES, these != 0);

			for (; waiting; waiting &= waiting - 1) {
				int from = __ffs((int)waiting) - 1;

				found = true;
				settle_blocks(walk,
					      (uint64_t)(first + (32 * i + from) * step)
						      << shift,
					      __shfl_sync(ALL_LANES, these, from));
			}
		}
	}
	if (found)
		add_to_object(&record->initialised_bytes, (u64)(int64_t)walk->initialised);
	walk->initialised = 0;
}

static __shared__ uint32_t first_listed[32]; /* words of the list */

/*
 * The first word of the list from this one on that is not 0, and what it is; the warp looks for it
 * together.  Words of words are only looked at where there are more than 1024 slots.
 */
static __device__ uint32_t find_listed(const struct device_state *state, uint32_t word, uint32_t *bits)
{
	uint32_t lane = threadIdx.x % 32, group = word / 32, groups = state->slots / 1024;
	uint32_t words = 0;
	unsigned found;

	if (group == 0)
		words = first_listed[lane];
	else if (group < groups)
		words = state->listed[group * 32 + lane];
	found = __ballot_sync(ALL_LANES, lane >= word % 32 && words);
	if (found) {
		*bits = __shfl_sync(ALL_LANES, words, __ffs((int)found) - 1);
		return group * 32 + __ffs((int)found) - 1;
	}
#pragma unroll 1
	for (group++; group < groups; group += 32) {
		words = group + lane < groups ? state->listed_words[group + lane] : 0;
		found = __ballot_sync(ALL_LANES, words != 0);
		if (found) {
			words = __shfl_sync(ALL_LANES, words, __ffs((int)found) - 1);
			word = (group + __ffs((int)found) - 1) * 32 + __ffs((int)words) - 1;
			*bits = state->listed[word];
			return word;
		}
	}
	return UINT32_MAX;
}

/*
 * Calls f(first, bits) for 32 slots of records at a time, if the running API touched objects among
 * them: those of the bits.  The warp does it together.
 */
template <typename F> static __device__ void each_listed(const struct device_state *state, F f)
{
	uint32_t bits;

	for (uint32_t word = find_listed(state, 0, &bits); word != UINT32_MAX;
	     word = find_listed(state, word + 1, &bits))
		f(word * 32, bits);
}

/* How many are listed, and whether the pass can do its work: all objects have bodies. */
static __device__ uint32_t count_listed(const struct device_state *state, bool *have_bodies)
{
	unsigned lane = threadIdx.x % 32;
	uint32_t listed = 0;
	bool missing = false;

	each_listed(state, [&](uint32_t first, uint32_t bits) {
		listed += __popc(bits);
		if (gridDim.x == 1 && lane < sizeof(struct device_record) / 32)
			touch((const char *)&state->records[first + __ffs((int)bits) - 1] +
			      32 * lane);
		missing |= (bits >> lane & 1) && !state->records[first + lane].states;
	});
	*have_bodies = !__any_sync(ALL_LANES, missing);
	return listed;
}

static __device__ void settle_listed(const struct device_state *state, struct walk *walk)
{
	uint32_t warps = gridDim.x * (PASS_THREADS / 32), base = 0;
	/* neighbours in an object should not be neighbours in a multiprocessor's queue */
	uint32_t warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;

	each_listed(state, [&](uint32_t first, uint32_t bits) {
#pragma unroll 1
		for (; bits; bits &= bits - 1) {
			uint32_t count;
			unsigned shift;

			walk->slot = first + __ffs((int)bits) - 1;
			walk->record = &state->records[walk->slot];
			count = (uint32_t)walk->record->blocks;
			shift = portion(count, warps);
			/* objects begin where the one before ended, so that all warps have work */
			settle_object(walk, warp >= base ? warp - base : warp + warps - base,
				      warps, shift);
			base = (base + (count >> shift) + 1) % warps;
		}
	});
	if (walk->key)
		flush_row(walk);
}

static __device__ void put_row(const struct device_state *state, uint64_t place, u64 key, u64 read,
			       u64 written, u64 redundant)
{
	struct result_row row;

	row.read = read;
	row.written = written;
	row.redundant = redundant;
	row.slot = (uint32_t)(key >> 32) - 1;
	row.writer = (uint32_t)key;
	state->result_rows[place & state->row_mask] = row;
}

/* Hands the rows to the host; returns how many. */
static __device__ uint32_t gather_rows(const struct device_state *state, uint64_t cursor,
				       uint64_t taken)
{
	struct device_rows *rows = state->rows;
	uint32_t found = __ldcg(&rows->count);

	if (found > ROW_LIMIT || cursor + found - taken > state->row_mask) {
		for (uint32_t i = threadIdx.x; i < ROW_SLOTS; i += PASS_THREADS)
			rows->keys[i] = rows->read[i] = rows->written[i] = rows->redundant[i] = 0;
		return ROW_LIMIT + 1;
	}
#pragma unroll 1
	for (uint32_t i = threadIdx.x; i < found; i += PASS_THREADS) {
		uint32_t at = __ldcg(&rows->used[i]);

		put_row(state, cursor + i, __ldcg(&rows->keys[at]), __ldcg(&rows->read[at]),
			__ldcg(&rows->written[at]), __ldcg(&rows->redundant[at]));
		rows->keys[at] = rows->read[at] = rows->written[at] = rows->redundant[at] = 0;
	}
	return found;
}

/* The same for the rows of the only block of threads. */
static __device__ uint32_t gather_near_rows(const struct device_state *state, uint64_t cursor,
					    uint64_t taken)
{
	if (cursor + NEAR_ROWS - taken > state->row_mask)
		return ROW_LIMIT + 1;
	for (uint32_t i = threadIdx.x; i < NEAR_ROWS; i += PASS_THREADS)
		if (near_rows.keys[i])
			put_row(state, cursor + atomicAdd(&near_rows.gathered, 1),
				near_rows.keys[i], near_rows.read[i], near_rows.written[i],
				near_rows.redundant[i]);
	__syncthreads();
	return near_rows.gathered;
}

/* Hands the facts about the listed objects to the host, if there is room for them. */
static __device__ void gather_objects(const struct device_state *state, uint64_t cursor, bool fits,
				      bool done)
{
	uint32_t lane = threadIdx.x % 32, turn = 0;

	each_listed(state, [&](uint32_t first, uint32_t bits) {
		struct device_record *record = &state->records[first + lane];
		uint64_t place = cursor + __popc(bits & ((1u << lane) - 1));
		struct result_object object;

		cursor += __popc(bits);
		/* the warps take turns */
		if (turn++ % (PASS_THREADS / 32) != threadIdx.x / 32 || !(bits >> lane & 1))
			return;
		object.slot = first + lane;
		object.initialised_bytes = __ldcg(&record->initialised_bytes);
		object.zero_leaf_count = __ldcg(&record->zero_leaf_count);
		for (int k = 0; k < DIGEST_LANES; k++)
			object.sum[k] = __ldcg(&record->sum[k]);
		if (fits)
			state->result_objects[place & state->object_mask] = object;
		if (done)
			record->touched = record->uses_origin = 0;
	});
}

/* What the pass before it left, and the launches since; loaded when there is something to wait for. */
struct before {
	uint64_t row_cursor, object_cursor, missed, missed_bytes;
};

static __device__ void clear_list(const struct device_state *state)
{

	if (threadIdx.x < 32 && first_listed[threadIdx.x])
		state->listed[threadIdx.x] = 0;
	if (threadIdx.x == 32 && state->slots)
		state->listed_words[0] = 0;
	if (state->slots <= 1024)
		return;
	__syncthreads(); /* now nobody looks for what is listed there */
#pragma unroll 1
	for (uint32_t i = 1 + threadIdx.x; i < state->slots / 1024; i += PASS_THREADS) {
		for (uint32_t words = state->listed_words[i]; words; words &= words - 1)
			state->listed[i * 32 + __ffs((int)words) - 1] = 0;
		state->listed_words[i] = 0;
	}
}

/*
 * The last block of threads: puts what was found into the rings and makes ready for the next API.
 * `near`: the rows are there; else they are in memory.
 */
static __device__ void gather(struct device_state *state, const struct device_state *view,
			      const struct before *before, bool near, uint32_t listed, bool done,
			      uint32_t ticket, uint64_t rows_taken, uint64_t objects_taken)
{
	struct result_pass *pass = &view->result_passes[ticket % PASSES];
	bool fits = before->object_cursor + listed - objects_taken <= view->object_mask;
	uint32_t rows = near ? gather_near_rows(view, before->row_cursor, rows_taken)
			     : gather_rows(view, before->row_cursor, rows_taken);
	bool lost = !fits || rows > ROW_LIMIT;

	gather_objects(view, before->object_cursor, fits, done);
	if (threadIdx.x == PASS_THREADS - 1) {
		struct result_pass result;

		rows = rows > ROW_LIMIT ? 0 : rows;
		listed = fits ? listed : 0;
		result.status = lost ? PASS_TOO_MANY : done ? PASS_DONE : PASS_NEEDS_BODIES;
		result.first_row = (uint32_t)before->row_cursor & view->row_mask;
		result.rows = rows;
		result.first_object = (uint32_t)before->object_cursor & view->object_mask;
		result.objects = listed;
		result.ticket = ticket - 1;
		result.missed = before->missed;
		result.missed_bytes = before->missed_bytes;
		*pass = result;
		state->missed = state->missed_bytes = 0;
		state->progress = 0;
		state->told = 0;
		state->row_cursor = before->row_cursor + rows;
		state->object_cursor = before->object_cursor + listed;
		view->rows->count = 0;
		state->finished = 0;
	}
	if (done)
		clear_list(view);
	__syncthreads();
	if (threadIdx.x == PASS_THREADS - 1) {
		__threadfence_system();
		*(volatile uint32_t *)&pass->ticket = ticket;
	}
}

/*
 * The pass over the objects in the list, for the API `writer`.  The last block of threads puts what
 * was found into the rings and makes ready for the next API.  `view` is what of the state does not
 * change between passes; `rows_taken` and `objects_taken` say what the host has read of the rings.
 */
extern "C" __global__ void __launch_bounds__(PASS_THREADS, 3)
	vflow_pass(struct device_state *state, const __grid_constant__ struct device_state view,
		   uint32_t writer, uint32_t ticket, uint64_t rows_taken, uint64_t objects_taken)
{
	__shared__ __align__(16) uint32_t keys[LEAF_KEYS];
	__shared__ u64 nh[PASS_THREADS / 32][32][LEAF_LANES];
	__shared__ struct before before;
	__shared__ bool last;
	struct walk walk = {NULL, view.rows, keys, nh[threadIdx.x / 32], 0, writer, 0, 0, 0, 0, 0};
	uint64_t had = 0;
	uint32_t words = 0, listed;
	bool done, alone;

	/* all at once, and while they are waited for, the keys */
	if (threadIdx.x < 32 && view.slots)
		words = view.listed[threadIdx.x];
	if (threadIdx.x < 4)
		had = *(threadIdx.x == 0   ? &state->row_cursor
			: threadIdx.x == 1 ? &state->object_cursor
			: threadIdx.x == 2 ? &state->missed
					   : &state->missed_bytes);
	for (uint32_t i = threadIdx.x; i < LEAF_KEYS; i += PASS_THREADS)
		keys[i] = leaf_key(i);
	for (uint32_t i = threadIdx.x; i < NEAR_ROWS; i += PASS_THREADS)
		near_rows.keys[i] = near_rows.read[i] = near_rows.written[i] =
			near_rows.redundant[i] = 0;
	if (threadIdx.x == 0)
		near_rows.gathered = near_rows.full = 0;
	if (threadIdx.x < 32)
		first_listed[threadIdx.x] = words;
	if (threadIdx.x < 4)
		(&before.row_cursor)[threadIdx.x] = had;
	__syncthreads();
	listed = count_listed(&view, &done);
	if (done)
		settle_listed(&view, &walk);
	__syncthreads();
	alone = gridDim.x == 1 && !near_rows.full;
	if (!alone) {
		for (uint32_t i = threadIdx.x; i < NEAR_ROWS; i += PASS_THREADS)
			if (near_rows.keys[i])
				add_row(view.rows, near_rows.keys[i], near_rows.read[i],
					near_rows.written[i], near_rows.redundant[i]);
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			last = atomicAdd(&state->finished, 1) == gridDim.x - 1;
		__syncthreads();
		if (!last)
			return;
		__threadfence();
	}
	gather(state, &view, &before, alone, listed, done, ticket, rows_taken, objects_taken);
}
