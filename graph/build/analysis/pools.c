/*
 * graph/build/analysis/pools.c: the analysis of memory pools: which blocks they handed out, at
 * which call paths, how many bytes at most at a time, and the objects that these lay in.
 *
 * Blocks are summed by call path: what is kept is as much as is out at a time.
 */
#include "graph/build/analysis.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/process.h"
#include "util/memory.h"
#include "util/pair_map.h"

struct block_key {
	uint64_t address;
	uint64_t pool; /* index into profile->pools */
};

struct block { /* that is out */
	struct block_key key;
	uint64_t bytes;
	uint32_t site; /* index into profile->pool_sites */
	UT_hash_handle hh;
};

struct segment { /* a live object */
	uint64_t start, end;
	uint32_t object;
	bool of_pool;
};

struct pools {
	struct profile *profile;
	struct pair_map numbers; /* (number in the trace, process): index of the pool */
	struct pair_map sites;   /* (pool, frame): index of the site */
	/*
	 * How often a pool had reached a new peak, and when the site last changed: until then it
	 * had at the peak what it has now.
	 */
	uint64_t *peaks; /* of each pool */
	uint32_t peak_capacity;
	uint64_t *seen; /* of each site: `peaks` of its pool when it last changed */
	uint32_t seen_capacity;
	struct block *blocks;
	void *segments;             /* tsearch(): by address */
	struct segment **by_object; /* NULL: it is not there */
	uint32_t object_capacity;
	uint64_t handed_out, unknown, replaced;
};

static void *begin(struct profile *profile)
{
	struct pools *pools = xcalloc(1, sizeof(*pools));

	pools->profile = profile;
	return pools;
}

/* -- segments ----------------------------------------------------------------------------- */

/* Those that overlap are equal. */
static int by_address(const void *left, const void *right)
{
	const struct segment *a = left, *b = right;

	return a->end <= b->start ? -1 : a->start >= b->end;
}

static void drop_segment(struct pools *pools, uint32_t object)
{
	struct segment *segment = object < pools->object_capacity ? pools->by_object[object] : NULL;

	if (!segment)
		return;
	tdelete(segment, &pools->segments, by_address);
	free(segment);
	pools->by_object[object] = NULL;
}

static void make_object(void *state, const struct build_event *event, uint32_t index)
{
	struct pools *pools = state;
	const struct profile_object *object = &pools->profile->objects[index];
	struct segment *segment, **found;

	(void)event;
	if (!object->size || object->address > UINT64_MAX - object->size)
		return;
	if (index >= pools->object_capacity) {
		uint32_t count = 2 * index + 64;

		pools->by_object =
			xreallocarray(pools->by_object, count, sizeof(*pools->by_object));
		while (pools->object_capacity < count)
			pools->by_object[pools->object_capacity++] = NULL;
	}
	segment = xcalloc(1, sizeof(*segment));
	*segment = (struct segment){object->address, object->address + object->size, index, false};
	found = tsearch(segment, &pools->segments, by_address);
	if (found && *found == segment)
		pools->by_object[index] = segment;
	else
		free(segment); /* inside of another one: that is the segment */
}

static void free_object(void *state, const struct build_event *event, uint32_t index)
{
	(void)event;
	drop_segment(state, index);
}

static void note_segment(struct pools *pools, uint32_t pool, uint64_t address)
{
	struct profile *profile = pools->profile;
	struct segment key = {.start = address, .end = address + 1};
	struct segment **found =
		address < UINT64_MAX ? tfind(&key, &pools->segments, by_address) : NULL;

	if (!found || (*found)->of_pool)
		return;
	(*found)->of_pool = true;
	ARRAY_RESERVE(profile->pool_segments, profile->pool_segment_count,
		      profile->pool_segment_capacity);
	profile->pool_segments[profile->pool_segment_count++] =
		(struct profile_pool_segment){pool, (*found)->object};
}

/* -- blocks ------------------------------------------------------------------------------- */

static uint32_t find_site(struct pools *pools, uint32_t pool, uint32_t frame)
{
	struct profile *profile = pools->profile;
	uint32_t index;

	if (pair_map_find(&pools->sites, pool, frame, profile->pool_site_count, &index))
		return index;
	ARRAY_RESERVE(profile->pool_sites, profile->pool_site_count, profile->pool_site_capacity);
	ARRAY_RESERVE(pools->seen, profile->pool_site_count, pools->seen_capacity);
	pools->seen[index] = pools->peaks[pool];
	profile->pool_sites[profile->pool_site_count++] =
		(struct profile_pool_site){.pool = pool, .frame = frame};
	return index;
}

/* Before the site changes. */
static void keep_peak(struct pools *pools, uint32_t index)
{
	struct profile_pool_site *site = &pools->profile->pool_sites[index];
	uint64_t peaks = pools->peaks[site->pool];

	if (pools->seen[index] == peaks)
		return;
	pools->seen[index] = peaks;
	site->peak_blocks = site->live_blocks;
	site->peak_bytes = site->live_bytes;
}

static void take_back(struct pools *pools, struct block *block)
{
	struct profile_pool_site *site = &pools->profile->pool_sites[block->site];
	struct profile_pool *pool = &pools->profile->pools[site->pool];

	keep_peak(pools, block->site);
	site->live_blocks--;
	site->live_bytes -= block->bytes;
	pool->live_blocks--;
	pool->live_bytes -= block->bytes;
	HASH_DEL(pools->blocks, block);
	free(block);
}

static void hand_out(struct pools *pools, const struct block_key *key, uint64_t bytes,
		     uint32_t frame)
{
	struct block *block = xcalloc(1, sizeof(*block));
	struct profile_pool_site *site;
	struct profile_pool *pool = &pools->profile->pools[key->pool];

	*block = (struct block){.key = *key, .bytes = bytes};
	block->site = find_site(pools, (uint32_t)key->pool, frame);
	HASH_ADD(hh, pools->blocks, key, sizeof(block->key), block);
	keep_peak(pools, block->site);
	site = &pools->profile->pool_sites[block->site];
	site->blocks++;
	site->live_blocks++;
	site->bytes += bytes;
	site->live_bytes += bytes;
	pool->blocks++;
	pool->live_blocks++;
	pool->bytes += bytes;
	pool->live_bytes += bytes;
	if (pool->live_bytes > pool->peak_bytes) {
		pool->peak_bytes = pool->live_bytes;
		pool->peak_blocks = pool->live_blocks;
		pools->peaks[key->pool]++;
	}
	pools->handed_out++;
}

static int take_block(struct pools *pools, const struct build_event *event,
		      const struct build_record *record, struct error *error)
{
	const struct gpu_pool_block *payload = record->payload;
	uint32_t index = pair_map_get(&pools->numbers, payload->pool, event->process);
	struct block_key key = {payload->address, index};
	struct profile_pool *pool;
	struct block *block;

	if (index == UINT32_MAX)
		return error_set(error, "a block of pool %u, which is not there", payload->pool);
	pool = &pools->profile->pools[index];
	if (payload->bytes > PROFILE_NUMBER_MAX - pool->bytes ||
	    payload->total > PROFILE_NUMBER_MAX)
		return error_set(error, "a block of a pool with more bytes than can be");
	if (payload->total &&
	    (pool->reported_bytes == PROFILE_UNKNOWN || payload->total > pool->reported_bytes))
		pool->reported_bytes = payload->total;
	HASH_FIND(hh, pools->blocks, &key, sizeof(key), block);
	if (block && payload->bytes)
		pools->replaced++;
	if (block)
		take_back(pools, block);
	else if (!payload->bytes)
		pools->unknown++;
	if (!payload->bytes)
		return 0;
	hand_out(pools, &key, payload->bytes, record->frame);
	note_segment(pools, index, payload->address);
	return 0;
}

static int take_pool(struct pools *pools, const struct build_event *event,
		     const struct build_record *record, struct error *error)
{
	struct profile *profile = pools->profile;
	const struct gpu_pool *payload = record->payload;
	uint32_t index;

	if (payload->name[sizeof(payload->name) - 1])
		return error_set(error, "a pool whose name has no end");
	if (pair_map_find(&pools->numbers, payload->pool, event->process, profile->pool_count,
			  &index))
		return error_set(error, "pool %u comes twice", payload->pool);
	ARRAY_RESERVE(profile->pools, profile->pool_count, profile->pool_capacity);
	ARRAY_RESERVE(pools->peaks, profile->pool_count, pools->peak_capacity);
	pools->peaks[index] = 0;
	profile->pools[profile->pool_count++] =
		(struct profile_pool){.process = event->process,
				      .name = process_clean_name(payload->name),
				      .reported_bytes = PROFILE_UNKNOWN};
	return 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	return record->kind == GPU_RECORD_POOL ? take_pool(state, event, record, error)
					       : take_block(state, event, record, error);
}

/* What is out at the end stays counted. */
static void end_process(void *state, const struct build_event *last)
{
	struct pools *pools = state;
	struct block *block, *next;

	(void)last;
	HASH_ITER(hh, pools->blocks, block, next)
	{
		HASH_DEL(pools->blocks, block);
		free(block);
	}
	tdestroy(pools->segments, free);
	pools->segments = NULL;
	for (uint32_t i = 0; i < pools->object_capacity; i++)
		pools->by_object[i] = NULL;
}

static void end(void *state)
{
	struct pools *pools = state;
	struct profile *profile = pools->profile;

	for (uint32_t i = 0; i < profile->pool_site_count; i++)
		keep_peak(pools, i);
	if (pools->handed_out)
		profile_add_coverage(profile, COVERAGE_POOL_ACCESSES, NULL, pools->handed_out, 0);
	if (pools->unknown)
		profile_add_coverage(profile, COVERAGE_POOL_BLOCKS_UNKNOWN, NULL, pools->unknown,
				     0);
	if (pools->replaced)
		profile_add_coverage(profile, COVERAGE_POOL_BLOCKS_REPLACED, NULL, pools->replaced,
				     0);
	pair_map_release(&pools->numbers);
	pair_map_release(&pools->sites);
	free(pools->peaks);
	free(pools->seen);
	free(pools->by_object);
	free(pools);
}

const struct build_analysis build_pools = {
	.name = "pools",
	.kinds = (const uint32_t[]){GPU_RECORD_POOL, GPU_RECORD_POOL_BLOCK, 0},
	.begin = begin,
	.object = make_object,
	.freed = free_object,
	.record = take_record,
	.process_end = end_process,
	.end = end,
};
