/*
 * gpu/ptx/decode.c: one statement into one instruction.
 *
 * The operands are read by one grammar, then matched against the shape of the opcode's row.
 * What the table or a shape does not know becomes an instruction that faults when it is reached;
 * names that nobody declared are errors of the module.
 */
#include "gpu/ptx/decode.h"

enum outcome ptx_memory(struct statement *s, const struct operand *operand)
{
	struct ptx_instruction *i = s->i;
	struct ptx_meaning meaning;

	if (operand->kind != OPERAND_MEMORY || operand->first.negative || operand->count)
		return UNKNOWN_FORM;
	i->immediate = operand->offset;
	if (operand->first.token.kind != PTX_WORD)
		return ptx_source(s, &operand->first, 0, PTX_U64, &i->a);
	TRY(ptx_name(s, &operand->first.token, &meaning));
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
		/* all lanes load the same bytes: one load serves the warp */
		i->immediate = (int64_t)((uint64_t)i->immediate + meaning.base);
		if (i->space == PTX_MOD_PARAM && s->loads)
			i->execute = s->parser->machine->ld_parameter;
		return ptx_constant(s->parser, PTX_WINDOW_PARAM, &i->a) ? FAILED : OK;
	default:
		break;
	}
	return ptx_source(s, &operand->first, 0, PTX_U64, &i->a);
}

/* The elements of a vector go to extras; a single one to *single. */
static enum outcome data(struct statement *s, const struct operand *operand, bool writes,
			 uint32_t *single)
{
	struct ptx_instruction *i = s->i;
	uint32_t refs[PTX_OPERANDS] = {0};
	const bool is_wide = i->type == PTX_B128;

	if (is_wide) { /* from here on two elements of 64 bits */
		if (i->vector != 1)
			return UNKNOWN_FORM;
		TRY(ptx_wide_register(s, operand, refs));
		i->type = PTX_B64;
		i->vector = 2;
	} else if ((operand->kind == OPERAND_VECTOR ? operand->count : 1) != i->vector)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < i->vector && !is_wide; n++) {
		const struct element *element =
			operand->kind == OPERAND_VECTOR ? &operand->elements[n] : &operand->first;

		if (writes)
			TRY(ptx_destination(s, element, &refs[n]));
		else
			TRY(ptx_source(s, element, operand->offset, i->type, &refs[n]));
	}
	*single = refs[0];
	if (writes || !s->loads)
		i->extra = s->parser->module->extra_count;
	else
		i->c = s->parser->module->extra_count; /* of both a destination and a source */
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
	/* texture references, which CUDA 12 dropped, are names, not handles in registers */
	if (operand->first.token.kind != PTX_WORD ||
	    !ptx_lookup(s->parser, &operand->first.token, &meaning) ||
	    meaning.kind != PTX_SYMBOL_REGISTER)
		return UNKNOWN_FORM;
	TRY(ptx_source(s, &operand->first, 0, PTX_U64, &i->a));
	for (unsigned n = 0; n < operand->count; n++)
		TRY(ptx_source(s, &operand->elements[n], 0,
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
		TRY(ptx_name(s, &operand->first.token, &meaning));
		if (meaning.kind == PTX_SYMBOL_REGISTER && ptx_type_size(meaning.type) < 8)
			i->flags |= PTX_FLAG_NARROW_TO;
	}
	TRY(ptx_source(s, &operand->first, 0, PTX_U64, &i->b));
	return ptx_constant(s->parser, (uint64_t)operand->offset, &i->q) ? FAILED : OK;
}

/* A barrier: the address of [name + offset] and the offset's constant. */
static enum outcome last_memory(struct statement *s, const struct operand *operand,
				uint32_t *address, uint32_t *offset)
{
	if (operand->kind != OPERAND_MEMORY || operand->count || operand->first.negative)
		return UNKNOWN_FORM;
	TRY(ptx_source(s, &operand->first, 0, PTX_U64, address));
	return ptx_constant(s->parser, (uint64_t)operand->offset, offset) ? FAILED : OK;
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
	if (operand->kind != OPERAND_NAME || operand->has_second || operand->inverted ||
	    operand->first.negative)
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
		i->execute = s->parser->machine->mov_predicate;
		if (from->kind == OPERAND_NAME &&
		    ptx_token_is(&from->first.token, "%is_explicit_cluster")) {
			i->execute = s->parser->machine->mov_explicit_cluster;
			return ptx_predicate(s, &to->first.token, &i->d);
		}
		TRY(ptx_predicate(s, &to->first.token, &i->d));
		return ptx_predicate_source(s, from, &i->a);
	}
	if (i->type == PTX_B128)
		return ptx_decode_mov_wide(s);
	if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
		const struct operand *vector = to->kind == OPERAND_VECTOR ? to : from;

		if ((to->kind == OPERAND_VECTOR) == (from->kind == OPERAND_VECTOR) ||
		    (vector->count != 2 && vector->count != 4) ||
		    ptx_type_size(i->type) / vector->count == 0)
			return UNKNOWN_FORM;
		i->vector = (uint8_t)vector->count;
		i->execute = vector == to ? s->parser->machine->mov_unpack
					  : s->parser->machine->mov_pack;
		if (vector == to) {
			TRY(ptx_source(s, &from->first, from->offset, i->type, &i->a));
			return data(s, to, true, &i->d);
		}
		TRY(ptx_destination(s, &to->first, &i->d));
		return data(s, from, false, &i->a);
	}
	if (from->inverted || from->kind == OPERAND_MEMORY || to->kind != OPERAND_NAME ||
	    (from->kind == OPERAND_NAME && from->first.negative))
		return UNKNOWN_FORM;
	TRY(ptx_destination(s, &to->first, &i->d));
	if (from->kind == OPERAND_NAME && ptx_special_named(&from->first.token) == PTX_CLOCK) {
		i->execute = s->parser->machine->mov_clock;
		return OK;
	}
	if (from->kind == OPERAND_NAME && ptx_lookup(s->parser, &from->first.token, &meaning) &&
	    meaning.kind == PTX_SYMBOL_FRAME) {
		i->execute = s->parser->machine->mov_frame;
		i->immediate = (int64_t)((uint64_t)from->offset + meaning.base);
		return OK;
	}
	return ptx_source(s, &from->first, from->offset, i->type, &i->a);
}

/* brx.idx index, targets;  the list of targets stands before it in the text */
static enum outcome indexed_branch(struct statement *s)
{
	struct ptx_meaning meaning;

	if (s->count != 2 || s->operands[1].kind != OPERAND_NAME || s->operands[1].first.negative)
		return UNKNOWN_FORM;
	TRY(ptx_source(s, &s->operands[0].first, 0, PTX_U32, &s->i->a));
	TRY(ptx_name(s, &s->operands[1].first.token, &meaning));
	s->i->extra = meaning.base;
	return meaning.kind == PTX_SYMBOL_TARGETS ? OK : UNKNOWN_FORM;
}

/* Operands that have no effect here. */
static enum outcome ignored(struct statement *s, const struct operand *operand)
{
	uint32_t ref;

	if (operand->kind != OPERAND_VECTOR)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < operand->count; n++)
		TRY(ptx_source(s, &operand->elements[n], 0, PTX_F32, &ref));
	return OK;
}

static bool is_predicate(struct statement *s, const struct operand *operand)
{
	struct ptx_meaning meaning;

	return operand->kind == OPERAND_NAME &&
	       ptx_lookup(s->parser, &operand->first.token, &meaning) &&
	       meaning.kind == PTX_SYMBOL_PREDICATE;
}

static enum outcome match_source(struct statement *s, const struct operand *operand, char letter)
{
	struct ptx_instruction *i = s->i;
	uint32_t *slots[] = {&i->a, &i->b, &i->c, &i->e}, *slot;
	enum ptx_type type = letter == 't'                                     ? i->second
			     : letter == 'u' || letter == 'U' || letter == 'I' ? PTX_U32
			     : letter == 'w'                                   ? doubled(i->type)
									       : i->type;

	if (s->sources == 4 && letter != 'Z' && letter != 'U')
		return UNKNOWN_FORM;
	slot = s->sources < 4 ? slots[s->sources++] : NULL;
	if (letter == 'm')
		return ptx_memory(s, operand);
	if (letter == 'n')
		return destination_memory(s, operand);
	if (letter == 'o')
		return last_memory(s, operand, &i->e, &i->extra);
	if (letter == 'N')
		return last_memory(s, operand, slot, &i->q);
	if (letter == 'U')
		slot = &i->d;
	if (letter == 'Z') {
		uint32_t number;

		TRY(ptx_predicate_source(s, operand, &number));
		i->immediate = number;
		return OK;
	}
	if (letter == 'G')
		return ignored(s, operand);
	if (letter == 'X' || letter == 'h')
		return texture(s, operand, letter == 'X');
	if (letter == 'I' && is_predicate(s, operand))
		return ptx_predicate_source(s, operand, &i->d);
	if (letter == 'P' || letter == 'Q')
		return ptx_predicate_source(s, operand, letter == 'Q' ? &i->e : slot);
	if (letter == 'S')
		return data(s, operand, false, slot);
	if (type == PTX_B128) {
		uint32_t rows[2];

		TRY(ptx_wide_register(s, operand, rows));
		*slot = rows[0];
		return OK;
	}
	if ((operand->kind != OPERAND_NUMBER && operand->kind != OPERAND_NAME) ||
	    operand->inverted || operand->has_second)
		return UNKNOWN_FORM;
	return ptx_source(s, &operand->first, operand->offset, type, slot);
}

static enum outcome match_operand(struct statement *s, const struct operand *operand, char letter)
{
	struct ptx_instruction *i = s->i;
	const bool name = operand->kind == OPERAND_NAME && !operand->inverted && !operand->offset &&
			  !operand->first.negative;

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
			TRY(ptx_predicate(s, &operand->second, &i->q));
		if (i->type == PTX_B128) {
			uint32_t rows[2];

			TRY(ptx_wide_register(s, operand, rows));
			i->d = rows[0];
			return OK;
		}
		return ptx_destination(s, &operand->first, &i->d);
	case 'p':
		i->q = PTX_PREDICATE_SINK;
		if (!name)
			return UNKNOWN_FORM;
		if (operand->has_second)
			TRY(ptx_predicate(s, &operand->second, &i->q));
		return ptx_predicate(s, &operand->first.token, &i->d);
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
	if (*shape == 'W')
		return ptx_decode_matrix(s);
	if (*shape == 'V')
		return ptx_decode_video(s);
	if (s->i->flags & PTX_FLAG_CACHE_HINT) {
		if (!s->count || s->operands[s->count - 1].kind != OPERAND_NAME)
			return UNKNOWN_FORM;
		s->count--;
	}
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
	*i = (struct ptx_instruction){.execute = parser->machine->unsupported,
				      .guard = i->guard,
				      .extra = module->text_count++};
	return 0;
}

static enum outcome read_guard(struct statement *s)
{
	struct ptx_parser *parser = s->parser;
	bool negated;

	if (!ptx_is_mark(parser, '@'))
		return OK;
	TRY(ptx_next(parser));
	negated = ptx_is_mark(parser, '!');
	if (negated)
		TRY(ptx_next(parser));
	if (ptx_predicate(s, &parser->token, &s->i->guard) != OK) {
		if (!*parser->error->text)
			ptx_unexpected(parser, "a predicate");
		return FAILED;
	}
	s->i->guard |= negated ? PTX_NEGATED : 0;
	return ptx_next(parser);
}

/*
 * What a call lets the caller see of other blocks.  What it calls is known when it runs, or prints
 * or allocates; of functions of the module ptx_observes_order() knows.
 */
static bool note_call(struct ptx_parser *parser, const struct ptx_instruction *i)
{
	const uint32_t index = parser->module->calls[i->extra].function;
	enum ptx_builtin builtin;

	if (index == PTX_CALL_INDIRECT)
		return true;
	builtin = parser->module->functions[index]->builtin;
	parser->function->calls |= builtin == PTX_BUILTIN_NONE;
	return builtin != PTX_BUILTIN_NONE && builtin != PTX_BUILTIN_ASSERTFAIL;
}

/* What the launch must know of the function that has the instruction. */
static void note_order(struct ptx_parser *parser, const struct ptx_instruction *i, bool observes)
{
	struct ptx_function *function = parser->function;

	if (!observes && i->execute != parser->machine->mov_clock)
		return;
	function->observes_order = true;
	parser->module->functions_observe_order |= !parser->kernel;
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
	s.opcode = opcode;
	i.guard = guard;
	i.d = i.a = i.b = i.c = i.e = PTX_MISSING;
	i.q = PTX_PREDICATE_SINK;
	if (decoded.row && *decoded.row->shape == 'C') {
		bool understood;

		if (ptx_decode_call(parser, &i, &understood))
			return -1;
		decoded.observes_order = understood && note_call(parser, &i);
		outcome = understood ? OK : UNKNOWN_FORM;
	} else if (decoded.row && *decoded.row->shape == 'K') {
		outcome = ptx_decode_group(&s);
	} else if (decoded.row) {
		outcome = ptx_read_operands(&s);
		if (outcome == OK)
			outcome = match_shape(&s, decoded.row->shape);
	}
	if (outcome == FAILED)
		return -1;
	while (!ptx_is_mark(parser, ';')) {
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
	note_order(parser, &i, decoded.observes_order);
	if ((i.execute == parser->machine->ret && ptx_store_result(parser, guard, opcode.line)) ||
	    ptx_append(parser, &i, opcode.line) ||
	    (outcome == OK && ptx_note_instruction(parser, decoded.row)))
		return -1;
	if (outcome == OK && *decoded.row->shape == 'C' && parser->after.execute &&
	    ptx_append(parser, &parser->after, opcode.line))
		return -1;
	return ptx_advance(parser);
}
