/*
 * gpu/ptx/call_register.c: functions with .reg parameters, and calls with registers and numbers.
 *
 *     .func (.reg .b32 %r) f (.reg .b32 %a, .param .b64 b) { ... }     call (%r1), f, (%r2, 7);
 *
 * The values go through frames as .param variables do: a store before the call, a load at the
 * begin of the function, and the same for the result on the way back.
 */
#include "gpu/ptx/declare.h"
#include "gpu/ptx/decode.h"

static int move_slot(struct ptx_parser *parser, const char *opcode, uint32_t offset,
		     uint32_t operand, uint32_t guard, struct ptx_instruction *i)
{
	const struct ptx_token name = {.kind = PTX_WORD, .text = opcode, .length = strlen(opcode)};
	struct ptx_decoded decoded;
	uint32_t zero;

	if (ptx_opcode_find(parser, &name, &decoded) || ptx_constant(parser, 0, &zero))
		return -1;
	*i = decoded.fields;
	i->guard = guard;
	i->flags |= PTX_FLAG_FRAME;
	i->immediate = offset;
	i->a = zero;
	i->c = i->e = PTX_MISSING;
	i->b = *opcode == 's' ? operand : PTX_MISSING;
	i->d = *opcode == 's' ? PTX_MISSING : operand;
	i->q = PTX_PREDICATE_SINK;
	return 0;
}

static const char *load_of(enum ptx_type type)
{
	return ptx_type_size(type) == 2   ? "ld.param.b16"
	       : ptx_type_size(type) == 4 ? "ld.param.b32"
					  : "ld.param.b64";
}

static int append_store(struct ptx_parser *parser, uint32_t offset, uint32_t operand,
			uint32_t guard, uint32_t line)
{
	struct ptx_instruction i;

	return move_slot(parser, "st.param.b64", offset, operand, guard, &i) ||
			       ptx_append(parser, &i, line)
		       ? -1
		       : 0;
}

int ptx_register_argument(struct ptx_parser *parser, uint32_t guard, struct ptx_parameter *argument,
			  bool *understood)
{
	struct ptx_instruction ignored = {0};
	struct statement s = {.parser = parser, .i = &ignored};
	struct element element = {.negative = ptx_is_mark(parser, '-')};
	struct ptx_meaning meaning;
	enum ptx_type type;
	uint32_t operand;

	*understood = false;
	if (element.negative && ptx_advance(parser))
		return -1;
	element.token = parser->token;
	if (element.token.kind == PTX_WORD &&
	    (!ptx_lookup(parser, &element.token, &meaning) || meaning.kind != PTX_SYMBOL_REGISTER ||
	     meaning.type == PTX_B128))
		return 0;
	if (element.token.kind < PTX_WORD || element.token.kind > PTX_DOUBLE_BITS)
		return 0;
	type = element.token.kind == PTX_FLOAT_BITS    ? PTX_F32
	       : element.token.kind == PTX_DOUBLE_BITS ? PTX_F64
						       : PTX_B64;
	switch (ptx_source(&s, &element, 0, type, &operand)) {
	case UNKNOWN_FORM:
		return 0;
	case FAILED:
		return -1;
	case OK:
		break;
	}
	*argument = (struct ptx_parameter){.size = 8, .alignment = 8};
	if (ptx_frame_slot(parser, &argument->offset) ||
	    append_store(parser, argument->offset, operand, guard, element.token.line))
		return -1;
	*understood = true;
	return 0;
}

int ptx_register_result(struct ptx_parser *parser, uint32_t guard, struct ptx_parameter *result,
			bool *understood)
{
	struct ptx_meaning meaning;

	*understood = ptx_is_word(parser, "_");
	if (*understood) /* the caller ignores the result */
		return 0;
	if (parser->token.kind != PTX_WORD || !ptx_lookup(parser, &parser->token, &meaning) ||
	    meaning.kind != PTX_SYMBOL_REGISTER || meaning.type == PTX_B128)
		return 0;
	*result = (struct ptx_parameter){.size = 8, .alignment = 8};
	*understood = true;
	return ptx_frame_slot(parser, &result->offset) ||
			       move_slot(parser, load_of(meaning.type), result->offset,
					 PTX_OPERAND(PTX_BANK_REGISTER, meaning.base), guard,
					 &parser->after)
		       ? -1
		       : 0;
}

int ptx_load_parameters(struct ptx_parser *parser)
{
	for (uint32_t n = 0; n < parser->by_register_count; n++) {
		struct ptx_register_parameter *parameter = &parser->by_register[n];
		const struct ptx_declarator declarator = {.name = parameter->name,
							  .type = parameter->type};
		struct ptx_meaning meaning;
		struct ptx_instruction i;

		if (ptx_token_is(&parameter->name, "_"))
			continue;
		if (ptx_add_register(parser, &declarator, 0))
			return -1;
		if (!ptx_lookup(parser, &parameter->name, &meaning))
			return ptx_unexpected(parser, "another name of a parameter");
		parameter->operand = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
		if (parameter->is_result)
			continue;
		if (move_slot(parser, load_of(parameter->type), parameter->offset,
			      parameter->operand, 0, &i) ||
		    ptx_append(parser, &i, parameter->name.line))
			return -1;
	}
	return 0;
}

int ptx_store_result(struct ptx_parser *parser, uint32_t guard, uint32_t line)
{
	for (uint32_t n = 0; n < parser->by_register_count; n++) {
		const struct ptx_register_parameter *parameter = &parser->by_register[n];

		if (parameter->is_result && !ptx_token_is(&parameter->name, "_") &&
		    append_store(parser, parameter->offset, parameter->operand, guard, line))
			return -1;
	}
	return 0;
}
