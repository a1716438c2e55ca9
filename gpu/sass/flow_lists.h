/* gpu/sass/flow_lists.h: what the files of gpu/sass/flow*.c share. */
#ifndef VFLOW_GPU_SASS_FLOW_LISTS_H
#define VFLOW_GPU_SASS_FLOW_LISTS_H

#include "gpu/sass/flow.h"

#define FLOW_MAX ((size_t)1 << 25) /* edges, or values and their inputs, of a function */

struct flow_lists {
	uint32_t *successors, *predecessors; /* of all blocks */
};

/* Fills in the values; false: too many. */
bool flow_find_values(struct flow *flow);

#endif
