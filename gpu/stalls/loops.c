/* gpu/stalls/loops.c: see loops.h.  Dominators as Cooper, Harvey and Kennedy find them. */
#include "gpu/stalls/loops.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct finder {
	const struct flow *flow;
	uint32_t *order;     /* blocks in reverse postorder of all entries */
	uint32_t *place;     /* by block: in that; SASS_NONE: it is not reached */
	uint32_t *dominator; /* by place; an entry's is its own */
	uint32_t count;
};

static void visit_from(struct finder *finder, uint32_t entry, bool *seen, uint32_t *post)
{
	const struct flow *flow = finder->flow;
	struct place {
		uint32_t block, next;
	} *stack = xcalloc((size_t)flow->block_count + 1, sizeof(*stack));
	size_t depth = 1;

	seen[entry] = true;
	stack[0] = (struct place){entry, 0};
	while (depth) {
		struct place *top = &stack[depth - 1];
		const struct flow_block *block = &flow->blocks[top->block];

		if (top->next < block->successor_count) {
			uint32_t next = block->successors[top->next++];

			if (!seen[next]) {
				seen[next] = true;
				stack[depth++] = (struct place){next, 0};
			}
			continue;
		}
		post[finder->count++] = top->block;
		depth--;
	}
	free(stack);
}

static bool is_entry(const struct flow *flow, uint32_t block)
{
	return !block || !flow->blocks[block].predecessor_count;
}

static void put_in_order(struct finder *finder)
{
	const struct flow *flow = finder->flow;
	bool *seen = xcalloc(flow->block_count, sizeof(*seen));
	uint32_t *post = xcalloc(flow->block_count, sizeof(*post));

	for (uint32_t i = flow->block_count; i--;)
		if (!seen[i] && is_entry(flow, i))
			visit_from(finder, i, seen, post);
	for (uint32_t i = 0; i < flow->block_count; i++)
		finder->place[i] = SASS_NONE;
	for (uint32_t i = 0; i < finder->count; i++) {
		finder->order[i] = post[finder->count - 1 - i];
		finder->place[finder->order[i]] = i;
	}
	free(post);
	free(seen);
}

/* SASS_NONE: of nothing but all entries together. */
static uint32_t meet(const struct finder *finder, uint32_t a, uint32_t b)
{
	while (a != b) {
		uint32_t *higher = a > b ? &a : &b;

		if (finder->dominator[*higher] == *higher)
			return SASS_NONE;
		*higher = finder->dominator[*higher];
		if (*higher == SASS_NONE)
			return SASS_NONE;
	}
	return a;
}

static void find_dominators(struct finder *finder)
{
	const struct flow *flow = finder->flow;
	bool *known = xcalloc((size_t)finder->count + 1, sizeof(*known)), changed = true;

	for (uint32_t i = 0; i < finder->count; i++) {
		known[i] = is_entry(flow, finder->order[i]);
		finder->dominator[i] = known[i] ? i : SASS_NONE;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < finder->count; i++) {
			const struct flow_block *block = &flow->blocks[finder->order[i]];
			uint32_t found = SASS_NONE;
			bool first = true;

			if (is_entry(flow, finder->order[i]))
				continue;
			for (uint32_t k = 0; k < block->predecessor_count; k++) {
				uint32_t before = finder->place[block->predecessors[k]];

				if (before == SASS_NONE || !known[before])
					continue;
				found = first                ? before
					: found == SASS_NONE ? SASS_NONE
							     : meet(finder, found, before);
				first = false;
			}
			if (first || (known[i] && finder->dominator[i] == found))
				continue;
			known[i] = changed = true;
			finder->dominator[i] = found;
		}
	}
	free(known);
}

static bool dominates(const struct finder *finder, uint32_t header, uint32_t block)
{
	uint32_t wanted = finder->place[header], at = finder->place[block];

	if (wanted == SASS_NONE || at == SASS_NONE)
		return false;
	while (at != wanted) {
		uint32_t above = finder->dominator[at];

		if (above == SASS_NONE || above == at)
			return false;
		at = above;
	}
	return true;
}

/* Calls it with each block of the loop; how many. */
static uint32_t walk_body(const struct finder *finder, uint32_t header, bool *in, uint32_t *todo)
{
	const struct flow *flow = finder->flow;
	uint32_t count = 1, left = 0;

	memset(in, 0, flow->block_count * sizeof(*in));
	in[header] = true;
	for (uint32_t i = 0; i < flow->blocks[header].predecessor_count; i++) {
		uint32_t end = flow->blocks[header].predecessors[i];

		if (dominates(finder, header, end) && !in[end]) {
			in[end] = true;
			todo[left++] = end;
		}
	}
	while (left) {
		uint32_t block = todo[--left];

		count++;
		for (uint32_t i = 0; i < flow->blocks[block].predecessor_count; i++) {
			uint32_t before = flow->blocks[block].predecessors[i];

			if (!in[before] && finder->place[before] != SASS_NONE) {
				in[before] = true;
				todo[left++] = before;
			}
		}
	}
	return count;
}

static bool heads_loop(const struct finder *finder, uint32_t block)
{
	for (uint32_t i = 0; i < finder->flow->blocks[block].predecessor_count; i++)
		if (dominates(finder, block, finder->flow->blocks[block].predecessors[i]))
			return true;
	return false;
}

static int by_size(const void *a, const void *b)
{
	const struct stall_loop *left = a, *right = b;

	if (left->blocks != right->blocks)
		return left->blocks > right->blocks ? -1 : 1;
	return (left->header > right->header) - (left->header < right->header);
}

struct stall_loops stall_loops_find(const struct flow *flow)
{
	struct finder finder = {.flow = flow};
	struct stall_loops loops = {0};
	size_t capacity = 0;
	uint32_t *todo = xcalloc(flow->block_count, sizeof(*todo));
	bool *in = xcalloc(flow->block_count, sizeof(*in));

	finder.order = xcalloc(flow->block_count, sizeof(*finder.order));
	finder.place = xcalloc(flow->block_count, sizeof(*finder.place));
	finder.dominator = xcalloc(flow->block_count, sizeof(*finder.dominator));
	put_in_order(&finder);
	find_dominators(&finder);
	for (uint32_t i = 0; i < flow->block_count; i++) {
		if (!heads_loop(&finder, i))
			continue;
		ARRAY_RESERVE(loops.all, loops.count, capacity);
		loops.all[loops.count++] =
			(struct stall_loop){i, SASS_NONE, walk_body(&finder, i, in, todo)};
	}
	if (loops.count)
		qsort(loops.all, loops.count, sizeof(*loops.all), by_size);
	loops.innermost = xmalloc(flow->block_count * sizeof(*loops.innermost));
	for (uint32_t i = 0; i < flow->block_count; i++)
		loops.innermost[i] = SASS_NONE;
	for (uint32_t i = 0; i < loops.count; i++) {
		walk_body(&finder, loops.all[i].header, in, todo);
		loops.all[i].parent = loops.innermost[loops.all[i].header];
		for (uint32_t k = 0; k < flow->block_count; k++)
			if (in[k])
				loops.innermost[k] = i;
	}
	free(finder.dominator);
	free(finder.place);
	free(finder.order);
	free(in);
	free(todo);
	return loops;
}

void stall_loops_free(struct stall_loops *loops)
{
	free(loops->all);
	free(loops->innermost);
	*loops = (struct stall_loops){0};
}

uint32_t stall_loops_common(const struct stall_loops *loops, const struct flow *flow, uint32_t a,
			    uint32_t b)
{
	uint32_t of_a = loops->innermost[flow->block_of[a]];

	for (; of_a != SASS_NONE; of_a = loops->all[of_a].parent)
		for (uint32_t of_b = loops->innermost[flow->block_of[b]]; of_b != SASS_NONE;
		     of_b = loops->all[of_b].parent)
			if (of_a == of_b)
				return of_a;
	return SASS_NONE;
}
