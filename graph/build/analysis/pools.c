/*
 * graph/build/analysis/pools.c: the analysis of memory pools: which blocks they handed out, at
 * which call paths, how many bytes at most at a time, and the objects that these lay in.
 *
 * Blocks are summed by call path, NVTX range and name: what is kept is as much as is out at a time.
 */
#include "graph/build/analysis.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/process.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum { NAMES_MAX = 10000 }; /* more would make a site of each block */

struct block_key {
	uint64_t address;
	uint64_t pool; /* index into profile->pools */
};

struct block { /* that is out */
	struct block_key key;
	uint64_t bytes, first_peak; /* of the pool's peaks, the first that it was out at */
	uint32_t site, unnamed;     /* indices into profile->pool_sites */
	UT_hash_handle hh;
};

struct name {
	char *text;
	uint32_t number;
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
	struct pair_map places;  /* (pool, frame): a number, 0, 1, ... */
	struct pair_map sites;   /* (that, range): index of the site of blocks without a name */
	struct pair_map named;   /* (such a site, number of the name): index of another */
	struct name *names;
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
	uint64_t handed_out, unknown, replaced, outside, outside_bytes, unnamed;
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

static void note_segment(struct pools *pools, uint32_t pool, uint64_t address, uint64_t bytes)
{
	struct profile *profile = pools->profile;
	struct segment key = {.start = address, .end = address + 1};
	struct segment **found =
		address < UINT64_MAX ? tfind(&key, &pools->segments, by_address) : NULL;

	pools->outside += !found;
	if (!found)
		profile_add(&pools->outside_bytes, bytes);
	if (!found || (*found)->of_pool)
		return;
	(*found)->of_pool = true;
	ARRAY_RESERVE(profile->pool_segments, profile->pool_segment_count,
		      profile->pool_segment_capacity);
	profile->pool_segments[profile->pool_segment_count++] =
		(struct profile_pool_segment){pool, (*found)->object};
}

/* -- blocks ------------------------------------------------------------------------------- */

static void add_site(struct pools *pools, uint32_t pool, uint32_t frame, uint32_t range, char *name)
{
	struct profile *profile = pools->profile;

	ARRAY_RESERVE(profile->pool_sites, profile->pool_site_count, profile->pool_site_capacity);
	ARRAY_RESERVE(pools->seen, profile->pool_site_count, pools->seen_capacity);
	pools->seen[profile->pool_site_count] = pools->peaks[pool];
	profile->pool_sites[profile->pool_site_count++] = (struct profile_pool_site){
		.pool = pool, .place.frame = frame, .range = range, .name = name};
}

static uint32_t find_site(struct pools *pools, uint32_t pool, uint32_t frame, uint32_t range)
{
	uint32_t place, index;

	pair_map_find(&pools->places, pool, frame, pools->places.count, &place);
	if (!pair_map_find(&pools->sites, place, range, pools->profile->pool_site_count, &index))
		add_site(pools, pool, frame, range, NULL);
	return index;
}

/* NULL: there are too many. */
static const struct name *find_name(struct pools *pools, const char *text)
{
	struct name *name;

	HASH_FIND_STR(pools->names, text, name);
	if (name || HASH_COUNT(pools->names) == NAMES_MAX)
		return name;
	name = xcalloc(1, sizeof(*name));
	name->text = xstrdup(text);
	name->number = HASH_COUNT(pools->names);
	HASH_ADD_KEYPTR(hh, pools->names, name->text, strlen(name->text), name);
	return name;
}

/* The site of the blocks of another one that are called so. */
static uint32_t find_named(struct pools *pools, uint32_t unnamed, const char *text)
{
	const struct profile_pool_site *site = &pools->profile->pool_sites[unnamed];
	const struct name *name = *text ? find_name(pools, text) : NULL;
	uint32_t index;

	pools->unnamed += *text && !name;
	if (!name)
		return unnamed;
	if (!pair_map_find(&pools->named, unnamed, name->number, pools->profile->pool_site_count,
			   &index))
		add_site(pools, site->pool, site->place.frame, site->range, xstrdup(text));
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
		     uint32_t frame, uint32_t range)
{
	struct block *block = xcalloc(1, sizeof(*block));
	struct profile_pool_site *site;
	struct profile_pool *pool = &pools->profile->pools[key->pool];

	*block = (struct block){.key = *key, .bytes = bytes};
	block->site = block->unnamed = find_site(pools, (uint32_t)key->pool, frame, range);
	HASH_ADD(hh, pools->blocks, key, sizeof(block->key), block);
	keep_peak(pools, block->site);
	site = &pools->profile->pool_sites[block->site];
	block->first_peak = pools->peaks[key->pool] + 1;
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
	hand_out(pools, &key, payload->bytes, record->frame, record->range);
	note_segment(pools, index, payload->address, payload->bytes);
	return 0;
}

/* As if the block had been handed out at the site. */
static void move_block(struct pools *pools, struct block *block, uint32_t index)
{
	struct profile_pool_site *from = &pools->profile->pool_sites[block->site];
	struct profile_pool_site *to = &pools->profile->pool_sites[index];

	keep_peak(pools, block->site);
	keep_peak(pools, index);
	from->blocks--;
	from->live_blocks--;
	from->bytes -= block->bytes;
	from->live_bytes -= block->bytes;
	to->blocks++;
	to->live_blocks++;
	to->bytes += block->bytes;
	to->live_bytes += block->bytes;
	if (block->first_peak <= pools->peaks[block->key.pool]) {
		from->peak_blocks--;
		from->peak_bytes -= block->bytes;
		to->peak_blocks++;
		to->peak_bytes += block->bytes;
	}
	block->site = index;
}

static int take_name(struct pools *pools, const struct build_event *event,
		     const struct build_record *record, struct error *error)
{
	const struct gpu_pool_name *payload = record->payload;
	uint32_t index = pair_map_get(&pools->numbers, payload->pool, event->process);
	struct block_key key = {payload->address, index};
	struct block *block;
	char *name;

	if (index == UINT32_MAX)
		return error_set(error, "the name of a block of pool %u, which is not there",
				 payload->pool);
	HASH_FIND(hh, pools->blocks, &key, sizeof(key), block);
	if (!block) /* two blocks at one address, of which one was taken back */
		return 0;
	name = process_clean_name(payload->name);
	index = find_named(pools, block->unnamed, name);
	free(name);
	if (index != block->site)
		move_block(pools, block, index);
	return 0;
}

static int take_pool(struct pools *pools, const struct build_event *event,
		     const struct build_record *record, struct error *error)
{
	struct profile *profile = pools->profile;
	const struct gpu_pool *payload = record->payload;
	uint32_t index;

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
	switch (record->kind) {
	case GPU_RECORD_POOL:
		return take_pool(state, event, record, error);
	case GPU_RECORD_POOL_NAME:
		return take_name(state, event, record, error);
	default:
		return take_block(state, event, record, error);
	}
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

/* Drops those whose blocks have all got a name, or another one. */
static void drop_empty_sites(struct profile *profile)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->pool_site_count; i++)
		if (profile->pool_sites[i].blocks)
			profile->pool_sites[count++] = profile->pool_sites[i];
		else
			free(profile->pool_sites[i].name);
	profile->pool_site_count = count;
}

static void end(void *state)
{
	struct pools *pools = state;
	struct profile *profile = pools->profile;
	struct name *name, *next;

	for (uint32_t i = 0; i < profile->pool_site_count; i++)
		keep_peak(pools, i);
	drop_empty_sites(profile);
	if (pools->handed_out)
		profile_add_coverage(profile, COVERAGE_POOL_ACCESSES, NULL, pools->handed_out, 0);
	if (pools->unknown)
		profile_add_coverage(profile, COVERAGE_POOL_BLOCKS_UNKNOWN, NULL, pools->unknown,
				     0);
	if (pools->replaced)
		profile_add_coverage(profile, COVERAGE_POOL_BLOCKS_REPLACED, NULL, pools->replaced,
				     0);
	if (pools->outside)
		profile_add_coverage(profile, COVERAGE_POOL_BLOCKS_OUTSIDE, NULL, pools->outside,
				     pools->outside_bytes);
	if (pools->unnamed)
		profile_add_coverage(profile, COVERAGE_POOL_NAMES_TOO_MANY, NULL, pools->unnamed,
				     0);
	HASH_ITER(hh, pools->names, name, next)
	{
		HASH_DEL(pools->names, name);
		free(name->text);
		free(name);
	}
	pair_map_release(&pools->numbers);
	pair_map_release(&pools->places);
	pair_map_release(&pools->sites);
	pair_map_release(&pools->named);
	free(pools->peaks);
	free(pools->seen);
	free(pools->by_object);
	free(pools);
}

const struct build_analysis build_pools = {
	.name = "pools",
	.kinds =
		(const uint32_t[]){GPU_RECORD_POOL, GPU_RECORD_POOL_BLOCK, GPU_RECORD_POOL_NAME, 0},
	.begin = begin,
	.object = make_object,
	.freed = free_object,
	.record = take_record,
	.process_end = end_process,
	.end = end,
};
