/*
 * graph/build/pair.h: rows of a profile's table by a pair of numbers.  Internal to analyses.
 */
#ifndef VFLOW_GRAPH_BUILD_PAIR_H
#define VFLOW_GRAPH_BUILD_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/build/analysis.h"

struct build_pair {
	uint32_t first, second;
};

struct build_pair_index; /* NULL: empty */

/* *index: the pair's row; where it is new, false, and its row is `next` from now on. */
bool build_pair_find(struct build_pair_index **pairs, uint32_t first, uint32_t second,
		     uint32_t next, uint32_t *index);
void build_pairs_free(struct build_pair_index **pairs);

/* Bytes of a WRITE row that belong to values which the write has not changed. */
uint64_t build_row_unchanged(const struct build_row *row);

#endif
