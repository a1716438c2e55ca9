/*
 * gpu/stalls/stride.c: see stride.h.
 *
 * An address is followed back through additions, shifts and multiplications as a multiple of
 * threadIdx.x plus what is the same for neighbours.  Where paths join, all must say the same.
 */
#include "gpu/stalls/stride.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { DEPTH = 24, VISITS = 500 };

/* A value as a multiple of threadIdx.x. */
struct term {
	enum stride_kind kind;
	int64_t factor;
	bool circular; /* it depends on itself: adds nothing to a join */
};

struct search {
	const struct flow *flow;
	uint32_t path[DEPTH]; /* values that are being looked at */
	unsigned depth, visits;
};

static const struct term same = {STRIDE_KNOWN, 0, false}, unknown = {STRIDE_UNKNOWN, 0, false};

static struct term term_of_value(struct search *search, uint32_t value);

static bool is_same(struct term term)
{
	return term.kind == STRIDE_KNOWN && !term.factor;
}

static struct term add_terms(struct term a, struct term b)
{
	if (a.circular || b.circular) {
		/* a loop that adds the same for all leaves it to the others of the join */
		bool adds_same = (a.circular || is_same(a)) && (b.circular || is_same(b));

		return adds_same ? (struct term){STRIDE_KNOWN, 0, true} : unknown;
	}
	if (a.kind == STRIDE_KNOWN && b.kind == STRIDE_KNOWN) {
		struct term sum = {.kind = STRIDE_KNOWN};

		/* code is hostile */
		return __builtin_add_overflow(a.factor, b.factor, &sum.factor) ? unknown : sum;
	}
	if (a.kind == STRIDE_DATA || b.kind == STRIDE_DATA)
		return (struct term){STRIDE_DATA, 0, false};
	if (a.kind == STRIDE_UNKNOWN || b.kind == STRIDE_UNKNOWN)
		return unknown;
	return (struct term){STRIDE_RUNTIME, 0, false};
}

static struct term negate(struct term a)
{
	a.factor = -a.factor;
	return a;
}

/* Of the operand's register; constants and uniform registers are the same for all threads. */
static struct term term_of_operand(struct search *search, uint32_t instruction, unsigned index)
{
	const struct sass_instruction *at = &search->flow->function->instructions[instruction];
	const struct sass_operand *operand;
	struct term term;

	if (index >= at->operand_count)
		return unknown;
	operand = &at->operands[index];
	switch (operand->kind) {
	case SASS_REGISTER:
		if (operand->number == SASS_ZERO)
			return same;
		term = term_of_value(search, flow_read(search->flow, instruction,
						       SASS_GENERAL(operand->number)));
		return operand->negative ? negate(term) : term;
	case SASS_IMMEDIATE:
	case SASS_CONSTANT:
	case SASS_UNIFORM_REGISTER:
		return same;
	default:
		return unknown;
	}
}

static bool immediate(const struct sass_instruction *at, unsigned index, int64_t *value)
{
	if (index >= at->operand_count || at->operands[index].kind != SASS_IMMEDIATE)
		return false;
	*value = at->operands[index].value;
	if (*value > INT32_MAX && *value <= UINT32_MAX)
		*value = (int32_t)*value;
	return true;
}

/* a * b */
static struct term multiply(struct search *search, uint32_t instruction, unsigned a, unsigned b)
{
	const struct sass_instruction *at = &search->flow->function->instructions[instruction];
	struct term left, right;
	int64_t value;

	if (immediate(at, a, &value)) {
		unsigned swap = a;

		a = b;
		b = swap;
	}
	left = term_of_operand(search, instruction, a);
	if (left.circular)
		return unknown;
	if (immediate(at, b, &value)) {
		if (left.kind == STRIDE_KNOWN && llabs(left.factor) < INT32_MAX)
			left.factor *= value;
		return left;
	}
	right = term_of_operand(search, instruction, b);
	if (right.circular)
		return unknown;
	if (is_same(left) && is_same(right))
		return same;
	if (left.kind == STRIDE_DATA || right.kind == STRIDE_DATA)
		return (struct term){STRIDE_DATA, 0, false};
	if (left.kind == STRIDE_UNKNOWN || right.kind == STRIDE_UNKNOWN)
		return unknown;
	return (struct term){STRIDE_RUNTIME, 0, false};
}

static struct term shift_left(struct term term, int64_t bits)
{
	if (term.circular)
		return unknown;
	if (term.kind == STRIDE_KNOWN && bits >= 0 && bits < 32 && llabs(term.factor) < INT32_MAX)
		term.factor *= INT64_C(1) << bits;
	return term;
}

static bool loads(const struct sass_instruction *at)
{
	static const char *const names[] = {"LDG",   "LD",  "LDS", "LDL",  "ATOM", "ATOMG",
					    "ATOMS", "TEX", "TLD", "SHFL", NULL};

	for (const char *const *name = names; *name; name++)
		if (sass_is(at, *name))
			return true;
	return false;
}

/* "threadIdx.x % 32": in a warp as without it. */
static bool is_mask_of_lanes(const struct sass_instruction *at, int64_t mask)
{
	return at->operand_count > 4 && at->operands[4].kind == SASS_IMMEDIATE &&
	       at->operands[4].value == 0xc0 && (mask & 31) == 31 && !(mask & (mask + 1));
}

/* What is computed from what neighbours have in common, they have in common. */
static struct term of_all_inputs(struct search *search, uint32_t instruction)
{
	const struct sass_instruction *at = &search->flow->function->instructions[instruction];
	bool data = false, differs = false;

	if (!search->flow->function->has_registers)
		return unknown;
	for (unsigned i = 0; i < at->read_count; i++) {
		struct term term;

		if (at->read[i] >= SASS_UNIFORM(0))
			continue;
		term = term_of_value(search, flow_read(search->flow, instruction, at->read[i]));
		data |= term.kind == STRIDE_DATA;
		differs |= term.kind != STRIDE_KNOWN || term.factor;
	}
	if (data)
		return (struct term){STRIDE_DATA, 0, false};
	return differs ? unknown : same;
}

static struct term term_of_write(struct search *search, uint32_t instruction, uint16_t reg)
{
	const struct sass_instruction *at = &search->flow->function->instructions[instruction];
	bool is_pair = at->operand_count && at->operands[0].kind == SASS_REGISTER &&
		       reg == SASS_GENERAL(at->operands[0].number) + 1;
	struct term term = same;
	int64_t bits;

	/* of 64 bits the low half says it */
	if (is_pair && !sass_is(at, "LDC"))
		return same;
	if (sass_is(at, "S2R"))
		return at->operand_count > 1 && (!strcmp(at->operands[1].text, "SR_TID.X") ||
						 !strcmp(at->operands[1].text, "SR_LANEID"))
			       ? (struct term){STRIDE_KNOWN, 1, false}
			       : same;
	if (loads(at))
		return (struct term){STRIDE_DATA, 0, false};
	if (sass_is(at, "LDC") || sass_is(at, "CS2R") || sass_is(at, "R2UR") || sass_is(at, "S2UR"))
		return same;
	if (sass_is(at, "MOV") || sass_has(at, "MOV"))
		return term_of_operand(search, instruction,
				       sass_is(at, "MOV") ? 1 : at->operand_count - 1);
	if (sass_is(at, "IMAD") && sass_has(at, "SHL"))
		return multiply(search, instruction, 1, 2);
	if (sass_is(at, "IMAD") && !sass_has(at, "HI"))
		return add_terms(multiply(search, instruction, 1, 2),
				 term_of_operand(search, instruction, 3));
	if (sass_is(at, "IADD3") && !sass_has(at, "X")) {
		for (unsigned i = 1; i < at->operand_count; i++)
			if (at->operands[i].kind != SASS_PREDICATE)
				term = add_terms(term, term_of_operand(search, instruction, i));
		return term;
	}
	if (sass_is(at, "IADD") || sass_is(at, "VIADD"))
		return add_terms(term_of_operand(search, instruction, 1),
				 term_of_operand(search, instruction, 2));
	if (sass_is(at, "LEA") && !sass_has(at, "HI")) {
		unsigned first =
			at->operand_count > 1 && at->operands[1].kind == SASS_PREDICATE ? 2 : 1;

		if (!immediate(at, first + 2, &bits))
			return unknown;
		return add_terms(shift_left(term_of_operand(search, instruction, first), bits),
				 term_of_operand(search, instruction, first + 1));
	}
	if (sass_is(at, "SHF") && sass_has(at, "L") && immediate(at, 2, &bits))
		return shift_left(term_of_operand(search, instruction, 1), bits);
	if (sass_is(at, "LOP3") && sass_has(at, "LUT") && immediate(at, 2, &bits) &&
	    is_mask_of_lanes(at, bits)) {
		term = term_of_operand(search, instruction, 1);
		if (term.kind == STRIDE_KNOWN && (term.factor == 0 || term.factor == 1))
			return term;
	}
	return of_all_inputs(search, instruction);
}

static struct term join(struct search *search, const struct flow_value *value)
{
	struct term joined = {STRIDE_UNKNOWN, 0, true};

	for (uint32_t i = 0; i < value->input_count; i++) {
		struct term term =
			term_of_value(search, search->flow->inputs[value->first_input + i]);

		if (term.circular)
			continue;
		if (joined.circular)
			joined = term;
		else if (joined.kind != term.kind || joined.factor != term.factor)
			return unknown;
	}
	return joined.circular && !value->input_count ? unknown : joined;
}

static struct term term_of_value(struct search *search, uint32_t value)
{
	const struct flow_value *at;
	struct term term;

	if (value == SASS_NONE)
		return unknown;
	for (unsigned i = 0; i < search->depth; i++)
		if (search->path[i] == value)
			return (struct term){STRIDE_KNOWN, 0, true};
	if (search->depth == DEPTH || search->visits++ >= VISITS)
		return unknown;
	at = &search->flow->values[value];
	search->path[search->depth++] = value;
	if (at->instruction == SASS_NONE)
		term = join(search, at);
	else
		term = term_of_write(search, at->instruction, at->reg);
	search->depth--;
	return term;
}

static unsigned size_of(const struct sass_instruction *at)
{
	static const struct {
		const char *modifier;
		unsigned size;
	} sizes[] = {{"128", 16}, {"64", 8}, {"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sass_has(at, sizes[i].modifier))
			return sizes[i].size;
	return 4;
}

struct stride stride_find(const struct flow *flow, uint32_t instruction)
{
	const struct sass_instruction *at = &flow->function->instructions[instruction];
	struct search *search = xcalloc(1, sizeof(*search));
	struct stride stride = {.size = size_of(at)};
	const struct sass_operand *address = NULL;
	struct term term = unknown;

	search->flow = flow;
	for (unsigned i = 0; i < at->operand_count && !address; i++)
		if (at->operands[i].kind == SASS_ADDRESS)
			address = &at->operands[i];
	if (address && address->number == SASS_ZERO)
		term = same;
	else if (address)
		term = term_of_value(search,
				     flow_read(flow, instruction, SASS_GENERAL(address->number)));
	free(search);
	if (!term.circular)
		stride.kind = term.kind;
	stride.bytes = stride.kind == STRIDE_KNOWN ? term.factor : 0;
	return stride;
}

unsigned stride_conflicts(const struct stride *stride)
{
	uint64_t words = (uint64_t)llabs(stride->bytes) / 4;
	unsigned ways = 1;

	if (stride->kind != STRIDE_KNOWN || stride->bytes % 4 || stride->size > 4)
		return 1;
	while (words && ways < 32 && words % (2 * (uint64_t)ways) == 0)
		ways *= 2;
	return ways;
}
