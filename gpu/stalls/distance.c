/* gpu/stalls/distance.c: longest paths between instructions. */
#include <stdlib.h>

#include "gpu/stalls/blame.h"
#include "util/memory.h"

/* Backwards from the block that holds the end of the path. */
struct search {
	const struct flow *flow;
	uint32_t first, last; /* blocks: where the path starts and where it ends */
	uint32_t *order;      /* blocks as the search leaves them; SASS_NONE: that of the end */
	uint32_t *left;       /* by block: its place in that, from 1; 0: not yet */
	uint32_t count;
};

/* The block of the end is a node of its own, so that a path may begin further down in it. */
static void visit_all(struct search *search)
{
	const struct flow *flow = search->flow;
	struct place {
		uint32_t block, next;
	} *stack = xcalloc((size_t)flow->block_count + 1, sizeof(*stack));
	bool *seen = xcalloc(flow->block_count, sizeof(*seen));
	size_t depth = 1;

	stack[0] = (struct place){SASS_NONE, 0};
	while (depth) {
		struct place *top = &stack[depth - 1];
		bool is_end = top->block == SASS_NONE;
		const struct flow_block *block = &flow->blocks[is_end ? search->last : top->block];
		bool goes_on =
			is_end || (top->block != search->first && top->block != search->last);

		if (goes_on && top->next < block->predecessor_count) {
			uint32_t before = block->predecessors[top->next++];

			if (!seen[before]) {
				seen[before] = true;
				stack[depth++] = (struct place){before, 0};
			}
			continue;
		}
		search->order[search->count++] = top->block;
		if (!is_end)
			search->left[top->block] = search->count;
		depth--;
	}
	free(seen);
	free(stack);
}

uint32_t stall_distance(const struct flow *flow, uint32_t from, uint32_t to)
{
	struct search search = {
		.flow = flow, .first = flow->block_of[from], .last = flow->block_of[to]};
	uint32_t *longest, result = 0, head;

	if (search.first == search.last && from <= to)
		return to - from;
	search.order = xcalloc((size_t)flow->block_count + 1, sizeof(*search.order));
	search.left = xcalloc(flow->block_count, sizeof(*search.left));
	visit_all(&search);
	/* from behind a block to the end */
	longest = xcalloc(flow->block_count, sizeof(*longest));
	head = to - flow->blocks[search.last].first + 1;
	for (uint32_t i = search.count; i--;) {
		uint32_t at = search.order[i];
		bool is_end = at == SASS_NONE;
		const struct flow_block *block = &flow->blocks[is_end ? search.last : at];
		uint32_t length = is_end ? head : longest[at] + block->end - block->first;

		if (!is_end && (at == search.first || at == search.last))
			continue;
		for (uint32_t k = 0; k < block->predecessor_count; k++) {
			uint32_t before = block->predecessors[k];

			/* a block that is left later is one that this path has come through */
			if (search.left[before] && search.left[before] <= i &&
			    longest[before] < length)
				longest[before] = length;
		}
	}
	if (longest[search.first])
		result = longest[search.first] + flow->blocks[search.first].end - 1 - from;
	free(longest);
	free(search.left);
	free(search.order);
	return result;
}
