/*
 * gpu/ptx/link.c: between the texts of one module.
 *
 * Names that belong to one text alone are forgotten at its end.  Where the loader looks something
 * up by name (addresses in initial values), a name that an earlier text has too gets a number.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/ptx/parser.h"

int ptx_skip_block(struct ptx_parser *parser)
{
	uint32_t depth = 0;

	do {
		if (parser->token.kind == PTX_END)
			return ptx_unexpected(parser, "'}'");
		depth += ptx_is_mark(parser, '{');
		depth -= depth && ptx_is_mark(parser, '}');
		if (ptx_advance(parser))
			return -1;
	} while (depth);
	return 0;
}

static bool variable_before(const struct ptx_parser *parser, const char *name)
{
	for (uint32_t n = 0; n < parser->first_variable; n++)
		if (!strcmp(parser->module->variables[n]->name, name))
			return true;
	return false;
}

static bool function_before(const struct ptx_parser *parser, const char *name)
{
	for (uint32_t n = 0; n < parser->first_function; n++)
		if (!strcmp(parser->module->functions[n]->name, name))
			return true;
	return false;
}

/* Initial values of this source refer to the variable by its new name. */
static int rename_to(struct ptx_parser *parser, const char **name)
{
	struct ptx_module *module = parser->module;
	const char *old = *name;
	char text[4096];
	int length = snprintf(text, sizeof(text), "%.4000s$%u", old, parser->text_number);

	*name = ptx_pool_text(module, text, (size_t)length);
	if (!*name)
		return ptx_out_of_memory(parser);
	for (uint32_t n = parser->first_variable; n < module->variable_count; n++) {
		struct ptx_variable *variable = module->variables[n];

		for (uint32_t r = 0; r < variable->relocation_count; r++)
			if (!strcmp(variable->relocations[r].symbol, old))
				variable->relocations[r].symbol = *name;
	}
	return 0;
}

static int end_name(struct ptx_parser *parser, const struct ptx_meaning *meaning)
{
	struct ptx_module *module = parser->module;

	if (meaning->kind == PTX_SYMBOL_VARIABLE &&
	    variable_before(parser, module->variables[meaning->base]->name))
		return rename_to(parser, &module->variables[meaning->base]->name);
	if (meaning->kind == PTX_SYMBOL_FUNCTION &&
	    function_before(parser, module->functions[meaning->base]->name))
		return rename_to(parser, &module->functions[meaning->base]->name);
	return 0;
}

int ptx_end_text(struct ptx_parser *parser)
{
	struct ptx_module *module = parser->module;

	if (ptx_symbols_end_text(parser, end_name))
		return -1;
	parser->text_number++;
	parser->first_variable = module->variable_count;
	parser->first_function = module->function_count;
	parser->first_file = (uint32_t)module->file_count;
	return 0;
}
