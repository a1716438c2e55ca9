/* gpu/sass/evidence.c: see evidence.h.  Which values are copies of one another: copies.c. */
#include "gpu/sass/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/copies.h"
#include "util/memory.h"

struct collector {
	const struct flow *flow;
	struct evidence_table *table;
	uint32_t instruction;
	const struct sass_instruction *at;
	/* operands without predicates: [0] is what is written, or comes first of what is read */
	const struct sass_operand *operands[SASS_MAX_OPERANDS];
	unsigned count;
	bool carries_out; /* a predicate follows what is written */
};

const struct evidence *evidence_of(struct evidence_table *table, uint32_t value)
{
	static const struct evidence none;

	return value == SASS_NONE ? &none : &table->found[copies_find(table->parents, value)];
}

static struct evidence *place(struct collector *collector, unsigned operand, unsigned next,
			      bool written)
{
	uint32_t value;
	int reg = operand < collector->count ? copies_register(collector->operands[operand]) : -1;

	if (reg < 0)
		return NULL;
	value = written ? flow_written(collector->flow, collector->instruction,
				       (unsigned)reg + next)
			: flow_read(collector->flow, collector->instruction, (unsigned)reg + next);
	if (value == SASS_NONE)
		return NULL;
	return &collector->table->found[copies_find(collector->table->parents, value)];
}

static void say(struct collector *collector, unsigned operand, bool written,
		enum evidence_kind kind)
{
	struct evidence *evidence = place(collector, operand, 0, written);

	if (evidence)
		evidence->counts[kind]++;
}

/* Two registers. */
static void say_pair(struct collector *collector, unsigned operand, bool written,
		     enum evidence_kind low)
{
	struct evidence *evidence = place(collector, operand, 1, written);

	say(collector, operand, written, low);
	if (evidence)
		evidence->counts[low + 1]++;
}

static void say_sign(struct collector *collector, unsigned operand, bool is_unsigned)
{
	struct evidence *evidence = place(collector, operand, 0, false);

	if (evidence && is_unsigned)
		evidence->is_unsigned++;
	else if (evidence)
		evidence->is_signed++;
}

static enum evidence_kind half(const struct sass_instruction *at)
{
	return sass_has(at, "BF16_V2") || sass_has(at, "BF16") ? EVIDENCE_BF16 : EVIDENCE_F16;
}

/* One letter for each operand; of what is written the first, or "-" where nothing is. */
static void say_letters(struct collector *collector, const char *letters)
{
	bool is_unsigned = sass_has(collector->at, "U32");
	unsigned operand = 0;

	for (const char *letter = letters; *letter; letter++) {
		bool written = letter == letters;

		switch (*letter) {
		case '-': /* the next operand is the first */
			continue;
		case 'f':
			say(collector, operand, written, EVIDENCE_F32);
			break;
		case 'd':
			say_pair(collector, operand, written, EVIDENCE_F64_LOW);
			break;
		case 'h':
			say(collector, operand, written, half(collector->at));
			break;
		case 'n': /* its sign matters */
			say_sign(collector, operand, is_unsigned);
			/* fall through */
		case 'i':
			say(collector, operand, written, EVIDENCE_INTEGER);
			break;
		case 'l':
			say(collector, operand, written, EVIDENCE_I64_LOW);
			break;
		case 'g':
			say(collector, operand, written, EVIDENCE_I64_HIGH);
			break;
		case 'w':
			say_pair(collector, operand, written, EVIDENCE_I64_LOW);
			break;
		default: /* 'x': nothing is known */
			break;
		}
		operand++;
	}
}

static const char *of_imad(struct collector *collector)
{
	const struct sass_instruction *at = collector->at;

	if (copies_is_move(at) || copies_shifts_half(at))
		return "";
	if (sass_has(at, "WIDE"))
		return "wnnw";
	if (sass_has(at, "HI"))
		return "inni";
	return sass_has(at, "X") ? "gxxg" : "iiii";
}

static const char *of_lea(struct collector *collector)
{
	if (sass_has(collector->at, "X"))
		return sass_has(collector->at, "SX32") ? "gng" : "glgg";
	return collector->carries_out ? "lil" : "iii";
}

static const char *of_isetp(struct collector *collector)
{
	const struct sass_instruction *at = collector->at;

	if (!sass_has(at, "EX"))
		return sass_has(at, "EQ") || sass_has(at, "NE") ? "-ii" : "-nn";
	if (!sass_has(at, "EQ") && !sass_has(at, "NE"))
		for (unsigned i = 0; i < 2; i++)
			say_sign(collector, i, sass_has(at, "U32"));
	return "-gg";
}

static const char *of_shift(struct collector *collector)
{
	const struct sass_instruction *at = collector->at;
	struct evidence *to;

	if (sass_has(at, "U64") || sass_has(at, "S64"))
		return sass_has(at, "HI") ? "glxg" : "llxg";
	if (sass_has(at, "R"))
		say_sign(collector, 3, !sass_has(at, "S32"));
	to = place(collector, 0, 0, true);
	if (to && sass_has(at, "R") && sass_has(at, "U32"))
		to->is_unsigned++;
	return copies_shifts_half(at) ? "" : "iixi";
}

/* The place of a modifier among those of the opcode; 0: it lacks it. */
static unsigned modifier_at(const struct sass_instruction *at, const char *modifier)
{
	size_t length = strlen(modifier);
	unsigned place = 0;

	for (const char *text = strchr(at->opcode, '.'); text; text = strchr(text, '.')) {
		place++;
		if (!strncmp(++text, modifier, length) && (!text[length] || text[length] == '.'))
			return place;
	}
	return 0;
}

/* I2F, F2I, I2FP: an integer on one side, a float on the other. */
static const char *of_integer_conversion(struct collector *collector, bool to_float)
{
	static const char *const narrow[] = {"S8", "U8", "S16", "U16"};
	const struct sass_instruction *at = collector->at;
	unsigned integer = to_float ? 1 : 0, real = to_float ? 0 : 1;
	bool wide = sass_has(at, "S64") || sass_has(at, "U64");
	struct evidence *evidence = place(collector, integer, 0, !to_float);

	if (sass_has(at, "F64"))
		say_pair(collector, real, to_float, EVIDENCE_F64_LOW);
	else
		say(collector, real, to_float,
		    sass_has(at, "F16") || sass_has(at, "BF16") ? half(at) : EVIDENCE_F32);
	if (wide)
		say_pair(collector, integer, !to_float, EVIDENCE_I64_LOW);
	else
		say(collector, integer, !to_float, EVIDENCE_INTEGER);
	if (wide)
		evidence = place(collector, integer, 1, !to_float);
	for (unsigned i = 0; evidence && i < 4; i++)
		if (sass_has(at, narrow[i])) {
			evidence->extends_8 |= i == 0;
			evidence->extends_16 |= i == 2;
			return "";
		}
	if (evidence && (sass_has(at, "U32") || sass_has(at, "U64")))
		evidence->is_unsigned++;
	else if (evidence)
		evidence->is_signed++;
	return "";
}

/* F2F.F64.F32: to the first from the second */
static const char *of_float_conversion(struct collector *collector)
{
	static const struct {
		const char *modifier;
		enum evidence_kind kind;
	} formats[] = {{"F64", EVIDENCE_F64_LOW}, {"F32", EVIDENCE_F32}, {"F16", EVIDENCE_F16},
		       {"BF16", EVIDENCE_BF16},   {"E4M3", EVIDENCE_F8}, {"E5M2", EVIDENCE_F8}};
	enum evidence_kind kinds[2] = {EVIDENCE_F16, EVIDENCE_F32}; /* of F2FP.PACK_AB */
	unsigned first = 0;

	for (unsigned i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		unsigned at = modifier_at(collector->at, formats[i].modifier);

		if (at && (!first || at < first)) {
			kinds[1] = first ? kinds[0] : kinds[1];
			kinds[0] = formats[i].kind;
			first = at;
		} else if (at) {
			kinds[1] = formats[i].kind;
		}
	}
	for (unsigned i = 0; i < 3; i++) {
		if (kinds[i != 0] == EVIDENCE_F64_LOW)
			say_pair(collector, i, !i, EVIDENCE_F64_LOW);
		else
			say(collector, i, !i, kinds[i != 0]);
	}
	return "";
}

/* Several registers in a row, of which an instruction reads or writes some. */
static void say_row(struct collector *collector, unsigned operand, unsigned count,
		    enum evidence_kind kind)
{
	for (unsigned i = 0; i < count; i++) {
		struct evidence *evidence = place(collector, operand, i, operand == 0);

		if (evidence)
			evidence->counts[kind]++;
	}
}

static const char *of_matrix(struct collector *collector)
{
	const struct sass_instruction *at = collector->at;
	bool is_float = sass_is(at, "HMMA");
	enum evidence_kind sum = !is_float             ? EVIDENCE_INTEGER
				 : sass_has(at, "F32") ? EVIDENCE_F32
						       : EVIDENCE_F16,
			   factor = !is_float              ? EVIDENCE_INTEGER
				    : sass_has(at, "TF32") ? EVIDENCE_F32
							   : half(at);
	unsigned sums = sum == EVIDENCE_F16 ? 2 : 4;

	if (sass_is(at, "DMMA"))
		return "dddd";
	say_row(collector, 0, sums, sum);
	say_row(collector, 1, sass_has(at, "16816") ? 4 : 2, factor);
	say_row(collector, 2, sass_has(at, "16816") ? 2 : 1, factor);
	say_row(collector, 3, sums, sum);
	return "";
}

/* A constant that is made with an instruction for halves says nothing: HFMA2.MMA R9, -RZ, RZ, 0, 0
 */
static bool reads_nothing(const struct collector *collector)
{
	for (unsigned i = 1; i < collector->count; i++)
		if (copies_register(collector->operands[i]) >= 0)
			return false;
	return true;
}

static const char *letters_of(struct collector *collector)
{
	static const struct {
		const char *opcode, *letters;
	} plain[] = {
		{"FADD", "fff"},   {"FMUL", "fff"},  {"FFMA", "ffff"},   {"FMNMX", "fff"},
		{"FSETP", "-ff"},  {"FSET", "xff"},  {"FCHK", "-ff"},    {"FSWZADD", "fff"},
		{"DADD", "ddd"},   {"DMUL", "ddd"},  {"DFMA", "dddd"},   {"DSETP", "-dd"},
		{"HADD2", "hhh"},  {"HMUL2", "hhh"}, {"HFMA2", "hhhhh"}, {"HMNMX2", "hhh"},
		{"HSETP2", "-hh"}, {"HSET2", "xhh"}, {"IABS", "in"},     {"IMNMX", "inn"},
		{"VIMNMX", "inn"}, {"IDP", "iiii"},  {"POPC", "ix"},     {"FLO", "ix"},
		{"S2R", "i"},      {"S2UR", "i"},    {"VIADD", "iii"},   {"IADD", "iii"},
	};
	const struct sass_instruction *at = collector->at;

	if (sass_is(at, "IADD3") || sass_is(at, "UIADD3"))
		return sass_has(at, "X") ? "gggg" : collector->carries_out ? "llll" : "iiii";
	if (sass_is(at, "IMAD") || sass_is(at, "UIMAD"))
		return of_imad(collector);
	if (sass_is(at, "LEA") || sass_is(at, "ULEA"))
		return of_lea(collector);
	if (sass_is(at, "ISETP") || sass_is(at, "UISETP"))
		return of_isetp(collector);
	if (sass_is(at, "SHF") || sass_is(at, "USHF"))
		return of_shift(collector);
	if (sass_is(at, "I2F") || sass_is(at, "I2FP"))
		return of_integer_conversion(collector, true);
	if (sass_is(at, "F2I") || sass_is(at, "F2IP"))
		return of_integer_conversion(collector, false);
	if (sass_is(at, "F2F") || sass_is(at, "F2FP"))
		return of_float_conversion(collector);
	if (sass_is(at, "REDUX")) {
		if (!sass_has(at, "SUM") && !sass_has(at, "MIN") && !sass_has(at, "MAX"))
			return "";
		say_sign(collector, 1, !sass_has(at, "S32"));
		return "ii";
	}
	if (sass_is(at, "FRND"))
		return sass_has(at, "F64") ? "dd" : sass_has(at, "F16") ? "hh" : "ff";
	if (sass_is(at, "MUFU")) {
		if (!sass_has(at, "RCP64H") && !sass_has(at, "RSQ64H"))
			return sass_has(at, "F16") ? "hh" : "ff";
		say(collector, 0, true, EVIDENCE_F64_HIGH);
		say(collector, 1, false, EVIDENCE_F64_HIGH);
		return "";
	}
	if (sass_is(at, "HMMA") || sass_is(at, "IMMA") || sass_is(at, "DMMA"))
		return of_matrix(collector);
	if (sass_is(at, "HADD2") && sass_has(at, "F32"))
		return "fhh";
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (sass_is(at, plain[i].opcode))
			return plain[i].letters[0] == 'h' && reads_nothing(collector)
				       ? ""
				       : plain[i].letters;
	return "";
}

static void say_extension(struct collector *collector)
{
	struct evidence *evidence = place(collector, 1, 0, false);

	if (!evidence || collector->count < 3 || collector->operands[2]->kind != SASS_IMMEDIATE)
		return;
	evidence->extends_8 |= collector->operands[2]->value == 0x8880;
	evidence->extends_16 |= collector->operands[2]->value == 0x9910;
}

/* Addresses are integers. */
static void say_address(struct collector *collector, unsigned operand)
{
	const struct sass_operand *address = collector->operands[operand];
	bool wide = address->wide || sass_has(collector->at, "E");
	struct evidence *high = place(collector, operand, 1, false);

	if (!wide)
		say(collector, operand, false, EVIDENCE_INTEGER);
	else
		say_pair(collector, operand, false, EVIDENCE_I64_LOW);
	if (wide && high)
		high->is_unsigned++;
}

/* RED.E.ADD.F32.FTZ.RN [R2.64], R5: what is added, and what comes back */
static void say_atomic(struct collector *collector, unsigned address)
{
	const struct sass_instruction *at = collector->at;
	bool wide = sass_has(at, "64") || sass_has(at, "S64") || sass_has(at, "U64"),
	     compares = sass_has(at, "MIN") || sass_has(at, "MAX"),
	     is_signed = sass_has(at, "S32") || sass_has(at, "S64"),
	     adds = compares || sass_has(at, "ADD") || sass_has(at, "INC") || sass_has(at, "DEC");
	struct evidence *last;

	for (unsigned i = 0; i < collector->count; i++) {
		if (i == address)
			continue;
		if (sass_has(at, "F64"))
			say_pair(collector, i, i < address, EVIDENCE_F64_LOW);
		else if (sass_has(at, "F32"))
			say(collector, i, i < address, EVIDENCE_F32);
		else if (strstr(at->opcode, "F16"))
			say(collector, i, i < address,
			    strstr(at->opcode, "BF16") ? EVIDENCE_BF16 : EVIDENCE_F16);
		else if (adds && wide)
			say_pair(collector, i, i < address, EVIDENCE_I64_LOW);
		else if (adds)
			say(collector, i, i < address, EVIDENCE_INTEGER);
		last = place(collector, i, wide, i < address);
		if (last && compares)
			*(is_signed ? &last->is_signed : &last->is_unsigned) += 1;
	}
}

static bool is_atomic(const struct sass_instruction *at)
{
	return sass_is(at, "RED") || sass_is(at, "REDG") || sass_is(at, "ATOM") ||
	       sass_is(at, "ATOMG") || sass_is(at, "ATOMS");
}

static void prepare(struct collector *collector, uint32_t instruction)
{
	const struct sass_instruction *at = &collector->flow->function->instructions[instruction];

	collector->instruction = instruction;
	collector->at = at;
	collector->count = 0;
	collector->carries_out =
		at->operand_count > 1 && (at->operands[1].kind == SASS_PREDICATE ||
					  at->operands[1].kind == SASS_UNIFORM_PREDICATE);
	for (unsigned i = 0; i < at->operand_count; i++)
		if (at->operands[i].kind != SASS_PREDICATE &&
		    at->operands[i].kind != SASS_UNIFORM_PREDICATE)
			collector->operands[collector->count++] = &at->operands[i];
}

static void collect(struct collector *collector, uint32_t instruction)
{
	prepare(collector, instruction);
	if (sass_is(collector->at, "PRMT"))
		say_extension(collector);
	else
		say_letters(collector, letters_of(collector));
	for (unsigned i = 0; i < collector->count; i++)
		if (collector->operands[i]->kind == SASS_ADDRESS) {
			say_address(collector, i);
			if (is_atomic(collector->at))
				say_atomic(collector, i);
		}
}

/*
 * What is added to the high half of an integer is one, too, and so is the sum: a product of 64 bits
 * is made of IMAD.WIDE and of IMADs that are added to its high register.
 */
static bool spread_high(struct collector *collector, uint32_t instruction)
{
	bool adds, multiplies, known = false, more = false;

	prepare(collector, instruction);
	adds = sass_is(collector->at, "IADD3") ||
	       (sass_is(collector->at, "IMAD") && sass_has(collector->at, "IADD"));
	multiplies = sass_is(collector->at, "IMAD") && !strchr(collector->at->opcode, '.');
	if ((!adds && !multiplies) || collector->carries_out)
		return false;
	for (unsigned i = 0; i < collector->count && (adds || !i); i++) {
		struct evidence *evidence = place(collector, i, 0, !i);

		known |= evidence && evidence->counts[EVIDENCE_I64_HIGH];
	}
	for (unsigned i = 0; known && i < collector->count; i++) {
		struct evidence *evidence = place(collector, i, 0, !i);
		/* of factors the other may be the low half */
		bool is_factor = multiplies && (i == 1 || i == 2),
		     is_scaled =
			     collector->count > 2 && collector->operands[2]->kind == SASS_IMMEDIATE;

		if (!evidence || evidence->counts[EVIDENCE_I64_HIGH] || (is_factor && !is_scaled))
			continue;
		evidence->counts[EVIDENCE_I64_HIGH]++;
		more = true;
	}
	return more;
}

/* A half that is shifted to where a float has its upper half was a bfloat16. */
static void say_shifted(struct collector *collector, uint32_t instruction)
{
	struct evidence *to, *from;
	unsigned shifted;

	prepare(collector, instruction);
	shifted = copies_shifts_half(collector->at);
	if (!shifted)
		return;
	to = place(collector, 0, 0, true);
	from = place(collector, shifted, 0, false);
	if (to && from && to->counts[EVIDENCE_F32] && !to->counts[EVIDENCE_INTEGER])
		from->counts[EVIDENCE_BF16]++;
}

void evidence_collect(const struct flow *flow, struct evidence_table *table)
{
	struct collector collector = {.flow = flow, .table = table};
	uint32_t count = flow->function->instruction_count;
	bool more = true;

	table->parents = copies_join(flow);
	table->found = xcalloc((size_t)flow->value_count + 1, sizeof(*table->found));
	for (uint32_t i = 0; i < count; i++)
		collect(&collector, i);
	for (unsigned round = 0; more && round < 8; round++) {
		more = false;
		for (uint32_t i = count; i-- > 0;)
			more |= spread_high(&collector, i);
	}
	for (uint32_t i = 0; i < count; i++)
		say_shifted(&collector, i);
}

void evidence_release(struct evidence_table *table)
{
	free(table->parents);
	free(table->found);
	*table = (struct evidence_table){0};
}
