/* gpu/sanitizer/device/gather.cuh: hands what a pass found over to the host. */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_GATHER_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_GATHER_CUH

#include "gpu/sanitizer/device/accessed.cuh"
#include "gpu/sanitizer/device/listed.cuh"

/* Hands the rows to the host; returns how many. */
static __device__ uint32_t gather_rows(struct device_state *state, uint64_t taken)
{
	static const struct device_row nothing = {};
	struct device_rows *rows = state->rows;
	uint32_t found = __ldcg(&rows->count);
	uint64_t cursor = state->row_cursor;

	if (found > ROW_LIMIT || cursor + found - taken > state->row_mask) {
		for (uint32_t i = threadIdx.x; i < ROW_SLOTS; i += PASS_THREADS)
			rows->slots[i] = nothing;
		return ROW_LIMIT + 1;
	}
	for (uint32_t i = threadIdx.x; i < found; i += PASS_THREADS) {
		struct device_row *row = &rows->slots[__ldcg(&rows->used[i])];
		struct result_row *to = &state->result_rows[(cursor + i) & state->row_mask];
		uint64_t key = __ldcg(&row->key);

		to->slot = (uint32_t)(key >> 32) - 1;
		to->writer = (uint32_t)key;
#pragma unroll
		for (int k = 0; k < ROW_COUNTS; k++)
			to->counts[k] = __ldcg(&row->counts[k]);
#pragma unroll
		for (int k = 0; k < ROW_EXTENTS; k++)
			to->extents[k] = __ldcg(&row->extents[k]);
		*row = nothing;
	}
	return found;
}

/* The same for the rows of the only block of threads. */
static __device__ uint32_t gather_cached_rows(struct device_state *state, struct row_cache *cache,
					      uint64_t taken)
{
	uint64_t cursor = state->row_cursor;

	if (cursor + CACHED_ROWS - taken > state->row_mask)
		return ROW_LIMIT + 1;
	for (uint32_t i = threadIdx.x; i < CACHED_ROWS; i += PASS_THREADS)
		if (cache->keys[i]) {
			uint64_t place = cursor + atomicAdd(&cache->gathered, 1);

			put_cached_row(&state->result_rows[place & state->row_mask], cache, i);
		}
	__syncthreads();
	return cache->gathered;
}

/* Hands the facts about the listed objects to the host, if there is room for them. */
static __device__ void gather_objects(struct device_state *state, bool fits, bool done)
{
	uint64_t cursor = state->object_cursor;
	uint32_t lane = threadIdx.x % 32, round = 0;

	each_listed(state, [&](uint32_t first, uint32_t bits) {
		struct device_record *record = &state->records[first + lane];
		uint64_t place = cursor + __popc(bits & ((1u << lane) - 1));
		struct result_object object;

		cursor += __popc(bits);
		/* the warps take turns */
		if (round++ % (PASS_THREADS / 32) != threadIdx.x / 32 || !(bits >> lane & 1))
			return;
		object.slot = first + lane;
		object.sizes = record->sizes;
		object.initialised_bytes = __ldcg(&record->initialised_bytes);
		object.zero_leaf_count = __ldcg(&record->zero_leaf_count);
		for (int k = 0; k < DIGEST_LANES; k++)
			object.sum[k] = __ldcg(&record->sum[k]);
		if (fits)
			state->result_objects[place & state->object_mask] = object;
		HAND_SLICE(state, record, place, fits);
		if (done)
			reset_object(record, record->known_sizes | object.sizes);
	});
}

static __device__ void clear_list(struct device_state *state, uint32_t first, uint32_t step)
{
	for (uint32_t i = first; i < state->slots / 1024; i += step) {
		for (uint32_t words = state->listed_words[i]; words; words &= words - 1)
			state->listed[i * 32 + __ffs((int)words) - 1] = 0;
		state->listed_words[i] = 0;
	}
}

/*
 * The last block of threads: puts what was found into the rings and makes ready for the next API.
 * `near`: the rows are there; else they are in memory.
 */
static __device__ void gather(struct device_state *state, struct row_cache *cache, uint32_t listed,
			      bool done, enum pass_strategy strategy, uint32_t ticket,
			      uint64_t rows_taken, uint64_t objects_taken)
{
	struct result_pass *pass = &state->result_passes[ticket % PASSES];
	uint64_t row_cursor = state->row_cursor, object_cursor = state->object_cursor;
	bool fits = object_cursor + listed - objects_taken <= state->object_mask;
	uint32_t rows = cache ? gather_cached_rows(state, cache, rows_taken)
			      : gather_rows(state, rows_taken);
	bool lost = !fits || rows > ROW_LIMIT;
	struct result_pass result;

	gather_objects(state, fits, done);
	__syncthreads();
	if (threadIdx.x == 0) {
		rows = rows > ROW_LIMIT ? 0 : rows;
		listed = fits ? listed : 0;
		result.status = lost ? PASS_TOO_MANY : done ? PASS_DONE : PASS_NEEDS_DETAILS;
		result.first_row = (uint32_t)row_cursor & state->row_mask;
		result.rows = rows;
		result.first_object = (uint32_t)object_cursor & state->object_mask;
		result.objects = listed;
		result.strategy = strategy;
		result.blocks = cache ? cache->blocks : __ldcg(&state->rows->blocks);
		result.ticket = ticket - 1;
		result.missed = state->missed;
		result.missed_bytes = state->missed_bytes;
		*pass = result;
		state->missed = state->missed_bytes = 0;
		state->progress = 0;
		state->heartbeat = 0;
		state->row_cursor = row_cursor + rows;
		state->object_cursor = object_cursor + listed;
		state->rows->count = state->rows->blocks = 0;
		state->finished = 0;
	} else if (done) {
		clear_list(state, threadIdx.x - 1, PASS_THREADS - 1);
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence_system();
		*(volatile uint32_t *)&pass->ticket = ticket;
	}
}

#endif
