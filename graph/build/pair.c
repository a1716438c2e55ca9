#include "graph/build/pair.h"

#include <stdlib.h>

#include <uthash.h>

#include "util/memory.h"

struct build_pair_index {
	struct build_pair key;
	uint32_t index;
	UT_hash_handle hh;
};

bool build_pair_find(struct build_pair_index **pairs, uint32_t first, uint32_t second,
		     uint32_t next, uint32_t *index)
{
	struct build_pair key = {first, second};
	struct build_pair_index *found;

	HASH_FIND(hh, *pairs, &key, sizeof(key), found);
	if (found) {
		*index = found->index;
		return true;
	}
	found = xcalloc(1, sizeof(*found));
	found->key = key;
	found->index = *index = next;
	HASH_ADD(hh, *pairs, key, sizeof(found->key), found);
	return false;
}

void build_pairs_free(struct build_pair_index **pairs)
{
	struct build_pair_index *pair, *next;

	HASH_ITER(hh, *pairs, pair, next)
	{
		HASH_DEL(*pairs, pair);
		free(pair);
	}
}

uint64_t build_row_unchanged(const struct build_row *row)
{
	return build_row_has(row, TRACE_METRIC_REDUNDANT_VALUE_BYTES) ? row->redundant_value_bytes
								      : row->redundant_bytes;
}
