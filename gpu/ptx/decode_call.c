/*
 * gpu/ptx/decode_call.c: call, with the .param ABI that nvcc uses.
 *
 *     call.uni (retval0), function, (param0, param1);
 *     call (retval0), %rd25, (param0), prototype_5;
 *
 * Arguments and result are .param variables in the caller's frame; registers and numbers are put
 * into such variables (call_register.c).
 */
#include "gpu/ptx/parser.h"

/* One .param variable of the caller.  False: something else, or not declared. */
static bool frame_operand(struct ptx_parser *parser, struct ptx_parameter *parameter)
{
	struct ptx_meaning meaning;

	if (parser->token.kind != PTX_WORD || !ptx_lookup(parser, &parser->token, &meaning) ||
	    meaning.kind != PTX_SYMBOL_FRAME)
		return false;
	*parameter = (struct ptx_parameter){meaning.base, (uint32_t)meaning.size, 1};
	return true;
}

static int read_arguments(struct ptx_parser *parser, uint32_t guard, struct ptx_call *call,
			  bool *understood)
{
	struct ptx_module *module = parser->module;

	call->first_argument = module->argument_count;
	if (ptx_advance(parser))
		return -1;
	while (!ptx_is_mark(parser, ')')) {
		if (ptx_grow((void **)&module->arguments, &module->argument_capacity,
			     module->argument_count, sizeof(*module->arguments), parser->error))
			return -1;
		if (!frame_operand(parser, &module->arguments[module->argument_count]) &&
		    ptx_register_argument(parser, guard, &module->arguments[module->argument_count],
					  understood))
			return -1;
		if (!*understood)
			return 0;
		module->argument_count++;
		call->argument_count++;
		if (ptx_advance(parser) || (ptx_is_mark(parser, ',') && ptx_advance(parser)))
			return -1;
	}
	return ptx_advance(parser);
}

static int read_target(struct ptx_parser *parser, struct ptx_instruction *i, struct ptx_call *call,
		       bool *understood)
{
	struct ptx_meaning meaning;

	call->function = PTX_CALL_INDIRECT;
	if (parser->token.kind != PTX_WORD)
		*understood = false;
	else if (ptx_lookup(parser, &parser->token, &meaning) &&
		 meaning.kind == PTX_SYMBOL_REGISTER)
		i->a = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
	else if (ptx_function_index(parser, &parser->token, &call->function))
		return -1;
	return *understood ? ptx_advance(parser) : 0;
}

int ptx_decode_call(struct ptx_parser *parser, struct ptx_instruction *i, bool *understood)
{
	struct ptx_module *module = parser->module;
	struct ptx_call call = {.line = parser->token.line};

	*understood = true;
	parser->after.execute = NULL;
	if (ptx_is_mark(parser, '(')) {
		if (ptx_advance(parser))
			return -1;
		if (!frame_operand(parser, &call.result) &&
		    ptx_register_result(parser, i->guard, &call.result, understood))
			return -1;
		if (!*understood)
			return 0;
		if (ptx_advance(parser) || ptx_expect(parser, ")") || ptx_expect(parser, ","))
			return -1;
	}
	if (read_target(parser, i, &call, understood))
		return -1;
	if (*understood && ptx_is_mark(parser, ',')) {
		if (ptx_advance(parser))
			return -1;
		if (ptx_is_mark(parser, '(') && read_arguments(parser, i->guard, &call, understood))
			return -1;
	}
	/* the prototype of an indirect call says nothing that the arguments do not */
	if (*understood && ptx_is_mark(parser, ',') && (ptx_advance(parser) || ptx_advance(parser)))
		return -1;
	if (!ptx_is_mark(parser, ';'))
		*understood = false;
	if (!*understood)
		return 0;
	if (ptx_grow((void **)&module->calls, &module->call_capacity, module->call_count,
		     sizeof(*module->calls), parser->error))
		return -1;
	i->extra = module->call_count;
	module->calls[module->call_count++] = call;
	return 0;
}
