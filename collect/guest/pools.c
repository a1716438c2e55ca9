/*
 * collect/guest/pools.c: the blocks that memory pools hand out, as facts of no call.
 *
 * Pools are told apart by their names.
 */
#include "collect/guest/guest.h"
#include "collect/guest/ranges.h"

#include <errno.h>
#include <string.h>

enum { POOLS_MAX = 1000 };
#define BLOCK_MAX (UINT64_C(1) << 48) /* bytes: all that a process can address */

static struct gpu_pool *pools; /* number = index + 1 */
static uint32_t pool_count, pool_capacity;
static struct table pool_table;

/* 0: one too many, without a name, or no memory. */
static uint32_t find(const char *name)
{
	struct gpu_pool pool = {.pool = pool_count + 1};
	size_t size = name ? strnlen(name, sizeof(pool.name) - 1) : 0;
	uint32_t hash = table_hash(0, name, size), id, position = 0;
	void *moved;

	while ((id = table_find(&pool_table, hash, &position)))
		if (!strncmp(pools[id - 1].name, name, size) && !pools[id - 1].name[size])
			return id;
	if (!size || pool_count == POOLS_MAX)
		return 0;
	memcpy(pool.name, name, size);
	moved = guest_reserve(pools, pool_count, &pool_capacity, sizeof(*pools));
	if (moved)
		pools = moved;
	if (!moved || table_add(&pool_table, hash, pool.pool) != 0) {
		guest_give_up("no memory");
		return 0;
	}
	pools[pool_count++] = pool;
	guest_record(NULL, &(struct gpu_record){.kind = GPU_RECORD_POOL,
						.payload = &pool,
						.size = sizeof(pool)});
	return pool.pool;
}

void pools_block(const char *pool, uint64_t address, uint64_t bytes, uint64_t total, uint32_t frame)
{
	struct gpu_pool_block block = {.address = address,
				       .bytes = bytes,
				       .total = total,
				       .pool = find(pool),
				       .frame = frame};
	static uint64_t handed_out; /* profiles have no larger sums than INT64_MAX */

	if (total > INT64_MAX)
		block.total = 0;
	if (bytes > BLOCK_MAX || bytes > INT64_MAX - handed_out) {
		coverage_add(COVERAGE_POOL_BLOCKS_TOO_LARGE, NULL, 1, 0);
		return;
	}
	handed_out += bytes;
	block.range = bytes && block.pool ? ranges_id(ranges_here()) : 0;
	if (block.pool)
		guest_record(NULL, &(struct gpu_record){.kind = GPU_RECORD_POOL_BLOCK,
							.payload = &block,
							.size = sizeof(block)});
	else
		coverage_add(COVERAGE_POOLS_TOO_MANY, NULL, bytes != 0, bytes);
}

void pools_name(const char *pool, uint64_t address, const char *name)
{
	struct gpu_pool_name payload = {.address = address, .pool = find(pool)};

	memcpy(payload.name, name, strnlen(name, sizeof(payload.name) - 1));
	if (payload.pool)
		guest_record(NULL, &(struct gpu_record){.kind = GPU_RECORD_POOL_NAME,
							.payload = &payload,
							.size = sizeof(payload)});
}

void pools_announce(const char *pool)
{
	find(pool);
}

void guest_pool_block(const char *pool, uint64_t address, uint64_t bytes, uint64_t total)
{
	int saved = errno;
	uint32_t frame = 0;

	if (!guest_enter(bytes ? &frame : NULL))
		return;
	pools_block(pool, address, bytes, total, frame);
	guest_leave();
	errno = saved;
}

/* What vflow/pool.h calls. */
__attribute__((visibility("default"))) void vflow_guest_pool_block(const char *pool,
								   const void *block,
								   uint64_t bytes);

void vflow_guest_pool_block(const char *pool, const void *block, uint64_t bytes)
{
	guest_pool_block(pool, (uintptr_t)block, bytes, 0);
}
