/*
 * gpu/ptx/decode.c: one statement into one instruction.
 *
 * The operands are read by one grammar, then matched against the shape of the opcode's row.
 * What the table or a shape does not know becomes an instruction that faults when it is reached;
 * names that nobody declared are errors of the module.
 */
#include <string.h>

#include "gpu/ptx/parser.h"

enum operand_kind {
	OPERAND_NUMBER, /* token.kind says which; negative */
	OPERAND_NAME,   /* register, variable, label; offset; perhaps |second */
	OPERAND_MEMORY, /* [name + offset] or [number]; with elements [name, {a, b}] */
	OPERAND_VECTOR, /* {a, b} */
};

struct element {
	struct ptx_token token;
	bool negative; /* of a number */
};

struct operand {
	enum operand_kind kind;
	struct element first;
	struct ptx_token second; /* of p|q */
	bool has_second, inverted; /* !p */
	int64_t offset;
	struct element elements[PTX_OPERANDS];
	unsigned count;
};

/* The statement that is read, its operands, and the instruction that becomes of it. */
struct statement {
	struct ptx_parser *parser;
	struct ptx_instruction *i;
	struct operand operands[PTX_OPERANDS];
	unsigned count, sources;
	bool loads;
};

/* What a step found: errors end the parse, forms that no shape has do not. */
enum outcome { OK, UNKNOWN_FORM, FAILED };

#define TRY(step)                                                                                  \
	do {                                                                                       \
		enum outcome outcome_ = (step);                                                    \
		if (outcome_ != OK)                                                                \
			return outcome_;                                                           \
	} while (0)

static bool is_mark(const struct ptx_parser *parser, char mark)
{
	return parser->token.kind == PTX_MARK && *parser->token.text == mark;
}

static enum outcome next(struct ptx_parser *parser)
{
	return ptx_advance(parser) ? FAILED : OK;
}

static enum outcome skip_mark(struct ptx_parser *parser, char mark)
{
	return is_mark(parser, mark) ? next(parser) : UNKNOWN_FORM;
}

/* [-] number, or a name */
static enum outcome read_element(struct ptx_parser *parser, struct element *element)
{
	element->negative = is_mark(parser, '-');
	if (element->negative)
		TRY(next(parser));
	if (parser->token.kind < PTX_WORD || parser->token.kind > PTX_DOUBLE_BITS ||
	    (element->negative && parser->token.kind == PTX_WORD))
		return UNKNOWN_FORM;
	element->token = parser->token;
	return next(parser);
}

/* { + number | - number | + - number } */
static enum outcome read_offset(struct ptx_parser *parser, int64_t *offset)
{
	uint64_t sum = 0;

	while (is_mark(parser, '+') || is_mark(parser, '-')) {
		bool negative = is_mark(parser, '-');

		TRY(next(parser));
		if (is_mark(parser, '-')) {
			negative = !negative;
			TRY(next(parser));
		}
		if (parser->token.kind != PTX_INTEGER)
			return UNKNOWN_FORM;
		sum += negative ? -parser->token.value : parser->token.value;
		TRY(next(parser));
	}
	*offset = (int64_t)sum;
	return OK;
}

/* {a, b} */
static enum outcome read_elements(struct ptx_parser *parser, struct operand *operand)
{
	do {
		TRY(next(parser));
		if (operand->count == PTX_OPERANDS)
			return UNKNOWN_FORM;
		TRY(read_element(parser, &operand->elements[operand->count++]));
	} while (is_mark(parser, ','));
	return skip_mark(parser, '}');
}

static enum outcome read_operand(struct ptx_parser *parser, struct operand *operand)
{
	*operand = (struct operand){.kind = OPERAND_NUMBER};
	if (is_mark(parser, '[')) {
		operand->kind = OPERAND_MEMORY;
		TRY(next(parser));
		TRY(read_element(parser, &operand->first));
		TRY(read_offset(parser, &operand->offset));
		if (is_mark(parser, ',')) {
			TRY(next(parser));
			if (!is_mark(parser, '{'))
				return UNKNOWN_FORM;
			TRY(read_elements(parser, operand));
		}
		return skip_mark(parser, ']');
	}
	if (is_mark(parser, '{')) {
		operand->kind = OPERAND_VECTOR;
		return read_elements(parser, operand);
	}
	operand->inverted = is_mark(parser, '!');
	if (operand->inverted)
		TRY(next(parser));
	TRY(read_element(parser, &operand->first));
	if (operand->first.token.kind != PTX_WORD)
		return OK;
	operand->kind = OPERAND_NAME;
	if (is_mark(parser, '|')) {
		TRY(next(parser));
		operand->has_second = true;
		operand->second = parser->token;
		return parser->token.kind == PTX_WORD ? next(parser) : UNKNOWN_FORM;
	}
	return read_offset(parser, &operand->offset);
}

static enum outcome read_operands(struct statement *s)
{
	struct ptx_parser *parser = s->parser;

	if (is_mark(parser, ';'))
		return OK;
	for (;;) {
		if (s->count == PTX_OPERANDS)
			return UNKNOWN_FORM;
		TRY(read_operand(parser, &s->operands[s->count++]));
		if (!is_mark(parser, ','))
			return is_mark(parser, ';') ? OK : UNKNOWN_FORM;
		TRY(next(parser));
	}
}

static bool is_sink(const struct ptx_token *token)
{
	return ptx_token_is(token, "_");
}

static enum outcome look_up(struct statement *s, const struct ptx_token *name,
			    struct ptx_meaning *meaning)
{
	if (ptx_lookup(s->parser, name, meaning))
		return OK;
	if (memchr(name->text + 1, '.', name->length - 1))
		return UNKNOWN_FORM; /* an element of a vector register */
	error_set(s->parser->error, "line %u: '%.*s' is not declared", name->line,
		  (int)(name->length > 200 ? 200 : name->length), name->text);
	return FAILED;
}

/* Special registers that do not change while a warp runs, and %clock and the like. */
static enum ptx_special special_named(const struct ptx_token *token)
{
	static const struct {
		const char *name;
		enum ptx_special special;
	} names[] = {
		{"%tid.x", PTX_TID_X}, {"%tid.y", PTX_TID_Y}, {"%tid.z", PTX_TID_Z},
		{"%ntid.x", PTX_NTID_X}, {"%ntid.y", PTX_NTID_Y}, {"%ntid.z", PTX_NTID_Z},
		{"%ctaid.x", PTX_CTAID_X}, {"%ctaid.y", PTX_CTAID_Y}, {"%ctaid.z", PTX_CTAID_Z},
		{"%nctaid.x", PTX_NCTAID_X}, {"%nctaid.y", PTX_NCTAID_Y},
		{"%nctaid.z", PTX_NCTAID_Z}, {"%laneid", PTX_LANEID}, {"%warpid", PTX_WARPID},
		{"%nwarpid", PTX_NWARPID}, {"%lanemask_eq", PTX_LANEMASK_EQ},
		{"%lanemask_le", PTX_LANEMASK_LE}, {"%lanemask_lt", PTX_LANEMASK_LT},
		{"%lanemask_ge", PTX_LANEMASK_GE}, {"%lanemask_gt", PTX_LANEMASK_GT},
		{"%dynamic_smem_size", PTX_DYNAMIC_SHARED}, {"%total_smem_size", PTX_TOTAL_SHARED},
		{"%smid", PTX_ZERO}, {"%nsmid", PTX_ONE}, {"%gridid", PTX_ONE}, {"WARP_SZ", PTX_SPECIAL_COUNT},
		{"%clusterid.x", PTX_CTAID_X}, {"%clusterid.y", PTX_CTAID_Y},
		{"%clusterid.z", PTX_CTAID_Z}, {"%nclusterid.x", PTX_NCTAID_X},
		{"%nclusterid.y", PTX_NCTAID_Y}, {"%nclusterid.z", PTX_NCTAID_Z},
		{"%cluster_ctaid.x", PTX_ZERO}, {"%cluster_ctaid.y", PTX_ZERO},
		{"%cluster_ctaid.z", PTX_ZERO}, {"%cluster_nctaid.x", PTX_ONE},
		{"%cluster_nctaid.y", PTX_ONE}, {"%cluster_nctaid.z", PTX_ONE},
		{"%cluster_ctarank", PTX_ZERO}, {"%cluster_nctarank", PTX_ONE},
		{"%reserved_smem_offset_0", PTX_RESERVED_SHARED_0},
		{"%reserved_smem_offset_1", PTX_RESERVED_SHARED_1},
		{"%reserved_smem_offset_begin", PTX_RESERVED_SHARED_0},
		/* where the grid's barrier is */
		{"%envreg1", PTX_WORKSPACE_HIGH}, {"%envreg2", PTX_WORKSPACE_LOW},
		{"%clock", PTX_CLOCK}, {"%clock64", PTX_CLOCK}, {"%clock_hi", PTX_ZERO},
		{"%globaltimer", PTX_CLOCK}, {"%globaltimer_lo", PTX_CLOCK},
		{"%globaltimer_hi", PTX_ZERO},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ptx_token_is(token, names[i].name))
			return names[i].special;
	if (token->length > 7 && !memcmp(token->text, "%envreg", 7))
		return PTX_ZERO;
	return PTX_SPECIAL_COUNT;
}

/* The bits of a number as a value of that type. */
static enum outcome number_bits(const struct element *element, enum ptx_type type, uint64_t *bits)
{
	enum ptx_token_kind kind = element->token.kind;
	uint64_t value = element->token.value;
	unsigned size = ptx_type_size(type);

	if (kind == PTX_INTEGER && (type == PTX_F32 || type == PTX_F64)) {
		double number = element->negative ? -(double)value : (double)value;
		float single = (float)number;

		value = 0;
		if (type == PTX_F64)
			memcpy(&value, &number, 8);
		else
			memcpy(&value, &single, 4);
	} else if (kind == PTX_INTEGER) {
		value = element->negative ? -value : value;
	} else {
		float single;
		double number;

		if (kind == PTX_FLOAT_BITS) {
			memcpy(&single, &value, 4);
			number = single;
		} else {
			memcpy(&number, &value, 8);
			single = (float)number;
		}
		if (size == 8 && kind == PTX_FLOAT_BITS)
			memcpy(&value, &number, 8);
		else if (size == 4 && kind == PTX_DOUBLE_BITS)
			value = 0, memcpy(&value, &single, 4);
		else if (size < 4)
			return UNKNOWN_FORM;
		if (element->negative)
			value ^= size == 8 ? 1ull << 63 : 1ull << 31;
	}
	*bits = size && size < 8 ? value & ((1ull << size * 8) - 1) : value;
	return OK;
}

/* A value of that type: a register, an immediate, an address, a special register. */
static enum outcome source(struct statement *s, const struct element *element, int64_t offset,
			   enum ptx_type type, uint32_t *ref)
{
	struct ptx_parser *parser = s->parser;
	struct ptx_meaning meaning;
	enum ptx_special special;
	uint64_t bits;

	if (element->token.kind != PTX_WORD) {
		TRY(number_bits(element, type, &bits));
		return ptx_constant(parser, bits, ref) ? FAILED : OK;
	}
	special = special_named(&element->token);
	if (special < PTX_CLOCK) {
		if (special == PTX_RESERVED_SHARED_0 || special == PTX_RESERVED_SHARED_1)
			parser->module->reserved_shared = true;
		*ref = PTX_OPERAND(PTX_BANK_SPECIAL, special);
		return OK;
	}
	if (ptx_token_is(&element->token, "WARP_SZ"))
		return ptx_constant(parser, PTX_LANES, ref) ? FAILED : OK;
	if (special == PTX_CLOCK || is_sink(&element->token))
		return UNKNOWN_FORM;
	TRY(look_up(s, &element->token, &meaning));
	switch (meaning.kind) {
	case PTX_SYMBOL_REGISTER:
		*ref = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
		return offset ? UNKNOWN_FORM : OK;
	case PTX_SYMBOL_VARIABLE:
		return ptx_constant_address(parser, meaning.base, offset, ref) ? FAILED : OK;
	case PTX_SYMBOL_DYNAMIC_SHARED:
		return ptx_constant_address(parser, PTX_PATCH_DYNAMIC_SHARED, offset, ref) ? FAILED
											   : OK;
	case PTX_SYMBOL_MODULE_SHARED:
		return ptx_constant_address(parser, PTX_PATCH_MODULE_SHARED, meaning.base + offset,
					    ref)
			       ? FAILED
			       : OK;
	case PTX_SYMBOL_SHARED:
		return ptx_constant(parser, meaning.base + offset, ref) ? FAILED : OK;
	case PTX_SYMBOL_PARAMETER:
		return ptx_constant(parser, PTX_WINDOW_PARAM + meaning.base + offset, ref) ? FAILED
											   : OK;
	case PTX_SYMBOL_FUNCTION:
		return ptx_constant(parser,
				    PTX_WINDOW_FUNCTION +
					    (uint64_t)(meaning.base + 1) * PTX_FUNCTION_STRIDE,
				    ref)
			       ? FAILED
			       : OK;
	default:
		return UNKNOWN_FORM;
	}
}

static enum outcome destination(struct statement *s, const struct element *element, uint32_t *ref)
{
	struct ptx_meaning meaning;

	if (element->token.kind != PTX_WORD)
		return UNKNOWN_FORM;
	if (is_sink(&element->token)) {
		*ref = PTX_OPERAND(PTX_BANK_SINK, 0);
		return OK;
	}
	TRY(look_up(s, &element->token, &meaning));
	*ref = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
	return meaning.kind == PTX_SYMBOL_REGISTER ? OK : UNKNOWN_FORM;
}

/* A predicate; the sink is a predicate that every frame has for nothing else. */
static enum outcome predicate(struct statement *s, const struct ptx_token *token, uint32_t *ref)
{
	struct ptx_meaning meaning;

	if (token->kind != PTX_WORD)
		return UNKNOWN_FORM;
	if (is_sink(token)) {
		*ref = PTX_PREDICATE_SINK;
		return OK;
	}
	TRY(look_up(s, token, &meaning));
	*ref = meaning.base;
	return meaning.kind == PTX_SYMBOL_PREDICATE ? OK : UNKNOWN_FORM;
}

static enum outcome predicate_source(struct statement *s, const struct operand *operand,
				     uint32_t *ref)
{
	if (operand->kind == OPERAND_NUMBER && operand->first.token.kind == PTX_INTEGER)
		*ref = operand->first.token.value ? PTX_PREDICATE_TRUE : PTX_PREDICATE_FALSE;
	else
		TRY(predicate(s, &operand->first.token, ref));
	if (operand->inverted)
		*ref |= PTX_NEGATED;
	return OK;
}

static enum outcome memory(struct statement *s, const struct operand *operand)
{
	struct ptx_instruction *i = s->i;
	struct ptx_meaning meaning;

	if (operand->kind != OPERAND_MEMORY || operand->first.negative || operand->count)
		return UNKNOWN_FORM;
	i->immediate = operand->offset;
	if (operand->first.token.kind != PTX_WORD)
		return source(s, &operand->first, 0, PTX_U64, &i->a);
	TRY(look_up(s, &operand->first.token, &meaning));
	switch (meaning.kind) {
	case PTX_SYMBOL_REGISTER:
		if (ptx_type_size(meaning.type) < 8)
			i->flags |= PTX_FLAG_NARROW;
		break;
	case PTX_SYMBOL_FRAME:
		i->flags |= PTX_FLAG_FRAME;
		i->immediate = (int64_t)((uint64_t)i->immediate + meaning.base);
		return ptx_constant(s->parser, 0, &i->a) ? FAILED : OK;
	case PTX_SYMBOL_PARAMETER:
		/* every lane reads the same bytes: the quick way */
		i->immediate = (int64_t)((uint64_t)i->immediate + meaning.base);
		if (i->space == PTX_MOD_PARAM && s->loads)
			i->execute = ptx_execute_ld_parameter;
		return ptx_constant(s->parser, PTX_WINDOW_PARAM, &i->a) ? FAILED : OK;
	default:
		break;
	}
	return source(s, &operand->first, 0, PTX_U64, &i->a);
}

/* The elements of a vector go to extras; a single one to *single. */
static enum outcome data(struct statement *s, const struct operand *operand, bool writes,
			 uint32_t *single)
{
	struct ptx_instruction *i = s->i;
	uint32_t refs[PTX_OPERANDS] = {0};

	if ((operand->kind == OPERAND_VECTOR ? operand->count : 1) != i->vector)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < i->vector; n++) {
		const struct element *element =
			operand->kind == OPERAND_VECTOR ? &operand->elements[n] : &operand->first;

		if (writes)
			TRY(destination(s, element, &refs[n]));
		else
			TRY(source(s, element, operand->offset, i->type, &refs[n]));
	}
	*single = refs[0];
	i->extra = s->parser->module->extra_count;
	for (unsigned n = 0; n < i->vector && i->vector > 1; n++)
		if (ptx_add_extra(s->parser, refs[n]))
			return FAILED;
	return OK;
}

/* [handle] or [handle, {coordinates}]; a missing coordinate (_) is 0 */
static enum outcome texture(struct statement *s, const struct operand *operand, bool coordinates)
{
	struct ptx_instruction *i = s->i;
	uint32_t refs[PTX_OPERANDS];
	struct ptx_meaning meaning;

	if (operand->kind != OPERAND_MEMORY || operand->offset || !operand->count == coordinates)
		return UNKNOWN_FORM;
	/* texture references, which CUDA 12 gave up, are names and not handles in registers */
	if (operand->first.token.kind != PTX_WORD ||
	    !ptx_lookup(s->parser, &operand->first.token, &meaning) ||
	    meaning.kind != PTX_SYMBOL_REGISTER)
		return UNKNOWN_FORM;
	TRY(source(s, &operand->first, 0, PTX_U64, &i->a));
	for (unsigned n = 0; n < operand->count; n++)
		TRY(source(s, &operand->elements[n], 0,
			   i->second == PTX_F32 ? PTX_F32 : PTX_S32, &refs[n]));
	i->immediate = s->parser->module->extra_count;
	i->compare = (uint8_t)operand->count;
	for (unsigned n = 0; n < operand->count; n++)
		if (ptx_add_extra(s->parser, refs[n]))
			return FAILED;
	return OK;
}

/* The memory that a copy writes: [name + offset] in `b`, the offset's constant in `q`. */
static enum outcome destination_memory(struct statement *s, const struct operand *operand)
{
	struct ptx_instruction *i = s->i;
	struct ptx_meaning meaning;

	if (operand->kind != OPERAND_MEMORY || operand->count || operand->first.negative)
		return UNKNOWN_FORM;
	if (operand->first.token.kind == PTX_WORD) {
		TRY(look_up(s, &operand->first.token, &meaning));
		if (meaning.kind == PTX_SYMBOL_REGISTER && ptx_type_size(meaning.type) < 8)
			i->flags |= PTX_FLAG_NARROW_TO;
	}
	TRY(source(s, &operand->first, 0, PTX_U64, &i->b));
	return ptx_constant(s->parser, (uint64_t)operand->offset, &i->q) ? FAILED : OK;
}

static enum ptx_type doubled(enum ptx_type type)
{
	switch (type) {
	case PTX_U16:
		return PTX_U32;
	case PTX_S16:
		return PTX_S32;
	case PTX_U32:
		return PTX_U64;
	default:
		return PTX_S64;
	}
}

static enum outcome label(struct statement *s, const struct operand *operand)
{
	if (operand->kind != OPERAND_NAME || operand->has_second || operand->inverted)
		return UNKNOWN_FORM;
	return ptx_refer(s->parser, &operand->first.token, s->parser->module->code_count, 0)
		       ? FAILED
		       : OK;
}

static enum outcome mov(struct statement *s)
{
	struct ptx_instruction *i = s->i;
	const struct operand *to = &s->operands[0], *from = &s->operands[1];
	struct ptx_meaning meaning;

	if (s->count != 2)
		return UNKNOWN_FORM;
	if (i->type == PTX_PRED) {
		i->execute = ptx_execute_mov_predicate;
		TRY(predicate(s, &to->first.token, &i->d));
		return predicate_source(s, from, &i->a);
	}
	if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
		const struct operand *vector = to->kind == OPERAND_VECTOR ? to : from;

		if ((to->kind == OPERAND_VECTOR) == (from->kind == OPERAND_VECTOR) ||
		    (vector->count != 2 && vector->count != 4) ||
		    ptx_type_size(i->type) / vector->count == 0 || i->type == PTX_B128)
			return UNKNOWN_FORM;
		i->vector = (uint8_t)vector->count;
		i->execute = vector == to ? ptx_execute_mov_unpack : ptx_execute_mov_pack;
		if (vector == to) {
			TRY(source(s, &from->first, from->offset, i->type, &i->a));
			return data(s, to, true, &i->d);
		}
		TRY(destination(s, &to->first, &i->d));
		return data(s, from, false, &i->a);
	}
	if (from->inverted || from->kind == OPERAND_MEMORY || to->kind != OPERAND_NAME)
		return UNKNOWN_FORM;
	TRY(destination(s, &to->first, &i->d));
	if (from->kind == OPERAND_NAME && special_named(&from->first.token) == PTX_CLOCK) {
		i->execute = ptx_execute_mov_clock;
		return OK;
	}
	if (from->kind == OPERAND_NAME && ptx_lookup(s->parser, &from->first.token, &meaning) &&
	    meaning.kind == PTX_SYMBOL_FRAME) {
		i->execute = ptx_execute_mov_frame;
		i->immediate = (int64_t)((uint64_t)from->offset + meaning.base);
		return OK;
	}
	return source(s, &from->first, from->offset, i->type, &i->a);
}

/* brx.idx index, targets;  the list of targets stands before it in the text */
static enum outcome indexed_branch(struct statement *s)
{
	struct ptx_meaning meaning;

	if (s->count != 2 || s->operands[1].kind != OPERAND_NAME)
		return UNKNOWN_FORM;
	TRY(source(s, &s->operands[0].first, 0, PTX_U32, &s->i->a));
	TRY(look_up(s, &s->operands[1].first.token, &meaning));
	s->i->extra = meaning.base;
	return meaning.kind == PTX_SYMBOL_TARGETS ? OK : UNKNOWN_FORM;
}

static enum outcome match_source(struct statement *s, const struct operand *operand, char letter)
{
	struct ptx_instruction *i = s->i;
	uint32_t *slots[] = {&i->a, &i->b, &i->c, &i->e}, *slot;
	enum ptx_type type = letter == 't'   ? i->second
			     : letter == 'u' ? PTX_U32
			     : letter == 'w' ? doubled(i->type)
					     : i->type;

	if (s->sources == 4)
		return UNKNOWN_FORM;
	slot = slots[s->sources++];
	if (letter == 'm')
		return memory(s, operand);
	if (letter == 'n')
		return destination_memory(s, operand);
	if (letter == 'X' || letter == 'h')
		return texture(s, operand, letter == 'X');
	if (letter == 'P' || letter == 'Q')
		return predicate_source(s, operand, letter == 'Q' ? &i->e : slot);
	if (letter == 'S')
		return data(s, operand, false, slot);
	if ((operand->kind != OPERAND_NUMBER && operand->kind != OPERAND_NAME) || operand->inverted ||
	    operand->has_second)
		return UNKNOWN_FORM;
	return source(s, &operand->first, operand->offset, type, slot);
}

static enum outcome match_operand(struct statement *s, const struct operand *operand, char letter)
{
	struct ptx_instruction *i = s->i;
	const bool name = operand->kind == OPERAND_NAME && !operand->inverted && !operand->offset;

	switch (letter) {
	case 'D':
		if (operand->has_second || operand->inverted || operand->offset)
			return UNKNOWN_FORM;
		return data(s, operand, true, &i->d);
	case 'd':
	case 'e':
		i->q = PTX_PREDICATE_SINK;
		if (!name || (letter == 'd' && operand->has_second))
			return UNKNOWN_FORM;
		if (operand->has_second)
			TRY(predicate(s, &operand->second, &i->q));
		return destination(s, &operand->first, &i->d);
	case 'p':
		i->q = PTX_PREDICATE_SINK;
		if (!name)
			return UNKNOWN_FORM;
		if (operand->has_second)
			TRY(predicate(s, &operand->second, &i->q));
		return predicate(s, &operand->first.token, &i->d);
	case 'l':
		return label(s, operand);
	default:
		return match_source(s, operand, letter);
	}
}

/* Of "duQ/duuQ", the alternative for that many operands; one with '?' is alone. */
static const char *alternative(const char *shape, unsigned count)
{
	for (const char *at = shape;; at++) {
		size_t length = strcspn(at, "/");

		if (length == count || !at[length])
			return at;
		at += length;
	}
}

static enum outcome match_shape(struct statement *s, const char *shape)
{
	bool optional = false;
	unsigned n = 0;

	if (*shape == 'M')
		return mov(s);
	if (*shape == 'B')
		return indexed_branch(s);
	s->loads = *shape == 'D';
	for (shape = alternative(shape, s->count); *shape && *shape != '/'; shape++) {
		if (*shape == '?')
			optional = true;
		else if (n < s->count)
			TRY(match_operand(s, &s->operands[n++], *shape));
		else if (!optional)
			return UNKNOWN_FORM;
	}
	return n == s->count ? OK : UNKNOWN_FORM;
}

/* Keeps the text of a statement that cannot be run, for the fault that names it. */
static int keep_text(struct ptx_parser *parser, struct ptx_instruction *i, const char *start)
{
	struct ptx_module *module = parser->module;
	const char *end = parser->token.text;
	char text[128];
	size_t used = 0;

	for (const char *c = start; c < end && used + 1 < sizeof(text); c++) {
		if (*c > ' ' && *c < 127)
			text[used++] = *c;
		else if (used && text[used - 1] != ' ')
			text[used++] = ' ';
	}
	if (ptx_grow((void **)&module->texts, &module->text_capacity, module->text_count,
		     sizeof(*module->texts), parser->error))
		return -1;
	module->texts[module->text_count] = ptx_pool_text(module, text, used);
	if (!module->texts[module->text_count])
		return ptx_out_of_memory(parser);
	*i = (struct ptx_instruction){.execute = ptx_execute_unsupported,
				      .guard = i->guard,
				      .extra = module->text_count++};
	return 0;
}

static enum outcome read_guard(struct statement *s)
{
	struct ptx_parser *parser = s->parser;
	bool negated;

	if (!is_mark(parser, '@'))
		return OK;
	TRY(next(parser));
	negated = is_mark(parser, '!');
	if (negated)
		TRY(next(parser));
	if (predicate(s, &parser->token, &s->i->guard) != OK) {
		if (!*parser->error->text)
			ptx_unexpected(parser, "a predicate");
		return FAILED;
	}
	s->i->guard |= negated ? PTX_NEGATED : 0;
	return next(parser);
}

int ptx_decode(struct ptx_parser *parser)
{
	struct ptx_instruction i = {0};
	struct statement s = {.parser = parser, .i = &i};
	struct ptx_decoded decoded;
	struct ptx_token opcode;
	enum outcome outcome = UNKNOWN_FORM;
	size_t fixups;
	uint32_t guard;

	if (read_guard(&s) == FAILED)
		return -1;
	opcode = parser->token;
	guard = i.guard;
	if (opcode.kind != PTX_WORD)
		return ptx_unexpected(parser, "an instruction");
	if (ptx_opcode_find(parser, &opcode, &decoded) || ptx_advance(parser))
		return -1;
	fixups = parser->fixup_count;
	i = decoded.fields;
	i.guard = guard;
	i.d = i.a = i.b = i.c = i.e = PTX_MISSING;
	i.q = PTX_PREDICATE_SINK;
	if (decoded.row && *decoded.row->shape == 'C') {
		bool understood;

		if (ptx_decode_call(parser, &i, &understood))
			return -1;
		outcome = understood ? OK : UNKNOWN_FORM;
	} else if (decoded.row) {
		outcome = read_operands(&s);
		if (outcome == OK)
			outcome = match_shape(&s, decoded.row->shape);
	}
	if (outcome == FAILED)
		return -1;
	while (!is_mark(parser, ';')) {
		outcome = UNKNOWN_FORM;
		if (parser->token.kind == PTX_END)
			return ptx_unexpected(parser, "';'");
		if (ptx_advance(parser))
			return -1;
	}
	if (outcome == UNKNOWN_FORM) {
		parser->fixup_count = fixups;
		if (keep_text(parser, &i, opcode.text))
			return -1;
	}
	if (ptx_append(parser, &i, opcode.line))
		return -1;
	return ptx_advance(parser);
}
