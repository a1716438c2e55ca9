/* gpu/sass/copies.c: see copies.h. */
#include "gpu/sass/copies.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define MAX_GUARDED 64

int copies_register(const struct sass_operand *operand)
{
	if (operand->number == SASS_ZERO)
		return -1;
	if (operand->kind == SASS_UNIFORM_REGISTER)
		return SASS_UNIFORM(operand->number);
	if (operand->kind == SASS_REGISTER || operand->kind == SASS_ADDRESS)
		return SASS_GENERAL(operand->number);
	return -1;
}

static bool is_zero(const struct sass_operand *operand)
{
	return (operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM_REGISTER) &&
	       operand->number == SASS_ZERO;
}

/* IMAD R4, RZ, RZ, R5, with or without .MOV and .U32 */
bool copies_is_move(const struct sass_instruction *at)
{
	if (sass_is(at, "MOV") || sass_is(at, "UMOV") || sass_is(at, "R2UR"))
		return true;
	return (sass_is(at, "IMAD") || sass_is(at, "UIMAD")) && at->operand_count == 4 &&
	       !sass_has(at, "WIDE") && !sass_has(at, "X") &&
	       (is_zero(&at->operands[1]) || is_zero(&at->operands[2]));
}

unsigned copies_shifts_half(const struct sass_instruction *at)
{
	int64_t by = sass_is(at, "IMAD") ? 0x10000 : 0x10;

	if (at->operand_count != 4 || at->operands[2].kind != SASS_IMMEDIATE)
		return 0;
	if (sass_is(at, "PRMT"))
		return at->operands[2].value == 0x5410 && is_zero(&at->operands[1]) ? 3 : 0;
	return (sass_is(at, "IMAD") || (sass_is(at, "SHF") && sass_has(at, "L"))) &&
	       at->operands[2].value == by && is_zero(&at->operands[3]);
}

uint32_t copies_find(uint32_t *parents, uint32_t value)
{
	while (parents[value] != value)
		value = parents[value] = parents[parents[value]];
	return value;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	if (a == SASS_NONE || b == SASS_NONE)
		return;
	a = copies_find(parents, a);
	b = copies_find(parents, b);
	/* the smaller number, so that the result does not depend on the order */
	if (a < b)
		parents[b] = a;
	else
		parents[a] = b;
}

/* PRMT: two halves that stay halves, or the whole */
static bool keeps_halves(const struct sass_instruction *at)
{
	static const int64_t selectors[] = {0x3210, 0x7654, 0x5410, 0x7632, 0x7610,
					    0x5432, 0x3254, 0x1032, 0x1054};

	if (at->operand_count != 4 || at->operands[2].kind != SASS_IMMEDIATE ||
	    copies_shifts_half(at))
		return false;
	for (size_t i = 0; i < sizeof(selectors) / sizeof(*selectors); i++)
		if (at->operands[2].value == selectors[i])
			return true;
	return false;
}

static void join_operands(const struct flow *flow, uint32_t *parents, uint32_t instruction)
{
	const struct sass_instruction *at = &flow->function->instructions[instruction];
	const struct sass_operand *operands[SASS_MAX_OPERANDS];
	unsigned count = 0, sources = 0;
	uint32_t to;

	if (copies_is_move(at))
		sources = 3; /* the factors of IMAD are zero, or the sum is what is copied */
	else if (sass_is(at, "SEL") || sass_is(at, "USEL") || sass_is(at, "FSEL"))
		sources = 2;
	else if (sass_is(at, "SHFL"))
		sources = 1;
	else if (sass_is(at, "PRMT") && keeps_halves(at))
		sources = 3;
	for (unsigned i = 0; sources && i < at->operand_count; i++)
		if (at->operands[i].kind != SASS_PREDICATE &&
		    at->operands[i].kind != SASS_UNIFORM_PREDICATE)
			operands[count++] = &at->operands[i];
	if (!count || copies_register(operands[0]) < 0)
		return;
	to = flow_written(flow, instruction, (unsigned)copies_register(operands[0]));
	for (unsigned i = 1; i <= sources && i < count; i++) {
		int reg = copies_register(operands[i]);

		if (reg < 0 || (sass_is(at, "IMAD") && i != 3))
			continue;
		join(parents, to, flow_read(flow, instruction, (unsigned)reg));
	}
}

/* What is made of nothing, such as zeros, is used for values of several types. */
static bool is_made(const struct flow *flow, uint32_t value)
{
	uint32_t instruction = flow->values[value].instruction;
	const struct sass_instruction *at;

	if (instruction == SASS_NONE)
		return false;
	at = &flow->function->instructions[instruction];
	for (unsigned i = 1; i < at->operand_count; i++)
		if (copies_register(&at->operands[i]) >= 0)
			return false;
	return sass_is(at, "CS2R") || sass_is(at, "HFMA2") || copies_is_move(at);
}

struct guard {
	uint32_t value; /* of the predicate */
	bool negated;
};

static struct guard guard_of(const struct flow *flow, uint32_t instruction)
{
	const struct sass_instruction *at = &flow->function->instructions[instruction];

	if (at->guard == SASS_TRUE)
		return (struct guard){SASS_NONE, false};
	return (struct guard){flow_read(flow, instruction,
					at->guard_uniform ? SASS_UNIFORM_PREDICATE_OF(at->guard)
							  : SASS_PREDICATE_OF(at->guard)),
			      at->guard_negated};
}

struct pending {
	uint32_t value;
	struct guard known; /* what the path says of a predicate */
};

struct joiner {
	const struct flow *flow;
	uint32_t *parents;
	bool *joined; /* joins whose inputs were */
	struct pending *pending;
	size_t count, capacity;
};

static void add(struct joiner *joiner, uint32_t to, uint32_t value, struct guard known)
{
	if (is_made(joiner->flow, value))
		return;
	join(joiner->parents, to, value);
	ARRAY_RESERVE(joiner->pending, joiner->count, joiner->capacity);
	joiner->pending[joiner->count++] = (struct pending){value, known};
}

/*
 * A value that is read is what was there before, too, where its write has a guard: not if the
 * reader has the same, nor before a write with the opposite one.
 */
static void join_read(struct joiner *joiner, uint32_t reader, uint32_t value)
{
	const struct flow *flow = joiner->flow;

	ARRAY_RESERVE(joiner->pending, joiner->count, joiner->capacity);
	joiner->pending[joiner->count++] = (struct pending){value, guard_of(flow, reader)};
	for (unsigned steps = 0; joiner->count; steps++) {
		struct pending at = joiner->pending[--joiner->count];
		const struct flow_value *read = &flow->values[at.value];
		struct guard guard, known = at.known;

		/* writes with guards one after the other, read after each: not all, then */
		if (!read->input_count || joiner->joined[at.value] ||
		    (read->instruction != SASS_NONE && steps > MAX_GUARDED))
			continue;
		if (read->instruction == SASS_NONE) {
			joiner->joined[at.value] = true;
			known = (struct guard){SASS_NONE, false};
		} else {
			guard = guard_of(flow, read->instruction);
			if (guard.value != SASS_NONE && guard.value == known.value &&
			    guard.negated == known.negated)
				continue;
			joiner->joined[at.value] = known.value == SASS_NONE;
			known = (struct guard){guard.value, !guard.negated};
		}
		for (uint32_t i = 0; i < read->input_count; i++)
			add(joiner, at.value, flow->inputs[read->first_input + i], known);
	}
}

uint32_t *copies_join(const struct flow *flow)
{
	struct joiner joiner = {
		.flow = flow,
		.parents = xcalloc((size_t)flow->value_count + 1, sizeof(*joiner.parents)),
		.joined = xcalloc((size_t)flow->value_count + 1, sizeof(*joiner.joined))};

	for (uint32_t i = 0; i < flow->value_count; i++)
		joiner.parents[i] = i;
	for (uint32_t i = 0; i < flow->function->instruction_count; i++) {
		const struct sass_instruction *at = &flow->function->instructions[i];

		join_operands(flow, joiner.parents, i);
		for (unsigned k = 0; k < at->read_count; k++)
			join_read(&joiner, i, flow->reads[flow->first_read[i] + k]);
	}
	free(joiner.pending);
	free(joiner.joined);
	return joiner.parents;
}
