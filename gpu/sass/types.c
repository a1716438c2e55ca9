/* gpu/sass/types.c: see types.h. */
#include "gpu/sass/types.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/copies.h"
#include "gpu/sass/evidence.h"
#include "util/memory.h"

static const struct {
	const char *name;
	unsigned size;
} types[] = {
	[TYPE_RAW] = {"raw", 0}, [TYPE_F64] = {"f64", 8},   [TYPE_F32] = {"f32", 4},
	[TYPE_F16] = {"f16", 2}, [TYPE_BF16] = {"bf16", 2}, [TYPE_F8] = {"f8", 1},
	[TYPE_S8] = {"s8", 1},   [TYPE_S16] = {"s16", 2},   [TYPE_S32] = {"s32", 4},
	[TYPE_S64] = {"s64", 8}, [TYPE_U8] = {"u8", 1},     [TYPE_U16] = {"u16", 2},
	[TYPE_U32] = {"u32", 4}, [TYPE_U64] = {"u64", 8},
};

const char *type_name(enum type type)
{
	return types[type].name;
}

unsigned type_size(enum type type)
{
	return types[type].size;
}

/* What was found for a part of an access. */
struct part {
	enum type type;
	enum type_confidence confidence;
};

static uint32_t integers(const struct evidence *evidence)
{
	return evidence->counts[EVIDENCE_INTEGER] + evidence->counts[EVIDENCE_I64_LOW] +
	       evidence->counts[EVIDENCE_I64_HIGH];
}

static uint32_t total(const struct evidence *evidence)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < EVIDENCE_KINDS; i++)
		sum += evidence->counts[i];
	return sum;
}

static struct part judged(enum type type, uint32_t votes, uint32_t all)
{
	if (2 * (uint64_t)votes <= all)
		return (struct part){TYPE_RAW, TYPE_AMBIGUOUS};
	return (struct part){type, votes == all ? TYPE_CERTAIN : TYPE_MAJORITY};
}

/* Of one register, of which `bytes` (1, 2, 4) count. */
static struct part of_register(const struct evidence *evidence, unsigned bytes, bool is_signed)
{
	static const struct {
		enum evidence_kind kind;
		enum type type;
	} floats[] = {{EVIDENCE_F32, TYPE_F32},
		      {EVIDENCE_F16, TYPE_F16},
		      {EVIDENCE_BF16, TYPE_BF16},
		      {EVIDENCE_F8, TYPE_F8}};
	uint32_t best = integers(evidence);
	enum type type = evidence->is_unsigned > evidence->is_signed ? TYPE_U32 : TYPE_S32;

	if (bytes == 1)
		type = is_signed || evidence->extends_8 ? TYPE_S8 : TYPE_U8;
	else if (bytes == 2)
		type = is_signed || evidence->extends_16 ? TYPE_S16 : TYPE_U16;
	if (bytes < 4 && !total(evidence) &&
	    (is_signed || evidence->extends_8 || evidence->extends_16))
		return (struct part){type, TYPE_CERTAIN};
	for (unsigned i = 0; i < sizeof(floats) / sizeof(*floats); i++)
		if (evidence->counts[floats[i].kind] > best &&
		    types[floats[i].type].size <= bytes) {
			best = evidence->counts[floats[i].kind];
			type = floats[i].type;
		}
	return judged(type, best, total(evidence));
}

/* Of two registers; false: they are not one value. */
static bool of_pair(const struct evidence *low, const struct evidence *high, struct part *part)
{
	uint32_t all = total(low) + total(high);
	uint32_t f64 = low->counts[EVIDENCE_F64_LOW] + high->counts[EVIDENCE_F64_HIGH];
	uint32_t i64 = high->counts[EVIDENCE_I64_HIGH] ? integers(low) + integers(high) : 0;

	if (2 * (uint64_t)f64 > all)
		*part = judged(TYPE_F64, f64, all);
	else if (2 * (uint64_t)i64 > all)
		*part = judged(high->is_unsigned > high->is_signed ? TYPE_U64 : TYPE_S64, i64, all);
	else
		return false;
	return true;
}

static bool is_word(enum type type)
{
	return type == TYPE_S32 || type == TYPE_U32;
}

/* The parts of a vector have one type, or those of which nothing is known have that of the others.
 */
static struct part together(const struct part *parts, unsigned count)
{
	struct part result = {TYPE_RAW, TYPE_CERTAIN};

	for (unsigned i = 0; i < count; i++) {
		if (parts[i].confidence < result.confidence)
			result.confidence = parts[i].confidence;
		if (parts[i].type == TYPE_RAW)
			continue;
		if (result.type == TYPE_RAW)
			result.type = parts[i].type;
		if (result.type == parts[i].type)
			continue;
		/* integers of which some are used as unsigned ones */
		if (!is_word(result.type) || !is_word(parts[i].type))
			return (struct part){TYPE_RAW, TYPE_AMBIGUOUS};
		result = (struct part){TYPE_S32, TYPE_MAJORITY};
	}
	if (result.type != TYPE_RAW && result.confidence == TYPE_AMBIGUOUS)
		result.confidence = TYPE_MAJORITY;
	return result;
}

/* The value of a register of the data, whether it is read or written. */
static uint32_t value_of(const struct flow *flow, uint32_t instruction, unsigned reg, bool written)
{
	return written ? flow_written(flow, instruction, reg) : flow_read(flow, instruction, reg);
}

static struct part of_data(const struct flow *flow, struct evidence_table *table,
			   uint32_t instruction, int reg, bool written, unsigned bytes,
			   bool is_signed)
{
	const struct evidence *evidence[4];
	unsigned count = bytes < 4 ? 1 : bytes / 4, part_count = 0;
	struct part parts[4];

	if (reg < 0)
		return (struct part){TYPE_RAW, TYPE_AMBIGUOUS};
	for (unsigned i = 0; i < count; i++)
		evidence[i] =
			evidence_of(table, value_of(flow, instruction, (unsigned)reg + i, written));
	for (unsigned i = 0; i < count; i++)
		if (i % 2 == 0 && i + 1 < count &&
		    of_pair(evidence[i], evidence[i + 1], &parts[part_count]))
			i++, part_count++;
		else
			parts[part_count++] =
				of_register(evidence[i], bytes < 4 ? bytes : 4, is_signed);
	return together(parts, part_count);
}

static unsigned bytes_of(const struct sass_instruction *at)
{
	static const struct {
		const char *modifier;
		unsigned bytes;
	} sizes[] = {{"U8", 1},  {"S8", 1},  {"U16", 2}, {"S16", 2}, {"64", 8},
		     {"S64", 8}, {"U64", 8}, {"F64", 8}, {"128", 16}};

	if (sass_is(at, "LDSM") || sass_is(at, "STSM"))
		return sass_has(at, "4") ? 16 : sass_has(at, "2") ? 8 : 4;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sass_has(at, sizes[i].modifier))
			return sizes[i].bytes;
	return 4;
}

struct finder {
	const struct flow *flow;
	struct evidence_table table;
	struct access_type *found;
	size_t count, capacity;
};

static void add(struct finder *finder, uint32_t instruction, enum access_kind kind,
		enum access_space space, struct part part)
{
	const struct sass_instruction *at = &finder->flow->function->instructions[instruction];
	unsigned bytes = bytes_of(at), size = types[part.type].size;

	ARRAY_RESERVE(finder->found, finder->count, finder->capacity);
	finder->found[finder->count++] =
		(struct access_type){.offset = at->offset,
				     .kind = kind,
				     .space = space,
				     .bytes = (uint8_t)bytes,
				     .count = (uint8_t)(size && size < bytes ? bytes / size : 1),
				     .type = part.type,
				     .confidence = part.confidence};
}

/*
 * The data's register: before the address of what is loaded, else behind it.  Atomics have up to
 * two there (CAS), and what was in memory before it: the first of which something is known counts.
 */
static struct part of_access(struct finder *finder, uint32_t instruction, enum access_kind kind)
{
	const struct sass_instruction *at = &finder->flow->function->instructions[instruction];
	struct part part = {TYPE_RAW, TYPE_AMBIGUOUS};
	bool is_signed = sass_has(at, "S8") || sass_has(at, "S16"), behind = false;

	for (unsigned i = 0; i < at->operand_count && part.type == TYPE_RAW; i++) {
		behind |= at->operands[i].kind == SASS_ADDRESS;
		if (at->operands[i].kind != SASS_REGISTER || (kind == ACCESS_LOAD && behind) ||
		    (kind == ACCESS_STORE && !behind))
			continue;
		part = of_data(finder->flow, &finder->table, instruction,
			       copies_register(&at->operands[i]), !behind, bytes_of(at), is_signed);
	}
	return part;
}

static void find(struct finder *finder, uint32_t instruction)
{
	static const struct {
		const char *opcode;
		enum access_kind kind;
		enum access_space space;
	} accesses[] = {
		{"LDG", ACCESS_LOAD, ACCESS_GLOBAL},     {"STG", ACCESS_STORE, ACCESS_GLOBAL},
		{"LDS", ACCESS_LOAD, ACCESS_SHARED},     {"STS", ACCESS_STORE, ACCESS_SHARED},
		{"LDSM", ACCESS_LOAD, ACCESS_SHARED},    {"STSM", ACCESS_STORE, ACCESS_SHARED},
		{"LDL", ACCESS_LOAD, ACCESS_LOCAL},      {"STL", ACCESS_STORE, ACCESS_LOCAL},
		{"LD", ACCESS_LOAD, ACCESS_GENERIC},     {"ST", ACCESS_STORE, ACCESS_GENERIC},
		{"ATOMG", ACCESS_ATOMIC, ACCESS_GLOBAL}, {"REDG", ACCESS_ATOMIC, ACCESS_GLOBAL},
		{"ATOMS", ACCESS_ATOMIC, ACCESS_SHARED}, {"ATOM", ACCESS_ATOMIC, ACCESS_GENERIC},
		{"RED", ACCESS_ATOMIC, ACCESS_GENERIC},
	};
	const struct sass_instruction *at = &finder->flow->function->instructions[instruction];
	const struct part unknown = {TYPE_RAW, TYPE_AMBIGUOUS}, counter = {TYPE_U32, TYPE_CERTAIN};

	if (at->guard == SASS_TRUE && at->guard_negated)
		return; /* nobody executes it: @!PT LDS RZ, [RZ] */
	if (sass_is(at, "ATOMS") && sass_has(at, "POPC")) { /* adds one for each thread */
		add(finder, instruction, ACCESS_ATOMIC, ACCESS_SHARED, counter);
		return;
	}
	if (sass_is(at, "LDGSTS")) {
		add(finder, instruction, ACCESS_LOAD, ACCESS_GLOBAL, unknown);
		add(finder, instruction, ACCESS_STORE, ACCESS_SHARED, unknown);
		return;
	}
	for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++) {
		if (!sass_is(at, accesses[i].opcode))
			continue;
		add(finder, instruction, accesses[i].kind, accesses[i].space,
		    of_access(finder, instruction, accesses[i].kind));
		return;
	}
}

struct access_type *types_find(const struct flow *flow, size_t *count)
{
	struct finder finder = {.flow = flow};

	evidence_collect(flow, &finder.table);
	for (uint32_t i = 0; i < flow->function->instruction_count; i++)
		find(&finder, i);
	evidence_release(&finder.table);
	*count = finder.count;
	return finder.found;
}
