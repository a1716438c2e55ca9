/*
 * gpu/ptx/function.c: kernels and functions: parameters, bodies, labels.
 *
 * Blocks in a body are scopes on a stack of their own: nothing recurses on the input.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/declare.h"
#include "gpu/ptx/steady_stores.h"

static const struct {
	const char *name;
	enum ptx_builtin builtin;
} builtins[] = {
	{"__assertfail", PTX_BUILTIN_ASSERTFAIL},
	{"vprintf", PTX_BUILTIN_VPRINTF},
	{"malloc", PTX_BUILTIN_MALLOC},
	{"free", PTX_BUILTIN_FREE},
	{"__cudaCDP2GetParameterBufferV2", PTX_BUILTIN_NESTED_PARAMETERS},
	{"__cudaCDP2LaunchDeviceV2", PTX_BUILTIN_NESTED_LAUNCH},
	{"__cudaCDP2MemcpyAsync", PTX_BUILTIN_NESTED_COPY},
	{"__cudaCDP2StreamCreateWithFlags", PTX_BUILTIN_NESTED_STREAM},
	{"__cudaCDP2Malloc", PTX_BUILTIN_NESTED_ALLOCATE},
	{"__cudaCDP2Free", PTX_BUILTIN_NESTED_FREE},
	{"__cudaCDP2StreamDestroy", PTX_BUILTIN_NESTED_NOTHING},
	{"__cudaCDP2GetLastError", PTX_BUILTIN_NESTED_NOTHING},
	{"__cudaCDP2PeekAtLastError", PTX_BUILTIN_NESTED_NOTHING},
	{"__cudaCDP2GetErrorString", PTX_BUILTIN_NESTED_NOTHING},
};

int ptx_function_index(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *index)
{
	struct ptx_module *module = parser->module;
	struct ptx_meaning meaning = {.kind = PTX_SYMBOL_FUNCTION, .base = module->function_count};
	struct ptx_function *function;
	uint32_t depth = parser->depth;
	int result;

	if (ptx_lookup(parser, name, &meaning) && meaning.kind == PTX_SYMBOL_FUNCTION) {
		*index = meaning.base;
		return 0;
	}
	meaning = (struct ptx_meaning){.kind = PTX_SYMBOL_FUNCTION, .base = module->function_count};
	function = ptx_pool(module, sizeof(*function));
	if (!function)
		return ptx_out_of_memory(parser);
	function->name = ptx_pool_text(module, name->text, name->length);
	if (!function->name)
		return ptx_out_of_memory(parser);
	for (size_t n = 0; n < sizeof(builtins) / sizeof(*builtins); n++)
		if (ptx_token_is(name, builtins[n].name))
			function->builtin = builtins[n].builtin;
	if (ptx_grow((void **)&module->functions, &module->function_capacity,
		     module->function_count, sizeof(*module->functions), parser->error))
		return -1;
	*index = module->function_count;
	module->functions[module->function_count++] = function;
	/* functions belong to the module, wherever they are first named */
	parser->depth = 0;
	result = ptx_define(parser, name, &meaning);
	parser->depth = depth;
	return result;
}

/* One parameter of a function or kernel, from ".param" on. */
static int read_parameter(struct ptx_parser *parser, struct ptx_declarator *declarator,
			  bool *by_register)
{
	*by_register = ptx_is_word(parser, ".reg");
	if (!*by_register && !ptx_is_word(parser, ".param"))
		return ptx_unexpected(parser, "'.param'");
	return ptx_advance(parser) || ptx_read_type(parser, declarator) ||
			       ptx_read_name(parser, declarator)
		       ? -1
		       : 0;
}

static uint32_t place(uint32_t *cursor, const struct ptx_declarator *declarator)
{
	uint64_t start = (*cursor + declarator->alignment - 1) & ~(declarator->alignment - 1);

	*cursor = (uint32_t)(start + declarator->size);
	return (uint32_t)start;
}

/*
 * "(.param .b32 a, ...)": lays the parameters out from *bytes on and defines their names in the
 * scope that is open.
 */
static int read_parameters(struct ptx_parser *parser, enum ptx_symbol_kind kind, uint32_t *bytes,
			   struct ptx_parameter **parameters, uint32_t *count, bool *by_register)
{
	struct ptx_declarator declarator;
	struct ptx_parameter *list = NULL, *copy;
	size_t capacity = 0, used = 0;
	int result = -1;

	if (ptx_expect(parser, "("))
		return -1;
	while (!ptx_is_mark(parser, ')')) {
		struct ptx_meaning meaning = {.kind = kind};
		bool in_register;

		if (read_parameter(parser, &declarator, &in_register))
			goto out;
		/* predicates and 128 bits have no slots */
		*by_register |= in_register &&
				(kind != PTX_SYMBOL_FRAME || ptx_type_size(declarator.type) < 2 ||
				 declarator.type == PTX_B128 || declarator.dimension_count ||
				 parser->by_register_count == PTX_REGISTER_PARAMETERS);
		if (declarator.size > PTX_PARAMETER_LIMIT ||
		    *bytes + declarator.size + declarator.alignment > PTX_PARAMETER_LIMIT) {
			error_set(parser->error, "line %u: more than %u bytes of parameters",
				  declarator.name.line, PTX_PARAMETER_LIMIT);
			goto out;
		}
		if (ptx_grow((void **)&list, &capacity, used, sizeof(*list), parser->error))
			goto out;
		meaning.type = declarator.type;
		meaning.size = declarator.size;
		meaning.base = place(bytes, &declarator);
		list[used++] = (struct ptx_parameter){meaning.base, (uint32_t)declarator.size,
						      (uint32_t)declarator.alignment};
		if (in_register && !*by_register)
			parser->by_register[parser->by_register_count++] =
				(struct ptx_register_parameter){.name = declarator.name,
								.type = declarator.type,
								.offset = meaning.base};
		else if (!ptx_token_is(&declarator.name, "_") &&
			 ptx_define(parser, &declarator.name, &meaning))
			goto out;
		if (ptx_is_mark(parser, ',') ? ptx_advance(parser)
					     : !ptx_is_mark(parser, ')') && ptx_expect(parser, ")"))
			goto out;
	}
	copy = ptx_pool(parser->module, used * sizeof(*copy));
	if (!copy) {
		ptx_out_of_memory(parser);
		goto out;
	}
	if (used)
		memcpy(copy, list, used * sizeof(*copy));
	*parameters = copy;
	*count = (uint32_t)used;
	result = ptx_advance(parser);
out:
	free(list);
	return result;
}
/* "name: .branchtargets a, b;" after the directive */
static int read_targets(struct ptx_parser *parser, struct ptx_meaning *meaning)
{
	struct ptx_module *module = parser->module;

	meaning->base = module->extra_count;
	if (ptx_add_extra(parser, 0))
		return -1;
	while (!ptx_is_mark(parser, ';')) {
		if (parser->token.kind != PTX_WORD)
			return ptx_unexpected(parser, "a label");
		if (ptx_refer(parser, &parser->token, UINT32_MAX, module->extra_count) ||
		    ptx_add_extra(parser, 0) || ptx_advance(parser))
			return -1;
		module->extras[meaning->base]++;
		if (ptx_is_mark(parser, ',') && ptx_advance(parser))
			return -1;
	}
	return ptx_advance(parser);
}

/* Called before the colon of a label. */
static int read_label(struct ptx_parser *parser, const struct ptx_token *name)
{
	struct ptx_meaning meaning = {.kind = PTX_SYMBOL_LABEL, .base = parser->module->code_count};

	if (ptx_advance(parser))
		return -1;
	if (ptx_is_word(parser, ".branchtargets")) {
		meaning.kind = PTX_SYMBOL_TARGETS;
		if (ptx_advance(parser) || read_targets(parser, &meaning))
			return -1;
	} else if (ptx_is_word(parser, ".callprototype") || ptx_is_word(parser, ".calltargets")) {
		meaning.kind = PTX_SYMBOL_PROTOTYPE;
		if (ptx_skip_to_semicolon(parser))
			return -1;
	}
	return ptx_note_label(parser) || ptx_define(parser, name, &meaning) ? -1 : 0;
}

static bool label_ahead(const struct ptx_parser *parser)
{
	struct ptx_lexer ahead = parser->lexer;
	struct ptx_token token;
	struct error ignored;

	/* opcodes with operands have dots, labels have none */
	if (memchr(parser->token.text, '.', parser->token.length))
		return false;
	return !ptx_lexer_next(&ahead, &token, &ignored) && ptx_token_is(&token, ":");
}
static int read_statement(struct ptx_parser *parser)
{
	struct ptx_token name = parser->token;
	enum ptx_modifier space;
	bool external;

	if (name.kind == PTX_WORD && *name.text == '.') {
		if (ptx_is_word(parser, ".reg"))
			return ptx_advance(parser) ? -1 : ptx_declare_registers(parser);
		if (ptx_is_word(parser, ".loc"))
			return ptx_read_location(parser);
		if (ptx_is_word(parser, ".pragma"))
			return ptx_skip_to_semicolon(parser);
		if (ptx_read_linkage(parser, &external))
			return -1;
		space = ptx_space_named(parser);
		if (space != PTX_MODIFIER_COUNT)
			return ptx_advance(parser) ? -1
						   : ptx_declare_variables(parser, space, external);
		return ptx_unexpected(parser, "a directive that may stand in a function");
	}
	if (name.kind == PTX_WORD && label_ahead(parser))
		return ptx_advance(parser) || read_label(parser, &name) ? -1 : 0;
	return ptx_decode(parser);
}

/* Between the braces of a function; its scope is open. */
static int read_body(struct ptx_parser *parser)
{
	const struct ptx_instruction end = {.execute = parser->machine->ret};
	uint32_t outer = parser->depth;

	if (ptx_expect(parser, "{") || ptx_load_parameters(parser))
		return -1;
	for (;;) {
		if (ptx_is_mark(parser, '{')) {
			if (ptx_advance(parser) || ptx_scope_open(parser))
				return -1;
		} else if (ptx_is_mark(parser, '}')) {
			if (parser->depth == outer)
				break;
			if (ptx_advance(parser) || ptx_scope_close(parser))
				return -1;
		} else if (parser->token.kind == PTX_END) {
			return ptx_unexpected(parser, "'}'");
		} else if (read_statement(parser)) {
			return -1;
		}
	}
	/* running into the end of a function is a return, and a label may stand there */
	if (ptx_store_result(parser, 0, parser->token.line) ||
	    ptx_append(parser, &end, parser->token.line))
		return -1;
	return ptx_advance(parser);
}

/* .maxntid 256, 1, 1 and others, between the parameters and the body */
static int read_tuning(struct ptx_parser *parser, struct ptx_kernel *kernel)
{
	while (parser->token.kind == PTX_WORD && *parser->token.text == '.') {
		bool threads = ptx_is_word(parser, ".maxntid") || ptx_is_word(parser, ".reqntid");
		bool cluster = ptx_is_word(parser, ".reqnctapercluster");
		uint64_t product = 1;
		unsigned count = 0;

		if (ptx_is_word(parser, ".pragma")) {
			if (ptx_skip_to_semicolon(parser))
				return -1;
			continue;
		}
		if (ptx_advance(parser))
			return -1;
		while (parser->token.kind == PTX_INTEGER) {
			if (parser->token.value > 65535)
				return ptx_unexpected(parser, "a number below 65536");
			product *= parser->token.value;
			if (cluster && kernel && count < 3)
				kernel->cluster[count++] = (uint32_t)parser->token.value;
			if (product > UINT32_MAX)
				return ptx_unexpected(parser, "fewer threads");
			if (ptx_advance(parser) ||
			    (ptx_is_mark(parser, ',') && ptx_advance(parser)))
				return -1;
		}
		if (threads && kernel)
			kernel->max_threads = (uint32_t)product;
		for (; count && count < 3; count++)
			kernel->cluster[count] = 1;
	}
	return 0;
}

/* Reads a body into the function that parser->function is. */
static int read_definition(struct ptx_parser *parser)
{
	struct ptx_function *function = parser->function;
	struct ptx_scope *scope = &parser->scopes[parser->depth];

	function->defined = true;
	function->predicates = PTX_PREDICATE_FIRST;
	function->entry = parser->module->code_count;
	scope->next_register = 0;
	scope->next_predicate = PTX_PREDICATE_FIRST;
	scope->frame_bytes = function->frame_bytes;
	parser->source_line = 0;
	parser->call = 0;
	ptx_contract_start(parser);
	if (read_body(parser))
		return -1;
	function->end = parser->module->code_count;
	return 0;
}

int ptx_read_kernel(struct ptx_parser *parser)
{
	struct ptx_module *module = parser->module;
	struct ptx_kernel *kernel = ptx_pool(module, sizeof(*kernel));
	struct ptx_function *function = ptx_pool(module, sizeof(*function));
	struct ptx_meaning meaning;
	bool by_register = false, again;

	parser->by_register_count = 0;
	if (!kernel || !function)
		return ptx_out_of_memory(parser);
	if (parser->token.kind != PTX_WORD)
		return ptx_unexpected(parser, "the name of a kernel");
	kernel->name = ptx_pool_text(module, parser->token.text, parser->token.length);
	if (!kernel->name)
		return ptx_out_of_memory(parser);
	function->name = kernel->name;
	kernel->function = function;
	again = ptx_find_kernel(module, kernel->name);
	if (again && !parser->weak)
		return error_set(parser->error, "line %u: the kernel '%s' has two bodies",
				 parser->token.line, kernel->name);
	/* it may have been declared before */
	if (!(ptx_lookup(parser, &parser->token, &meaning) && meaning.kind == PTX_SYMBOL_KERNEL)) {
		meaning = (struct ptx_meaning){.kind = PTX_SYMBOL_KERNEL};
		if (ptx_define(parser, &parser->token, &meaning))
			return -1;
	}
	if (ptx_scope_open(parser) || ptx_advance(parser))
		return -1;
	if (ptx_is_mark(parser, '(') &&
	    read_parameters(parser, PTX_SYMBOL_PARAMETER, &kernel->parameter_bytes,
			    &kernel->parameters, &kernel->parameter_count, &by_register))
		return -1;
	if (by_register)
		return error_set(parser->error, "line %u: a kernel's parameters must be .param",
				 parser->token.line);
	if (read_tuning(parser, kernel))
		return -1;
	parser->function = function;
	parser->kernel = kernel;
	if (ptx_is_mark(parser, ';')) { /* a declaration ahead of the definition */
		if (ptx_advance(parser))
			return -1;
	} else if (again) {
		if (ptx_skip_block(parser))
			return -1;
	} else {
		const char *body = parser->token.text;

		if (ptx_grow((void **)&module->kernels, &module->kernel_capacity,
			     module->kernel_count, sizeof(*module->kernels), parser->error) ||
		    read_definition(parser))
			return -1;
		kernel->steady_stores =
			ptx_has_steady_stores(body, (size_t)(parser->lexer.at - body));
		module->kernels[module->kernel_count++] = kernel;
	}
	kernel->register_count = function->registers;
	parser->function = NULL;
	parser->kernel = NULL;
	return ptx_scope_close(parser) || ptx_contract(parser, function) ? -1 : 0;
}

int ptx_read_function(struct ptx_parser *parser)
{
	struct ptx_function *function, seen = {0};
	struct ptx_parameter *results = NULL;
	uint32_t index, result_count = 0;

	parser->by_register_count = 0;
	if (ptx_scope_open(parser))
		return -1;
	if (ptx_is_mark(parser, '(') && read_parameters(parser, PTX_SYMBOL_FRAME, &seen.frame_bytes,
							&results, &result_count, &seen.by_register))
		return -1;
	if (result_count > 1)
		return error_set(parser->error, "line %u: a function with more than one result",
				 parser->token.line);
	if (result_count)
		seen.result = *results;
	for (uint32_t n = 0; n < parser->by_register_count; n++)
		parser->by_register[n].is_result = true;
	if (parser->token.kind != PTX_WORD)
		return ptx_unexpected(parser, "the name of a function");
	if (ptx_function_index(parser, &parser->token, &index) || ptx_advance(parser))
		return -1;
	function = parser->module->functions[index];
	if (ptx_is_mark(parser, '(') &&
	    read_parameters(parser, PTX_SYMBOL_FRAME, &seen.frame_bytes, &seen.parameters,
			    &seen.parameter_count, &seen.by_register))
		return -1;
	if (read_tuning(parser, NULL))
		return -1;
	if (ptx_is_mark(parser, '{') && function->defined && !parser->weak)
		return error_set(parser->error, "line %u: the function '%s' has two bodies",
				 parser->token.line, function->name);
	if (ptx_is_mark(parser, '{') && function->defined)
		return ptx_skip_block(parser) ? -1 : ptx_scope_close(parser);
	if (!function->defined) {
		function->frame_bytes = seen.frame_bytes;
		function->result = seen.result;
		function->parameters = seen.parameters;
		function->parameter_count = seen.parameter_count;
		function->by_register = seen.by_register;
	}
	if (ptx_is_mark(parser, '{')) {
		parser->function = function;
		if (read_definition(parser))
			return -1;
		parser->function = NULL;
	} else if (ptx_expect(parser, ";")) {
		return -1;
	}
	return ptx_scope_close(parser) || ptx_contract(parser, function) ? -1 : 0;
}
