/*
 * gpu/ptx/meetings.c: see meetings.h.  Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm,
 * on the graph of blocks with its edges turned around.
 */
#include "gpu/ptx/meetings.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct graph {
	const struct ptx_block *blocks;
	uint32_t count;
	/* blocks before a block, in `before` from first[block] on to that of the next one */
	uint32_t *first, *before;
	uint32_t *order, ordered; /* blocks from which a way leads to the end, the end last */
	uint32_t *place;          /* of a block in it; NONE: it is not there */
	uint32_t *stack, *at;
};

static unsigned ways(const struct ptx_block *block)
{
	return block->next[0] == block->next[1] ? 1 : 2;
}

static void find_before(struct graph *graph)
{
	for (uint32_t b = 0; b < graph->count; b++)
		for (unsigned n = 0; n < ways(&graph->blocks[b]); n++)
			graph->first[graph->blocks[b].next[n] + 1]++;
	for (uint32_t b = 0; b <= graph->count; b++)
		graph->first[b + 1] += graph->first[b];
	for (uint32_t b = 0; b <= graph->count; b++)
		graph->at[b] = graph->first[b];
	for (uint32_t b = 0; b < graph->count; b++)
		for (unsigned n = 0; n < ways(&graph->blocks[b]); n++)
			graph->before[graph->at[graph->blocks[b].next[n]]++] = b;
}

/* Depth first from the end, backwards; a block comes when all that it leads to have come. */
static void put_in_order(struct graph *graph)
{
	uint32_t depth = 0;

	for (uint32_t b = 0; b <= graph->count; b++) {
		graph->place[b] = NONE;
		graph->at[b] = graph->first[b];
	}
	graph->stack[depth++] = graph->count;
	graph->place[graph->count] = 0; /* seen; its place follows */
	while (depth) {
		const uint32_t block = graph->stack[depth - 1];

		if (graph->at[block] < graph->first[block + 1]) {
			const uint32_t next = graph->before[graph->at[block]++];

			if (graph->place[next] != NONE)
				continue;
			graph->place[next] = 0;
			graph->stack[depth++] = next;
		} else {
			graph->place[block] = graph->ordered;
			graph->order[graph->ordered++] = block;
			depth--;
		}
	}
}

/* Where the ways from two blocks meet, as far as is known. */
static uint32_t meet(const struct graph *graph, const uint32_t *meets, uint32_t a, uint32_t b,
		     uint64_t *steps)
{
	while (a != b && *steps) {
		--*steps;
		if (graph->place[a] < graph->place[b])
			a = meets[a];
		else
			b = meets[b];
	}
	return a;
}

static bool find_meetings(const struct graph *graph, uint32_t *meets, uint64_t *steps)
{
	bool changed = true;

	for (uint32_t b = 0; b <= graph->count; b++)
		meets[b] = NONE;
	meets[graph->count] = graph->count;
	while (changed) {
		changed = false;
		for (uint32_t i = graph->ordered - 1; i-- > 0;) {
			const uint32_t block = graph->order[i];
			uint32_t where = NONE;

			if (!*steps)
				return false;
			--*steps;
			for (unsigned n = 0; n < ways(&graph->blocks[block]); n++) {
				const uint32_t next = graph->blocks[block].next[n];

				if (meets[next] != NONE)
					where = where == NONE
							? next
							: meet(graph, meets, where, next, steps);
			}
			changed |= meets[block] != where;
			meets[block] = where;
		}
	}
	return *steps != 0;
}

bool ptx_meetings(const struct ptx_block *blocks, uint32_t count, uint32_t *meets, uint64_t *steps)
{
	const size_t room = (size_t)count + 2;
	uint32_t *memory = calloc(6 * room, sizeof(*memory)), *found;
	struct graph graph = {.blocks = blocks, .count = count};
	bool done = false;

	graph.before = calloc(2 * room, sizeof(*graph.before));
	if (memory && graph.before) {
		graph.first = memory;
		graph.order = memory + room;
		graph.place = memory + 2 * room;
		graph.stack = memory + 3 * room;
		graph.at = memory + 4 * room;
		found = memory + 5 * room;
		find_before(&graph);
		put_in_order(&graph);
		done = find_meetings(&graph, found, steps);
		for (uint32_t b = 0; b < count; b++)
			meets[b] = found[b];
	}
	free(graph.before);
	free(memory);
	return done;
}
