/*
 * gpu/sass/flow_values.c: which value each instruction reads.
 *
 * As Braun et al. build SSA form ("Simple and Efficient Construction of Static Single Assignment
 * Form", 2013), without the search for joins that join nothing: at the start of a block a register
 * is a join of what it is at the end of the blocks before, made when somebody asks.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/sass/flow_lists.h"
#include "util/memory.h"
#include "util/pair_map.h"

struct todo {
	uint32_t value, block;
};

struct finder {
	struct flow *flow;
	struct pair_map starts, ends; /* block and register: values at its start (joins), its end */
	size_t value_capacity, input_count, input_capacity;
	uint32_t now[SASS_REGISTERS]; /* in the block being read; SASS_NONE: as at its start */
	uint16_t touched[SASS_REGISTERS];
	unsigned touched_count;
	struct todo *todo; /* joins that still lack inputs */
	size_t todo_count, todo_capacity;
};

static uint32_t add_value(struct finder *finder, uint32_t instruction, unsigned reg)
{
	struct flow *flow = finder->flow;

	ARRAY_RESERVE(flow->values, flow->value_count, finder->value_capacity);
	flow->values[flow->value_count] =
		(struct flow_value){.instruction = instruction, .reg = (uint16_t)reg};
	return flow->value_count++;
}

static void add_input(struct finder *finder, uint32_t value, uint32_t input)
{
	struct flow *flow = finder->flow;

	if (!flow->values[value].input_count)
		flow->values[value].first_input = (uint32_t)finder->input_count;
	ARRAY_RESERVE(flow->inputs, finder->input_count, finder->input_capacity);
	flow->inputs[finder->input_count++] = input;
	flow->values[value].input_count++;
}

/* A register at the start of a block: through blocks that leave it alone and have one before them.
 */
static uint32_t at_start(struct finder *finder, uint32_t block, unsigned reg)
{
	struct flow *flow = finder->flow;
	uint32_t first = block, value = pair_map_get(&finder->starts, block, reg), steps = 0;

	while (value == SASS_NONE && flow->blocks[block].predecessor_count == 1 &&
	       steps++ < flow->block_count) {
		block = flow->blocks[block].predecessors[0];
		value = pair_map_get(&finder->ends, block, reg);
		if (value == SASS_NONE)
			value = pair_map_get(&finder->starts, block, reg);
	}
	if (value == SASS_NONE) {
		value = add_value(finder, SASS_NONE, reg);
		pair_map_find(&finder->starts, block, reg, value, &value);
		ARRAY_RESERVE(finder->todo, finder->todo_count, finder->todo_capacity);
		finder->todo[finder->todo_count++] = (struct todo){value, block};
	}
	pair_map_find(&finder->starts, first, reg, value, &value);
	return value;
}

/* Joins get their inputs, which may be joins of other blocks. */
static bool fill_joins(struct finder *finder)
{
	struct flow *flow = finder->flow;

	while (finder->todo_count) {
		struct todo todo = finder->todo[--finder->todo_count];
		const struct flow_block *block = &flow->blocks[todo.block];
		unsigned reg = flow->values[todo.value].reg;

		if (flow->value_count + finder->input_count > FLOW_MAX)
			return false;
		for (uint32_t i = 0; i < block->predecessor_count; i++) {
			uint32_t before = block->predecessors[i],
				 value = pair_map_get(&finder->ends, before, reg);

			if (value == SASS_NONE)
				value = at_start(finder, before, reg);
			add_input(finder, todo.value, value);
		}
	}
	return true;
}

static uint32_t current(struct finder *finder, uint32_t block, unsigned reg)
{
	if (finder->now[reg] == SASS_NONE)
		return at_start(finder, block, reg);
	return finder->now[reg];
}

static void note(struct finder *finder, unsigned reg, uint32_t value)
{
	if (finder->now[reg] == SASS_NONE)
		finder->touched[finder->touched_count++] = (uint16_t)reg;
	finder->now[reg] = value;
}

/* What a block leaves in the registers that it writes: the last write of each. */
static void number_writes(struct finder *finder, uint32_t block)
{
	struct flow *flow = finder->flow;
	uint32_t first = flow->blocks[block].first, ignored;

	for (uint32_t i = first; i < flow->blocks[block].end; i++) {
		const struct sass_instruction *at = &flow->function->instructions[i];

		flow->first_written[i] = flow->value_count;
		for (unsigned k = 0; k < at->written_count; k++)
			add_value(finder, i, at->written[k]);
	}
	for (uint32_t i = flow->blocks[block].end; i-- > first;) {
		const struct sass_instruction *at = &flow->function->instructions[i];

		for (unsigned k = 0; k < at->written_count; k++)
			pair_map_find(&finder->ends, block, at->written[k],
				      flow->first_written[i] + k, &ignored);
	}
}

static void number_reads(struct finder *finder, uint32_t block, uint32_t *read_count)
{
	struct flow *flow = finder->flow;

	for (uint32_t i = flow->blocks[block].first; i < flow->blocks[block].end; i++) {
		const struct sass_instruction *at = &flow->function->instructions[i];
		bool guarded = at->guard != SASS_TRUE || at->guard_negated;

		flow->first_read[i] = *read_count;
		for (unsigned k = 0; k < at->read_count; k++)
			flow->reads[(*read_count)++] = current(finder, block, at->read[k]);
		for (unsigned k = 0; k < at->written_count; k++) {
			if (guarded)
				add_input(finder, flow->first_written[i] + k,
					  current(finder, block, at->written[k]));
			note(finder, at->written[k], flow->first_written[i] + k);
		}
	}
	while (finder->touched_count)
		finder->now[finder->touched[--finder->touched_count]] = SASS_NONE;
}

bool flow_find_values(struct flow *flow)
{
	struct finder *finder = xcalloc(1, sizeof(*finder));
	uint32_t count = flow->function->instruction_count, reads = 0;
	size_t read_count = 0, written_count = 0;
	bool done = false;

	for (uint32_t i = 0; i < count; i++) {
		read_count += flow->function->instructions[i].read_count;
		written_count += flow->function->instructions[i].written_count;
	}
	finder->flow = flow;
	memset(finder->now, 0xff, sizeof(finder->now));
	if (read_count + written_count < FLOW_MAX) {
		flow->first_written = xcalloc((size_t)count + 1, sizeof(*flow->first_written));
		flow->first_read = xcalloc((size_t)count + 1, sizeof(*flow->first_read));
		flow->reads = xcalloc(read_count + 1, sizeof(*flow->reads));
		for (uint32_t i = 0; i < flow->block_count; i++)
			number_writes(finder, i);
		done = true;
		for (uint32_t i = 0; i < flow->block_count && done; i++) {
			number_reads(finder, i, &reads);
			done = fill_joins(finder);
		}
	}
	pair_map_release(&finder->starts);
	pair_map_release(&finder->ends);
	free(finder->todo);
	free(finder);
	return done;
}

uint32_t flow_read(const struct flow *flow, uint32_t instruction, unsigned reg)
{
	const struct sass_instruction *at = &flow->function->instructions[instruction];

	for (unsigned k = 0; k < at->read_count; k++)
		if (at->read[k] == reg)
			return flow->reads[flow->first_read[instruction] + k];
	return SASS_NONE;
}

uint32_t flow_written(const struct flow *flow, uint32_t instruction, unsigned reg)
{
	const struct sass_instruction *at = &flow->function->instructions[instruction];

	for (unsigned k = 0; k < at->written_count; k++)
		if (at->written[k] == reg)
			return flow->first_written[instruction] + k;
	return SASS_NONE;
}
