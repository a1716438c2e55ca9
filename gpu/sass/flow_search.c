/* gpu/sass/flow_search.c: backwards, from what is read to what wrote it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sass/flow_lists.h"
#include "util/memory.h"

/* What was found, each once. */
struct found {
	uint32_t *instructions;
	size_t count, capacity;
};

static int by_number(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static void add(struct found *found, uint32_t instruction)
{
	ARRAY_RESERVE(found->instructions, found->count, found->capacity);
	found->instructions[found->count++] = instruction;
}

static size_t give(struct found *found, uint32_t *instructions, size_t limit)
{
	size_t count = 0;

	if (found->count)
		qsort(found->instructions, found->count, sizeof(*found->instructions), by_number);
	for (size_t i = 0; i < found->count; i++) {
		if (i && found->instructions[i] == found->instructions[i - 1])
			continue;
		if (count < limit)
			instructions[count] = found->instructions[i];
		count++;
	}
	free(found->instructions);
	return count;
}

size_t flow_writers(const struct flow *flow, uint32_t value, uint32_t *writers, size_t limit)
{
	size_t todo_count = 0, todo_capacity = 0;
	uint32_t *todo = NULL;
	struct found found = {0};
	uint8_t *seen;

	if (value >= flow->value_count)
		return 0;
	seen = xcalloc((size_t)flow->value_count / 8 + 1, 1);
	ARRAY_RESERVE(todo, todo_count, todo_capacity);
	todo[todo_count++] = value;
	while (todo_count) {
		uint32_t at = todo[--todo_count];
		const struct flow_value *from = &flow->values[at];

		if (seen[at / 8] >> at % 8 & 1)
			continue;
		seen[at / 8] |= (uint8_t)(1 << at % 8);
		if (from->instruction != SASS_NONE)
			add(&found, from->instruction);
		for (uint32_t i = 0; i < from->input_count; i++) {
			ARRAY_RESERVE(todo, todo_count, todo_capacity);
			todo[todo_count++] = flow->inputs[from->first_input + i];
		}
	}
	free(todo);
	free(seen);
	return give(&found, writers, limit);
}

uint8_t flow_waits(const struct sass_instruction *instruction)
{
	uint8_t waits = instruction->control.wait;

	if (!sass_is(instruction, "DEPBAR"))
		return waits;
	/* SB0, and {5,4,3} */
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const char *text = instruction->operands[i].text;

		if (!strncmp(text, "SB", 2) || text[0] == '{')
			for (; *text; text++)
				if (isdigit((unsigned char)*text) && *text - '0' < SASS_BARRIERS)
					waits |= (uint8_t)(1 << (*text - '0'));
	}
	return waits;
}

/* Up to where the barrier was waited for; false: the search goes on in the blocks before. */
static bool search_block(const struct flow *flow, uint32_t first, uint32_t end, unsigned barrier,
			 struct found *found)
{
	while (end-- > first) {
		const struct sass_instruction *at = &flow->function->instructions[end];

		if (at->control.write_barrier == barrier || at->control.read_barrier == barrier)
			add(found, end);
		if (at->control.wait >> barrier & 1)
			return true;
	}
	return false;
}

size_t flow_setters(const struct flow *flow, uint32_t instruction, unsigned barrier,
		    uint32_t *setters, size_t limit)
{
	bool *seen = xcalloc(flow->block_count, sizeof(*seen));
	uint32_t block = flow->block_of[instruction], *todo = NULL;
	size_t todo_count = 0, todo_capacity = 0;
	struct found found = {0};
	bool ends = search_block(flow, flow->blocks[block].first, instruction, barrier, &found);

	for (;;) {
		for (uint32_t i = 0; !ends && i < flow->blocks[block].predecessor_count; i++) {
			uint32_t before = flow->blocks[block].predecessors[i];

			if (seen[before])
				continue;
			seen[before] = true;
			ARRAY_RESERVE(todo, todo_count, todo_capacity);
			todo[todo_count++] = before;
		}
		if (!todo_count)
			break;
		block = todo[--todo_count];
		ends = search_block(flow, flow->blocks[block].first, flow->blocks[block].end,
				    barrier, &found);
	}
	free(seen);
	free(todo);
	return give(&found, setters, limit);
}
